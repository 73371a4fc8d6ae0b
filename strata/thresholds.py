"""Thresholds that adapt to each group: a quantile of its own scores, shrunk towards a global prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from strata.settings import BandMode, Shrinking
from strata.similarity import on_score_grid

Decision = Literal["noop", "add_bullet", "create"]

POOL = "*"
"""The one group of the pooled mode."""


def shrink(n: int, own: float, kappa: float, prior: float) -> float:
    """Return (n own + kappa prior) / (n + kappa): many observations trust themselves, few the prior."""
    return (n * own + kappa * prior) / (n + kappa) if n + kappa > 0 else prior


@dataclass(frozen=True, slots=True)
class Band:
    """The two thresholds of a group."""

    low: float
    """tau_low."""
    high: float
    """tau_high."""
    n: int
    """Observations behind them."""

    def decide(self, score: float) -> Decision:
        """Return what the similarity to the nearest workflow calls for; both edges belong to add_bullet."""
        if score > on_score_grid(self.high):
            return "noop"
        return "add_bullet" if self.reaches(score) else "create"

    def reaches(self, score: float) -> bool:
        """Return whether a workflow of this similarity is near enough to be the one an episode belongs to."""
        return score >= on_score_grid(self.low)


class Bands:
    """The reflection band of every group, from the scores recorded in it.

    Args:
        mode: shrunk: group quantiles shrunk to the priors. raw: group quantiles as they are, the priors while a group
            is empty. global: the priors, whatever was seen. pooled: one group for all, shrunk.
    """

    def __init__(self, settings: Shrinking, mode: BandMode) -> None:
        self._settings, self._mode = settings, mode
        self.scores: dict[str, list[float]] = {}

    def group(self, leading: str) -> str:
        """Return the group that a leading tag's scores are kept in."""
        return POOL if self._mode == "pooled" else leading

    def band(self, leading: str) -> Band:
        """Return the present thresholds of a group."""
        s, seen = self._settings, self.scores.get(self.group(leading), [])
        if self._mode == "global" or not seen:
            return Band(s.low_prior, s.high_prior, len(seen))
        low, high = (float(q) for q in np.quantile(seen, [s.low_quantile, s.high_quantile]))
        if self._mode == "raw":
            return Band(low, high, len(seen))
        n = len(seen)
        return Band(shrink(n, low, s.kappa, s.low_prior), shrink(n, high, s.kappa, s.high_prior), n)

    def notes(self) -> dict[str, dict[str, float]]:
        """Return both thresholds of every group that has scores, with their number, for the log."""
        bands = {group: self.band(group) for group in sorted(self.scores)}
        return {group: {"low": band.low, "high": band.high, "n": band.n} for group, band in bands.items()}

    def record(self, leading: str, score: float) -> None:
        """Add a score to its group; called after the decision, so that no decision contaminates itself."""
        self.scores.setdefault(self.group(leading), []).append(score)
