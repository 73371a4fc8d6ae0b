"""The books of one running episode: its steps, what it has spent, and when it must stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from harness.errors import ConfigError
from harness.protocols import Session
from harness.types import Dropped, Episode, Limits, Outcome, Step, StepKind, StopReason, Task, Usage


@dataclass(slots=True)
class Play:
    """One attempt at one task while it goes on."""

    session: Session
    task: Task
    trial: int
    limits: Limits
    spent: Callable[[], Usage] | None
    """What the whole episode has spent so far, memory's calls included; None counts the agent's own calls only."""
    steps: list[Step] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    done: bool = False
    """Whether the environment has ended."""
    format_errors: int = 0
    """Unreadable answers in a row."""
    own: Usage = field(default_factory=Usage)
    """What the agent's own calls have cost."""
    started: float = field(default_factory=time.monotonic)

    @property
    def number(self) -> int:
        """Number of the coming step, from 1; steps of every kind count."""
        return len(self.steps) + 1

    def add(self, step: Step) -> None:
        """Enter a step that has been taken."""
        self.steps.append(step)
        self.done = step.done
        self.format_errors = self.format_errors + 1 if step.kind is StepKind.FORMAT_ERROR else 0

    def note(self, dropped: Dropped | None) -> None:
        """Enter what a prompt left out; of several prompts for one step the last counts."""
        if dropped is not None:
            earlier = self.dropped[:-1] if self.dropped and self.dropped[-1].step == dropped.step else self.dropped
            self.dropped = [*earlier, dropped]

    def limit(self) -> StopReason | None:
        """Return the limit that has been reached, if any.

        Raises ConfigError where a cost limit meets a model of unknown price: it could not be kept.
        """
        used = self.own if self.spent is None else self.spent()
        limits = self.limits
        if sum(step.kind is StepKind.ACT for step in self.steps) >= limits.max_steps:
            return StopReason.STEP_LIMIT
        if limits.max_tokens is not None and used.tokens >= limits.max_tokens:
            return StopReason.TOKEN_LIMIT
        if limits.max_cost_usd is not None:
            if used.cost_usd is None:
                raise ConfigError(
                    "a cost limit is set but the price of a model used is unknown: give its price, or drop the limit"
                )
            if used.cost_usd >= limits.max_cost_usd:
                return StopReason.COST_LIMIT
        if limits.max_time_s is not None and time.monotonic() - self.started >= limits.max_time_s:
            return StopReason.TIME_LIMIT
        return None

    def episode(self, stop: StopReason | None) -> Episode:
        """Return the finished episode.

        Args:
            stop: why it stopped, None where the environment ended. A task solved by then is solved all the same.
        """
        outcome: Outcome = self.session.outcome()
        if stop is not None and not outcome.success:
            outcome = replace(outcome, stop=stop)
        return Episode(self.task, self.trial, self.session.observation, tuple(self.steps), outcome, tuple(self.dropped))
