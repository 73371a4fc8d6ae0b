import pytest

from harness.ledger.record import UsageRow
from harness.ledger.tally import Tally
from harness.types import Step, StepKind, Usage
from tests.run_folders import record


def test_tasks_count_by_their_last_trial_and_every_trial_costs() -> None:
    tally = Tally.of([record(0, task="a", success=False), record(1, task="a", trial=2), record(2, task="b", lost=True)])
    verdicts = tally.verdicts
    assert (verdicts.n_scored, verdicts.n_solved, verdicts.n_infrastructure) == (1, 1, 1)
    assert (tally.episodes, tally.trials) == (3, 2)
    assert tally.chat["agent"].prompt_tokens == 3 * 900
    assert tally.usage.tokens == 3 * (940 + 110 + 12)
    assert tally.memory_items == 3


def test_a_judge_is_booked_on_the_memory_and_embeddings_apart() -> None:
    judged = UsageRow(phase="judge", role="judge", kind="chat", usage=Usage(1, 70, 7, cost_usd=0.5))
    tally = Tally.of([record(0).model_copy(update={"usage": (*record(0).usage, judged)})])
    assert tally.chat["memory"].prompt_tokens == 170
    assert tally.chat["memory"].cost_usd == 0.5
    assert tally.embedding.prompt_tokens == 12


def test_one_unknown_price_makes_the_cost_unknown() -> None:
    assert Tally.of([record(0), record(1, cost_usd=None)]).usage.cost_usd is None


def test_only_actions_in_the_environment_are_steps() -> None:
    steps = tuple(Step(kind, "x", "y") for kind in (StepKind.ACT, StepKind.TOOL, StepKind.FORMAT_ERROR, StepKind.ACT))
    tally = Tally.of([record(0).model_copy(update={"steps": steps})])
    assert (tally.steps, tally.tool_steps, tally.format_errors) == (2, 1, 1)


def test_families_and_stop_reasons_are_told_apart() -> None:
    tally = Tally.of(
        [record(0, family="melt"), record(1, family="boil", success=False), record(2, family="boil", lost=True)]
    )
    assert list(tally.families) == ["boil", "melt"]
    assert tally.families["boil"].success_rate == 0.0
    assert tally.stops == {"solved": 1, "step_limit": 1, "infrastructure: EnvironmentFault": 1}


def test_a_run_without_episodes_has_no_rates() -> None:
    verdicts = Tally().verdicts
    assert verdicts.success_rate is None
    assert verdicts.mean_score is None


def test_times_add_up() -> None:
    tally = Tally.of([record(0), record(1)])
    assert tally.wall_s == pytest.approx(8.0)
