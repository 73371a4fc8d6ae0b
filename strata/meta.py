"""The meta layer: large, tight and novel communities of W become meta nodes, others extend the ones there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from strata.communities import communities, conductances
from strata.graph import Graph, Node, NodeType
from strata.settings import CommunityMethod, Distance, Inducing, MetaTags
from strata.similarity import Geometry, on_score_grid
from strata.similarity_graph import Edges

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Community:
    """A community of W, and what became of it."""

    members: tuple[str, ...]
    """Workflow ids, oldest first; empty for one that is too small, of which only the size is told."""
    size: int
    conductance: float
    fate: str
    """small | loose | linked (all members have one meta in common already) | promoted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the novelty gate says about a promoted community."""

    action: Literal["create", "update"]
    nearest: str | None
    """The nearest meta, the one to update; None where there is none."""
    distance: float | None
    """d*, to the nearest meta."""


class Induction:
    """Finds which communities are promoted, and whether they are new.

    Args:
        novelty: Whether the novelty gate is on; without it every promoted community makes a new meta.
        seed: Of the community detection, the same every round.
    """

    def __init__(self, settings: Inducing, method: CommunityMethod, novelty: bool, seed: int) -> None:
        self._settings, self._method, self._novelty, self._seed = settings, method, novelty, seed
        self._centroids: dict[str, Reals] | None = None

    def detect(self, graph: Graph, geometry: Geometry, edges: Edges) -> list[Community]:
        """Return the communities of W; promoted are those that are large, tight, and not one meta's own already."""
        s, found = self._settings, []
        self._centroids = None
        parts = communities(edges, self._method, s.resolution, self._seed)
        for places, conductance in zip(parts, conductances(edges, parts).tolist(), strict=True):
            members: tuple[str, ...] = ()
            fate = "small" if len(places) < s.least_size else "loose" if conductance >= s.conductance else "promoted"
            if fate != "small":
                members = tuple(str(geometry.ids[slot]) for slot in edges.slots[places].tolist())
            if fate == "promoted" and _one_metas_own(graph, members):
                fate = "linked"
            found.append(Community(members, len(places), conductance, fate))
        return found

    def judge(self, graph: Graph, geometry: Geometry, members: Sequence[str]) -> Verdict:
        """Apply the novelty gate: a community far from every meta makes a new one, else it extends the nearest."""
        if self._centroids is None:
            self._centroids = {}
            for node in graph.of(NodeType.META):
                self.moved(graph, geometry, node.id)
        if not self._centroids:
            return Verdict("create", None, None)
        metas = list(self._centroids)
        own, standing = centroid(geometry, members), np.stack(list(self._centroids.values()))
        distances = distance(standing, own, self._settings.distance)
        at = int(np.argmin(distances))
        novel = distances[at] >= self._settings.radius or not self._novelty
        return Verdict("create" if novel else "update", metas[at], float(distances[at]))

    def moved(self, graph: Graph, geometry: Geometry, meta: str) -> None:
        """Take note that a meta is new or has other members."""
        members = graph.sources("generalizes", meta)
        if self._centroids is not None and members:
            self._centroids[meta] = centroid(geometry, members)


def _one_metas_own(graph: Graph, members: Sequence[str]) -> bool:
    """Return whether all members are linked to one meta already."""
    shared = set(graph.targets("generalizes", members[0]))
    for member in members[1:]:
        if not shared:
            break
        shared &= set(graph.targets("generalizes", member))
    return bool(shared)


def centroid(geometry: Geometry, members: Sequence[str]) -> Reals:
    """Return the mean content vector at unit length; zero stays zero."""
    mean = geometry.content_of([geometry.slot[member] for member in members]).astype(np.float64).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length > 0 else mean)


def distance(rows: Reals, own: Reals, kind: Distance) -> Reals:
    """Return how far a unit centroid is from each row: 0 to 2 in either measure."""
    if kind == "euclidean":
        return np.asarray(np.sqrt(np.square(rows - own).sum(axis=1)))
    return np.asarray(1.0 - (rows * own).sum(axis=1))


def meta_tags(members: Sequence[Node], before: frozenset[str], mode: MetaTags) -> frozenset[str]:
    """Return a meta's tags after an update: of this round's community alone, as reported, or accumulated."""
    found = frozenset().union(*(member.tags for member in members))
    return found | before if mode == "accumulated" else found


def routing_line(member: Node) -> str:
    """Return the bullet a member contributes, keyed by its applicability condition."""
    condition = member.applicability or member.goal or member.name
    return f"when {condition}: {member.name}"


def is_churn(
    members: Sequence[str], earlier: Iterable[frozenset[str]], nearest: float, overlap: float, high: float
) -> bool:
    """Return whether a new meta rebuilds a near-duplicate.

    Args:
        members: Its members.
        earlier: Member sets of the metas there are and were.
        nearest: Its highest s_nn to a standing meta.
        overlap: Least Jaccard overlap with an earlier member set that counts.
        high: s_nn above which it is a duplicate.
    """
    own = frozenset(members)
    return nearest > on_score_grid(high) or any(len(own & other) >= overlap * len(own | other) for other in earlier)
