"""Tells the world how a stream is doing: the progress file for the display, and a tracker if one was asked for."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from harness.ledger.progress import Progress, State, write_progress
from harness.ledger.record import EpisodeRecord
from harness.types import Usage

HEARTBEAT_S = 0.5


class Tracker(Protocol):
    """Mirrors a stream elsewhere. The files are the truth: a tracker's trouble never ends a stream."""

    def begin(self, name: str, config: Mapping[str, Any], folder: Path) -> None:
        """Take note of a stream's start; called once."""

    def episode(self, record: EpisodeRecord, progress: Progress) -> None:
        """Take note of a committed episode."""

    def finish(self, progress: Progress) -> None:
        """Take note of the end; called once, however the stream ends."""


class Reporter:
    """Keeps a run's progress file true.

    Args:
        folder: The run folder.
        n_planned: Tasks of the stream.
        tracker: A mirror, or None.
    """

    def __init__(self, folder: Path, n_planned: int, tracker: Tracker | None = None) -> None:
        now = _now()
        self.progress = Progress(
            run=folder.name, state="running", n_planned=n_planned, n_done=0, cost_usd=0.0, started=now, updated=now
        )
        self._folder = folder
        self._tracker = tracker
        self._finals: dict[str, EpisodeRecord] = {}
        self._usage = Usage()
        self._beat = 0.0

    @property
    def spent(self) -> Usage:
        """What the committed episodes cost."""
        return self._usage

    def committed(self, record: EpisodeRecord, *, earlier: bool = False) -> None:
        """Count a committed episode; ``earlier`` ones come from a run that is being resumed."""
        self._finals[record.task.id] = record
        self._usage = sum((row.usage for row in record.usage), self._usage)
        outcomes = [final.outcome for final in self._finals.values() if final.outcome is not None]
        self._write(
            n_done=len(self._finals),
            n_solved=sum(outcome.success for outcome in outcomes),
            n_infrastructure=len(self._finals) - len(outcomes),
            mean_score=sum(outcome.score for outcome in outcomes) / len(outcomes) if outcomes else None,
            tokens=self._usage.tokens,
            cost_usd=self._usage.cost_usd,
            memory_items=record.memory.items,
            step=0,
        )
        if self._tracker and not earlier:
            self._tracker.episode(record, self.progress)

    def playing(self, task_id: str, step: int) -> None:
        """Note the running task and step, at most twice a second."""
        if step and time.monotonic() - self._beat < HEARTBEAT_S:
            return
        self._write(task=task_id, step=step)

    def ended(self, state: State, message: str = "") -> None:
        """Note the end of the stream, or of this part of it."""
        self._write(state=state, message=message, step=0)
        if self._tracker:
            self._tracker.finish(self.progress)

    def _write(self, **changes: object) -> None:
        self._beat = time.monotonic()
        self.progress = self.progress.model_copy(update={**changes, "updated": _now()})
        write_progress(self._folder, self.progress)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
