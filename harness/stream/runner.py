"""The stream: play, commit, next. Everything it knows is in the ledger, so it can die at any instant."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.config.schema import StreamSettings
from harness.errors import InfrastructureError, LedgerError, ReplayMiss, policy
from harness.ledger.calls import CallStore
from harness.ledger.folder import RunFolder
from harness.ledger.record import EpisodeRecord, MemoryMark
from harness.protocols import Memory, PrefillableMemory
from harness.stream.attempt import Attempt, lost
from harness.stream.interrupts import Interrupts
from harness.stream.progression import next_attempt
from harness.stream.redrive import redrive
from harness.stream.reporting import Reporter
from harness.types import Experience, StreamInfo, Task


@dataclass(frozen=True, slots=True)
class Start:
    """What a stream's memory is before its first episode."""

    memory: Path | None = None
    """Snapshot of a finished run; None starts empty."""
    clock: int = 0
    """Episodes that it has learned from."""
    prefill: Callable[[], Sequence[Experience]] | None = None
    """What its store is filled with besides; they count as no episodes."""


@dataclass(slots=True)
class Stream:
    """One benchmark's tasks in order, one memory, one run folder."""

    plan: Sequence[Task]
    folder: RunFolder
    store: CallStore
    attempt: Attempt
    make_memory: Callable[[], Memory]
    info: Callable[[int], StreamInfo]
    settings: StreamSettings
    reporter: Reporter
    interrupts: Interrupts
    start: Start = field(default_factory=Start)
    """What the memory is before the first episode."""
    memory: Memory = field(init=False)
    mark: MemoryMark = field(init=False)
    records: list[EpisodeRecord] = field(default_factory=list)

    def run(self) -> None:
        """Play whatever is left of the stream.

        Raises StreamInterrupted, BudgetExhausted and, once an episode's plays are used up, InfrastructureError. The
        run can be resumed after each of them, and after any other end.
        """
        self._recover()
        while (attempt := next_attempt(self.plan, self.records, self.settings.trials)) is not None:
            self.interrupts.check()
            _, task, trial = attempt
            self._commit(self._play(task, trial))

    def _recover(self) -> None:
        """Read the ledger, drop what was never committed, and bring the memory to the last committed episode."""
        self.records = list(self.folder.episodes.recover())
        self._check_plan()
        if not self.records:
            self.memory = self._fresh(self.start.memory, self.start.clock)
            self._prefill()
            digest = self.folder.snapshots.write(0, self.memory.save)
            self.mark = MemoryMark(generation=0, digest=digest, items=len(self.memory))
        else:
            self.mark = self.records[-1].memory
            self._restore()
        self.folder.snapshots.keep_only(self.mark.generation)
        for record in self.records:
            self.reporter.committed(record, earlier=True)

    def _prefill(self) -> None:
        """Fill the store before the first episode; the first snapshot holds it, so a resumed run does not again."""
        if self.start.prefill is not None and isinstance(self.memory, PrefillableMemory):
            self.store.begin("prefill", 1)
            self.memory.prefill(self.start.prefill())

    def _check_plan(self) -> None:
        played = list(dict.fromkeys(record.task.id for record in self.records))
        planned = [task.id for task in self.plan[: len(played)]]
        if played != planned:
            at = next(n for n, (a, b) in enumerate(zip(played, [*planned, None], strict=False)) if a != b)
            raise LedgerError(
                f"{self.folder.path}: episode {at} is of task {played[at]!r}, which the plan has elsewhere"
            )

    def _restore(self) -> None:
        """Make the memory what it was after the last committed episode."""
        saved = self.folder.snapshots.check(self.mark.generation, self.mark.digest)
        learned = sum(record.update is not None for record in self.records[: self.mark.generation])
        self.memory = self._fresh(saved, self.start.clock + learned)
        if not self.attempt.frozen:
            for record in self.records[self.mark.generation :]:
                redrive(self.memory, record, self.store)

    def _fresh(self, saved: Path | None, clock: int) -> Memory:
        memory = self.make_memory()
        if saved is not None:
            memory.load(saved)
        memory.begin(self.info(clock))
        return memory

    def _play(self, task: Task, trial: int) -> EpisodeRecord:
        """Play an episode until it is scored, from the same memory each time."""
        index, plays = len(self.records), 0
        while True:
            plays += 1
            self.store.begin(task.id, trial)
            self.attempt.meter.begin()
            try:
                return self.attempt.play(index, task, trial, self.memory, plays)
            except InfrastructureError as error:
                cost = self.attempt.meter.rows()
                self._restore()
                if policy(error).retry_episode and plays < self.settings.max_attempts:
                    time.sleep(self.settings.retry_wait_s * 2 ** (plays - 1))
                    continue
                if self.settings.on_infrastructure == "skip" and not isinstance(error, ReplayMiss):
                    return lost(index, task, trial, error, plays, cost)
                raise

    def _commit(self, record: EpisodeRecord) -> None:
        """Make an episode and the memory after it durable; its line is the commit."""
        self.store.flush()
        generation, items = record.index + 1, len(self.memory)
        if self._saves_after(record):
            digest = self.folder.snapshots.write(generation, self.memory.save)
            self.mark = MemoryMark(generation=generation, digest=digest, items=items)
        else:
            self.mark = self.mark.model_copy(update={"items": items})
        record = record.model_copy(update={"memory": self.mark})
        self.folder.episodes.append(record)
        self.records.append(record)
        self.folder.snapshots.keep_only(self.mark.generation)
        self.reporter.committed(record)

    def _saves_after(self, record: EpisodeRecord) -> bool:
        """Whether a full snapshot follows this episode: every so many, and after the last."""
        if self.attempt.frozen:
            return False
        last = next_attempt(self.plan, [*self.records, record], self.settings.trials) is None
        return last or (record.index + 1) % self.settings.save_every == 0
