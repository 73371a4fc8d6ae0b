"""Forgetting, at the workflow layer only: competitive age at every retrieval, and collection under pressure.

Q_i = w_A rank(A_i) + w_G (1 - rank(G_i)); the lowest-Q vertex that does not cut W is deleted first
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strata.settings import CollectionMode, Forgetting
from strata.similarity import Floats, Slots, on_score_grid
from strata.similarity_graph import Edges

Reals = NDArray[np.float64]


class Ages:
    """G_i of every workflow, by its slot in the geometry."""

    def __init__(self, settings: Forgetting) -> None:
        self._settings = settings
        self._age: Reals = np.zeros(64)

    def set(self, slot: int, age: float) -> None:
        """Set the age of a slot; new workflows start at 0."""
        if slot >= self._age.size:
            self._age = np.concatenate([self._age, np.zeros(max(self._age.size, slot + 1 - self._age.size))])
        self._age[slot] = age

    def of(self, slots: Slots) -> Reals:
        """Return the ages of some slots."""
        return self._age[slots]

    def retrieve(self, candidates: Slots, scores: Floats, gate: float, numbers: NDArray[np.int64]) -> None:
        """Let one retrieval age the workflows that competed in it: ``candidates`` are the slots of the live ones.

        All candidates age by alpha. Retrieved are those whose score clears the gate: the best of them is the winner,
        whose age is then multiplied by gamma; each other one ages by beta w (1 - margin) more, where w is its score
        and margin its distance to the winner's, relative to it, so that close losers age fastest.

        ``scores`` and ``numbers`` are theirs; of equally good winners it is the oldest.
        """
        s = self._settings
        self._age[candidates] += s.alpha
        through = np.flatnonzero(scores >= on_score_grid(gate))
        if not through.size:
            return
        w = scores[through].astype(np.float64)
        best = through[np.lexsort((numbers[through], -w))[0]]
        top = float(scores[best])
        losers = through != best
        margin = (top - w[losers]) / top if top > 0 else np.zeros(int(losers.sum()))
        self._age[candidates[through[losers]]] += s.beta * w[losers] * (1.0 - margin)
        self._age[candidates[best]] *= s.gamma


def ranks(values: Reals) -> Reals:
    """Return ranks scaled to [0, 1], ties averaged; one value has rank 0."""
    if values.size < 2:
        return np.zeros(values.size)
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    average = np.cumsum(count) - (count + 1) / 2
    return np.asarray(average[place] / (values.size - 1))


def quality(activation: Reals, age: Reals, settings: Forgetting) -> Reals:
    """Return Q: central workflows are good, old ones are bad. To 12 digits, so that equal qualities are equal."""
    q = settings.activation_weight * ranks(activation) + settings.age_weight * (1.0 - ranks(age))
    return np.asarray(q.round(12))


@dataclass(frozen=True, slots=True)
class Deletion:
    """A workflow chosen for deletion."""

    place: int
    """Its place in W."""
    quality: float
    reason: str
    """lowest; lowest_non_cut, where the lowest is a cut vertex; all_cut, where no other choice was left."""
    protected: int | None
    """The place of the cut vertex spared by it."""


def surplus(live: int, cap: int, hysteresis: float) -> int:
    """Return how many workflows a collection deletes: none up to the cap, else down to floor(cap (1 - hysteresis)).

    At least one workflow is left.
    """
    return live - max(1, int(np.floor(round(cap * (1.0 - hysteresis), 9)))) if live > cap else 0


def collect(edges: Edges, age: Reals, count: int, settings: Forgetting, mode: CollectionMode) -> Iterator[Deletion]:
    """Yield ``count`` workflows to delete; A, ranks and cut vertices are computed anew after each, with no new edges.

    ``age`` is G of each place. Places are in the order of making, so that of equal qualities the older goes first.
    """
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(edges.slots.size))
    graph.add_edges_from(list(zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True)))
    activation = degrees(edges)
    alive = np.arange(edges.slots.size)
    for _ in range(count):
        q = quality(activation[alive], age[alive], settings)
        lowest = int(np.argmin(q))
        chosen, reason = lowest, "lowest"
        if mode == "protected":
            chosen, reason = spare_cuts(q, alive, rustworkx.articulation_points(graph), lowest)
        place = int(alive[chosen])
        spared = int(alive[lowest]) if chosen != lowest else None
        yield Deletion(place, float(q[chosen]), reason, spared)
        for neighbour, weight in graph.adj(place).items():
            activation[neighbour] -= weight
        graph.remove_node(place)
        alive = np.delete(alive, chosen)


def spare_cuts(q: Reals, alive: Slots, cuts: set[int], lowest: int) -> tuple[int, str]:
    """Return the lowest-Q vertex that is no cut vertex, or the lowest of all if every one is.

    The paper's fallback is kept although no finite graph needs it: the end of a longest path never cuts anything.
    """
    if int(alive[lowest]) not in cuts:
        return lowest, "lowest"
    free = ~np.isin(alive, np.fromiter(cuts, dtype=np.int64, count=len(cuts)))
    if not free.any():
        return lowest, "all_cut"
    return int(np.argmin(np.where(free, q, np.inf))), "lowest_non_cut"


def degrees(edges: Edges) -> Reals:
    """Return A of each place: its similarity-weighted degree in W. Exact, since weights lie on the score grid."""
    ends = np.concatenate([edges.left, edges.right])
    both = np.concatenate([edges.weight, edges.weight])
    return np.bincount(ends, weights=both, minlength=edges.slots.size).astype(np.float64)


def cut_vertices(edges: Edges) -> list[int]:
    """Return the places whose removal splits a component of W (Tarjan)."""
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(edges.slots.size))
    graph.add_edges_from_no_data(list(zip(edges.left.tolist(), edges.right.tolist(), strict=True)))
    return sorted(rustworkx.articulation_points(graph))
