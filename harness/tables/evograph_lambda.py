"""EvoGraph-Mem, equation (8): what the strength of the conflict penalty changes, and how often it can act at all."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.compare import compared
from harness.tables.evograph import (
    conflict_note,
    metric_cells,
    metric_columns,
    of_its_benchmarks,
    share_cell,
)
from harness.tables.grid import Method, sort_runs
from harness.tables.model import Column, Row, Table
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported
from harness.tables.unmoved import unmoved

TITLE = "EvoGraph-Mem, equation (8). The strength of the conflict penalty"
NOTE = (
    "c > 0 is the share of candidate insights with negative evidence in reach; re-ranked is the share of episodes in "
    "which lambda = 0 would have retrieved other insights, or in another order. The rules called paper give an active "
    "insight no negatives; the others are variants of our own. The paper prints no such sweep."
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs(of_its_benchmarks(runs, _whole_controller))
    measured, _ = metric_columns(grid)
    columns = (
        *(column for column in measured if not column.key.startswith("paper/")),
        Column("conflict", ("c > 0", "%"), "%", 1, None, "edits"),
        Column("reranked", ("re-ranked", "%"), "%", 1, None, "edits"),
    )
    rows = sorted((_row(method) for method in grid.methods), key=lambda row: row.labels)
    return Table(
        name="evograph-lambda",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Rules", "lambda"),
        columns=columns,
        rows=compared(rows, columns),
        coverage=coverage(grid),
        notes=(*unmoved(grid), *notes(grid), *conflict_note(grid), NOTE),
    )


def _row(method: Method) -> Row:
    settings = next(iter(method.cells.values()))[0].run.lock.settings["memory"]
    rates = {
        "conflict": share_cell(method, "conflicting", "candidates"),
        "reranked": share_cell(method, "reranked", "episodes"),
    }
    labels = (method.backbone, str(settings["variant"]), f"{settings['lambda_']:g}")
    return Row(labels, metric_cells(method) | rates, section=f"{method.backbone} · {settings['variant']}")


def _whole_controller(run: Run) -> bool:
    whole = run.lock.settings.get("memory", {}).get("controller") == "all"
    return run.lock.memory.name == "evograph" and run.lock.row is None and whole
