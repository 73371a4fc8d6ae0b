"""Make tables from run folders: `python -m scripts.tables NAME... [--runs DIR] [--out DIR] [--explain ROW COL]`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from harness.errors import ConfigError, HarnessError, policy
from harness.ledger.reading import Run, find_runs
from harness.tables.bars import NO_MATPLOTLIB, can_draw
from harness.tables.catalog import find_drawing, find_table, needs_runs, table_names, write_table
from harness.tables.explain import explain
from harness.tables.paper import read_paper
from harness.tables.terminal import print_table


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 2 unknown table, no runs, or a damaged run."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.tables", description=__doc__, epilog=f"Tables: {', '.join(table_names())}."
    )
    parser.add_argument("names", metavar="NAME", nargs="+", help="1 is STRATA's Table 1; evograph-1, strata-fig3, ...")
    parser.add_argument("--runs", type=Path, default=Path("results/runs"), help="where runs are (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("results/tables"), help="where files go (%(default)s)")
    parser.add_argument(
        "--explain",
        nargs=2,
        metavar=("ROW", "COL"),
        help="trace one cell to its runs instead: words of its row, column",
    )
    asked = parser.parse_args(argv)
    try:
        make(asked.names, asked.runs, asked.out, asked.explain)
    except HarnessError as error:
        print(f"error: {error}", file=sys.stderr)
        return policy(error).exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def make(names: Sequence[str], root: Path, out: Path, cell: tuple[str, str] | None) -> None:
    """Print tables and write their files, or explain one cell. Raises ConfigError, LedgerError; then nothing is new."""
    builds = [find_table(name) for name in dict.fromkeys(names)]
    runs, paper = _runs(root) if any(map(needs_runs, names)) else [], read_paper()
    tables = [build(runs, paper) for build in builds]
    console = Console()
    for table in tables:
        if cell:
            explain(table, *cell, console)
            continue
        print_table(table, console)
        files = write_table(table, out)
        drawing = find_drawing(table.name)
        if drawing and can_draw():
            files += drawing(table, out)
        elif drawing:
            console.print(f"\n{NO_MATPLOTLIB}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        console.print(
            f"\nwritten: {', '.join(map(str, files))}\n", style="dim", markup=False, highlight=False, soft_wrap=True
        )


def _runs(root: Path) -> list[Run]:
    runs = find_runs(root)
    if not runs:
        raise ConfigError(
            f"got no runs in {root}; make one first, such as\n"
            "  python -m scripts.run env=scienceworld memory=none backbone=expert\n"
            "or name another folder with --runs"
        )
    return runs


if __name__ == "__main__":
    sys.exit(main())
