"""Kill a stream at each of its write boundaries, resume it, compare. Run as a program; prints one JSON object.

usage: python kill_everywhere.py FOLDER OVERRIDE...
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from harness.ledger import durable
from harness.stream.launch import run_cell
from tests.streams import compose_cell, final_state


class Boundaries:
    """Counts write boundaries, and kills this process at one of them."""

    def __init__(self, kill_at: int | None) -> None:
        self.names: list[str] = []
        self._kill_at = kill_at

    def __call__(self, name: str) -> None:
        if len(self.names) == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.names.append(name)


def run_forked(out: Path, overrides: list[str], kill_at: int | None) -> int:
    """Run the stream in a forked child and return its wait status; the child dies at a boundary, or finishes."""
    child = os.fork()
    if child == 0:
        durable.on_boundary = Boundaries(kill_at)
        result = run_cell(compose_cell(out, *overrides))
        print(result.message, file=sys.stderr, end="", flush=True)
        os._exit(result.code)
    return os.waitpid(child, 0)[1]


def main() -> None:
    """Print the number of boundaries and every place where a resumed run differs from an uninterrupted one."""
    root, overrides = Path(sys.argv[1]), sys.argv[2:]
    counter = Boundaries(None)
    durable.on_boundary = counter
    whole = run_cell(compose_cell(root / "whole", *overrides))
    assert whole.folder is not None, whole.message
    expected, differing = final_state(whole.folder), []
    for kill_at, name in enumerate(counter.names):
        out = root / f"kill-{kill_at:03d}"
        died = run_forked(out, overrides, kill_at)
        resumed = run_forked(out, overrides, None)
        folder = out / whole.folder.name
        if os.WTERMSIG(died) != signal.SIGKILL or resumed != 0 or final_state(folder) != expected:
            differing.append([kill_at, name, died, resumed])
    print(json.dumps({"boundaries": len(counter.names), "episodes": len(expected[0]), "differing": differing}))


if __name__ == "__main__":
    main()
