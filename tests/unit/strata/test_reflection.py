"""Reflection: what crystallizes, what only adds a bullet, and what hostile answers can do."""

from __future__ import annotations

from typing import Any

import pytest

from harness.types import Experience, UpdateReport
from strata.answers import code_body
from strata.graph import Node
from strata.memory import Strata
from tests.unit.strata.building import (
    SKILL,
    WORKFLOW,
    ByTask,
    TableEmbedder,
    by_rule,
    experience,
    memory,
    settings,
    task,
)

ROUTE = {"reflectors": ["workflow"]}


def made(
    writings: dict[str, Any] | None = None, later: dict[str, dict[str, Any]] | None = None, **changes: Any
) -> Strata:
    """Return a memory with scripted answers, other ones for some task ids."""
    answers = {"router": ROUTE, "workflow": WORKFLOW, **(writings or {})}
    others = {task_id: by_rule(**{**answers, **own}) for task_id, own in (later or {}).items()}
    return memory(ByTask(by_rule(**answers), others), TableEmbedder(), **changes)


def live(of: Strata, each: Experience) -> UpdateReport:
    of.retrieve(each.episode.task, each.episode.observation, trial=each.episode.trial)
    return of.update(each)


def nodes(of: Strata, kind: str) -> list[Node]:
    return [node for node in of.graph.nodes.values() if node.kind == kind]


def test_a_solved_episode_without_any_workflow_creates_one() -> None:
    strata = made()
    report = live(strata, experience(task(0)))
    (workflow,) = nodes(strata, "workflow")
    assert report.notes["reflection"]["decision"] == "create"
    assert workflow.body == ("take it", "heat it")
    assert workflow.tags == {"app:house", "op:heat", "op:place", "obj:egg", "obj:shelf"}
    assert report.written == (workflow.id,)


def test_a_failed_episode_never_creates_a_workflow_or_an_atomic_node() -> None:
    strata = made(writings={"router": {"reflectors": ["workflow", "skill", "code", "role"]}, "skill": SKILL})
    for number in range(5):
        report = live(strata, experience(task(number), success=False))
        assert report.notes["reflection"]["decision"] == "none"
    assert len(strata) == 0


def test_a_failed_episode_attaches_at_most_a_pitfall_to_the_nearest_workflow() -> None:
    strata = made(writings={"pitfall": {"pitfall": "do not open it"}}, bands={"low_prior": 0.0})
    live(strata, experience(task(0)))
    before = nodes(strata, "workflow")[0].body
    report = live(strata, experience(task(1), success=False))
    (workflow,) = nodes(strata, "workflow")
    assert report.notes["reflection"]["decision"] == "pitfall"
    assert [(b.kind, b.text, b.origin.task) for b in workflow.bullets] == [("pitfall", "do not open it", "task-001")]
    assert workflow.body == before


def test_a_failed_episode_that_is_near_no_workflow_leaves_no_trace() -> None:
    strata = made(writings={"pitfall": {"pitfall": "x"}}, bands={"low_prior": 0.99, "high_prior": 0.99})
    live(strata, experience(task(0)))
    live(strata, experience(task(1), success=False))
    assert nodes(strata, "workflow")[0].bullets == []


def test_without_a_verdict_nothing_is_written() -> None:
    strata = made()
    live(strata, experience(task(0), success=None))
    assert len(strata) == 0


def banded(low: float, high: float) -> tuple[Strata, UpdateReport]:
    """Live through two equal tasks under a fixed band."""
    strata = made(writings={"variant": {"variant": "use the oven"}}, thresholds="global",
                  bands={"low_prior": low, "high_prior": high})  # fmt: skip
    live(strata, experience(task(0)))
    return strata, live(strata, experience(task(1)))


def test_the_band_decides_and_both_of_its_edges_add_a_bullet() -> None:
    score = banded(0.0, 1.0)[1].notes["reflection"]["score"]
    step = 2.0**-20
    for low, high, decision in (
        (score, 1.0, "add_bullet"),
        (0.0, score, "add_bullet"),
        (score + step, 1.0, "create"),
        (0.0, score - step, "noop"),
    ):
        assert banded(low, high)[1].notes["reflection"]["decision"] == decision


def test_a_near_duplicate_is_a_noop_that_only_confirms_the_workflow() -> None:
    strata, report = banded(0.0, 0.0)
    (workflow,) = nodes(strata, "workflow")
    assert (workflow.support, workflow.bullets, report.written) == (2, [], ())


