"""The controlled scaling experiment: the same tasks while a memory's store alone grows by distractors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from harness.ledger.reading import Run
from harness.ledger.record import EpisodeRecord
from harness.metrics import METRICS
from harness.statistics import mean
from harness.stream.distractors import FAMILY
from harness.tables.compare import compared
from harness.tables.grid import Grid, Method, sort_runs
from harness.tables.measured import Measured
from harness.tables.model import Cell, Column, Row, Table
from harness.tables.names import method_rank
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported
from harness.tables.unmoved import unmoved

TITLE = "STRATA, scaling. The same tasks while the store alone grows"
NOTES = (
    "n is how many solved episodes of made-up chores each memory holds besides what it learned; the n of a smaller "
    "store are the first of a larger one. Nothing is learned during the evaluation, so no cap or forgetting acts.",
    "Distractors are the share of injected items that come from the chores. Retrieval is the median of what an episode "
    "spends in the memory before its first action, the embedding of the task included: wall-clock time, so compare it "
    "only between runs made side by side on one machine.",
    "STRATA's paper has no such experiment; it names the lack of one.",
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs([Measured.of(run) for run in runs if _n(run) is not None])
    columns = [column for stream in grid.streams for column in _columns(stream.key, stream.title, stream.metrics[0])]
    rows = [_row(method) for method in sorted(grid.methods, key=_order)]
    return Table(
        name="strata-scaling",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "n", "Method", "Mode"),
        columns=tuple(columns),
        rows=compared(rows, columns),
        coverage=coverage(grid),
        notes=(*unmoved(grid), *notes(grid), *_off_protocol(grid), *NOTES),
    )


def _n(run: Run) -> int | None:
    """Return how many distractors a run's store was filled with; None where it was not filled."""
    given = run.lock.settings.get("prefill") or {}
    return int(given["n"]) if str(given.get("_target_", "")).endswith(".Distractors") else None


def _first(method: Method) -> Run:
    return next(iter(method.cells.values()))[0].run


def _order(method: Method) -> tuple[str, int, tuple[int, str], str]:
    return method.backbone, _n(_first(method)) or 0, method_rank(method.memory), method.title


def _columns(stream: str, title: Sequence[str], main: str) -> list[Column]:
    metric = METRICS[main]
    head = f"{metric.title} {'%' if metric.unit == '%' else ''}".strip()
    return [
        Column(f"{stream}/{main}", (*title, head), metric.unit, 1, metric.higher_is_better, stream),
        Column(f"{stream}/lines", ("injected", "lines"), "lines", 1, None, stream),
        Column(f"{stream}/distractors", ("distractors", "%"), "%", 1, None, stream),
        Column(f"{stream}/retrieval", ("retrieval", "ms"), "ms", 1, None, stream),
        Column(f"{stream}/items", ("store", "items"), "items", 0, None, stream),
    ]


def _row(method: Method) -> Row:
    cells: dict[str, Cell] = {}
    for key, runs in method.cells.items():
        main = runs[0].run.lock.env.metrics[0]
        cells[f"{key}/{main}"] = Cell.of(run.metric_part(main) for run in runs)
        for name, figure in FIGURES.items():
            cells[f"{key}/{name}"] = Cell.of(run.part(figure(_scored(run.run))) for run in runs)
    n = _n(_first(method)) or 0
    return Row((method.backbone, f"{n:,}", _title(method, n), method.mode), cells, section=f"{method.backbone} · {n}")


def _title(method: Method, n: int) -> str:
    """Return the row's title less what a column of its own, or every row, says."""
    name, _, extras = method.title.partition(" (")
    left = [word for word in extras.removesuffix(")").split(", ") if word not in ("", "frozen", f"n={n}")]
    return f"{name} ({', '.join(left)})" if left else name


def _scored(run: Run) -> list[EpisodeRecord]:
    return [record for record in run.records() if record.outcome is not None]


def _lines(records: Sequence[EpisodeRecord]) -> float | None:
    return mean([record.recall_lines for record in records])


def _distractors(records: Sequence[EpisodeRecord]) -> float | None:
    """Return None where nothing was injected at all."""
    items = [item for record in records for item in record.recall.items]
    of_chores = [100.0 * any(task.startswith(f"{FAMILY}-") for task in item.born) for item in items]
    return mean(of_chores)


def _retrieval(records: Sequence[EpisodeRecord]) -> float | None:
    return median(1000.0 * record.time.memory_s for record in records) if records else None


def _items(records: Sequence[EpisodeRecord]) -> float | None:
    return float(records[-1].memory.items) if records else None


FIGURES: Mapping[str, Callable[[Sequence[EpisodeRecord]], float | None]] = {
    "lines": _lines,
    "distractors": _distractors,
    "retrieval": _retrieval,
    "items": _items,
}


def _off_protocol(grid: Grid) -> list[str]:
    learning = sorted({run.run.name for run in grid.runs if run.run.lock.protocol != "frozen"})
    return [f"WARNING: {name} went on learning, so its store is not what n says." for name in learning]
