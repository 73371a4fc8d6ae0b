"""One round of a memory: what ages, what an episode without a verdict leaves, what is logged, and in which order."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.tokens import estimate_tokens
from harness.types import UpdateReport
from strata.memory import Strata
from tests.unit.strata.building import WORKFLOW, TableEmbedder, by_rule, experience, memory, plant, task

HEAT, COOL = "heat some egg.", "cool some egg."
VECTORS = {HEAT: (1.0, 0.0), COOL: (1.0, 0.1), "heats": (1.0, 0.0), "cold thing\nhot thing": (1.0, 0.0)}
"""Of two tasks, and of both views of the workflow that every episode writes."""
STEPS = ("take egg", "heat egg")
OWN = {"low_prior": 1.0, "high_prior": 1.0}
"""A band under which every episode gets a workflow of its own."""
TAGS = {HEAT: ("app:house", "op:heat", "obj:egg"), COOL: ("app:house", "op:cool", "obj:egg")}


def fresh(**changes: Any) -> Strata:
    answers = {"router": {"reflectors": ["workflow"]}, "workflow": WORKFLOW, "pitfall": {"pitfall": "x"}}
    return memory(by_rule(**answers), TableEmbedder(VECTORS), **{"thresholds": "global", "bands": OWN, **changes})


def put(of: Strata, text: str = HEAT, **fields: Any) -> str:
    """Plant the workflow of a task's text, both views of which are the text."""
    given = {"tags": TAGS[text], "body": STEPS, **fields}
    return plant(of.store, "workflow", content_vector=VECTORS[text], index_vector=VECTORS[text], **given).id


def live(of: Strata, number: int, text: str = HEAT, **fields: Any) -> UpdateReport:
    each = experience(task(number, text), **fields)
    of.retrieve(each.episode.task, each.episode.observation, trial=1)
    return of.update(each)


def ages(of: Strata, *ids: str) -> list[float]:
    return [float(age) for age in of.store.ages.of(np.array([of.store.geometry.slot[i] for i in ids]))]


