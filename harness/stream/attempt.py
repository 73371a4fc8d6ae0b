"""One attempt at one task: the main road from the first observation to what the memory learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from harness.backbones.meter import Meter
from harness.ledger.record import EpisodeRecord, Infrastructure, MemoryMark, Times, UsageRow
from harness.ledger.record import Feedback as FeedbackRecord
from harness.protocols import Agent, Environment, Memory
from harness.stream.feedback import Feedback
from harness.stream.timing import Stopwatch, TimedSession
from harness.tokens import estimate_tokens
from harness.types import Episode, Experience, Limits, Recall, Task, UpdateReport

NOWHERE = MemoryMark(generation=0, digest="", items=0)
"""Stands in a record until its memory is saved."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Everything an attempt needs besides the task and the memory."""

    environment: Environment
    agent: Agent
    feedback: Feedback
    limits: Limits
    meter: Meter
    frozen: bool
    on_step: Callable[[str, int], None]

    def play(self, index: int, task: Task, trial: int, memory: Memory, plays: int) -> EpisodeRecord:
        """Play the task once and let the memory learn from it.

        Raises InfrastructureError with the memory in an unknown state: the caller restores it.
        """
        watch, started = Stopwatch(), datetime.now(UTC)
        with watch.time("wall"):
            recall, episode, measures = self._solve(task, trial, memory, watch)
            experience = self.feedback(episode)
            with watch.time("memory"):
                report = None if self.frozen else memory.update(experience)
        times = self._times(watch, started, plays)
        record = _record(index, episode, recall, experience, report, self.meter, times)
        return record.model_copy(update={"metrics": dict(measures)})

    def _solve(
        self, task: Task, trial: int, memory: Memory, watch: Stopwatch
    ) -> tuple[Recall, Episode, Mapping[str, float]]:
        self.on_step(task.id, 0)
        with watch.time("engine"):
            session = self.environment.start(task)
        with TimedSession(session, watch, lambda step: self.on_step(task.id, step)) as timed:
            with watch.time("memory"):
                recall = memory.retrieve(timed.task, timed.observation, trial=trial)
            episode = self.agent.solve(timed, timed.task, trial, memory, recall, self.limits)
            return recall, episode, timed.measures()

    def _times(self, watch: Stopwatch, started: datetime, plays: int) -> Times:
        return Times(
            started=started.isoformat(timespec="milliseconds"),
            wall_s=round(watch.seconds["wall"], 6),
            agent_s=round(self.meter.latency_s("agent"), 6),
            memory_s=round(watch.seconds.get("memory", 0.0) + self.meter.latency_s("step"), 6),
            engine_s=round(watch.seconds.get("engine", 0.0), 6),
            attempts=plays,
        )


def lost(
    index: int, task: Task, trial: int, error: Exception, plays: int, usage: tuple[UsageRow, ...]
) -> EpisodeRecord:
    """Return the record of an episode that infrastructure took; it has no outcome and taught nothing, but it cost."""
    return EpisodeRecord(
        index=index, task=task, trial=trial, observation="", recall=Recall(), recall_lines=0, recall_tokens=0,
        steps=(), outcome=None, infrastructure=Infrastructure(error=type(error).__name__, message=str(error)),
        feedback=FeedbackRecord(source="none", success=None, score=None), usage=usage, memory=NOWHERE,
        time=Times(
            started=datetime.now(UTC).isoformat(timespec="milliseconds"),
            wall_s=0.0, agent_s=0.0, memory_s=0.0, engine_s=0.0, attempts=plays,
        ),
    )  # fmt: skip


def _record(
    index: int,
    episode: Episode,
    recall: Recall,
    experience: Experience,
    report: UpdateReport | None,
    meter: Meter,
    times: Times,
) -> EpisodeRecord:
    feedback = FeedbackRecord(source=experience.source, success=experience.success, score=experience.score)
    return EpisodeRecord(
        index=index, task=episode.task, trial=episode.trial, observation=episode.observation, recall=recall,
        recall_lines=recall.lines, recall_tokens=estimate_tokens(recall.text), steps=episode.steps,
        outcome=episode.outcome, feedback=feedback, dropped=episode.dropped, update=report, usage=meter.rows(),
        memory=NOWHERE, time=times,
    )  # fmt: skip
