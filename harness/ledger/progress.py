"""How far a stream is: a small file, replaced whole, that the live display and `scripts.show` read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import LedgerError

FILE = "progress.json"
State = Literal["running", "complete", "stopped", "interrupted", "failed"]


class Progress(BaseModel):
    """A stream's state at one moment. It may lag behind the episodes' lines, which are the truth."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    run: str
    """Name of the run's folder."""
    state: State
    n_planned: int
    """Tasks of the stream."""
    n_done: int
    """Tasks finished, those lost to infrastructure included."""
    n_solved: int = 0
    n_infrastructure: int = 0
    mean_score: float | None = None
    """Over the scored tasks, in the benchmark's own unit."""
    tokens: int = 0
    """Prompt and completion tokens so far, memory's calls included."""
    cost_usd: float | None = None
    """None once any part of it is unknown."""
    memory_items: int = 0
    task: str = ""
    """Id of the running task."""
    step: int = 0
    """Number of its latest step, from 1; 0 before the first."""
    started: str = ""
    """ISO 8601, UTC."""
    updated: str = ""
    """ISO 8601, UTC."""
    message: str = ""
    """Why the stream stopped."""

    @property
    def complete(self) -> bool:
        """Whether every planned task is done and the runner said so."""
        return self.state == "complete" and self.n_done == self.n_planned


def write_progress(folder: Path, progress: Progress) -> None:
    """Replace a run's progress file atomically; not fsynced, since a lost one costs nothing."""
    aside = folder / f"{FILE}.{os.getpid()}.tmp"
    aside.write_text(progress.model_dump_json() + "\n", encoding="utf-8")
    aside.replace(folder / FILE)


def read_progress(folder: Path) -> Progress | None:
    """Return a run's progress, None where it has none yet. Raises LedgerError for an unreadable file."""
    path = folder / FILE
    try:
        return Progress.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        raise LedgerError(
            f"{path}: not a progress file: {error}; delete it, the next start of the run writes it anew"
        ) from error
