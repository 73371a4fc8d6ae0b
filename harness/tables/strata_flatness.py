"""A long stream: does what a memory injects, and the time it takes, grow with the number of tasks behind it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.ledger.reading import Run
from harness.ledger.record import EpisodeRecord
from harness.statistics import Interval, median_slope, median_slope_interval, round_half_up, slope, slope_interval
from harness.tables.grid import Grid, sort_runs
from harness.tables.measured import Measured
from harness.tables.model import Cell, Column, Row, Table
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported

TITLE = "STRATA, flatness. What grows with the stream"
WARM_UP = 0.2
"""Share of a stream's episodes, from the first, in which every store still fills and no slope is taken."""
LAST = 0.5
"""Where the last half of a stream begins: what is bounded has reached its bound by then, if it ever does."""
NOTES = (
    f"Means and slopes are taken after the first {WARM_UP:.0%} of the episodes, and slopes once more over the last "
    "half alone, since what is bounded still grows on the way to its bound. They are for each 100 tasks: of lines, "
    "tokens and items by least squares, of the time as the median over all pairs of episodes, which single slow ones "
    "leave alone.",
    "Time is what an episode spends in the memory, retrieval and update together: wall-clock time, so compare it only "
    "between runs made side by side on one machine.",
)


Series = Mapping[str, Sequence[float]]
"""Figures of a run's episodes in stream order, by key."""


class Figure(NamedTuple):
    """One figure of an episode whose growth is asked for."""

    key: str
    title: str
    unit: str
    of: Callable[[EpisodeRecord], float]
    slope: Callable[[Sequence[float]], float | None]
    interval: Callable[[Sequence[float]], Interval | None]


FIGURES = (
    Figure("lines", "injected lines", "lines", lambda record: record.recall_lines, slope, slope_interval),
    Figure("tokens", "injected tokens", "tokens", lambda record: record.recall_tokens, slope, slope_interval),
    Figure(
        "time", "memory's ms", "ms", lambda record: 1000.0 * record.time.memory_s, median_slope, median_slope_interval
    ),
    Figure("items", "store items", "items", lambda record: record.memory.items, slope, slope_interval),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs([Measured.of(run) for run in runs if run.lock.experiment == "flatness"])
    series = {run.run.folder: _series(run.run) for run in grid.runs}
    columns = [column for figure in FIGURES for column in _columns(figure)]
    rows = [
        Row(
            (method.backbone, stream.label, method.title, method.mode),
            _cells(method.cells[stream.key], series),
            section=f"{method.backbone} · {stream.key}",
        )
        for stream in grid.streams
        for method in grid.methods
        if stream.key in method.cells
    ]
    return Table(
        name="strata-flatness",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Environment", "Method", "Mode"),
        columns=tuple(columns),
        rows=tuple(rows),
        coverage=coverage(grid),
        notes=(*notes(grid), *NOTES, *_intervals(grid, series)),
    )


def _columns(figure: Figure) -> list[Column]:
    return [
        Column(f"{figure.key}/mean", (figure.title, "mean"), figure.unit, 1, None, figure.key),
        Column(f"{figure.key}/slope", (figure.title, "per 100 tasks"), figure.unit, 2, None, figure.key),
        Column(f"{figure.key}/last", (figure.title, "last half"), figure.unit, 2, None, figure.key),
    ]


def _cells(runs: Sequence[Measured], series: Mapping[Path, Series]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for figure in FIGURES:
        played = [series[run.run.folder][figure.key] for run in runs]
        settled = [values[int(WARM_UP * len(values)) :] for values in played]
        found = {
            "mean": [sum(values) / len(values) if values else None for values in settled],
            "slope": [_per_100(figure.slope(values)) for values in settled],
            "last": [_per_100(figure.slope(_last(values))) for values in played],
        }
        for name, values in found.items():
            cells[f"{figure.key}/{name}"] = Cell.of(run.part(value) for run, value in zip(runs, values, strict=True))
    return cells


def _intervals(grid: Grid, series: Mapping[Path, Series]) -> list[str]:
    """Return, for each run, between which slopes its last half leaves the choice."""
    told = []
    for method in grid.methods:
        for run in (run for runs in method.cells.values() for run in runs):
            found = {figure.title: figure.interval(_last(series[run.run.folder][figure.key])) for figure in FIGURES}
            ends = [
                f"{title} {round_half_up(100.0 * interval.low, 2)} to {round_half_up(100.0 * interval.high, 2)}"
                for title, interval in found.items()
                if interval is not None
            ]
            if ends:
                told.append(
                    f"{method.label}, seed {run.run.lock.seed}: 95 % intervals of the last half's slopes, as if "
                    f"episodes were independent: {', '.join(ends)}. One that holds 0 cannot tell growth from none."
                )
    return told


def _series(run: Run) -> Series:
    """Return the figures of a run's played episodes, by key, in one pass over its log."""
    played = [record for record in run.records() if record.outcome is not None]
    return {figure.key: [float(figure.of(record)) for record in played] for figure in FIGURES}


def _last(values: Sequence[float]) -> Sequence[float]:
    return values[int(LAST * len(values)) :]


def _per_100(slope: float | None) -> float | None:
    return None if slope is None else 100.0 * slope
