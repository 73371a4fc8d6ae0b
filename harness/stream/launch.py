"""Run one cell from start to end, and turn whatever happens into an exit code. A stream never exits by itself."""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass
from pathlib import Path

from harness.build import Prepared, assemble, prepare
from harness.config.cell import Cell
from harness.errors import HarnessError, policy
from harness.ledger import durable
from harness.ledger.calls import CallStore
from harness.ledger.folder import RunFolder
from harness.ledger.progress import State
from harness.ledger.provenance import provenance
from harness.resolved import lock
from harness.stream.interrupts import Interrupts
from harness.stream.runner import Stream

STATES: dict[int, State] = {0: "complete", 1: "failed", 2: "failed", 3: "stopped", 130: "interrupted"}


@dataclass(frozen=True, slots=True)
class Result:
    """How a stream ended."""

    code: int
    """0 complete, 2 bad input, 3 stopped, 1 a bug, 130 interrupted; all but 2 leave a folder that goes on."""
    folder: Path | None
    """None where nothing was written."""
    message: str = ""


def run_cell(cell: Cell) -> Result:
    """Run a cell's stream, its train stream before it."""
    if Interrupts.stopping():
        return Result(130, None, "interrupted before it was begun")
    if cell.train is not None:
        trained = _played(cell.train, None, shared=True)
        if trained.code:
            return trained
    return _played(cell, RunFolder(cell.train.folder) if cell.train else None, shared=False)


def _played(cell: Cell, trained: RunFolder | None, *, shared: bool) -> Result:
    """Play one stream; ``shared`` ones, which several streams of a sweep start from, wait for whoever plays them."""
    folder = RunFolder(cell.folder)
    try:
        prepared = prepare(cell, trained)
        try:
            _run(prepared, folder, wait=shared)
        finally:
            prepared.environment.close()
    except (Exception, KeyboardInterrupt) as error:
        return _ended(error, folder)
    return Result(0, folder.path)


def _run(prepared: Prepared, folder: RunFolder, *, wait: bool) -> None:
    cell = prepared.cell
    with Interrupts() as interrupts, folder.held(interrupts.check if wait else None):
        made = provenance()
        folder.claim(
            cell.asked, {**lock(prepared), "versions": made["versions"], "git": made["git"], "started": made["time"]}
        )
        durable.append_line(folder.path / "starts.jsonl", json.dumps(made, sort_keys=True))
        store = CallStore(
            folder.calls,
            replicate=cell.root.seed,
            replay=Path(cell.root.replay) if cell.root.replay else None,
            shared=[Path(other) for other in cell.root.shared],
        )
        try:
            _report_end(assemble(prepared, folder, store, interrupts))
        finally:
            store.close()


def _report_end(stream: Stream) -> None:
    try:
        stream.run()
    except BaseException as error:
        stream.reporter.ended(STATES[policy(error).exit_code], str(error) or type(error).__name__)
        raise
    stream.reporter.ended("complete")


def _ended(error: BaseException, folder: RunFolder) -> Result:
    code = policy(error).exit_code
    known = isinstance(error, HarnessError | KeyboardInterrupt)
    begun = folder.path if folder.path.exists() else None
    if known or begun is None:
        message = str(error) if known else "".join(traceback.format_exception(error))
        return Result(code, begun, message or type(error).__name__)
    trace, told = begun / "error.txt", "".join(traceback.format_exception(error))
    try:
        durable.atomic_write(trace, told)
    except OSError as full:
        return Result(code, begun, f"{told}(not written to {trace}: {full})")
    return Result(code, begun, f"{type(error).__name__}: {error} (traceback: {trace})")
