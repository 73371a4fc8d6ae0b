"""Communities and conductance agree with networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from strata.communities import communities, conductances
from strata.similarity_graph import Edges


def random_graph(seed: int) -> tuple[nx.Graph, Edges]:
    """Return a weighted random graph of a few dense parts, and the same as W."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 12, size=int(rng.integers(1, 6))).tolist()
    plain = nx.random_partition_graph(sizes, 0.6, 0.05, seed=seed)
    graph = nx.Graph()
    graph.add_nodes_from(sorted(plain))
    for a, b in sorted((min(e), max(e)) for e in plain.edges):
        graph.add_edge(a, b, weight=float(rng.integers(1, 2**20)) / 2**20)
    ends = list(graph.edges(data="weight"))
    left, right = (np.array([edge[end] for edge in ends], dtype=np.int64) for end in (0, 1))
    return graph, Edges(np.arange(len(plain)), left, right, np.array([edge[2] for edge in ends]), {})


@pytest.mark.parametrize("seed", range(200))
def test_louvain_agrees_with_networkx_on_random_graphs(seed: int) -> None:
    graph, edges = random_graph(seed)
    expected = nx.community.louvain_communities(graph, weight="weight", resolution=1.5, seed=seed)
    assert sorted(map(sorted, expected)) == [part.tolist() for part in communities(edges, "louvain", 1.5, seed)]


@pytest.mark.parametrize("seed", range(40))
def test_conductance_agrees_with_networkx_on_random_graphs(seed: int) -> None:
    graph, edges = random_graph(seed)
    parts = communities(edges, "louvain", 1.5, 0)
    for part, found in zip(parts, conductances(edges, parts), strict=True):
        rest = set(graph) - set(part.tolist())
        volumes = [nx.volume(graph, side, weight="weight") for side in (part.tolist(), rest)]
        expected = nx.conductance(graph, part.tolist(), weight="weight") if min(volumes) > 0 else 0.0
        assert found == pytest.approx(expected)


def test_conductance_without_any_outside_volume_is_zero() -> None:
    edges = Edges(np.arange(2), np.array([0]), np.array([1]), np.array([0.5]), {})
    assert conductances(edges, [np.array([0, 1])]).tolist() == [0.0]


@pytest.mark.parametrize("method", ["louvain", "leiden"])
def test_equal_graphs_and_seeds_give_equal_communities_that_cover_each_workflow_once(method: str) -> None:
    if method == "leiden":
        pytest.importorskip("graspologic_native", reason="the extra leiden is not installed")
    for seed in range(20):
        _, edges = random_graph(seed)
        first, second = (communities(edges, method, 1.5, 3) for _ in range(2))  # type: ignore[arg-type]
        assert [part.tolist() for part in first] == [part.tolist() for part in second]
        assert sorted(np.concatenate(first).tolist()) == list(range(edges.slots.size))


def test_leidens_modularity_is_as_good_as_louvains() -> None:
    pytest.importorskip("graspologic_native", reason="the extra leiden is not installed")
    gained = []
    for seed in range(30):
        graph, edges = random_graph(seed)
        if not edges.weight.size:
            continue
        louvain, leiden = (
            nx.community.modularity(
                graph, map(set, map(np.ndarray.tolist, communities(edges, m, 1.5, 0))), resolution=1.5
            )
            for m in ("louvain", "leiden")
        )
        gained.append(leiden - louvain)
    assert np.mean(gained) > -0.01


def test_a_graph_without_nodes_or_edges_has_only_single_workflows() -> None:
    nothing = np.empty(0, dtype=np.int64)
    for n in (0, 3):
        edges = Edges(np.arange(n), nothing, nothing, np.empty(0), {})
        assert [part.tolist() for part in communities(edges, "louvain", 1.5, 0)] == [[place] for place in range(n)]
