"""The controller: what it is shown, what it may answer, and what an answer that cannot be used comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evoedit.controller import VERBS, answer_schema
from evoedit.insight_graph import InsightGraph
from evoedit.memory import EvoGraph
from tests.unit.evoedit.building import Controlled, add, live, memory, rule

GOOD = rule("KEEP", "ARCHIVE")
HOSTILE: dict[str, Any] = {
    "nothing": "",
    "prose": "I would keep the first insight and archive the second one.",
    "half an object": json.dumps(GOOD)[:40],
    "an insight missing": {**GOOD, "edits": {"insight_1": {"operation": "ARCHIVE"}}},
    "no edits": {"add": 1, "new_insight": "x."},
    "no decision on adding": {"edits": GOOD["edits"]},
    "an unknown insight": {**GOOD, "edits": {**GOOD["edits"], "insight_3": {"operation": "ARCHIVE"}}},
    "an id of the store": {**GOOD, "edits": {"i00001": {"operation": "ARCHIVE"}, "i00002": {"operation": "KEEP"}}},
    "an unknown verb": rule("DELETE", "ARCHIVE"),
    "no verb": {**GOOD, "edits": {"insight_1": {}, "insight_2": {"operation": "ARCHIVE"}}},
    "a verb that is a number": {**GOOD, "edits": {"insight_1": {"operation": 2}, "insight_2": {"operation": "KEEP"}}},
    "a revision without text": rule("ARCHIVE", "REVISE", words=" \n"),
    "an addition without text": {**GOOD, "add": 1, "new_insight": "\t"},
    "an addition of seven": {**GOOD, "add": 7, "new_insight": "x."},
    "a list": [GOOD],
    "edits in a list": {**GOOD, "edits": [{"insight": "insight_1", "operation": "ARCHIVE"}] * 2},
    "an endless text": rule("ARCHIVE", "REVISE", words="x" * 30_000),
    "nested too deep": "[" * 500,
    "nan": '{"edits": NaN, "add": 0}',
}


def with_two_insights(*answers: Any, **changes: Any) -> tuple[EvoGraph, Controlled]:
    """Return a memory in which tasks 0 and 1 have left an insight each, and its controller."""
    backbone = Controlled(add("one."), {**rule("KEEP", add=1), "new_insight": "two."}, *answers)
    made = memory(backbone, **changes)
    live(made, 0)
    live(made, 1)
    assert [node.text for node in made.insights.active] == ["one.", "two."]
    return made, backbone


def state(graph: InsightGraph) -> list[tuple[str, bool, list[str], list[str]]]:
    return [(node.text, node.active, node.positives, node.negatives) for node in graph.nodes.values()]


@pytest.mark.parametrize("name", HOSTILE)
def test_an_answer_that_cannot_be_used_keeps_every_insight_adds_none_and_is_counted(name: str) -> None:
    made, backbone = with_two_insights(HOSTILE[name])
    asked = len(backbone.prompts)
    _, report = live(made, 2, success=False)
    assert len(backbone.prompts) - asked == 3
    assert report.notes["unreadable"] == {"controller": 1}
    assert report.notes["edits"] == {"KEEP": 2}
    assert state(made.insights) == [
        ("one.", True, ["q00001", "q00002", "q00003"], []), ("two.", True, ["q00002", "q00003"], []),
    ]  # fmt: skip
    assert [edit.by for edit in made.insights.history[-2:]] == ["default", "default"]
    assert len(made.queries) == 3


@pytest.mark.parametrize("name", ["nothing", "prose", "an addition without text"])
def test_without_an_insight_to_rule_on_an_unusable_answer_adds_none(name: str) -> None:
    made = memory(Controlled(HOSTILE[name]))
    _, report = live(made, 0)
    assert (report.notes["unreadable"], report.notes["edits"]) == ({"controller": 1}, {})
    assert (len(made.queries), len(made.insights)) == (1, 0)


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(rule("KEEP", "ARCHIVE")),
        "Here you are:\n```json\n" + json.dumps(rule(" keep", "Archive")) + "\n```",
        json.dumps({**rule("KEEP", "ARCHIVE"), "add": False, "reason": "none"}),
        json.dumps({**rule("KEEP", "ARCHIVE"), "add": "0"}),
        "<think>archive both?</think>" + json.dumps(rule("KEEP", "ARCHIVE")),
        json.dumps(rule("KEEP", "KEEP"))[:-1] + ', "edits": ' + json.dumps(GOOD["edits"]) + "}",
    ],
    ids=["plain", "fenced", "extra fields", "texts", "reasoning", "twice, the last counts"],
)
def test_a_whole_ruling_is_read_in_any_dress(answer: str) -> None:
    made, _ = with_two_insights(answer)
    _, report = live(made, 2)
    assert report.notes["unreadable"] == {}
    assert [node.active for node in made.insights.nodes.values()] == [True, False]


def test_the_controller_sees_the_task_the_trajectory_the_feedback_and_the_insights() -> None:
    made, backbone = with_two_insights(rule("KEEP", "KEEP"))
    live(made, 2, success=False)
    prompt = backbone.prompts[-1]
    for words in (
        "Task: heat egg 2 and put it in shelf.", "Action: heat egg", "Observation: You heat egg.",
        "Outcome: failed, score 1", "[insight_1] one. (supported by 2 earlier tasks, 0 against)", "[insight_2] two.",
    ):  # fmt: skip
        assert words in prompt


@pytest.mark.parametrize("controlling", VERBS)
def test_a_smaller_ablation_has_fewer_verbs_in_prompt_and_schema(controlling: Any) -> None:
    made, backbone = with_two_insights(rule("KEEP", "KEEP"), controller=controlling)
    live(made, 2)
    named = [verb for verb in VERBS["all"] if f"- {verb}:" in backbone.prompts[-1]]
    assert tuple(named) == VERBS[controlling]
    assert made.variant == controlling
    for verb in VERBS["all"]:
        answer = rule(verb, "KEEP")
        accepted = verb in VERBS[controlling]
        try:
            answer_schema(controlling, 2).model_validate(answer)
        except ValueError:
            assert not accepted
        else:
            assert accepted


def test_a_verb_that_the_ablation_lacks_is_no_ruling() -> None:
    made, _ = with_two_insights(rule("REVISE", "ARCHIVE"), controller="add_keep_archive")
    _, report = live(made, 2)
    assert report.notes["unreadable"] == {"controller": 1}
    assert all(node.active for node in made.insights.nodes.values())


def test_one_call_rules_on_all_insights_and_on_adding() -> None:
    made, backbone = with_two_insights(rule("KEEP", "KEEP"))
    before = len(backbone.calls)
    live(made, 2)
    roles = [(call.phase, call.role) for call in backbone.calls[before:] if call.phase == "update"]
    assert roles == [("update", "key_steps"), ("update", "controller")]
    before = len(backbone.calls)
    live(made, 3, success=False)
    roles = [(call.phase, call.role) for call in backbone.calls[before:] if call.phase == "update"]
    assert roles == [("update", "key_steps"), ("update", "fail_reason"), ("update", "controller")]
