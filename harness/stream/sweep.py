"""Several streams: all checked before the first starts, shown while they run, summed up at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf, open_dict

from harness.config.cell import Cell
from harness.config.check import checked_cell
from harness.display import Display
from harness.errors import ConfigError
from harness.ledger.folder import RunFolder
from harness.ledger.progress import read_progress
from harness.stream.interrupts import Interrupts
from harness.stream.junit import below, write_junit
from harness.stream.launch import Result
from harness.stream.preflight import preflight
from harness.tables.plain import plain

WORST_FIRST = (130, 1, 3, 2, 0)


def cell_of(config: Any) -> Cell:
    """Check a configuration as Hydra composed it, its own part included. Raises ConfigError."""
    own = config.copy()
    with open_dict(own):
        del own["hydra"]
    return job_cell(own, config.hydra)


def job_cell(config: Any, hydra: Any) -> Cell:
    """Check a configuration that Hydra has split from its own part. Raises ConfigError."""
    choices: Any = OmegaConf.to_container(hydra.runtime.choices)
    overrides: Any = OmegaConf.to_container(hydra.overrides.task)
    ours = {str(key): value for key, value in choices.items() if not str(key).startswith("hydra/")}
    return checked_cell(config, ours, tuple(str(line) for line in overrides))


def check_cells(compose: Callable[[Sequence[str]], Any], batch: Sequence[Sequence[str]]) -> list[Cell]:
    """Check every cell of a sweep, and that no two are the same stream. Raises ConfigError."""
    cells: list[Cell] = []
    seen: dict[str, Sequence[str]] = {}
    for overrides in batch:
        try:
            cell = cell_of(compose(overrides))
        except ConfigError as error:
            raise ConfigError(f"{error}{_which(overrides, batch)}") from error
        if cell.name in seen:
            raise ConfigError(
                f"the sweep holds the same stream twice: {' '.join(seen[cell.name])} and {' '.join(overrides)} "
                f"are both {cell.name}; leave one of them out"
            )
        seen[cell.name] = overrides
        cells.append(cell)
    preflight(cells)
    return cells


def _which(overrides: Sequence[str], batch: Sequence[Sequence[str]]) -> str:
    return f"\n(in the cell {' '.join(overrides)})" if len(batch) > 1 else ""


def run_sweep(cells: Sequence[Cell], launch: Callable[[], Sequence[Any]]) -> int:
    """Launch the cells under one display, print how each ended, and return the worst exit code.

    Raises ConfigError where no run folder can be made.
    """
    for out in {cell.folder.parent for cell in cells}:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"out: no folder can be made at {out}: {error.strerror}") from error
    folders = [folder for cell in cells for folder in _folders(cell)]
    with Interrupts.sweep(), Interrupts(), Display(folders, mode=cells[0].root.display):
        results = _launched(cells, launch)
    for cell, result in zip(cells, results, strict=True):
        _print(cell, result)
    root, folders = cells[0].root, [RunFolder(cell.folder) for cell in cells]
    if root.junit is not None:
        said = [result.message if result.code else None for result in results]
        write_junit(Path(root.junit), list(zip(folders, said, strict=True)))
    codes = {result.code for result in results}
    worst = next(code for code in WORST_FIRST if code in codes)
    return worst or _judge(root.fail_under, folders)


def _launched(cells: Sequence[Cell], launch: Callable[[], Sequence[Any]]) -> list[Result]:
    """Launch the cells; where the launcher itself breaks down, say what each one's folder says."""
    try:
        return [job.return_value for job in launch()]
    except Exception as error:
        return [_as_left(cell, error) for cell in cells]


def _as_left(cell: Cell, error: Exception) -> Result:
    progress = read_progress(cell.folder)
    if progress is not None and progress.complete:
        return Result(0, cell.folder)
    begun = cell.folder if cell.folder.exists() else None
    first = str(error).strip().splitlines()[:1]
    return Result(
        1, begun, " ".join([f"its process is gone ({type(error).__name__}):", *first, "The same command goes on."])
    )


def _judge(bar: float | None, folders: Sequence[RunFolder]) -> int:
    """Return 4 where a stream stays under the bar, else 0."""
    short = below(bar, folders) if bar is not None else []
    for line in short:
        print(line, file=sys.stderr)
    return 4 if short else 0


def _folders(cell: Cell) -> list[Any]:
    return [*(_folders(cell.train) if cell.train else []), cell.folder]


def _print(cell: Cell, result: Result) -> None:
    if result.code:
        print(f"{cell.name}: {plain(result.message)}", file=sys.stderr, flush=True)
    if result.folder is not None:
        print(f"run: {result.folder}", flush=True)
