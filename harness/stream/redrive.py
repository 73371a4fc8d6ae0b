"""Bring a memory from its last snapshot to the last committed episode by driving its hooks again."""

from __future__ import annotations

from harness.ledger.calls import CallStore
from harness.ledger.record import EpisodeRecord
from harness.protocols import Memory, StepMemory
from harness.types import View


def redrive(memory: Memory, record: EpisodeRecord, store: CallStore) -> None:
    """Give a memory one committed episode once more; its model calls are answered by the store.

    Episodes lost to infrastructure left no trace in the memory, so they leave none here.
    """
    if record.outcome is None:
        return
    store.begin(record.task.id, record.trial)
    recall = memory.retrieve(record.task, record.observation, trial=record.trial)
    if isinstance(memory, StepMemory):
        for number in range(1, len(record.steps)):
            view = View(record.task, record.trial, record.observation, record.steps[:number], recall)
            advice = memory.step(view)
            recall = advice.recall if advice and advice.recall is not None else recall
    if record.update is not None:
        memory.update(record.experience())
