"""The lowest tier: which steps are kept, what the model is asked, and what an unreadable answer leaves empty."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from baselines.g_memory.asking import Asker
from baselines.g_memory.condensing import PROMPTS, Condenser
from baselines.g_memory.trajectory import clean, states
from harness.types import Completion, Experience, Step, StepKind
from tests.unit.baselines.g_memory.building import settings, task
from tests.unit.strata.building import by_rule, experience

STEPS = (
    Step(StepKind.ACT, "go to shelf 1", "You see egg 2."),
    Step(StepKind.ACT, "think: hm", "Nothing happens."),
    Step(StepKind.FORMAT_ERROR, "", "Answer again."),
    Step(StepKind.TOOL, "view {}", "a note"),
    Step(StepKind.ACT, "break egg 2", "Broken.", reward=-1.0),
    Step(StepKind.ACT, "take egg 3", "You take it.", reward=0.5),
)


def lived(*, success: bool) -> Experience:
    base = experience(task(1), success=success)
    return replace(base, episode=replace(base.episode, steps=STEPS))


class Listening:
    """Answers by rule, and keeps what it was asked."""

    id, real, disclosures = "listening", False, ()

    def __init__(self, **writings: Any) -> None:
        self._by_rule = by_rule(**writings)
        self.asked: dict[str, str] = {}

    def settings(self) -> dict[str, object]:
        return {}

    def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Completion:
        self.asked[call.role] = messages[0].content
        return self._by_rule.complete(messages, call=call, schema=schema)


def condenser(backbone: Any, *faults: str, **keeping: Any) -> Condenser:
    values = settings(keeping=keeping)
    return Condenser(Asker(backbone, PROMPTS, 2), values["keeping"], values["answering"], frozenset(faults))  # type: ignore[arg-type]


def actions(kept: Any) -> list[str]:
    return [state.action for state in kept]


def test_a_success_loses_steps_without_effect_or_with_lost_reward_and_a_failure_keeps_all() -> None:
    keeping = settings()["keeping"]
    assert actions(states(lived(success=True).episode, keeping, condensed=True)) == ["go to shelf 1", "take egg 3"]
    assert actions(states(lived(success=False).episode, keeping, condensed=False)) == [
        "go to shelf 1", "think: hm", "break egg 2", "take egg 3",
    ]  # fmt: skip


def test_no_more_than_the_last_steps_are_kept_and_long_lines_are_cut() -> None:
    keeping = settings(keeping={"steps": 2, "action_chars": 5, "observation_chars": 6})["keeping"]
    kept = states(lived(success=False).episode, keeping, condensed=False)
    assert [(state.action, state.observation) for state in kept] == [("break", "Broken"), ("take", "You ta")]


@pytest.mark.parametrize(("success", "roles"), [(True, ["key_steps"]), (False, ["key_steps", "fail_reason"])])
def test_a_success_costs_one_call_and_a_failure_two(success: bool, roles: list[str]) -> None:
    backbone = Listening(key_steps={"key_steps": ["go", " ", "take"]}, fail_reason={"reason": "too\nhasty."})
    node = condenser(backbone).node(lived(success=success).episode, resolved=success, node_id="q1", links=())
    assert list(backbone.asked) == roles
    assert node.key_steps == ("go", "take")
    assert node.fail_reason == ("" if success else "too hasty.")


def test_a_failure_has_a_prompt_of_its_own_but_for_the_fault() -> None:
    asked = []
    for faults in ((), ("one_key_step_prompt",)):
        backbone = Listening()
        condenser(backbone, *faults).node(lived(success=False).episode, resolved=False, node_id="q1", links=())
        asked.append(backbone.asked["key_steps"])
    assert "failed. Name" in asked[0]
    assert "has finished the task" in asked[1]


def test_the_model_reads_the_trajectory_without_digits_with_the_fault_and_the_store_keeps_them() -> None:
    backbone = Listening()
    node = condenser(backbone, "digits_stripped").node(
        lived(success=True).episode, resolved=True, node_id="q1", links=()
    )
    assert "Action: go to shelf \n" in backbone.asked["key_steps"]
    assert node.states[0].action == "go to shelf 1"


def test_an_answer_that_stays_unreadable_leaves_its_part_empty_and_is_counted() -> None:
    made = condenser(by_rule(key_steps="prose", fail_reason=""))
    node = made.node(lived(success=False).episode, resolved=False, node_id="q1", links=())
    assert (node.key_steps, node.fail_reason, len(node.states)) == ((), "", 4)
    assert made.asker.take_unreadable() == {"fail_reason": 1, "key_steps": 1}
    assert made.asker.take_unreadable() == {}


def test_hostile_text_becomes_one_line_that_can_be_stored() -> None:
    assert clean(" a\x00\tb\r\n\u202ec \ud800", 50) == "a b c ?"
    assert clean("word " * 10_000, 12) == "word word wo"
