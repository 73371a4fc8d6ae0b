import pytest

from harness.errors import ConfigError
from harness.metrics import METRICS, measure
from tests.run_folders import record, stream


def test_success_rate_counts_the_scored_tasks_only() -> None:
    episodes = [record(0), record(1, success=False), record(2, lost=True)]
    assert measure("sr", episodes) == 50.0
    assert measure("score", episodes) == 60.0


def test_a_run_without_a_scored_episode_has_no_figure() -> None:
    assert measure("sr", []) is None
    assert measure("score", [record(0, lost=True)]) is None


def test_a_task_counts_by_its_last_trial() -> None:
    episodes = [record(0, task="a", success=False), record(1, task="a", trial=2), record(2, task="b", success=False)]
    assert measure("sr", episodes) == 50.0


def test_a_scenario_is_reached_only_with_all_its_variants() -> None:
    episodes = [
        record(0, task="s1_1", template="s1"),
        record(1, task="s1_2", template="s1"),
        record(2, task="s2_1", template="s2"),
        record(3, task="s2_2", template="s2", success=False),
    ]
    assert measure("tgc", episodes) == 75.0
    assert measure("sgc", episodes) == 50.0


def test_a_scenario_with_a_lost_variant_has_no_verdict() -> None:
    episodes = [record(0, task="s1_1", template="s1"), record(1, task="s1_2", template="s1", lost=True)]
    assert measure("tgc", episodes) == 100.0
    assert measure("sgc", episodes) is None


@pytest.mark.parametrize(("name", "expected"), [("progress", 40.0), ("em", 50.0), ("accuracy", 50.0)])
def test_a_fraction_the_environment_did_not_report_comes_from_its_verdict(name: str, expected: float) -> None:
    episodes = [record(0, score=0.6), record(1, success=False, score=0.2)]
    assert measure(name, episodes) == pytest.approx(expected)


def test_a_reported_fraction_goes_before_the_verdict() -> None:
    assert measure("f1", [record(0, metrics={"f1": 0.25}), record(1, metrics={"f1": 0.75})]) == 50.0
    assert measure("em", [record(0, metrics={"em": 0.0})]) == 0.0


def test_f1_that_one_episode_lacks_is_no_figure_rather_than_one_of_fewer_tasks() -> None:
    assert measure("f1", [record(0, metrics={"f1": 1.0}), record(1)]) is None


def test_percentages_of_counts_carry_no_binary_noise() -> None:
    assert measure("sr", stream([True] * 29 + [False] * 171)) == 14.5


def test_an_unknown_metric_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="tgc"):
        measure("srr", [])


def test_every_metric_says_its_unit_and_range() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.unit
        assert metric.low < metric.high
