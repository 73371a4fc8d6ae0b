"""The one retry layer: backoff with full jitter, Retry-After, a timeout an attempt and a deadline for all of them."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TypeVar

from harness.errors import TransientBackboneError, policy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retry:
    """How often, and how long, a call is tried again.

    Nothing below it may retry as well, or the numbers multiply.
    """

    max_attempts: int
    """Attempts in all, at least 1."""
    attempt_timeout_s: float
    """An attempt without an answer after this time is given up, whatever its connection does."""
    total_deadline_s: float
    """No attempt begins, and none is waited for, after this time."""
    base_s: float = 1.0
    """The n-th wait is drawn evenly from 0 to ``base_s * 2**(n - 1)``, at most ``cap_s``."""
    cap_s: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    """How to wait; tests put a recorder here."""
    clock: Callable[[], float] = time.monotonic
    draw: Callable[[], float] = random.random
    """Uniform in [0, 1). Waiting times change no result, so they are not seeded."""

    def __call__(self, attempt: Callable[[float], T]) -> T:
        """Return what an attempt returns; it is given the seconds it may take.

        Raises an error at once if ``harness.errors`` says that trying again cannot help, and the last one when no
        attempt is left, or when the next wait (the server's Retry-After included) would pass the deadline.
        """
        began = self.clock()
        for number in itertools.count(1):
            left = self.total_deadline_s - (self.clock() - began)
            try:
                return within(min(self.attempt_timeout_s, left), attempt)
            except TransientBackboneError as error:
                if not policy(error).retry_call:
                    raise
                failure = error
            wait = self._wait(number, failure.retry_after_s)
            spent = self.clock() - began
            if number >= self.max_attempts or spent + wait >= self.total_deadline_s:
                break
            self.sleep(wait)
        raise TransientBackboneError(
            f"gave up after {number} of {self.max_attempts} attempts and {spent:.0f} of {self.total_deadline_s:.0f} s: "
            f"{failure}",
            retry_after_s=failure.retry_after_s,
        )

    def _wait(self, number: int, asked_s: float | None) -> float:
        if asked_s is not None:
            return asked_s + self.draw() * self.base_s
        return self.draw() * min(self.cap_s, self.base_s * 2.0 ** (number - 1))


def within(seconds: float, attempt: Callable[[float], T]) -> T:
    """Return what an attempt returns, or raise TransientBackboneError once the time is up.

    Socket timeouts start anew with each byte, and some servers send blank lines while they think; so the attempt
    runs in a thread of its own, and one that is late is left behind (it ends with its connection or the process).
    """
    answer: SimpleQueue[tuple[T, None] | tuple[None, BaseException]] = SimpleQueue()

    def work() -> None:
        try:
            answer.put((attempt(seconds), None))
        except BaseException as error:
            answer.put((None, error))

    threading.Thread(target=work, name="attempt", daemon=True).start()
    try:
        value, error = answer.get(timeout=seconds)
    except Empty:
        raise TransientBackboneError(f"no answer within {seconds:.1f} s") from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]
