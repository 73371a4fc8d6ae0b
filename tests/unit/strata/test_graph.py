"""The graph: typed edges, both ways, in order; and what goes when a node goes."""

from __future__ import annotations

import pytest

from strata.graph import RELATIONS, Graph, Kind, Node, NodeType, Origin


def graph_of(*kinds: Kind) -> Graph:
    graph = Graph()
    for kind in kinds:
        origin = Origin("t", 1, "f", "t")
        graph.add(Node(graph.next_id(kind), kind, "n", "c", "a", "g", frozenset(), (), (origin,), 0))
    return graph


def test_layers_are_ordered_meta_before_workflow_before_atomic() -> None:
    graph = graph_of("skill", "code", "role", "workflow", "meta")
    assert [node.type for node in graph.nodes.values()] == [2, 2, 2, 1, 0]
    assert NodeType.META < NodeType.WORKFLOW < NodeType.ATOMIC


def test_call_edges_keep_their_order() -> None:
    graph = graph_of("skill", "skill", "workflow")
    graph.link("call", "workflow-00002", "skill-00001")
    graph.link("call", "workflow-00002", "skill-00000")
    assert graph.targets("call", "workflow-00002") == ("skill-00001", "skill-00000")


def test_contrast_edges_are_symmetric() -> None:
    graph = graph_of("workflow", "workflow")
    graph.link("contrasts", "workflow-00001", "workflow-00000")
    assert graph.targets("contrasts", "workflow-00000") == ("workflow-00001",)
    assert graph.targets("contrasts", "workflow-00001") == ("workflow-00000",)


@pytest.mark.parametrize(
    ("relation", "source", "target"),
    [
        ("call", "skill-00000", "workflow-00001"),
        ("generalizes", "meta-00002", "workflow-00001"),
        ("contrasts", "workflow-00001", "meta-00002"),
        ("contrasts", "workflow-00001", "workflow-00001"),
        ("merged_from", "workflow-00001", "skill-00000"),
    ],
)
def test_an_edge_between_wrong_types_is_refused(relation: str, source: str, target: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        graph_of("skill", "workflow", "meta").link(relation, source, target)  # type: ignore[arg-type]


def test_a_removed_node_takes_its_edges_along_but_leaves_its_lineage() -> None:
    graph = graph_of("skill", "skill", "workflow", "workflow", "meta")
    graph.link("call", "workflow-00002", "skill-00000")
    graph.link("contrasts", "workflow-00002", "workflow-00003")
    graph.link("generalizes", "workflow-00002", "meta-00004")
    graph.link("merged_from", "skill-00000", "skill-00001")
    assert [graph.count(relation) for relation in RELATIONS] == [1, 1, 1, 1]
    graph.remove("workflow-00002")
    graph.remove("skill-00000")
    assert {relation: graph.count(relation) for relation in RELATIONS if graph.count(relation)} == {"merged_from": 1}
    assert list(graph.edges()) == [("merged_from", "skill-00000", "skill-00001")]
    graph.remove("skill-00001")
    assert list(graph.edges()) == []


def test_a_number_is_never_given_twice() -> None:
    graph = graph_of("workflow")
    graph.remove("workflow-00000")
    assert graph.next_id("workflow") == "workflow-00001"
