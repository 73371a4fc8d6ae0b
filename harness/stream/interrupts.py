"""Ctrl-C: the first finishes the episode, the second stops now; both leave a run that goes on with the same command."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, ClassVar, Self

from harness.errors import StreamInterrupted


class Interrupts:
    """Takes over SIGINT and SIGTERM while a stream or a sweep runs, where it runs in the main thread.

    A stop is asked of the whole process: the streams that a sweep has not started yet do not start any more.
    """

    asked_to_stop: ClassVar[bool] = False

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}

    @classmethod
    def forget(cls) -> None:
        """Begin a new sweep in this process."""
        cls.asked_to_stop = False

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
        if self.asked_to_stop:
            raise StreamInterrupted("interrupted after a finished episode; the same command goes on")

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.asked_to_stop:
            raise StreamInterrupted("interrupted in the middle of an episode; the same command plays it again")
        Interrupts.asked_to_stop = True
        print("\nfinishing this episode; Ctrl-C again stops now (both can be resumed)", file=sys.stderr, flush=True)

    def _on_terminate(self, number: int, frame: FrameType | None) -> None:
        raise StreamInterrupted("asked to terminate; the same command goes on")
