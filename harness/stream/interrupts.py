"""Ctrl-C: the first finishes the episode, the second stops now; both leave a run that goes on with the same command."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, ClassVar, Self

from harness.errors import StreamInterrupted

STOP_FILE = "AGENT_MEMORY_HARNESS_STOP"
"""Environment variable: a file that the workers of a sweep watch; once it is there, all of them stop."""


class Interrupts:
    """Takes over SIGINT and SIGTERM while a stream or a sweep runs, where it runs in the main thread.

    A stop is asked of the whole sweep, also where only the process that launched it hears the signal: the streams that
    run elsewhere finish their episode, and those that have not started yet do not start any more.
    """

    asked_to_stop: ClassVar[bool] = False

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}

    @classmethod
    @contextmanager
    def sweep(cls) -> Iterator[None]:
        """Begin a new sweep, whose workers will hear of a stop through a file."""
        cls.asked_to_stop = False
        with tempfile.TemporaryDirectory(prefix="agent-memory-harness-") as folder:
            os.environ[STOP_FILE] = str(Path(folder) / "stop")
            try:
                yield
            finally:
                del os.environ[STOP_FILE]

    @classmethod
    def stopping(cls) -> bool:
        """Return whether a stop was asked of this process, or of the sweep that it works for."""
        return cls.asked_to_stop or (STOP_FILE in os.environ and Path(os.environ[STOP_FILE]).exists())

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {
                signal.SIGINT: signal.signal(signal.SIGINT, self._on_interrupt),
                signal.SIGTERM: signal.signal(signal.SIGTERM, self._on_terminate),
            }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise StreamInterrupted between two episodes if a stop was asked for."""
        if self.stopping():
            raise StreamInterrupted("interrupted after a finished episode; the same command goes on")

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.asked_to_stop:
            raise StreamInterrupted("interrupted in the middle of an episode; the same command plays it again")
        _stop()
        print("\nfinishing this episode; Ctrl-C again stops now (both can be resumed)", file=sys.stderr, flush=True)

    def _on_terminate(self, number: int, frame: FrameType | None) -> None:
        _stop()
        raise StreamInterrupted("asked to terminate; the same command goes on")


def _stop() -> None:
    Interrupts.asked_to_stop = True
    if STOP_FILE in os.environ and Path(os.environ[STOP_FILE]).parent.is_dir():
        Path(os.environ[STOP_FILE]).touch()
