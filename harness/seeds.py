"""Random draws that need no running state: each is a function of the seed and of what it is for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Draws:
    """A consumer's own source of randomness; adding a consumer shifts no other's draws.

    Keyed draws, unlike a running generator, survive a resume and do not depend on the order of asking.
    """

    seed: int
    consumer: str
    """Who draws: ``order``, ``memory``, ``backbone``, ..."""

    def at(self, *key: object) -> np.random.Generator:
        """Return the generator of one draw, such as ``draws.at(task.id, step)``; keys are compared by ``str``."""
        words = "\x1f".join([str(self.seed), self.consumer, *map(str, key)])
        return np.random.default_rng(list(hashlib.sha256(words.encode()).digest()))
