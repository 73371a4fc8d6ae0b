"""Tables built from small run folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.ledger.reading import find_runs
from harness.tables.catalog import find_table
from harness.tables.model import Row, Table
from harness.tables.paper import read_paper
from tests.run_folders import run_folder, stream


def one(folder: Path, name: str = "1") -> Table:
    """Return a table of all runs below a folder."""
    return find_table(name)(find_runs(folder), read_paper())


def ours(table: Table) -> list[Row]:
    """Return the rows that are not a paper's."""
    return [row for row in table.rows if row.source == "ours"]


def figures(table: Table) -> dict[str, str]:
    """Return the first column of ours that was run, by method."""
    column = next(c for c in table.columns if any(row.cell(c).parts for row in ours(table)))
    return {row.labels[1]: row.cell(column).text(1) + row.cell(column).signs for row in ours(table)}


def two_seeds(folder: Path, memory: str = "flat", solved: tuple[int, int] = (2, 3), **changes: Any) -> None:
    """Write runs of four tasks with seeds 0 and 1."""
    for seed, n in enumerate(solved):
        episodes = stream([i < n for i in range(4)], says=f"{memory} {seed}")
        run_folder(folder, f"{memory}-{seed}", episodes, seed=seed, memory__name=memory, env__metrics=["sr"], **changes)