def test_a_near_neighbour_adds_the_difference_as_one_variant_bullet_and_never_rewrites_the_procedure() -> None:
    strata, report = banded(0.0, 1.0)
    (workflow,) = nodes(strata, "workflow")
    assert [(b.kind, b.text, b.origin.task) for b in workflow.bullets] == [("variant", "use the oven", "task-001")]
    assert workflow.body == ("take it", "heat it")
    assert report.written == (workflow.id,)


def test_the_score_is_recorded_in_its_group_after_the_decision() -> None:
    strata, report = banded(0.0, 1.0)
    assert report.notes["reflection"]["band"]["n"] == 0
    third = live(strata, experience(task(2)))
    assert third.notes["reflection"]["band"]["n"] == 1
    assert third.notes["reflection"]["group"] == "app:house"


def test_the_score_of_a_failed_episode_is_not_recorded() -> None:
    strata = made(writings={"pitfall": {"pitfall": "x"}}, bands={"low_prior": 0.0, "high_prior": 1.0})
    live(strata, experience(task(0)))
    for number in (1, 2):
        report = live(strata, experience(task(number), success=False))
        assert report.notes["reflection"]["decision"] == "pitfall"
        assert report.notes["reflection"]["band"]["n"] == 0
        assert report.notes["bands"] == {}


def test_the_router_decides_which_reflectors_run() -> None:
    strata = made(writings={"router": {"reflectors": ["skill"]}, "skill": SKILL})
    live(strata, experience(task(0)))
    assert (len(nodes(strata, "skill")), len(nodes(strata, "workflow"))) == (1, 0)


def test_a_workflow_calls_the_atomics_it_names_then_those_of_its_own_episode() -> None:
    caller = {**WORKFLOW, "calls": ["skill-00000", "nothing"]}
    writings = {"router": {"reflectors": ["skill", "workflow"]}, "skill": SKILL, "workflow": caller}
    strata = made(writings, meta=False, thresholds="global", bands={"low_prior": 0.999, "high_prior": 1.0})
    live(strata, experience(task(0)))
    live(strata, experience(task(1, "cool a mug")))
    first, second = nodes(strata, "workflow")
    assert strata.graph.targets("call", first.id) == ("skill-00000",)
    assert strata.graph.targets("call", second.id) == ("skill-00000", "skill-00002")


def refined(answer: dict[str, Any]) -> tuple[Strata, UpdateReport]:
    """Make two skills called by two workflows, then let a third episode answer."""
    scripts = {"router": {"reflectors": ["skill", "workflow"]}, "skill": SKILL}
    later = {"task-002": {"router": {"reflectors": ["skill"]}, "skill": {**SKILL, **answer}}}
    strata = made(scripts, later, thresholds="global", bands={"low_prior": 0.999, "high_prior": 1.0}, meta=False)
    live(strata, experience(task(0)))
    live(strata, experience(task(1, "cool a mug")))
    return strata, live(strata, experience(task(2, "find a plate")))


def test_refining_rewrites_the_unit_in_place() -> None:
    strata, report = refined({"decision": "refine", "target": "skill-00000", "name": "oven", "content": "bakes"})
    node = strata.graph.nodes["skill-00000"]
    assert (node.name, node.content, node.support) == ("oven", "bakes", 2)
    assert [origin.task for origin in node.origins] == ["task-000", "task-002"]
    assert "skill-00000" in report.written
    assert len(nodes(strata, "skill")) == 2


def test_folding_units_into_one_moves_their_callers_and_leaves_a_lineage_edge() -> None:
    strata, _ = refined({"decision": "refine", "target": "skill-00000", "merge": ["skill-00002", "skill-00000", "x"]})
    assert [node.id for node in nodes(strata, "skill")] == ["skill-00000"]
    assert ("merged_from", "skill-00002", "skill-00000") in list(strata.graph.edges())
    for workflow in nodes(strata, "workflow"):
        assert strata.graph.targets("call", workflow.id) == ("skill-00000",)
    assert {origin.task for origin in strata.graph.nodes["skill-00000"].origins} == {"task-000", "task-001", "task-002"}


@pytest.mark.parametrize(
    "answer", [{"decision": "refine", "target": "skill-09999"}, {"decision": "refine"}, {"decision": "none"}]
)
def test_refining_what_is_not_there_changes_nothing(answer: dict[str, Any]) -> None:
    strata, report = refined(answer)
    assert [node.name for node in nodes(strata, "skill")] == ["microwave", "microwave"]
    assert len(strata) == 4
    assert report.notes["unreadable"] == ({} if answer["decision"] == "none" else {"skill": 1})


