"""Print a run, an episode, or an insight: `python -m scripts.show RUN [TASK] [--json]`, `... RUN --insight ID`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from harness.errors import ConfigError, HarnessError, policy
from harness.tables.lookup import find_episodes, find_run
from harness.tables.show_episode import print_episode
from harness.tables.show_insight import print_insight
from harness.tables.show_run import as_json, print_run

JSON_HELP = (
    "print JSON: of a run its figures (success_rate is a fraction of the scored tasks from 0 to 1 or null, cost_usd "
    "null where a price is unknown, steps are environment steps, tokens those of all calls), of a task its records"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 2 no such run, task or insight, or a damaged one."""
    parser = argparse.ArgumentParser(prog="python -m scripts.show", description=__doc__)
    parser.add_argument("run", metavar="RUN", help="a run folder, its name, or the beginning of one")
    parser.add_argument("task", metavar="TASK", nargs="?", help="a task's id, the beginning of one, or its number")
    parser.add_argument("--insight", metavar="ID", help="how an insight of the memory changed, by which tasks")
    parser.add_argument("--json", action="store_true", help=JSON_HELP)
    parser.add_argument("--runs", type=Path, default=Path("results/runs"), help="where runs are (%(default)s)")
    asked = parser.parse_args(argv)
    try:
        if asked.insight is not None:
            show_insight(asked.run, asked.insight, asked.runs, other=asked.task is not None or asked.json)
        else:
            show(asked.run, asked.task, asked.runs, json=asked.json)
    except HarnessError as error:
        print(f"error: {error}", file=sys.stderr)
        return policy(error).exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def show(word: str, task: str | None, root: Path, *, json: bool) -> None:
    """Print what was asked for. Raises ConfigError for an unknown run or task, LedgerError for a damaged run."""
    run = find_run(word, root)
    if task is None:
        print(as_json(run)) if json else print_run(run, Console())
        return
    for record in find_episodes(task, run):
        print(record.line()) if json else print_episode(record, run, Console())


def show_insight(word: str, insight: str, root: Path, *, other: bool) -> None:
    """Print how an insight changed. Raises ConfigError for an unknown one, or where something else is asked too."""
    if other:
        raise ConfigError("--insight: got a TASK or --json too; an insight is shown alone, as text")
    print_insight(insight, find_run(word, root), Console())


if __name__ == "__main__":
    sys.exit(main())
