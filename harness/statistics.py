"""Statistics of the tables: pure functions that say None where a figure cannot be had, never 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.seeds import Draws

_DIGITS = Context(prec=400)
_CHUNK = 1_000


class Interval(NamedTuple):
    """A confidence interval, both ends included."""

    low: float
    high: float


class Paired(NamedTuple):
    """How much higher the first of two methods scores on the same tasks."""

    difference: float
    """Mean of first minus second over the common tasks, in the metric's unit."""
    low: float
    high: float
    """Ends of the percentile interval."""
    p: float
    """Two-sided bootstrap p-value, in (0, 1]."""
    n: int
    """Common tasks."""


def mean(values: Sequence[float]) -> float | None:
    """Return the arithmetic mean; None of nothing."""
    return fmean(values) if values else None


def sd(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation (ddof 1); None for fewer than two values."""
    return stdev(values) if len(values) > 1 else None


def slope(values: Sequence[float]) -> float | None:
    """Return the least-squares slope of evenly spaced values, for each place; None for fewer than two."""
    if len(values) < 2:
        return None
    places = _places(len(values))
    return float(places @ np.asarray(values, dtype=np.float64) / (places @ places))


def median_slope(values: Sequence[float]) -> float | None:
    """Return the median slope over all pairs of evenly spaced values (Theil and Sen); None for fewer than two."""
    if len(values) < 2:
        return None
    left, right = np.triu_indices(len(values), k=1)
    heights = np.asarray(values, dtype=np.float64)
    return float(np.median((heights[right] - heights[left]) / (right - left)))


def slope_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Return Student's t interval of ``slope``, as if the values were independent; None for fewer than three."""
    found = slope(values)
    if found is None or len(values) < 3:
        return None
    places = _places(len(values))
    off = np.asarray(values, dtype=np.float64) - fmean(values) - found * places
    error = math.sqrt(float(off @ off) / (len(values) - 2) / float(places @ places))
    return _t_interval(found, error, len(values) - 2, level)


def median_slope_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Return Sen's interval of ``median_slope``, as if the values were independent.

    None for fewer than three values, or where they are so few or so equal that it has no ends.
    """
    if len(values) < 3:
        return None
    from scipy.stats import theilslopes  # type: ignore[import-untyped]

    found = theilslopes(values, alpha=level)
    ends = Interval(float(found.low_slope), float(found.high_slope))
    return ends if all(map(math.isfinite, ends)) else None


def round_half_up(value: float, places: int) -> str:
    """Write a number with a fixed count of decimals, halves away from zero: 78.25 becomes 78.3.

    Binary noise in the last digits of a float (78.24999999999999) does not decide. Raises ValueError for NaN and
    infinities.
    """
    if not math.isfinite(value):
        raise ValueError(f"got {value!r}, expected a finite number")
    rounded = Decimal(f"{value:.13g}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _DIGITS)
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"


def not_separable(a: float, sd_a: float | None, b: float, sd_b: float | None) -> bool | None:
    """Tell whether two means differ by at most one combined standard deviation, sqrt(sd_a^2 + sd_b^2).

    None where either standard deviation is unknown. The rule is STRATA's own (section on seed variance).
    """
    if sd_a is None or sd_b is None:
        return None
    gap, combined = abs(a - b), math.hypot(sd_a, sd_b)
    return gap <= combined or math.isclose(gap, combined, rel_tol=1e-9)


def mean_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Return Student's t interval of the mean; None for fewer than two values."""
    spread = sd(values)
    if spread is None:
        return None
    return _t_interval(fmean(values), spread / math.sqrt(len(values)), len(values) - 1, level)


def _t_interval(centre: float, error: float, freedom: int, level: float) -> Interval:
    """Return Student's t interval around an estimate of a known standard error."""
    from scipy.stats import t

    half = float(t.ppf((1 + level) / 2, freedom)) * error
    return Interval(centre - half, centre + half)


def _places(n: int) -> NDArray[np.float64]:
    """Return n evenly spaced places around 0, one apart."""
    return np.arange(n, dtype=np.float64) - (n - 1) / 2


def paired_bootstrap(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
    cluster: Callable[[str], str] = str,
) -> Paired | None:
    """Compare two methods by resampling the tasks that both have a score for.

    Args:
        first: Score by task id; average a task over seeds before.
        second: The same of the method compared with.
        seed: Equal seeds give equal intervals.
        resamples: How many resampled task sets.
        level: Of the percentile interval, in (0, 1).
        cluster: Which tasks are drawn together, by task id, such as AppWorld's scenario; each alone by default.

    Returns:
        None without a common task.
    """
    common = sorted(first.keys() & second.keys())
    if not common:
        return None
    groups: dict[str, list[float]] = {}
    for task in common:
        groups.setdefault(cluster(task), []).append(first[task] - second[task])
    sums = np.array([math.fsum(gaps) for gaps in groups.values()])
    counts = np.array([len(gaps) for gaps in groups.values()])
    rng = Draws(seed, "bootstrap").at(len(common), resamples)
    drawn = np.empty(resamples)
    for start in range(0, resamples, _CHUNK):
        rows = rng.integers(len(sums), size=(min(_CHUNK, resamples - start), len(sums)))
        drawn[start : start + len(rows)] = sums[rows].sum(axis=1) / counts[rows].sum(axis=1)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    tail = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (tail + 1) / (resamples + 1))
    return Paired(math.fsum(sums) / len(common), float(low), float(high), p, len(common))
