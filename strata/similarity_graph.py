"""W: the undirected union-kNN graph over workflows, weighted by s_nn, derived from G and never stored.

Each workflow keeps two short lists, its nearest workflows within its group and across groups. A list is an exact
prefix of the ranking, so adding a node touches only lists it enters, and a list is computed anew only when removals
have used it up. Weight and neighbour are packed into one integer whose order is the ranking: heavier first, then older.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.seeds import Draws
from strata.graph import leading_tag
from strata.settings import EdgeMode, Linking
from strata.similarity import SCORE_GRID, Floats, Geometry, Slots, on_score_grid
from strata.thresholds import shrink

Keys = NDArray[np.int64]

_SPARE = 10
"""Entries a list holds beyond the edges it must give, so that few removals make it run out."""
_NUMBERS = 36
"""Bits for a node's number; the weight stands above them."""
_NOTHING = -(2**62)
"""An empty place; its negative fits too."""


@dataclass(frozen=True, slots=True)
class Edges:
    """W of one round. Nodes are places 0..n-1, oldest workflow first."""

    slots: Slots
    """Geometry slot of each place."""
    left: Slots
    """Places of the edges' older ends; sorted, then by ``right``."""
    right: Slots
    weight: NDArray[np.float64]
    """s_nn, on the score grid."""
    thresholds: dict[str, tuple[float, int]]
    """Intra-group threshold and number of pairs behind it, by group."""


