"""The one retry layer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from harness.backbones.retry import Retry, within
from harness.errors import ContextOverflow, FatalBackboneError, ReplayMiss, TransientBackboneError


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def retry(clock: Clock, **changes: Any) -> Retry:
    options = {"max_attempts": 5, "attempt_timeout_s": 9.0, "total_deadline_s": 100.0, "draw": lambda: 1.0, **changes}
    return Retry(**options, sleep=clock.sleep, clock=lambda: clock.now)


def failing(times: int, error: Exception) -> tuple[Callable[[float], str], list[float]]:
    given: list[float] = []

    def attempt(seconds: float) -> str:
        given.append(seconds)
        if len(given) <= times:
            raise error
        return "done"

    return attempt, given


def test_waits_double_from_the_base_up_to_the_cap_with_full_jitter() -> None:
    clock = Clock()
    attempt, given = failing(4, TransientBackboneError("busy"))
    assert retry(clock, cap_s=3.0)(attempt) == "done"
    assert clock.waits == [1.0, 2.0, 3.0, 3.0]
    assert len(given) == 5
    clock = Clock()
    retry(clock, draw=lambda: 0.25)(failing(2, TransientBackboneError("busy"))[0])
    assert clock.waits == [0.25, 0.5]


def test_retry_after_is_waited_for_and_never_cut_short() -> None:
    clock = Clock()
    retry(clock, draw=lambda: 0.0)(failing(1, TransientBackboneError("busy", retry_after_s=42.0))[0])
    assert clock.waits == [42.0]


def test_a_retry_after_beyond_the_deadline_ends_at_once() -> None:
    clock = Clock()
    attempt, given = failing(9, TransientBackboneError("busy", retry_after_s=3600.0))
    with pytest.raises(TransientBackboneError, match="gave up after 1 of 5 attempts") as caught:
        retry(clock)(attempt)
    assert (clock.waits, len(given), caught.value.retry_after_s) == ([], 1, 3600.0)


def test_the_number_of_attempts_is_bounded() -> None:
    clock = Clock()
    attempt, given = failing(9, TransientBackboneError("busy"))
    with pytest.raises(TransientBackboneError, match=r"gave up after 5 of 5 attempts .*busy"):
        retry(clock)(attempt)
    assert len(given) == 5


def test_the_last_attempt_gets_only_the_time_that_is_left_and_none_begins_after_the_deadline() -> None:
    clock = Clock()
    attempt, given = failing(99, TransientBackboneError("busy"))
    with pytest.raises(TransientBackboneError):
        retry(clock, max_attempts=99, total_deadline_s=10.0)(attempt)
    assert clock.waits == [1.0, 2.0, 4.0]
    assert given == [9.0, 9.0, 7.0, 3.0]


@pytest.mark.parametrize(
    "error", [FatalBackboneError("no"), ContextOverflow("long"), ReplayMiss("none"), ValueError("bug")]
)
def test_what_cannot_be_helped_is_not_tried_again(error: Exception) -> None:
    clock = Clock()
    attempt, given = failing(1, error)
    with pytest.raises(type(error)):
        retry(clock)(attempt)
    assert len(given) == 1


def test_a_hanging_attempt_is_left_behind() -> None:
    free = threading.Event()
    began = time.monotonic()
    with pytest.raises(TransientBackboneError, match=r"no answer within 0\.1 s"):
        within(0.1, lambda _: free.wait(30))
    free.set()
    assert time.monotonic() - began < 20
