"""Where the wall-clock time of an episode goes, and a heartbeat for the live display."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import numpy as np

from harness.protocols import MeasuredSession, Session
from harness.types import Outcome, Step


class Stopwatch:
    """Seconds spent by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Add the time of a block to a name."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


class TimedSession:
    """A session whose engine time is kept, and whose steps are told to a listener."""

    def __init__(self, session: Session, watch: Stopwatch, on_step: Callable[[int], None]) -> None:
        self._session = session
        self._watch = watch
        self._on_step = on_step
        self._steps = 0
        self.task = session.task
        self.observation = session.observation

    @property
    def actions(self) -> Sequence[str] | None:
        """The session's admissible actions."""
        with self._watch.time("engine"):
            return self._session.actions

    def grammar(self) -> str | None:
        """Return the session's grammar."""
        return self._session.grammar()

    def step(self, action: str) -> Step:
        """Execute an action."""
        with self._watch.time("engine"):
            step = self._session.step(action)
        self._steps += 1
        self._on_step(self._steps)
        return step

    def outcome(self) -> Outcome:
        """Return the session's verdict."""
        return self._session.outcome()

    def measures(self) -> Mapping[str, float]:
        """Return the session's further figures; none where it has none."""
        return self._session.measures() if isinstance(self._session, MeasuredSession) else {}

    def expert(self) -> str | None:
        """Return the session's expert action."""
        with self._watch.time("engine"):
            return self._session.expert()

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return a random admissible action."""
        with self._watch.time("engine"):
            return self._session.sample(rng)

    def __enter__(self) -> Self:
        self._session.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._watch.time("engine"):
            self._session.__exit__(kind, error, trace)
