"""The one random generator all of the simulator draws from: Scala's global one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from envs.scienceworld.wire import Reference, Wire

_SCRAMBLER = 0x5DEECE66D
"""What java.util.Random.setSeed combines a seed with to make its state."""


class Randomness:
    """Keeps the generator's state; loading a game seeds it, so games repeat.

    Args:
        wire: A connection to a JVM that opens java.util.
    """

    def __init__(self, wire: Wire) -> None:
        module = wire.call(wire.call("java.lang.Class", "forName", "scala.util.Random$"), "getField", "MODULE$")
        self._generator: Reference = wire.call(wire.call(module, "get", None), "self")
        random = wire.call("java.lang.Class", "forName", "java.util.Random")
        self._state: Reference = wire.call(random, "getDeclaredField", "seed")
        wire.call(self._state, "setAccessible", True)

    @contextlib.contextmanager
    def kept(self, wire: Wire) -> Iterator[None]:
        """Put the state back afterwards, as if nothing had been drawn in between."""
        state = int(wire.call(self._state, "get", self._generator))
        yield
        wire.call(self._generator, "setSeed", state ^ _SCRAMBLER)
