"""The agent plays to the end or to a limit, and every way to stop has its own reason."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from baselines.none import NoMemory
from harness.agents.layout import ADMISSIBLE, MEMORY_OPEN
from harness.agents.prompts import Prompts
from harness.agents.react import ReactAgent
from harness.errors import ConfigError, ContextOverflow, EnvironmentFault, TransientBackboneError
from harness.types import (
    Call,
    Completion,
    Limits,
    Message,
    Recall,
    Step,
    StepKind,
    StopReason,
    Usage,
)
from tests.fakes.flaky_backbone import Answer, FlakyBackbone, play_expert
from tests.unit.agents.playing import GENEROUS, PROMPTS, RECALL, TASK, WORLD, gold, kinds, play
from tests.worlds.corridor import CorridorSession, FlakyCorridor


def test_an_episode_ends_with_the_environment_and_takes_its_verdict_as_it_is() -> None:
    episode, backbone = play([play_expert])
    assert episode.actions == tuple(gold())
    assert (episode.outcome.success, episode.outcome.score) == (True, 100.0)
    assert episode.outcome.stop is StopReason.SOLVED
    assert episode.task == TASK
    assert episode.steps[0].thought == "the next step of the plan."
    assert sum(step.reward for step in episode.steps) == 100.0
    assert episode.dropped == ()
    assert [call.step for call in backbone.calls] == list(range(1, len(gold()) + 1))


def test_a_lost_episode_is_failed_and_no_limit() -> None:
    wrong = "pull blue lever" if "red" in TASK.text else "pull red lever"
    episode, _ = play([*(f"Action: {action}" for action in gold()[:-1]), f"Action: {wrong}"])
    assert (episode.outcome.success, episode.outcome.stop) == (False, StopReason.FAILED)


def test_step_n_is_executed_and_step_n_plus_1_is_never_sent() -> None:
    n = len(gold())
    for limit, success, stop in (
        (n - 1, False, StopReason.STEP_LIMIT),
        (n, True, StopReason.SOLVED),
        (n + 1, True, StopReason.SOLVED),
    ):
        episode, backbone = play([play_expert], limits=Limits(max_steps=limit))
        assert len(episode.actions) == len(backbone.calls) == min(limit, n)
        assert (episode.outcome.success, episode.outcome.stop) == (success, stop)
    assert play([play_expert], limits=Limits(max_steps=n - 1))[0].outcome.score == 99.0


def test_the_answer_that_reaches_the_token_limit_is_still_executed() -> None:
    for limit, steps in ((199, 2), (200, 2), (201, 3)):
        episode, backbone = play(["Action: look"], limits=Limits(max_steps=50, max_tokens=limit))
        assert len(episode.actions) == len(backbone.calls) == steps
        assert episode.outcome.stop is StopReason.TOKEN_LIMIT


def test_the_answer_that_reaches_the_cost_limit_is_still_executed() -> None:
    episode, _ = play(["Action: look"], limits=Limits(50, max_cost_usd=0.5), usage=Usage(calls=1, cost_usd=0.25))
    assert len(episode.actions) == 2
    assert episode.outcome.stop is StopReason.COST_LIMIT


def test_a_cost_limit_that_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ConfigError, match="price of a model used is unknown"):
        play(["Action: look"], limits=Limits(50, max_cost_usd=0.5), usage=Usage(calls=1, cost_usd=None))


def test_the_answer_that_reaches_the_time_limit_is_still_executed() -> None:
    def slow(messages: Sequence[Message], call: Call) -> str:
        time.sleep(0.02)
        return "Action: look"

    episode, _ = play([slow], limits=Limits(50, max_time_s=0.01))
    assert len(episode.actions) <= 1
    assert episode.outcome.stop is StopReason.TIME_LIMIT


def test_the_memorys_calls_count_where_the_whole_episodes_usage_is_known() -> None:
    spent = iter([Usage(), Usage(prompt_tokens=50), Usage(prompt_tokens=1000)])
    episode, _ = play(["Action: look"], limits=Limits(50, max_tokens=1000), spent=lambda: next(spent))
    assert len(episode.actions) == 2
    assert episode.outcome.stop is StopReason.TOKEN_LIMIT


def test_a_task_solved_by_the_step_that_reaches_a_limit_stays_solved() -> None:
    episode, _ = play([play_expert], limits=Limits(50, max_tokens=100 * len(gold())))
    assert episode.outcome.stop is StopReason.SOLVED


class Restless(CorridorSession):
    """A world that goes on after its task is solved."""

    def step(self, action: str) -> Step:
        return replace(super().step(action), done=False)


def test_a_limit_does_not_take_the_success_from_a_world_that_goes_on_after_it() -> None:
    agent = ReactAgent(backbone=FlakyBackbone([play_expert]), prompts=PROMPTS)
    session = Restless(TASK, WORLD._layouts[TASK.id])
    episode = agent.solve(session, TASK, 1, NoMemory(), Recall(), Limits(max_steps=len(gold())))
    assert not episode.steps[-1].done
    assert (episode.outcome.success, episode.outcome.stop) == (True, StopReason.SOLVED)


def test_an_unreadable_answer_is_a_counted_step_with_a_remark_and_no_step_of_the_environment() -> None:
    episode, backbone = play(["I am lost.", play_expert])
    first = episode.steps[0]
    assert (first.kind, first.action, first.thought) == (StepKind.FORMAT_ERROR, "", "I am lost.")
    assert "has no line that begins with `Action:`" in first.observation
    assert "`Action: ...` with a single action" in first.observation
    assert episode.actions == tuple(gold())
    assert backbone.prompts[1][-2] == Message("assistant", "I am lost.")
    assert first.observation in backbone.prompts[1][-1].content
    assert episode.outcome.stop is StopReason.SOLVED


def test_only_unreadable_answers_in_a_row_reach_the_format_limit() -> None:
    episode, backbone = play(["hm"], max_format_errors=2)
    assert kinds(episode) == [StepKind.FORMAT_ERROR] * 3
    assert len(backbone.calls) == 3
    assert episode.outcome.stop is StopReason.FORMAT_LIMIT
    episode, _ = play(["hm", "hm", "Action: look", "hm", "hm", play_expert], max_format_errors=2)
    assert episode.outcome.stop is StopReason.SOLVED


def test_unreadable_answers_are_billed() -> None:
    episode, backbone = play(["hm"], limits=Limits(50, max_tokens=200), max_format_errors=9)
    assert len(backbone.calls) == 2
    assert episode.outcome.stop is StopReason.TOKEN_LIMIT


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        "  \n",
        "<think>Action: look</think>",
        Completion("", "stop", Usage(), reasoning="Action: look"),
        Completion("", "filter", Usage()),
        Completion("<think>Action: look", "length", Usage()),
        Completion(None, "stop", Usage()),  # type: ignore[arg-type]
    ],
)
def test_an_empty_answer_is_asked_again_under_a_new_ordinal_and_reasoning_is_never_played(nothing: Answer) -> None:
    episode, backbone = play([nothing, nothing, "Action: look", nothing], max_empty=2)
    assert episode.actions == ("look",)
    assert [(call.step, call.ordinal) for call in backbone.calls] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    assert backbone.prompts[0] == backbone.prompts[1]
    assert episode.outcome.stop is StopReason.EMPTY_OUTPUT


def test_asking_again_stops_at_a_limit() -> None:
    episode, backbone = play([""], limits=Limits(50, max_tokens=200), max_empty=9)
    assert len(backbone.calls) == 2
    assert episode.outcome.stop is StopReason.TOKEN_LIMIT


def test_an_answer_cut_off_before_its_action_is_asked_for_once_more_and_is_then_a_format_error() -> None:
    cut = Completion("Thought: hm\nAction: pull bl", "length", Usage())
    episode, backbone = play([cut, play_expert])
    assert episode.outcome.success
    assert backbone.calls[1].ordinal == 1
    episode, backbone = play([cut, cut, play_expert])
    assert kinds(episode)[0] is StepKind.FORMAT_ERROR
    assert "was cut off" in episode.steps[0].observation
    assert [(call.step, call.ordinal) for call in backbone.calls[:3]] == [(1, 0), (1, 1), (2, 0)]


def test_a_prompt_refused_as_too_long_is_sent_once_more_in_half_the_size() -> None:
    episode, backbone = play([ContextOverflow("too long"), play_expert], recall=RECALL)
    assert episode.outcome.success
    assert MEMORY_OPEN in backbone.prompts[0][1].content
    assert MEMORY_OPEN not in backbone.prompts[1][1].content
    assert backbone.calls[0].step == backbone.calls[1].step == 1
    assert (episode.dropped[0].step, episode.dropped[0].items) == (1, ("m1",))


def test_a_prompt_refused_twice_ends_the_episode_with_its_score() -> None:
    episode, backbone = play(["Action: look", ContextOverflow("too long")])
    assert episode.actions == ("look",)
    assert len(backbone.calls) == 3
    assert episode.outcome.stop is StopReason.CONTEXT_OVERFLOW


@pytest.mark.parametrize("error", [TransientBackboneError("overloaded"), EnvironmentFault("dead")])
def test_an_infrastructure_error_is_passed_on_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        play(["Action: look", error])
    assert caught.value is error


def test_an_engine_that_breaks_down_is_no_outcome() -> None:
    world = FlakyCorridor(fault_steps=[2])
    agent = ReactAgent(backbone=FlakyBackbone([play_expert]), prompts=PROMPTS)
    with world.start(TASK) as session, pytest.raises(EnvironmentFault, match="step call 2"):
        agent.solve(session, TASK, 1, NoMemory(), Recall(), GENEROUS)


def test_every_call_says_whose_it_is_and_what_an_offline_backbone_may_use() -> None:
    _, backbone = play([play_expert])
    call = backbone.calls[0]
    assert (call.task_id, call.trial, call.phase, call.role, call.step) == (TASK.id, 1, "agent", "solver", 1)
    assert call.choices is not None
    assert call.grammar is not None
    assert call.sample is not None
    assert call.grammar() is None
    assert call.choices() == []


def test_the_system_message_is_rules_answer_format_and_worked_examples() -> None:
    _, backbone = play([play_expert])
    system = backbone.prompts[0][0]
    assert system.role == "system"
    at = [system.content.index(part) for part in (PROMPTS.system, "Answer in exactly two lines", PROMPTS.fewshots)]
    assert at == sorted(at)
    assert all(prompt[0] == system for prompt in backbone.prompts)


def test_without_recall_the_prompt_is_the_same_without_the_block() -> None:
    _, without = play(["Action: look"], limits=Limits(1))
    _, with_memory = play(["Action: look"], limits=Limits(1), recall=RECALL)
    block = f"{MEMORY_OPEN}\nRemember:\nopen doors first\n</memory>\n"
    assert with_memory.prompts[0][1].content == block + without.prompts[0][1].content
    assert without.prompts[0][0] == with_memory.prompts[0][0]


def test_actions_are_offered_up_to_the_cap_and_a_longer_list_not_at_all() -> None:
    session = WORLD.start(TASK)
    count = len(session.actions)
    for cap, offered in ((count, True), (count - 1, False)):
        _, backbone = play([play_expert], limits=Limits(1), offer_actions=cap)
        assert (ADMISSIBLE in backbone.prompts[0][1].content) == offered


def test_with_a_cap_of_zero_the_engine_is_not_even_asked_for_its_actions() -> None:
    class Mute(CorridorSession):
        @property
        def actions(self) -> Sequence[str]:
            raise AssertionError("asked")

        def step(self, action: str) -> Any:
            raise EnvironmentFault("far enough")

    agent = ReactAgent(backbone=FlakyBackbone(["Action: look"]), prompts=PROMPTS, offer_actions=0)
    with pytest.raises(EnvironmentFault, match="far enough"):
        agent.solve(Mute(TASK, WORLD._layouts[TASK.id]), TASK, 1, NoMemory(), Recall(), GENEROUS)


def test_a_long_episode_stays_within_the_prompt_budget_and_records_what_it_dropped() -> None:
    episode, backbone = play(
        [f"Thought: {'well ' * 60}\nAction: look"], limits=Limits(30), recall=RECALL, context_tokens=1200
    )
    assert len(episode.actions) == 30
    assert episode.dropped
    assert all(dropped.items == ("m1",) for dropped in episode.dropped)
    assert [dropped.step for dropped in episode.dropped] == sorted({dropped.step for dropped in episode.dropped})
    last = backbone.prompts[-1]
    assert f"({episode.dropped[-1].steps} earlier steps left out)" in last[1].content


def test_a_task_whose_text_only_the_session_knows_is_filled_in() -> None:
    backbone = FlakyBackbone([play_expert])
    agent = ReactAgent(backbone=backbone, prompts=PROMPTS)
    with WORLD.start(TASK) as session:
        episode = agent.solve(session, replace(TASK, text=""), 1, NoMemory(), Recall(), GENEROUS)
    assert episode.task == TASK
    assert f"Task: {TASK.text}" in backbone.prompts[0][1].content


@pytest.mark.parametrize("settings", [{"context_tokens": 0}, {"block_steps": 0}, {"max_empty": -1}])
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="must be"):
        ReactAgent(backbone=FlakyBackbone(["x"]), prompts=PROMPTS, **settings)


def test_the_digest_changes_with_any_prompt() -> None:
    digests = {
        ReactAgent(backbone=FlakyBackbone(["x"]), prompts=prompts).digest()
        for prompts in (PROMPTS, Prompts("other", PROMPTS.fewshots), Prompts(PROMPTS.system, ""))
    }
    assert len(digests) == 3
