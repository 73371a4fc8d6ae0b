"""The query graph: who is joined to whom, what is near, and what lies around it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from baselines.g_memory.queries import QueryGraph
from baselines.g_memory.settings import Linking
from tests.unit.baselines.g_memory.building import graph
from tests.unit.strata.building import DIM, unit


def at(cosine: float) -> list[float]:
    """Return a vector at so much of a cosine from [1, 0]."""
    return [cosine, math.sqrt(1 - cosine * cosine)]


@pytest.mark.parametrize(("cosine", "joined"), [(0.86, True), (0.85, True), (0.8499, False), (-1.0, False)])
def test_two_queries_are_joined_if_and_only_if_their_cosine_is_at_least_085(cosine: float, joined: bool) -> None:
    made = graph([1.0, 0.0], at(cosine))
    assert (made.neighbours("q00001") == ["q00002"]) is joined
    assert (made.neighbours("q00002") == ["q00001"]) is joined


def test_only_the_ten_nearest_stored_queries_are_joined() -> None:
    made = graph(*[[1.0, 0.0]] * 12)
    assert len(made.nodes["q00012"].links) == 10
    assert made.nodes["q00012"].links == tuple(f"q{n:05d}" for n in range(1, 11))


def test_queries_are_ranked_by_cosine_the_older_first_and_without_the_own_task() -> None:
    made = graph(at(0.5), at(0.9), at(0.5), at(0.7))
    ranking = made.ranked(unit([1.0, 0.0]), without="t4")
    assert [hit.node.id for hit in ranking] == ["q00002", "q00001", "q00003"]
    assert [hit.cosine for hit in ranking] == pytest.approx([0.9, 0.5, 0.5], abs=1e-6)
    assert graph().ranked(unit([1.0])) == []


def test_hops_follow_edges_and_never_pass_through_what_is_not_allowed() -> None:
    chain = [[math.cos(0.5 * n), math.sin(0.5 * n)] for n in range(4)]
    made = graph(*chain)
    everything = set(made.nodes)
    assert made.expanded(["q00001"], 0, everything) == ["q00001"]
    assert made.expanded(["q00001"], 1, everything) == ["q00001", "q00002"]
    assert made.expanded(["q00001"], 2, everything) == ["q00001", "q00002", "q00003"]
    assert made.expanded(["q00001"], 3, everything - {"q00002"}) == ["q00001"]


def test_equal_texts_share_one_node_with_the_fault_alone() -> None:
    vectors, texts = ([1.0, 0.0], at(0.9), at(0.2), at(-0.5)), {1: "same", 4: "same"}
    assert graph(*vectors, texts=texts).neighbours("q00004") == []
    assert graph(*vectors, texts=texts, collapse=True).neighbours("q00004") == ["q00001", "q00002"]


def test_a_saved_graph_has_the_same_edges_and_goes_on_numbering(tmp_path: Path) -> None:
    made, loaded = graph([1.0, 0.0], at(0.9), at(0.2), failed=[2]), QueryGraph(DIM, Linking(neighbours=10, cosine=0.85))
    made.save(tmp_path)
    loaded.load(tmp_path)
    assert loaded.nodes == made.nodes
    assert [loaded.neighbours(each) for each in loaded.nodes] == [made.neighbours(each) for each in made.nodes]
    assert loaded.next_id == made.next_id == "q00004"
