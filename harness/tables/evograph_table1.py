"""EvoGraph-Mem's Table 1: its methods on PDDL, HotpotQA and FEVER, ours above the paper's own figures."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.compare import compared
from harness.tables.evograph import (
    PAPER_NOTE,
    configured_lambda,
    metric_cells,
    metric_columns,
    of_its_benchmarks,
    paper_rows,
)
from harness.tables.grid import sort_runs
from harness.tables.model import Row, Table
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported

TITLE = "EvoGraph-Mem, Table 1. Main results of the memory methods"
NOTES = (
    PAPER_NOTE,
    "Of the paper's Table 1 only improvements over a method it does not name are known (PDDL 10.44 % and 11.38 %, "
    "HotpotQA 21.75 % and 5.03 %); a difference is no figure of a row, so none stands there.",
    "Rows of Figure 3, other values of lambda and variants of our own are left out: evograph-fig3 and evograph-lambda "
    "are about them.",
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs(of_its_benchmarks(runs, main_run))
    columns, places = metric_columns(grid)
    rows = [Row((m.backbone, m.title, m.mode), metric_cells(m), section=m.backbone) for m in grid.methods]
    return Table(
        name="evograph-1",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Method", "Mode"),
        columns=tuple(columns),
        rows=(*compared(rows, columns), *paper_rows(paper, "1", places)),
        coverage=coverage(grid),
        notes=(*notes(grid), *NOTES),
    )


def main_run(run: Run) -> bool:
    """Tell whether a run is one of a method as it is configured, and no row or sweep of another table."""
    settings = run.lock.settings.get("memory", {})
    swept = run.lock.memory.name == "evograph" and (
        settings.get("variant"), settings.get("lambda_"),
    ) != ("paper", configured_lambda())  # fmt: skip
    return run.lock.row is None and not swept
