"""Communities of W, and how dense inside and sparse outside they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strata.settings import CommunityMethod
from strata.similarity_graph import Edges

Places = NDArray[np.int64]


def communities(edges: Edges, method: CommunityMethod, resolution: float, seed: int) -> list[Places]:
    """Return the communities of W as sorted places, the one with the oldest workflow first.

    Louvain is networkx's, the exact reproduction; Leiden is graspologic-native's, for large graphs. Equal graphs and
    seeds give equal communities.
    """
    found = _louvain(edges, resolution, seed) if method == "louvain" else _leiden(edges, resolution, seed)
    order = np.argsort(found, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(found[order])) + 1) if found.size else []
    return sorted(parts, key=lambda part: int(part[0]))


def _louvain(edges: Edges, resolution: float, seed: int) -> Places:
    import networkx

    graph: Any = networkx.Graph()
    graph.add_nodes_from(range(edges.slots.size))
    graph.add_weighted_edges_from(
        zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True), weight="weight"
    )
    labels = np.zeros(edges.slots.size, dtype=np.int64)
    parts = networkx.community.louvain_communities(graph, weight="weight", resolution=resolution, seed=seed)
    for label, part in enumerate(parts):
        labels[list(part)] = label
    return labels


def _leiden(edges: Edges, resolution: float, seed: int) -> Places:
    import graspologic_native

    n = edges.slots.size
    if not edges.weight.size:
        return np.arange(n)
    start, end = np.concatenate([edges.left, edges.right]), np.concatenate([edges.right, edges.left])
    order = np.lexsort((end, start))
    rows = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=n))])
    weight = np.concatenate([edges.weight, edges.weight])[order]
    columns = end[order].astype(np.int32)
    _, found = graspologic_native.leiden_csr(rows, columns, weight, n, resolution=resolution, seed=seed)
    return np.array([found.get(place, n + place) for place in range(n)], dtype=np.int64)


def conductances(edges: Edges, parts: Sequence[Places]) -> NDArray[np.float64]:
    """Return the weighted conductance of each community, all of which together hold each place once.

    phi(C) = weight leaving C / the smaller volume of C and the rest; 0 where either has no volume.
    """
    label = np.zeros(edges.slots.size, dtype=np.int64)
    for number, part in enumerate(parts):
        label[part] = number
    left, right = label[edges.left], label[edges.right]
    n, leaves = len(parts), left != right
    volume = np.bincount(left, edges.weight, n) + np.bincount(right, edges.weight, n)
    cut = np.bincount(left[leaves], edges.weight[leaves], n) + np.bincount(right[leaves], edges.weight[leaves], n)
    smaller = np.minimum(volume, volume.sum() - volume)
    found: NDArray[np.float64] = np.divide(cut, smaller, out=np.zeros(n), where=smaller > 0)
    return found
