"""Bring a memory from its last snapshot to the last committed episode by driving its hooks again."""

from __future__ import annotations

from harness.agents.tools import Toolbox
from harness.ledger.calls import CallStore
from harness.ledger.record import EpisodeRecord
from harness.protocols import Memory, StepMemory, ToolMemory
from harness.types import Recall, StepKind, StopReason, View


def redrive(memory: Memory, record: EpisodeRecord, store: CallStore) -> None:
    """Give a memory one committed episode once more; its model calls are answered by the store.

    Episodes lost to infrastructure left no trace in the memory, so they leave none here.
    """
    if record.outcome is None:
        return
    store.begin(record.task.id, record.trial)
    recall = memory.retrieve(record.task, record.observation, trial=record.trial)
    toolbox = Toolbox(memory.tools() if isinstance(memory, ToolMemory) else (), max_calls=len(record.steps))
    for number, step in enumerate(record.steps, start=1):
        if step.kind is StepKind.TOOL:
            toolbox.use(step.action)
        elif isinstance(memory, StepMemory) and step.kind is StepKind.ACT and _went_on(record, number):
            recall = _advised(memory, record, number, recall)
    if record.update is not None:
        memory.update(record.experience())


def _went_on(record: EpisodeRecord, number: int) -> bool:
    """Return whether another answer was asked for after a step: the memory had spoken by then."""
    asked_in_vain = record.outcome is not None and record.outcome.stop in (
        StopReason.EMPTY_OUTPUT, StopReason.CONTEXT_OVERFLOW,
    )  # fmt: skip
    return number < len(record.steps) or asked_in_vain


def _advised(memory: StepMemory, record: EpisodeRecord, number: int, recall: Recall) -> Recall:
    """Let the memory speak after a step, as it did; return what is injected from then on."""
    gone = [item for dropped in record.dropped if dropped.step <= number for item in dropped.items]
    shown = recall.without(gone)
    advice = memory.step(View(record.task, record.trial, record.observation, record.steps[:number], shown))
    return advice.recall if advice and advice.recall is not None else recall
