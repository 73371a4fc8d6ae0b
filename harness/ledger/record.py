"""The schema of one line of episodes.jsonl, versioned; old versions are read for ever."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import LedgerError
from harness.types import (
    Dropped,
    Episode,
    Experience,
    FeedbackSource,
    Outcome,
    Phase,
    Recall,
    Step,
    Task,
    UpdateReport,
    Usage,
)

SCHEMA_VERSION = 1


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class UsageRow(_Strict):
    """What the calls of one phase and role cost in one episode."""

    phase: Phase
    role: str
    kind: str
    """``chat`` or ``embedding``."""
    usage: Usage


class Infrastructure(_Strict):
    """Why an episode has no outcome."""

    error: str
    """Name of the error type."""
    message: str


class Feedback(_Strict):
    """What the memory was allowed to see of the outcome."""

    source: FeedbackSource
    success: bool | None
    score: float | None


class MemoryMark(_Strict):
    """Which snapshot holds the memory as it is after this episode's line."""

    generation: int
    """Number of the last snapshot; later than it, the hooks are driven again from the ledger and the call store."""
    digest: str
    """sha256 over the snapshot's files."""
    items: int
    """Items in the store after this episode."""


class Times(_Strict):
    """Wall-clock values and whatever else depends on when and where it ran; left out of every comparison."""

    started: str
    """ISO 8601, UTC."""
    wall_s: float
    agent_s: float
    """Waiting for the agent's model."""
    memory_s: float
    """Retrieve, step and update, their model calls included."""
    engine_s: float
    """Starting the session and stepping it."""
    attempts: int = 1
    """Plays of this episode, infrastructure errors included."""


class EpisodeRecord(_Strict):
    """One (task, trial) of a stream: everything the tables, `scripts.show` and a resume need."""

    schema_version: int = Field(default=SCHEMA_VERSION, alias="schema")
    index: int
    """Number of the line, from 0."""
    task: Task
    trial: int
    observation: str
    recall: Recall
    recall_lines: int
    recall_tokens: int
    """Estimated, see harness.tokens."""
    steps: tuple[Step, ...]
    outcome: Outcome | None
    """None if and only if `infrastructure` is set."""
    infrastructure: Infrastructure | None = None
    feedback: Feedback
    dropped: tuple[Dropped, ...] = ()
    update: UpdateReport | None = None
    """None where nothing was learned: frozen streams and infrastructure errors."""
    usage: tuple[UsageRow, ...] = ()
    metrics: dict[str, float] = {}
    """The environment's metrics of this episode by name, such as ``score``."""
    memory: MemoryMark
    time: Times

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)

    def episode(self) -> Episode:
        """Return the episode. Raises LedgerError for a line without outcome."""
        if self.outcome is None:
            raise LedgerError(
                f"episode {self.index} ({self.task.id}) has no outcome: it ended in an infrastructure error"
            )
        return Episode(self.task, self.trial, self.observation, self.steps, self.outcome, self.dropped)

    def experience(self) -> Experience:
        """Return what the memory was given to learn from."""
        return Experience(self.episode(), self.feedback.source, self.feedback.success, self.feedback.score)

    def is_retried(self, trials: int) -> bool:
        """Return whether the task gets another trial: it was scored, not solved, and trials are left."""
        return self.outcome is not None and not self.outcome.success and self.trial < trials

    def line(self) -> str:
        """Return the record as one line of JSON without a newline; keys sorted, no NaN."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), sort_keys=True, allow_nan=False)


def parse_record(line: str, where: str) -> EpisodeRecord:
    """Read one line of any schema version; ``where`` (file:line) goes into the LedgerError for a bad one."""
    try:
        value: dict[str, Any] = json.loads(line)
        version = value.get("schema") if isinstance(value, dict) else None
        if version != SCHEMA_VERSION:
            raise LedgerError(
                f"{where}: got record schema {version!r}, this version reads 1 to {SCHEMA_VERSION}: "
                "read it with the version that wrote it"
            )
        return EpisodeRecord.model_validate(value)
    except (json.JSONDecodeError, ValidationError) as error:
        raise LedgerError(f"{where}: not an episode record: {error}") from error
