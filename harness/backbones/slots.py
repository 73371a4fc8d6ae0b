"""How many requests of all processes on this machine may be under way to one provider at once."""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.ledger.durable import locked


@contextmanager
def slot(target: str, limit: int | None, poll_s: float = 0.05) -> Iterator[None]:
    """Hold one of ``limit`` places for a target for the time of the block; None holds nothing.

    The places are locked files in the temporary folder, so a killed process gives its place back.
    """
    if limit is None:
        yield
        return
    folder = Path(tempfile.gettempdir()) / f"agent-memory-harness-slots-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    name = hashlib.sha256(target.encode()).hexdigest()[:16]
    places = [folder / f"{name}-{number}" for number in range(limit)]
    while True:
        for place in random.sample(places, limit):
            handle = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if locked(handle):
                    yield
                    return
            finally:
                os.close(handle)
        time.sleep(poll_s * (0.5 + random.random()))
