"""Thresholds: shrinkage, the three off switches, and the edges of the band."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.settings import BandMode
from strata.similarity import SCORE_GRID
from strata.thresholds import Band, Bands, shrink
from tests.unit.strata.building import settings

SHRINKING = settings()["bands"]
SCORES = [0.1 * n for n in range(10)]


def bands(mode: BandMode, scores: list[float], group: str = "app:x") -> Bands:
    made = Bands(SHRINKING, mode)
    for score in scores:
        made.record(group, score)
    return made


def test_an_empty_group_falls_back_to_the_prior() -> None:
    for mode in ("shrunk", "raw", "global", "pooled"):
        assert bands(mode, []).band("app:x") == Band(0.33, 0.62, 0)


def test_a_group_quantile_is_shrunk_towards_the_prior_with_weight_kappa() -> None:
    band = bands("shrunk", SCORES).band("app:x")
    low, high = np.quantile(SCORES, [0.25, 0.92])
    assert band.low == pytest.approx((10 * low + 30 * 0.33) / 40)
    assert band.high == pytest.approx((10 * high + 30 * 0.62) / 40)
    assert band.n == 10


def test_a_group_with_many_observations_trusts_its_own_distribution() -> None:
    band = bands("shrunk", [0.8] * 3000).band("app:x")
    assert band.low == pytest.approx(0.8, abs=0.01)


def test_groups_adapt_separately() -> None:
    made = bands("shrunk", [0.9] * 100)
    made.record("app:y", 0.2)
    assert made.band("app:x").low > made.band("app:y").low


def test_one_global_band_is_the_priors_whatever_was_seen() -> None:
    band = bands("global", [0.9] * 100).band("app:x")
    assert (band.low, band.high) == (0.33, 0.62)


def test_without_shrinkage_the_raw_group_quantiles_decide() -> None:
    band = bands("raw", SCORES).band("app:x")
    assert (band.low, band.high) == pytest.approx(tuple(np.quantile(SCORES, [0.25, 0.92])))


def test_without_adaptive_thresholds_all_groups_are_one() -> None:
    made = bands("pooled", [0.9] * 100)
    assert made.band("app:other") == made.band("app:x")
    assert made.band("app:other").n == 100


def test_the_log_holds_each_groups_low_and_high_threshold_and_how_many_scores_are_behind_them() -> None:
    made = bands("raw", SCORES)
    made.record("app:y", 0.5)
    low, high = (pytest.approx(float(q)) for q in np.quantile(SCORES, [0.25, 0.92]))
    assert made.notes() == {"app:x": {"low": low, "high": high, "n": 10}, "app:y": {"low": 0.5, "high": 0.5, "n": 1}}
    assert bands("global", SCORES).notes() == {"app:x": {"low": 0.33, "high": 0.62, "n": 10}}
    assert bands("shrunk", []).notes() == {}


def test_both_edges_of_the_band_belong_to_add_bullet() -> None:
    band = Band(0.33, 0.62, 0)
    high, low, step = (round(edge * SCORE_GRID) / SCORE_GRID for edge in (0.62, 0.33, 1 / SCORE_GRID))
    assert band.decide(high) == band.decide(low) == "add_bullet"
    assert band.decide(high + step) == "noop"
    assert band.decide(low - step) == "create"


@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0, 1), st.floats(0, 100))
def test_a_shrunk_value_lies_between_the_groups_own_and_the_prior(
    n: int, own: float, prior: float, kappa: float
) -> None:
    assert min(own, prior) - 1e-9 <= shrink(n, own, kappa, prior) <= max(own, prior) + 1e-9


@given(st.lists(st.floats(0, 1), max_size=30))
def test_the_low_threshold_is_never_above_the_high_one(scores: list[float]) -> None:
    for mode in ("shrunk", "raw", "pooled"):
        band = bands(mode, scores).band("app:x")
        assert band.low <= band.high + 1e-12