def state(of: Strata, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    of.save(folder)
    found: dict[str, Any] = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    return found


def test_a_workflow_made_from_the_task_at_hand_neither_ages_nor_competes() -> None:
    strata = fresh(forgetting={"alpha": 0.5, "beta": 0.0, "gamma": 0.0})
    live(strata, 0)
    own, other = "workflow-00000", put(strata)
    strata.store.ages.set(strata.store.geometry.slot[own], 3.0)
    strata.retrieve(task(0, HEAT), "", trial=2)
    assert ages(strata, own, other) == [3.0, 0.0]
    strata.retrieve(task(1, HEAT), "", trial=1)
    assert ages(strata, own, other) == [0.0, 0.5]


@pytest.mark.parametrize("retrieved", [True, False])
@pytest.mark.parametrize("success", [True, False, None])
def test_a_round_of_reflection_ages_nothing(success: bool | None, retrieved: bool) -> None:
    strata = fresh(bands={"low_prior": 0.0, "high_prior": 1.0})
    ids = [put(strata), put(strata, COOL)]
    each = experience(task(0, HEAT), success=success)
    if retrieved:
        strata.retrieve(each.episode.task, "", trial=1)
    before = ages(strata, *ids)
    strata.update(each)
    assert ages(strata, *ids) == before
    assert any(before) == retrieved


def test_without_a_verdict_a_workflow_near_by_stays_as_it_is(tmp_path: Path) -> None:
    strata = fresh(thresholds="shrunk", bands={"low_prior": 0.0, "high_prior": 1.0}, contrast="learned")
    put(strata)
    before, kept = deepcopy(strata.graph), state(strata, tmp_path / "a")
    report = live(strata, 0, success=None, actions=STEPS)
    assert report.written == ()
    assert report.notes["reflection"]["decision"] == "none"
    assert report.notes["contrasts_added"] == 0
    assert strata.graph == before
    assert state(strata, tmp_path / "b") == kept


def test_what_was_injected_is_logged_with_the_round_it_was_injected_in() -> None:
    strata = fresh()
    put(strata)
    each = experience(task(0, HEAT))
    recall = strata.retrieve(each.episode.task, "", trial=1)
    logged = strata.update(each).notes["injected"]
    assert recall.lines > 1
    assert logged == {
        "lines": recall.lines, "tokens": estimate_tokens(recall.text), "meta": False, "items": {"workflow": 1}
    }  # fmt: skip
    nothing = {"lines": 0, "tokens": 0, "meta": False, "items": {}}
    assert strata.update(experience(task(1, HEAT))).notes["injected"] == nothing


def test_the_contrasts_of_a_new_workflow_are_counted() -> None:
    strata = fresh(meta=False)
    put(strata), put(strata)
    assert live(strata, 0, HEAT).notes["contrasts_added"] == 0
    assert live(strata, 1, COOL).notes["contrasts_added"] == 3
    assert live(strata, 2, HEAT).notes["contrasts_added"] == 1
    assert strata.graph.count("contrasts") == 4


def test_the_contrast_that_a_failure_teaches_is_counted() -> None:
    strata = fresh(contrast="learned", retrieval={"seeds": 1}, meta=False)
    wrong = put(strata, HEAT)
    right = plant(
        strata.store, "workflow", content_vector=VECTORS[COOL], index_vector=(0.0, 0.0, 1.0), tags=("op:cool",)
    )
    report = live(strata, 0, COOL, success=False, actions=STEPS)
    assert report.notes["injected"]["items"] == {"workflow": 1}
    assert report.notes["contrasts_added"] == 1
    assert strata.graph.targets("contrasts", wrong) == (right.id,)


@pytest.mark.parametrize(
    ("success", "actions", "text", "kept"),
    [
        (False, STEPS, COOL, 1),
        (True, STEPS, COOL, 0),
        (None, STEPS, COOL, 0),
        (False, ("look",), COOL, 0),
        (False, STEPS, HEAT, 0),
    ],
)
def test_only_a_failure_in_which_a_workflow_for_something_else_was_executed_teaches_opposition(
    tmp_path: Path, success: bool | None, actions: tuple[str, ...], text: str, kept: int
) -> None:
    strata = fresh(contrast="learned")
    wrong = put(strata, HEAT)
    report = live(strata, 0, text, success=success, actions=actions)
    assert report.notes["contrasts_added"] == 0
    misfires = state(strata, tmp_path / "a")["misfires"]
    assert [misfire["workflow"] for misfire in misfires] == [wrong] * kept
    assert all(misfire["operators"] == ["cool"] for misfire in misfires)


def test_a_workflow_that_was_shown_under_a_warning_does_not_count_as_followed(tmp_path: Path) -> None:
    strata = fresh(contrast="learned")
    warned = put(strata, HEAT)
    shown = put(strata, COOL, body=("open fridge",), tags=("app:house", "op:find", "obj:egg"))
    each = experience(task(0, COOL), success=False, actions=STEPS)
    strata.graph.link("contrasts", warned, shown)
    recall = strata.retrieve(each.episode.task, "", trial=1)
    assert [(item.id, item.kind == "workflow") for item in recall.items] == [(shown, True), (warned, False)]
    assert strata.update(each).notes["contrasts_added"] == 0
    assert state(strata, tmp_path / "a")["misfires"] == []


def test_what_a_workflow_failed_at_is_forgotten_with_it(tmp_path: Path) -> None:
    strata = fresh(contrast="learned", forgetting={"cap": 1}, meta=False)
    wrong = put(strata, HEAT)
    live(strata, 0, COOL, success=False, actions=STEPS)
    assert len(state(strata, tmp_path / "a")["misfires"]) == 1
    strata.store.ages.set(strata.store.geometry.slot[wrong], 100.0)
    live(strata, 1, HEAT)
    assert wrong not in strata.graph.nodes
    assert state(strata, tmp_path / "b")["misfires"] == []


def test_a_workflow_deleted_in_a_round_was_still_a_member_for_the_meta_layer() -> None:
    strata = fresh(forgetting={"cap": 2}, induction={"least_size": 3, "resolution": 0.5})
    put(strata), put(strata)
    report = live(strata, 0, HEAT)
    (meta,) = report.notes["metas"]["created"]
    assert report.notes["w"]["workflows"] == 3
    assert len(report.notes["collection"]["deleted"]) == 2
    assert strata.graph.nodes[meta].support == 3
    assert len(strata.graph.nodes[meta].bullets) == 3
    assert len(strata.graph.sources("generalizes", meta)) == 1


def test_a_new_workflow_gets_its_contrasts_before_anything_is_deleted() -> None:
    strata = fresh(forgetting={"cap": 1}, meta=False)
    old = put(strata, HEAT)
    strata.store.ages.set(strata.store.geometry.slot[old], 100.0)
    report = live(strata, 0, COOL)
    assert [row["id"] for row in report.notes["collection"]["deleted"]] == [old]
    assert report.notes["contrasts_added"] == 1
    assert strata.graph.count("contrasts") == 0


def test_a_snapshot_holds_the_graph_and_no_similarity_graph(tmp_path: Path) -> None:
    strata = fresh(meta=False)
    live(strata, 0), live(strata, 1)
    assert strata.store.w.build().weight.size == 1
    kept = state(strata, tmp_path / "store")
    files = {path.relative_to(tmp_path / "store").as_posix() for path in (tmp_path / "store").rglob("*.*")}
    nodes = {"nodes/workflow-00000.md", "nodes/workflow-00001.md"}
    assert files == {"edges.md", "state.json", "vectors.npy", *nodes}
    assert set(kept) == {"bands", "misfires", "totals"}
    assert set(kept["totals"]) == {"protected", "absorbed", "meta_writes", "churned", "deleted"}
    edges = (tmp_path / "store" / "edges.md").read_text(encoding="utf-8")
    assert edges == "# Edges\n\nnodes ever made: 2\n\n"
