"""What a memory may do in the middle of an episode: advise, offer tools, show each role its part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from baselines.none import NoMemory
from harness.types import Advice, Limits, Recall, RecallItem, StepKind, StopReason, Tool, View
from tests.fakes.flaky_backbone import play_expert
from tests.unit.agents.playing import RECALL, gold, kinds, play


class Adviser(NoMemory):
    """Speaks up before later actions."""

    def __init__(self, advice: Advice | None) -> None:
        super().__init__()
        self.advice = advice
        self.views: list[View] = []

    def step(self, view: View) -> Advice | None:
        self.views.append(view)
        return self.advice


def test_a_step_memory_is_asked_after_each_action_and_its_recall_replaces_the_old_one() -> None:
    other = Recall((RecallItem("m2", "note", 0.1, "keys lie about", ("other",)),))
    memory = Adviser(Advice(recall=other, keep_steps=1))
    answers = ["hm", "Action: look", "hm", "Action: look", "Action: look"]
    _, backbone = play(answers, limits=Limits(3), memory=memory, recall=RECALL)
    assert [len(view.steps) for view in memory.views] == [2, 4]
    assert [view.recall for view in memory.views] == [RECALL, other]
    assert "open doors first" in backbone.prompts[1][1].content
    assert "keys lie about" in backbone.prompts[2][1].content
    assert "open doors first" not in backbone.prompts[2][1].content
    assert "(1 earlier steps left out)" in backbone.prompts[2][1].content


def test_no_advice_changes_nothing() -> None:
    memory = Adviser(None)
    _, backbone = play(["Action: look"], limits=Limits(3), memory=memory, recall=RECALL)
    _, plain = play(["Action: look"], limits=Limits(3), recall=RECALL)
    assert len(memory.views) == 2
    assert backbone.prompts == plain.prompts


class Shelf(NoMemory):
    """Offers tools."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Mapping[str, Any]] = []

    def tools(self) -> Sequence[Tool]:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        return [Tool("view_note", "Shows a note.", schema, self.view)]

    def view(self, arguments: Mapping[str, Any]) -> str:
        self.seen.append(arguments)
        return f"note {arguments['name']}: doors open"


def test_a_tool_call_is_a_recorded_step_that_takes_no_step_of_the_environment() -> None:
    memory = Shelf()
    episode, backbone = play(['Thought: ask\nAction: view_note {"name": "a"}', play_expert], memory=memory)
    tool = episode.steps[0]
    assert (tool.kind, tool.action, tool.thought) == (StepKind.TOOL, 'view_note {"name": "a"}', "ask")
    assert tool.observation == "note a: doors open"
    assert memory.seen == [{"name": "a"}]
    assert episode.actions == tuple(gold())
    assert "- view_note: Shows a note." in backbone.prompts[0][0].content
    assert backbone.prompts[1][-1].content.startswith("Observation: note a: doors open")


def test_without_tools_the_same_text_goes_to_the_environment() -> None:
    episode, backbone = play(['Action: view_note {"name": "a"}'], limits=Limits(1))
    assert kinds(episode) == [StepKind.ACT]
    assert "tools" not in backbone.prompts[0][0].content


def test_wrong_tool_calls_are_answered_and_count_and_calls_over_the_cap_are_format_errors() -> None:
    answers = ['Action: forget {"name": "a"}', "Action: view_note now", 'Action: view_note {"name": "a"}']
    episode, _ = play(answers, memory=Shelf(), max_tool_calls=3, max_format_errors=1)
    assert kinds(episode) == [StepKind.TOOL] * 3 + [StepKind.FORMAT_ERROR] * 2
    assert "no such tool" in episode.steps[0].observation
    assert "not JSON" in episode.steps[1].observation
    assert "No tool calls are left" in episode.steps[3].observation
    assert episode.outcome.stop is StopReason.FORMAT_LIMIT


class Divided(Adviser):
    """Shows each role its own part."""

    def project(self, recall: Recall, role: str) -> Recall:
        return Recall(
            tuple(RecallItem(i.id, i.kind, i.score, f"for the {role}: {i.text}", i.born) for i in recall.items)
        )


def test_the_agent_sees_its_roles_part_of_every_recall() -> None:
    memory = Divided(Advice(recall=RECALL))
    _, backbone = play(["Action: look"], limits=Limits(2), memory=memory, recall=RECALL)
    assert all(prompt[1].content.count("for the solver: open doors first") == 1 for prompt in backbone.prompts)
