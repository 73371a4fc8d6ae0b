"""EvoGraph-Mem's Figure 3: what each verb of the controller is worth, as a table and as bars beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.ledger.reading import Run
from harness.metrics import METRICS
from harness.tables.bars import Panel, Series, draw_bars
from harness.tables.compare import compared
from harness.tables.evograph import (
    BENCHMARKS,
    PAPER_NOTE,
    conflict_note,
    metric_cells,
    metric_columns,
    of_its_benchmarks,
    paper_rows,
    share_cell,
)
from harness.tables.grid import Method, sort_runs
from harness.tables.model import Cell, Column, Row, Table
from harness.tables.names import benchmark_title
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported
from harness.tables.unmoved import unmoved

TITLE = "EvoGraph-Mem, Figure 3. The controller's verbs"
CONTROLLERS = {
    "evo_fig3_add_keep": "add+keep",
    "evo_fig3_add_keep_archive": "add+keep+archive",
    "evo_fig3_all": "all",
}
"""Our rows, and what the paper calls them."""
EDITS = ("KEEP", "ARCHIVE", "REVISE", "ADD")
NOTES = (
    PAPER_NOTE,
    "Edits are counted an episode, all streams together; c > 0 is the share of candidate insights that had any "
    "negative evidence in reach, so that the penalty of equation (8) could act.",
    "The paper's text contradicts its own ordering once: on PDDL with GPT-4o-mini add+keep+archive has 34, all has 31.",
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs(of_its_benchmarks(runs, lambda run: run.lock.row in CONTROLLERS))
    measured, places = metric_columns(grid)
    edits = [Column(verb, (verb, "an episode"), "edits", 2, None, "edits") for verb in EDITS]
    columns = (*measured, *edits, Column("conflict", ("c > 0", "%"), "%", 1, None, "edits"))
    rows = [Row((m.backbone, _controller(m), m.mode), _cells(m), section=m.backbone) for m in grid.methods]
    return Table(
        name="evograph-fig3",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Controller", "Mode"),
        columns=columns,
        rows=(*compared(rows, columns), *paper_rows(paper, "fig3", places)),
        coverage=coverage(grid),
        notes=(*unmoved(grid), *notes(grid), *conflict_note(grid), *NOTES),
    )


def draw(table: Table, folder: Path) -> list[Path]:
    """Draw the figure: a panel a benchmark, a group of bars a controller, a colour a backbone; return the files."""
    warned = any(note.startswith("WARNING") for note in table.notes)
    title = f"{table.title}. Read the table's warnings: equal bars of ours may be no finding" if warned else table.title
    return draw_bars([_panel(table, at) for at in range(len(BENCHMARKS))], title, folder / table.name)


def _controller(method: Method) -> str:
    row = next(iter(method.cells.values()))[0].run.lock.row or ""
    return CONTROLLERS[row] + method.title.partition(f"[{row}]")[2]


def _cells(method: Method) -> dict[str, Cell]:
    edits = {verb: share_cell(method, verb, "episodes", scale=1.0) for verb in EDITS}
    return metric_cells(method) | edits | {"conflict": share_cell(method, "conflicting", "candidates")}


def _panel(table: Table, at: int) -> Panel:
    benchmark = BENCHMARKS[at]
    metric = METRICS[benchmark.metrics[0]]
    title = benchmark_title(benchmark.name)
    columns = [c for c in table.columns if c.title[0] == title and c.key.endswith(f"/{metric.name}")]
    series: dict[str, Series] = {}
    for row in table.rows:
        cell = next((found for c in columns if (found := row.cell(c)).value is not None), Cell())
        if row.labels[1] in CONTROLLERS.values() and cell.value is not None:
            bars = series.setdefault(row.labels[0], Series(row.labels[0], {}, paper=row.source == "paper"))
            bars.values[row.labels[1]] = (cell.value, cell.sd)
    return Panel(title, f"{metric.title} %", tuple(CONTROLLERS.values()), tuple(series.values()))
