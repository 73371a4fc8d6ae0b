import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics import mean, mean_interval, not_separable, paired_bootstrap, round_half_up, sd

figures = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (78.25, 1, "78.3"),
        (-78.25, 1, "-78.3"),
        (2.5, 0, "3"),
        (0.285, 2, "0.29"),
        (-0.04, 1, "0.0"),
        (1e22, 1, f"1{0:022}.0"),
        (78.24999999999999, 1, "78.3"),
        (1 / 3, 4, "0.3333"),
        (21964.0, 0, "21964"),
    ],
)
def test_halves_are_rounded_away_from_zero_and_binary_noise_does_not_decide(
    value: float, places: int, shown: str
) -> None:
    assert round_half_up(value, places) == shown


@given(figures, st.integers(0, 6))
def test_a_rounded_figure_is_at_most_half_a_unit_away_and_has_its_decimals(value: float, places: int) -> None:
    shown = round_half_up(value, places)
    assert abs(float(shown) - value) <= 0.5 * 10**-places + 1e-12 * abs(value) + 1e-12
    assert len(shown.partition(".")[2]) == places
    assert shown != f"-{0:.{places}f}"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_figure_that_is_not_finite_is_rounded(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        round_half_up(value, 1)


@given(st.lists(figures, min_size=2, max_size=8))
def test_the_standard_deviation_is_the_sample_one(values: list[float]) -> None:
    assert sd(values) == pytest.approx(float(np.std(values, ddof=1)), rel=1e-9, abs=1e-6)


@given(figures, st.integers(2, 6))
def test_equal_values_have_a_standard_deviation_of_exactly_zero(value: float, n: int) -> None:
    assert sd([value] * n) == 0.0


def test_one_value_has_no_standard_deviation_and_none_has_no_mean() -> None:
    assert sd([61.2]) is None
    assert sd([]) is None
    assert mean([]) is None
    assert mean_interval([61.2]) is None


def test_the_papers_own_examples_are_separated_as_it_says() -> None:
    assert not_separable(46.5, 2.3, 42.2, 2.6) is False
    assert not_separable(78.4, 2.5, 77.2, 2.9) is True
    assert not_separable(78.4, None, 77.2, 2.9) is None


def test_a_gap_of_exactly_one_combined_standard_deviation_is_not_separable() -> None:
    assert not_separable(1.0, 0.3, 1.3, 0.0) is True


def test_an_interval_of_three_seeds_is_student_s() -> None:
    interval = mean_interval([1.0, 2.0, 3.0])
    assert interval == pytest.approx((2 - 4.302653 / math.sqrt(3), 2 + 4.302653 / math.sqrt(3)), rel=1e-6)


def test_the_paired_bootstrap_repeats_and_uses_only_common_tasks() -> None:
    first = {f"t{i}": float(i % 3 != 0) for i in range(30)}
    second = {f"t{i}": float(i % 2) for i in range(5, 40)}
    found = paired_bootstrap(first, second, resamples=2_000)
    assert found == paired_bootstrap(first, second, resamples=2_000)
    assert found is not None
    assert found.n == 25
    assert found.low <= found.difference <= found.high
    assert paired_bootstrap({"a": 1.0}, {"b": 1.0}) is None


def test_a_difference_on_every_task_is_found_and_one_on_none_is_not() -> None:
    tasks = {f"t{i}": 1.0 for i in range(20)}
    clear = paired_bootstrap(tasks, dict.fromkeys(tasks, 0.0), resamples=1_000)
    nothing = paired_bootstrap(tasks, tasks, resamples=1_000)
    assert clear is not None
    assert clear.p < 0.01
    assert nothing is not None
    assert nothing.p == 1.0


def test_tasks_of_one_cluster_are_drawn_together() -> None:
    first = {f"{scenario}_{i}": float(scenario) for scenario in range(4) for i in range(10)}
    second = dict.fromkeys(first, 1.0)
    alone = paired_bootstrap(first, second, resamples=2_000)
    together = paired_bootstrap(first, second, resamples=2_000, cluster=lambda task: task.partition("_")[0])
    assert alone is not None
    assert together is not None
    assert together.high - together.low > 2 * (alone.high - alone.low)