HOSTILE = [
    None, "", "I would rather not.", "{", "[" * 10_000, '{"name": null}', "42", '"text"', "[]", '{"procedure": []}',
    {"name": "x", "content": "y", "applicability_condition": "", "goal": "", "procedure": ["\x00", " \n "]},
    {"name": "\u202e", "content": "\x00", "applicability_condition": "", "goal": "", "procedure": ["a"]},
    {**WORKFLOW, "procedure": "take it"}, {**WORKFLOW, "procedure": [{"step": 1}]}, {**WORKFLOW, "name": ["a"]},
]  # fmt: skip


@pytest.mark.parametrize("role", ["router", "workflow", "skill", "tags"])
@pytest.mark.parametrize("answer", HOSTILE)
def test_an_unreadable_answer_is_counted_and_loses_neither_the_episode_nor_half_of_the_graph(
    role: str, answer: Any
) -> None:
    writings = {"router": {"reflectors": ["skill", "workflow"]}, "skill": SKILL, role: answer}
    strata = made(writings=writings, tag_parser="llm" if role == "tags" else "rule")
    report = live(strata, experience(task(0)))
    assert report.notes["unreadable"][role] == 1
    kinds = {"router": ["workflow"], "workflow": ["skill"], "skill": ["workflow"], "tags": ["skill", "workflow"]}[role]
    assert [node.kind for node in strata.graph.nodes.values()] == kinds
    assert set(strata.graph.nodes) >= {end for _, *ends in strata.graph.edges() for end in ends}


@pytest.mark.parametrize("role", ["variant", "pitfall"])
@pytest.mark.parametrize("answer", ["", {"variant": " \x00", "pitfall": "\n"}, {"other": 1}])
def test_an_unreadable_bullet_is_counted_and_not_added(role: str, answer: Any) -> None:
    strata = made(writings={role: answer}, bands={"low_prior": 0.0, "high_prior": 1.0})
    live(strata, experience(task(0)))
    report = live(strata, experience(task(1), success=role == "variant"))
    assert nodes(strata, "workflow")[0].bullets == []
    assert report.notes["unreadable"] == {role: 1}
    assert report.notes["reflection"]["decision"] == "none"


def test_what_is_stored_is_clean_single_lines_of_bounded_length() -> None:
    wild = {
        **WORKFLOW,
        "name": "a\nb\x00c\ud800",
        "content": "z" * 10_000,
        "procedure": [f"step {n}" for n in range(300)],
    }
    strata = made(writings={"workflow": wild})
    live(strata, experience(task(0)))
    (node,) = nodes(strata, "workflow")
    assert node.name.startswith("a b c")
    assert (len(node.content), len(node.body)) == (300, 40)
    assert all(text.isprintable() for text in (node.name, node.content, node.goal, *node.body))


def test_code_keeps_its_lines_and_indentation() -> None:
    code = {**SKILL, "lines": ["for x in y:\n    print(x)\n", "\x07end"]}
    strata = made(writings={"router": {"reflectors": ["code"]}, "code": code})
    live(strata, experience(task(0)))
    assert nodes(strata, "code")[0].body == ("for x in y:", "    print(x)", "end")


@pytest.mark.parametrize(
    ("line", "stored"),
    [
        ("\tif x:", "    if x:"),
        ("  \t\tdeep", "        deep"),
        ("x = 'a   b'  # two  gaps", "x = 'a   b'  # two  gaps"),
        ("  \x07\x00y\ud800 \u200b= 1\r", "  y? = 1"),
        (" \t \x00", None),
        ("  " + "z" * 400, "  " + "z" * 298),
        (" " * 400 + "z", None),
    ],
)
def test_a_line_of_code_keeps_its_spaces_and_its_tabs_are_expanded(line: str, stored: str | None) -> None:
    assert code_body([line], settings()["reflection"]) == ([] if stored is None else [stored])


def test_new_atomics_of_a_noop_are_called_by_the_nearest_workflow() -> None:
    later = {"task-001": {"router": {"reflectors": ["skill", "workflow"]}, "skill": SKILL}}
    strata = made({}, later, thresholds="global", bands={"low_prior": 0.0, "high_prior": 0.0})
    live(strata, experience(task(0)))
    live(strata, experience(task(1)))
    assert strata.graph.targets("call", "workflow-00000") == ("skill-00001",)


def test_an_episode_that_opposes_the_nearest_workflow_can_get_one_of_its_own() -> None:
    for separate, count in ((False, 1), (True, 2)):
        strata = made(
            thresholds="global", bands={"low_prior": 0.0, "high_prior": 1.0}, opposites={"separate": separate}
        )
        live(strata, experience(task(0, "heat some egg.")))
        live(strata, experience(task(1, "cool some egg.")))
        assert len(nodes(strata, "workflow")) == count
    assert strata.graph.targets("contrasts", "workflow-00000") == ("workflow-00001",)
