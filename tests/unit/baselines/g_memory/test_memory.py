"""G-Memory as a whole: what is injected, in which order an update happens, roles, modes, whole streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from baselines.g_memory.insights import Edit
from baselines.g_memory.memory import GMemory
from baselines.g_memory.settings import FAULTS, faults_of
from harness.protocols import RoleMemory
from harness.stream.launch import run_cell
from tests.streams import compose_cell, episodes
from tests.unit.baselines.g_memory.building import live, memory, task
from tests.unit.strata.building import by_rule


def with_rule(**changes: Any) -> GMemory:
    """Return a memory of one solved episode with a rule that it speaks for."""
    made = memory(**changes)
    live(made, 0)
    made.insights.apply(Edit("ADD", "look first.", None), list(made.queries.nodes.values()))
    return made


def scores(of: GMemory) -> dict[str, int]:
    return {rule.text: rule.score for rule in of.insights.rules}


def test_trajectories_come_first_and_then_the_insights_numbered() -> None:
    made = with_rule(backbone=by_rule(key_steps={"key_steps": ["go", "heat"]}))
    recall = made.retrieve(task(9), "", trial=1)
    assert [item.kind for item in recall.items] == ["trajectory", "insight"]
    assert recall.text.splitlines() == [
        "From earlier tasks:", "Task: heat egg 0 and put it in shelf.", "Outcome: solved", "Key steps:", "1. go",
        "2. heat", "Action: go to egg", "Observation: You go to egg.", "Action: heat egg", "Observation: You heat egg.",
        "Insights:", "1. look first.",
    ]  # fmt: skip


def test_the_rules_shown_gain_with_a_success_and_lose_with_a_failure_and_those_without_score_are_gone() -> None:
    made = with_rule()
    live(made, 1)
    assert scores(made) == {"look first.": 3}
    live(made, 2, success=False)
    assert scores(made) == {"look first.": 1}
    live(made, 3, success=False)
    assert scores(made) == {}


def test_rules_that_were_not_shown_keep_their_score() -> None:
    made = with_rule(counting={"insights": 0})
    live(made, 1)
    assert scores(made) == {"look first.": 2}


@pytest.mark.parametrize(("faults", "scored"), [([], 1), (["backward_after_write"], 0)])
def test_a_merge_before_the_scoring_takes_the_shown_rules_away(faults: Any, scored: int) -> None:
    made = with_rule(backbone=by_rule(merge={"rules": ["merged."]}), faults=faults, merging={"every": 2})
    _, report = live(made, 1)
    assert report.notes["merged"] == 1
    assert report.notes["scored"] == scored
    assert scores(made) == {"merged.": 2}


def test_fine_tuning_comes_every_5_and_merging_every_20_episodes() -> None:
    made = memory()
    reports = [live(made, number)[1].notes for number in range(40)]
    assert [n for n, notes in enumerate(reports, 1) if notes["edits"]] == [5, 10, 15, 20, 25, 30, 35, 40]
    assert [n for n, notes in enumerate(reports, 1) if notes["merged"] is not None] == [20, 40]


def test_an_episode_that_nobody_judged_leaves_no_trace() -> None:
    made = memory()
    _, report = live(made, 0, success=None)
    assert (len(made), report.notes["unjudged"]) == (0, True)


def test_repo_has_all_known_faults_paper_none_and_a_list_is_taken_as_it_is() -> None:
    assert faults_of("repo", None) == set(FAULTS)
    assert faults_of("paper", None) == set()
    assert faults_of("repo", ["digits_stripped"]) == {"digits_stripped"}
    for mode in ("repo", "paper"):
        made = memory(mode=mode)
        assert made.mode == mode
        assert all((fault in made.disclosures[0]) == (mode == "repo") for fault in FAULTS)


def test_each_role_sees_all_of_a_recall_or_with_the_projector_the_insights_in_its_own_words() -> None:
    answer = {"insights": ["check the egg first."]}
    for projector in (False, True):
        made = with_rule(backbone=by_rule(projector_helper=answer), projector=projector)
        recall = made.retrieve(task(9), "", trial=1)
        assert isinstance(made, RoleMemory)
        seen = made.project(recall, "helper")
        assert seen.items[0] == recall.items[0]
        told = "check the egg first." if projector else "look first."
        assert seen.items[1].text == f"Insights:\n1. {told}"
        assert (seen.items[1].id, seen.items[1].born) == (recall.items[1].id, recall.items[1].born)


@pytest.mark.parametrize("answer", ["prose", {"insights": []}, {"insights": ["a", "b"]}, {"insights": [" "]}])
def test_a_projection_that_is_no_text_for_each_insight_leaves_the_recall_as_it_was(answer: Any) -> None:
    made = with_rule(backbone=by_rule(projector_helper=answer), projector=True)
    recall = made.retrieve(task(9), "", trial=1)
    assert made.project(recall, "helper") == recall


@pytest.mark.parametrize("mode", ["repo", "paper"])
def test_a_stream_of_corridors_runs_to_its_end(tmp_path: Path, mode: str) -> None:
    result = run_cell(
        compose_cell(tmp_path, "env=corridor", "memory=g_memory", "backbone=apprentice", f"memory.mode={mode}")
    )
    assert result.code == 0, result.message
    assert result.folder is not None
    lines = episodes(result.folder)
    assert len(lines) == 6
    assert {item["kind"] for item in lines[-1]["recall"]["items"]} == {"trajectory", "insight"}
    lock = json.loads((result.folder / "lock.json").read_text(encoding="utf-8"))
    assert lock["memory"]["mode"] == mode
