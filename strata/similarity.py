"""One similarity geometry for all four roles: retrieval, the reflection band, W's edge weights, and activation.

    s(q, n) = W_c cos(e_c(q), e_c(n)) + W_i cos(e_i(q), e_i(n)) + W_t J(T(q), T(n)) + W_l l(q, n)

Vectors are rounded to multiples of 2^-11, which moves a cosine by about 2e-4. Every product of two entries is then a
multiple of 2^-22 and every partial sum of a unit vector's products below 4, so float32 holds each of them exactly: a
score does not depend on the order of summing, hence not on the BLAS, its threads, or a node's place in the matrix,
and a memory that was saved and loaded goes on with the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strata.incidence import Incidence
from strata.settings import Dimension, Weights

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Slots = NDArray[np.int64]

VECTOR_GRID = 2.0**11
SCORE_GRID = 2.0**20
"""Scores are multiples of its inverse, so that sums of them are exact in any order too."""
_BLOCK = 256
"""Rows scored together in one matrix product."""


@dataclass(frozen=True, slots=True)
class View:
    """What a query or a node shows to the four dimensions."""

    content: Floats
    """e_c, on the vector grid."""
    index: Floats
    """e_i, on the vector grid."""
    tags: frozenset[str]
    tokens: frozenset[str]


def on_grid(vectors: NDArray[np.float32]) -> Floats:
    """Return unit vectors rounded to the vector grid."""
    return (np.rint(np.asarray(vectors, dtype=np.float64) * VECTOR_GRID) / VECTOR_GRID).astype(np.float32)


def on_score_grid(threshold: float) -> float:
    """Return a threshold as a score equal to it would be rounded, so that a comparison holds exactly at the edge."""
    return round(threshold * SCORE_GRID) / SCORE_GRID


def renormalised(weights: Weights, drop: Sequence[Dimension]) -> dict[Dimension, float]:
    """Return the weights of the dimensions that are left, scaled to sum 1.

    Raises ValueError where nothing is left.
    """
    given: dict[Dimension, float] = {
        "content": weights.content, "index": weights.index, "tag": weights.tag, "lexical": weights.lexical,
    }  # fmt: skip
    left = {name: 0.0 if name in drop else weight for name, weight in given.items()}
    total = sum(left.values())
    if total <= 0:
        raise ValueError(f"got no weight besides the dropped dimensions {list(drop)}; keep at least one dimension")
    return {name: weight / total for name, weight in left.items()}


class Geometry:
    """All nodes as columns of two matrices and two incidences, kept up one node at a time and never rebuilt.

    A node keeps its slot (its column) for life; the slots of removed nodes are given out again.
    """

    def __init__(self, weights: Weights, drop: Sequence[Dimension] = ()) -> None:
        self.weights = renormalised(weights, drop)
        self.size = 0
        """Slots in use or freed; arrays returned by ``scores`` have this length."""
        self.ids: list[str | None] = []
        self.slot: dict[str, int] = {}
        self.layer: NDArray[np.int8] = np.empty(0, dtype=np.int8)
        """ord(tau) of each slot; -1 where it is free."""
        self.number: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """When the slot's node was made."""
        self.tags, self.tokens = Incidence(), Incidence()
        self._content: Floats = np.empty((0, 0), dtype=np.float32)
        self._index: Floats = np.empty((0, 0), dtype=np.float32)
        self._free: list[int] = []

    def put(self, node_id: str, layer: int, number: int, view: View) -> int:
        """Place a node, or move it to a new view in its slot. Returns the slot."""
        slot = self.slot.get(node_id)
        if slot is None:
            slot = self._free.pop() if self._free else self._grow(view.content.size)
            self.slot[node_id], self.ids[slot] = slot, node_id
        else:
            self.tags.clear(slot)
            self.tokens.clear(slot)
        self.layer[slot], self.number[slot] = layer, number
        self._content[:, slot], self._index[:, slot] = view.content, view.index
        self.tags.put(slot, view.tags)
        self.tokens.put(slot, view.tokens)
        return slot

    def remove(self, node_id: str) -> None:
        """Free a node's slot."""
        slot = self.slot.pop(node_id)
        self.ids[slot], self.layer[slot] = None, -1
        self.tags.clear(slot)
        self.tokens.clear(slot)
        self._free.append(slot)

    def _grow(self, dim: int) -> int:
        if self.size == self.layer.size:
            capacity = max(64, 2 * self.size)
            extra = capacity - self.size
            self.layer = np.concatenate([self.layer, np.full(extra, -1, dtype=np.int8)])
            self.number = np.concatenate([self.number, np.full(extra, -1, dtype=np.int64)])
            self._content, self._index = _wider(self._content, dim, capacity), _wider(self._index, dim, capacity)
        self.ids.append(None)
        self.size += 1
        return self.size - 1

    def view(self, node_id: str) -> View:
        """Return a node's view as it was placed."""
        slot = self.slot[node_id]
        return View(
            self._content[:, slot].copy(), self._index[:, slot].copy(), self.tags.words[slot], self.tokens.words[slot]
        )

    def layer_slots(self, layer: int) -> Slots:
        """Return the slots of one layer in slot order."""
        return np.flatnonzero(self.layer[: self.size] == layer)

    def content_of(self, slots: Slots | Sequence[int]) -> Floats:
        """Return the content vectors of some slots, shape (n, dim)."""
        return self._content[:, slots].T

    def content_cosine(self, vector: Floats) -> Floats:
        """Return the content cosine of a vector with every slot, exact."""
        return vector @ self._content[:, : self.size]

    def scores(self, view: View) -> Floats:
        """Return s(view, n) of every slot, shape (size,), on the score grid; free slots hold leftovers."""
        total = np.zeros(self.size, dtype=np.float32)
        if self.size and self.weights["content"]:
            total += (view.content @ self._content[:, : self.size]) * np.float32(self.weights["content"])
        if self.size and self.weights["index"]:
            total += (view.index @ self._index[:, : self.size]) * np.float32(self.weights["index"])
        return self._finish(total, view.tags, view.tokens)

    def scores_of(self, slots: Slots) -> Iterable[tuple[int, Floats]]:
        """Yield each slot with its node's s_nn to every slot, the same bits as ``scores``; many at a time."""
        for start in range(0, len(slots), _BLOCK):
            rows = slots[start : start + _BLOCK]
            total = np.zeros((len(rows), self.size), dtype=np.float32)
            for matrix, weight in ((self._content, self.weights["content"]), (self._index, self.weights["index"])):
                if weight:
                    total += (np.ascontiguousarray(matrix[:, rows].T) @ matrix[:, : self.size]) * np.float32(weight)
            for slot, row in zip(rows.tolist(), total, strict=True):
                yield slot, self._finish(row, self.tags.words[slot], self.tokens.words[slot])

    def pair_scores(self, left: Slots, right: Slots) -> Floats:
        """Return s_nn of pairs of slots, the same bits as ``scores``."""
        total = np.zeros(len(left), dtype=np.float32)
        for matrix, weight in ((self._content, self.weights["content"]), (self._index, self.weights["index"])):
            if weight:
                total += (matrix[:, left] * matrix[:, right]).sum(axis=0, dtype=np.float32) * np.float32(weight)
        if weight := self.weights["tag"]:
            total += _jaccard(*self.tags.pairs(left, right)) * np.float32(weight)
        if weight := self.weights["lexical"]:
            total += _overlap(*self.tokens.pairs(left, right)) * np.float32(weight)
        return _rounded(total)

    def _finish(self, total: Floats, tags: frozenset[str], tokens: frozenset[str]) -> Floats:
        if weight := self.weights["tag"]:
            shared, sizes = self.tags.counts(tags, self.size)
            total += _jaccard(shared, len(tags), sizes) * np.float32(weight)
        if weight := self.weights["lexical"]:
            shared, sizes = self.tokens.counts(tokens, self.size)
            total += _overlap(shared, len(tokens), sizes) * np.float32(weight)
        return _rounded(total)


def _jaccard(shared: Ints, left: int | Ints, right: Ints) -> Floats:
    """Return shared / union; two empty sets have likeness 0."""
    return _ratio(shared, np.maximum(left + right - shared, 1))


def _overlap(shared: Ints, left: int | Ints, right: Ints) -> Floats:
    """Return the overlap coefficient, shared / smaller; an empty set overlaps nothing."""
    return _ratio(shared, np.maximum(np.minimum(left, right), 1))


def _ratio(part: Ints, whole: Ints) -> Floats:
    found = part.astype(np.float32)
    found /= whole.astype(np.float32)
    return found


def _rounded(total: Floats) -> Floats:
    np.multiply(total, np.float32(SCORE_GRID), out=total)
    np.rint(total, out=total)
    np.multiply(total, np.float32(1 / SCORE_GRID), out=total)
    return total


def _wider(matrix: Floats, dim: int, capacity: int) -> Floats:
    grown = np.zeros((dim, capacity), dtype=np.float32)
    if matrix.size:
        grown[:, : matrix.shape[1]] = matrix
    return grown
