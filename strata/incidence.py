"""Which slot carries which words, kept by word and by slot, so that overlaps are counted without a loop over nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


class Incidence:
    """A sparse 0/1 matrix of slots and words that grows and shrinks one slot at a time."""

    def __init__(self) -> None:
        self.words: dict[int, frozenset[str]] = {}
        """The words of each slot."""
        self._sizes: Ints = np.zeros(64, dtype=np.int32)
        self._slots: dict[str, Ints] = {}
        self._used: dict[str, int] = {}

    def put(self, slot: int, words: frozenset[str]) -> None:
        """Give an empty slot its words."""
        self.words[slot] = words
        if slot >= self._sizes.size:
            self._sizes = np.concatenate([self._sizes, np.zeros(max(slot + 1, self._sizes.size), dtype=np.int32)])
        self._sizes[slot] = len(words)
        for word in words:
            used = self._used.get(word, 0)
            held = self._slots.setdefault(word, np.empty(4, dtype=np.int32))
            if used == held.size:
                held = self._slots[word] = np.concatenate([held, np.empty_like(held)])
            held[used] = slot
            self._used[word] = used + 1

    def clear(self, slot: int) -> None:
        """Take a slot's words away."""
        for word in self.words.pop(slot):
            held, last = self._slots[word], self._used[word] - 1
            held[np.flatnonzero(held[: last + 1] == slot)[0]] = held[last]
            self._used[word] = last
        self._sizes[slot] = 0

    def slots_with(self, word: str) -> Ints:
        """Return the slots that carry a word, in no particular order."""
        used = self._used.get(word, 0)
        return self._slots[word][:used] if used else np.empty(0, dtype=np.int32)

    def counts(self, words: frozenset[str], size: int) -> tuple[Ints, Ints]:
        """Return how many of some words each of the first ``size`` slots carries, and how many it carries in all."""
        shared = np.zeros(size, dtype=np.int32)
        for word in words:
            shared[self.slots_with(word)] += 1
        return shared, self._sizes[:size]

    def pairs(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[Ints, Ints, Ints]:
        """Return of each pair of slots how many words both carry, the left one, and the right one."""
        both = (self.words[a] & self.words[b] for a, b in zip(left.tolist(), right.tolist(), strict=True))
        shared = np.fromiter((len(words) for words in both), dtype=np.int32, count=len(left))
        return shared, self._sizes[left], self._sizes[right]
