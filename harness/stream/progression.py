"""Which attempt a stream plays next: a function of what is committed, so that a resume cannot go astray."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.record import EpisodeRecord
from harness.types import Task


def next_attempt(plan: Sequence[Task], records: Sequence[EpisodeRecord], trials: int) -> tuple[int, Task, int] | None:
    """Return (position in the plan, task, trial) of the next attempt, or None at the end.

    A task is tried again until it is solved or its trials are used up; one lost to infrastructure is left behind.
    """
    if not records:
        return (0, plan[0], 1)
    last = records[-1]
    position = len({record.task.id for record in records}) - 1
    if last.is_retried(trials):
        return (position, plan[position], last.trial + 1)
    return (position + 1, plan[position + 1], 1) if position + 1 < len(plan) else None


def finals(records: Sequence[EpisodeRecord]) -> list[EpisodeRecord]:
    """Return the last trial of each task, in stream order: the ones that tables score."""
    return list({record.task.id: record for record in records}.values())
