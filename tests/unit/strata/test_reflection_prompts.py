"""What the reflectors are shown of an episode and of the nodes there are."""

from __future__ import annotations

import re

import pytest

from strata.graph import Kind
from strata.reflection import ATOMIC
from tests.unit.strata.building import WORKFLOW, Listening, by_rule, experience, mechanisms, plant, query, task

EVERYBODY = ["workflow", "skill", "code", "role"]
NOTHING = {"decision": "none"}
KINDS: tuple[Kind, ...] = ("meta", "workflow", "skill", "code", "role")


def prompts(*, solved: bool = True, actions: int = 2, stocked: bool = False, **numbers: int) -> dict[str, list[str]]:
    """Return what each role was asked about one episode; ``stocked``: in a memory with two nodes of each kind."""
    none = dict.fromkeys(ATOMIC, NOTHING)
    scripted = by_rule(router={"reflectors": EVERYBODY}, workflow=WORKFLOW, pitfall={"pitfall": "x"}, **none)
    backbone = Listening(scripted)
    band = {"low_prior": 1.0 if solved else 0.0, "high_prior": 1.0}
    parts = mechanisms(backbone, thresholds="global", bands=band, reflection=numbers)
    for kind in KINDS * 2 * stocked:
        plant(parts.store, kind, kind, len(parts.store), name=f"the {kind}")
    each = experience(task(0), actions=[f"act number {n}" for n in range(actions)])
    parts.writer.reflect(each.episode, query(), solved=solved, clock=0)
    return backbone.prompts


def listed(prompt: str) -> list[str]:
    return re.findall(r"^\[(\w+)-\d+\]", prompt, re.MULTILINE)


@pytest.mark.parametrize(("solved", "outcome"), [(True, "solved"), (False, "failed")])
def test_the_router_is_told_the_task_the_trajectory_and_the_outcome(solved: bool, outcome: str) -> None:
    (prompt,) = prompts(solved=solved)["router"]
    lines = prompt.split("\n")
    assert "Task: heat some egg and put it in shelf." in lines
    assert lines[-1] == f"Outcome: {outcome}"
    steps = [line for line in lines if line.startswith(("Action:", "Observation:"))]
    assert steps == [
        "Action: act number 0", "Observation: You act number 0.",
        "Action: act number 1", "Observation: You act number 1.",
    ]  # fmt: skip


@pytest.mark.parametrize("role", [*EVERYBODY, "router"])
def test_of_a_long_trajectory_the_last_steps_are_shown(role: str) -> None:
    (prompt,) = prompts(actions=9, steps=3)[role]
    assert re.findall(r"^Action: act number (\d)$", prompt, re.MULTILINE) == ["6", "7", "8"]


def test_a_reflector_of_atomic_nodes_is_shown_those_of_its_kind_and_no_other_node() -> None:
    asked = prompts(stocked=True)
    for kind in ATOMIC:
        (prompt,) = asked[kind]
        assert listed(prompt) == [kind, kind]
        assert f"at most one {kind}: {ATOMIC[kind]}." in prompt


def test_the_workflow_reflector_is_shown_the_atomic_nodes_of_every_kind_and_no_other_node() -> None:
    (prompt,) = prompts(stocked=True, neighbours=6)["workflow"]
    assert sorted(listed(prompt)) == ["code", "code", "role", "role", "skill", "skill"]


def test_only_the_nearest_units_are_shown_nearest_first() -> None:
    backbone = Listening(by_rule(router={"reflectors": ["skill"]}, skill=NOTHING))
    parts = mechanisms(backbone, reflection={"neighbours": 2})
    for direction in ((0.0, 1.0), (1.0, 1.0), (1.0, 0.0)):
        plant(parts.store, "skill", content_vector=direction, index_vector=direction)
    parts.writer.reflect(experience(task(0)).episode, query(1.0), solved=True, clock=0)
    (prompt,) = backbone.prompts["skill"]
    assert re.findall(r"^\[(skill-\d+)\]", prompt, re.MULTILINE) == ["skill-00002", "skill-00001"]


def test_whoever_writes_a_pitfall_is_shown_the_episode_and_the_procedure_of_the_nearest_workflow() -> None:
    (prompt,) = prompts(solved=False, stocked=True)["pitfall"]
    assert "Task: heat some egg and put it in shelf." in prompt
    assert "Action: act number 1" in prompt
    assert "the workflow" in prompt
    assert "1. do it" in prompt


def test_a_failed_episode_asks_nobody_but_the_router_and_the_writer_of_pitfalls() -> None:
    assert set(prompts(solved=False, stocked=True)) == {"router", "pitfall"}
