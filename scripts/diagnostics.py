"""Write all that runs logged as one file for pandas: `python -m scripts.diagnostics RUN... [-o FILE.csv]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.errors import HarnessError, policy
from harness.ledger.reading import LOCK, Run, find_runs
from harness.tables.diagnostics import write_diagnostics
from harness.tables.lookup import find_run


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 2 no such run, or a damaged one."""
    parser = argparse.ArgumentParser(prog="python -m scripts.diagnostics", description=__doc__)
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a run folder, its name or the beginning of one, or a folder of runs"
    )
    parser.add_argument("-o", "--out", type=Path, default=Path("results/diagnostics.csv"), help="file (%(default)s)")
    parser.add_argument("--runs", dest="root", type=Path, default=Path("results/runs"), help="where runs are")
    asked = parser.parse_args(argv)
    try:
        runs = [run for word in dict.fromkeys(asked.runs) for run in _found(word, asked.root)]
        print(f"written: {asked.out} ({write_diagnostics(runs, asked.out)} episodes of {len(runs)} runs)")
    except HarnessError as error:
        print(f"error: {error}", file=sys.stderr)
        return policy(error).exit_code
    return 0


def _found(word: str, root: Path) -> list[Run]:
    """Return the run that is meant, or all runs below a folder. Raises ConfigError for neither."""
    folder = Path(word)
    below = find_runs(folder) if folder.is_dir() and not (folder / LOCK).is_file() else []
    return below or [find_run(word, root)]


if __name__ == "__main__":
    sys.exit(main())
