"""EvoGraph-Mem's Table 2: all tokens of a method, the agent's apart from the memory's, and over no memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.ledger.reading import Run
from harness.tables.evograph import joined, of_its_benchmarks, paper_rows, streams_of
from harness.tables.evograph_table1 import main_run
from harness.tables.grid import Grid, Method, sort_runs
from harness.tables.measured import Measured
from harness.tables.model import Cell, Column, Part, Row, Table
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported

TITLE = "EvoGraph-Mem, Table 2. Tokens of a method"
NOTES = (
    "Millions of prompt and completion tokens of all chat calls of a run, further trials and episodes lost to "
    "infrastructure included; means over seeds. The memory's are those of its retrieve, step and update phases and of "
    "a judge; embeddings are not counted. Token counts of a backbone that is no language model are estimates.",
    "Over No-Memory compares with the row of no memory of the same backbone and stream, seed by seed.",
    "Rows headed paper are EvoGraph-Mem's printed figures; it does not say over which benchmarks it sums, and those of "
    "No-Memory follow from the increase that it prints.",
)
ALL = "all of them"
TOTAL, OVER = "tokens_millions", "over"
COLUMNS = (
    Column(TOTAL, ("Tokens", "M"), "M tokens", 3, None, "tokens"),
    Column("agent", ("agent's", "M"), "M tokens", 3, None, "tokens"),
    Column("memory", ("memory's", "M"), "M tokens", 3, None, "tokens"),
    Column(OVER, ("over", "No-Memory %"), "%", 1, None, "tokens"),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs(of_its_benchmarks(runs, main_run))
    return Table(
        name="evograph-2",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Streams", "Method", "Mode"),
        columns=COLUMNS,
        rows=(*_rows(grid), *_paper_rows(paper)),
        coverage=coverage(grid),
        notes=(*notes(grid), *NOTES),
    )


def _rows(grid: Grid) -> list[Row]:
    groups = {stream.label: [stream.key] for stream in grid.streams}
    if len(groups) > 1:
        groups[ALL] = [stream.key for stream in grid.streams]
    rows = []
    for backbone in dict.fromkeys(method.backbone for method in grid.methods):
        for label, keys in groups.items():
            methods = [m for m in grid.methods if m.backbone == backbone and set(keys) <= _keys(grid, m)]
            floor = next((_by_seed(m, keys) for m in methods if m.memory == "none"), {})
            rows += [
                Row((backbone, label, m.title, m.mode), _cells(_by_seed(m, keys), floor), f"{backbone} · {label}")
                for m in methods
            ]
    return rows


def _keys(grid: Grid, method: Method) -> set[str]:
    return {stream.key for stream in streams_of(grid, method)}


def _by_seed(method: Method, keys: Sequence[str]) -> dict[int, list[Measured]]:
    """Return a method's runs of all these streams by seed; a seed that one of them lacks is left out."""
    found: dict[int, list[Measured]] = {}
    for key in keys:
        for run in method.cells[key]:
            found.setdefault(run.run.lock.seed, []).append(run)
    return {seed: runs for seed, runs in found.items() if len(runs) == len(keys)}


def _cells(runs: Mapping[int, Sequence[Measured]], floor: Mapping[int, Sequence[Measured]]) -> dict[str, Cell]:
    both = [seed for seed in runs if seed in floor]
    return {
        TOTAL: Cell.of(joined(each, _millions(each, "agent") + _millions(each, "memory")) for each in runs.values()),
        "agent": Cell.of(joined(each, _millions(each, "agent")) for each in runs.values()),
        "memory": Cell.of(joined(each, _millions(each, "memory")) for each in runs.values()),
        OVER: Cell.of(_over(runs[seed], floor[seed]) for seed in both),
    }


def _millions(runs: Sequence[Measured], side: str) -> float:
    return sum(run.tally.chat["agent" if side == "agent" else "memory"].tokens for run in runs) / 1e6


def _over(runs: Sequence[Measured], floor: Sequence[Measured]) -> Part:
    own, least = (_millions(each, "agent") + _millions(each, "memory") for each in (runs, floor))
    return joined(runs, 100 * (own / least - 1) if least else None)


def _paper_rows(paper: Sequence[Reported]) -> list[Row]:
    """Return the paper's rows; an increase over no memory that it prints as a difference joins its method's row."""
    increases = {
        (f"paper: {r.backbone}", r.row.removesuffix(" over No-Memory")): Cell(r.value, r.sd)
        for r in paper
        if (r.paper, r.table, r.column) == ("evograph-mem", "2", "token increase %")
    }
    rows = []
    for row in paper_rows(paper, "2", {TOTAL: TOTAL}):
        backbone, method, mode = row.labels
        cells = dict(row.cells)
        if (backbone, method) in increases:
            cells[OVER] = increases[backbone, method]
        rows.append(Row((backbone, "not named", method, mode), cells, row.section, source="paper"))
    return rows
