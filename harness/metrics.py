"""Metrics by name: what a run's episodes add up to. Episodes lost to infrastructure are not scored, never zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from harness.errors import ConfigError
from harness.ledger.record import EpisodeRecord
from harness.statistics import mean


@dataclass(frozen=True, slots=True)
class Metric:
    """One named figure of a run."""

    name: str
    title: str
    """What a table's column says."""
    unit: str
    """``%``, or ``points`` for a benchmark's own."""
    low: float
    high: float
    """The range, in the unit."""
    episode: Callable[[EpisodeRecord], float | None]
    """The metric of one scored episode, in the unit; None where the environment did not report it."""
    higher_is_better: bool = True
    whole_template: bool = False
    """Whether a template counts by its worst task (all variants solved) instead of each task by itself."""


def _success(record: EpisodeRecord) -> float | None:
    return None if record.outcome is None else 100.0 * record.outcome.success


def _score(record: EpisodeRecord) -> float | None:
    return None if record.outcome is None else record.outcome.score


def _reported(name: str, fallback: Callable[[EpisodeRecord], float | None]) -> Callable[[EpisodeRecord], float | None]:
    """Return a metric that the environment reports as a fraction in 0..1 under its name."""

    def episode(record: EpisodeRecord) -> float | None:
        return 100.0 * record.metrics[name] if name in record.metrics else fallback(record)

    return episode


def _score_percent(record: EpisodeRecord) -> float | None:
    return None if record.outcome is None else 100.0 * record.outcome.score


def _absent(record: EpisodeRecord) -> float | None:
    return None


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("sr", "SR", "%", 0, 100, _success),
        Metric("score", "score", "points", -100, 100, _score),
        Metric("tgc", "TGC", "%", 0, 100, _success),
        Metric("sgc", "SGC", "%", 0, 100, _success, whole_template=True),
        Metric("progress", "progress rate", "%", 0, 100, _reported("progress", _score_percent)),
        Metric("em", "EM", "%", 0, 100, _reported("em", _success)),
        Metric("f1", "F1", "%", 0, 100, _reported("f1", _absent)),
        Metric("accuracy", "accuracy", "%", 0, 100, _reported("accuracy", _success)),
    )
}


def metric(name: str) -> Metric:
    """Return a metric by name. Raises ConfigError for an unknown one."""
    if name not in METRICS:
        raise ConfigError(f"got metric {name!r}, expected one of {', '.join(METRICS)}")
    return METRICS[name]


@dataclass(slots=True)
class Measurement:
    """One metric, taken episode by episode, so that a run's file is read once and never held whole.

    A task counts by its last trial. A template with an unscored task has no verdict and is left out of a
    ``whole_template`` metric.
    """

    metric: Metric
    _last: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    _unreported: set[str] = field(default_factory=set)

    def add(self, record: EpisodeRecord) -> None:
        """Take note of the next episode, in stream order."""
        value = None if record.infrastructure else self.metric.episode(record)
        self._unreported.discard(record.task.id)
        if value is None and not record.infrastructure:
            self._unreported.add(record.task.id)
        self._last[record.task.id] = (record.task.template, value)

    @property
    def units(self) -> dict[str, float]:
        """Values by what is averaged: by task id, or by template for a ``whole_template`` metric."""
        if not self.metric.whole_template:
            return {task: value for task, (_, value) in self._last.items() if value is not None}
        groups: dict[str, list[float | None]] = {}
        for template, value in self._last.values():
            groups.setdefault(template, []).append(value)
        return {name: min(v for v in group if v is not None) for name, group in groups.items() if None not in group}

    @property
    def value(self) -> float | None:
        """The run's figure; None without a scored episode, or where the environment left one unreported."""
        return None if self._unreported else mean(list(self.units.values()))


def measure(name: str, records: Iterable[EpisodeRecord]) -> float | None:
    """Return one metric over the episodes of one run. Raises ConfigError for an unknown name."""
    measurement = Measurement(metric(name))
    for record in records:
        measurement.add(record)
    return measurement.value


def measurements(names: Sequence[str]) -> dict[str, Measurement]:
    """Return an empty measurement for each name. Raises ConfigError for an unknown one."""
    return {name: Measurement(metric(name)) for name in names}