class SimilarityGraph:
    """Keeps W's neighbour lists up to date, node by node.

    Args:
        mode: adaptive: the intra-group threshold is the group's median pair similarity, shrunk. fixed: the default.
    """

    def __init__(self, settings: Linking, mode: EdgeMode, geometry: Geometry, draws: Draws) -> None:
        self._settings, self._mode, self._geometry, self._draws = settings, mode, geometry, draws
        self._length = settings.neighbours + _SPARE
        self._cross = on_score_grid(settings.cross)
        self._lists: dict[bool, Keys] = {intra: np.full((0, self._length), _NOTHING) for intra in (True, False)}
        self._rest: dict[bool, Keys] = {intra: np.full(0, _NOTHING) for intra in (True, False)}
        """The first key of the ranking that may be missing from each list."""
        self._group: NDArray[np.int64] = np.full(0, -1)
        self._groups: dict[str, int] = {}
        self._thresholds: dict[int, tuple[float, int]] = {}
        self._changed: set[int] = set()
        self._removed = False
        self._new: set[int] = set()
        """Slots whose lists have not been made yet, and which are in no list."""

    def add(self, slot: int) -> None:
        """Take in a workflow that the geometry holds already; its neighbours are looked for when W is asked for."""
        if slot >= self._group.size:
            capacity = max(64, 2 * self._group.size, slot + 1)
            self._group = _extended(self._group, capacity, -1)
            for intra in (True, False):
                self._lists[intra] = _extended(self._lists[intra], capacity, _NOTHING)
                self._rest[intra] = _extended(self._rest[intra], capacity, _NOTHING)
        group = leading_tag(self._geometry.tags.words[slot])
        self._group[slot] = self._groups.setdefault(group, len(self._groups))
        self._changed.add(int(self._group[slot]))
        self._new.add(slot)

    def remove(self, slot: int) -> None:
        """Forget a workflow; called before the geometry frees its slot."""
        self._changed.add(int(self._group[slot]))
        self._group[slot] = -1
        self._new.discard(slot)
        self._removed = True

    def members(self) -> Slots:
        """Return the slots of all workflows taken in."""
        return np.flatnonzero(self._group >= 0)

    def _fill(self, slot: int, scores: Floats, peers: Slots) -> None:
        """Compute a workflow's own two lists."""
        keys = _pack(scores[peers], self._geometry.number[peers])
        same = self._group[peers] == self._group[slot]
        for intra in (True, False):
            own = keys[same == intra]
            if own.size > self._length:
                own = -np.partition(-own, self._length)[: self._length + 1]
            own = -np.sort(-own)
            self._lists[intra][slot] = _NOTHING
            self._lists[intra][slot, : min(own.size, self._length)] = own[: self._length]
            self._rest[intra][slot] = own[self._length] if own.size > self._length else _NOTHING

    def _offer(self, intra: bool, slots: Slots, keys: Keys) -> None:
        """Insert a new neighbour into the lists it belongs in."""
        enters = keys > self._rest[intra][slots]
        slots, keys = slots[enters], keys[enters]
        if not slots.size:
            return
        longer = np.concatenate([self._lists[intra][slots], keys[:, None]], axis=1)
        longer = -np.sort(-longer, axis=1)
        self._lists[intra][slots] = longer[:, :-1]
        self._rest[intra][slots] = np.maximum(self._rest[intra][slots], longer[:, -1])

    def _refill(self, slots: Slots) -> None:
        """Compute the lists of some workflows anew."""
        members = self.members()
        for slot, scores in self._geometry.scores_of(slots):
            self._fill(slot, scores, members[members != slot])

    def _take_in(self) -> None:
        """Make the lists of the new workflows, and insert these into the lists of the others."""
        members = self.members()
        fresh = np.zeros(self._group.size, dtype=bool)
        fresh[list(self._new)] = True
        others = members[~fresh[members]]
        for slot, scores in self._geometry.scores_of(members[fresh[members]]):
            self._fill(slot, scores, members[members != slot])
            for intra in (True, False):
                theirs = others[(self._group[others] == self._group[slot]) == intra]
                self._offer(intra, theirs, _pack(scores[theirs], self._geometry.number[slot]))
        self._new.clear()

    def build(self) -> Edges:
        """Return W as it stands: edges above the thresholds that either endpoint ranks among its strongest."""
        self._prune()
        self._take_in()
        members = self.members()
        members = members[np.argsort(self._geometry.number[members])]
        self._adapt(members)
        strongest = self._strongest(members)
        short = self._used_up(members, strongest)
        if short.size:
            self._refill(short)
            strongest = self._strongest(members)
        return self._union(members, strongest)

    def _prune(self) -> None:
        """Take removed workflows out of all lists."""
        if not self._removed:
            return
        alive = np.zeros(int(self._geometry.number.max(initial=-1)) + 2, dtype=bool)
        alive[self._geometry.number[self.members()]] = True
        for keys in self._lists.values():
            gone = (keys != _NOTHING) & ~alive[np.minimum(_numbers(keys), alive.size - 1)]
            rows = np.flatnonzero(gone.any(axis=1))
            kept = np.where(gone[rows], _NOTHING, keys[rows])
            keys[rows] = -np.sort(-kept, axis=1)
        self._removed = False

    def _adapt(self, members: Slots) -> None:
        """Compute the thresholds of the groups that changed since the last round."""
        s = self._settings
        names = {number: name for name, number in self._groups.items()}
        for group in sorted(self._changed, key=lambda g: names[g]):
            own = members[self._group[members] == group]
            pairs = own.size * (own.size - 1) // 2
            if self._mode == "fixed" or not pairs:
                self._thresholds[group] = (s.intra, 0)
            else:
                scores = self._geometry.pair_scores(*self._sampled(names[group], own))
                median = float(np.median(scores.astype(np.float64)))
                self._thresholds[group] = (shrink(scores.size, median, s.kappa, s.intra), scores.size)
            if not own.size:
                del self._thresholds[group]
        self._changed.clear()

    def _sampled(self, name: str, own: Slots) -> tuple[Slots, Slots]:
        """Return all pairs of a group, or a sample that only depends on which nodes are in it."""
        if own.size * (own.size - 1) // 2 <= self._settings.pairs:
            left, right = np.triu_indices(own.size, k=1)
            return own[left], own[right]
        rng = self._draws.at("pairs", name, own.size, int(self._geometry.number[own[-1]]))
        left = rng.integers(own.size, size=self._settings.pairs)
        right = (left + rng.integers(1, own.size, size=self._settings.pairs)) % own.size
        return own[left], own[right]

    def _strongest(self, members: Slots) -> Keys:
        """Return each member's strongest qualifying keys, shape (n, neighbours), padded."""
        intra, cross = self._lists[True][members], self._lists[False][members]
        intra = np.where(_weights(intra) > self._limits(members)[:, None], intra, _NOTHING)
        cross = np.where(_weights(cross) > self._cross, cross, _NOTHING)
        both = np.concatenate([intra, cross], axis=1)
        return -np.sort(-both, axis=1)[:, : self._settings.neighbours]

    def _used_up(self, members: Slots, strongest: Keys) -> Slots:
        """Return the members one of whose lists may lack a key that ranks among the strongest."""
        last = strongest[:, -1]
        intra, cross = self._rest[True][members], self._rest[False][members]
        short = (intra > last) & (_weights(intra) > self._limits(members))
        short |= (cross > last) & (_weights(cross) > self._cross)
        return members[short]

    def _limits(self, members: Slots) -> NDArray[np.float64]:
        """Return the intra-group threshold of each member."""
        limits = np.full(len(self._groups), np.inf)
        for group, (threshold, _) in self._thresholds.items():
            limits[group] = on_score_grid(threshold)
        return limits[self._group[members]]

    def _union(self, members: Slots, strongest: Keys) -> Edges:
        place = np.full(int(self._geometry.number.max(initial=-1)) + 1, -1)
        place[self._geometry.number[members]] = np.arange(members.size)
        rows, columns = np.nonzero(strongest != _NOTHING)
        keys = strongest[rows, columns]
        ends = place[_numbers(keys)]
        low, high = np.minimum(rows, ends), np.maximum(rows, ends)
        _, first = np.unique(low * max(members.size, 1) + high, return_index=True)
        names = {number: name for name, number in self._groups.items()}
        thresholds = {names[group]: found for group, found in self._thresholds.items()}
        weight = _weights(keys[first])
        return Edges(members, low[first], high[first], weight, dict(sorted(thresholds.items())))


def _pack(weights: Floats, numbers: NDArray[np.int64] | np.int64) -> Keys:
    """Pack weight and neighbour into integers that sort by weight, then by age."""
    grid = np.rint(weights.astype(np.float64) * SCORE_GRID).astype(np.int64)
    return (grid << _NUMBERS) + ((1 << _NUMBERS) - 1 - numbers)


def _weights(keys: Keys) -> NDArray[np.float64]:
    """Return the weights packed into keys; an empty place weighs less than anything."""
    return (keys >> _NUMBERS) / SCORE_GRID


def _numbers(keys: Keys) -> NDArray[np.int64]:
    return (1 << _NUMBERS) - 1 - (keys & ((1 << _NUMBERS) - 1))


def _extended(array: NDArray[np.int64], capacity: int, fill: int) -> NDArray[np.int64]:
    longer = np.full((capacity, *array.shape[1:]), fill, dtype=np.int64)
    longer[: array.shape[0]] = array
    return longer
