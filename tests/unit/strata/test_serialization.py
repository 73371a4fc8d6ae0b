"""Typed Markdown: whatever the graph holds, what is read back is equal, and equal graphs write equal bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from harness.errors import LedgerError
from strata.graph import TYPES, Bullet, Graph, Kind, Node, NodeType, Origin
from strata.serialization import node_from_markdown, node_to_markdown, read_graph, write_graph

Text = st.one_of(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=30),
    st.sampled_from(
        ["## Bullets", "---", "# x", "a\nb", "\r\n", "\\n", "1. ", "- (variant, {}) x", "\u2028", "", "    ", "})"]
    ),
)
Origins = st.builds(Origin, Text, st.integers(1, 9), Text, Text)
Bullets = st.builds(Bullet, st.sampled_from(["variant", "pitfall"]), Text, Origins)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    graph = Graph()
    for kind in draw(st.lists(st.sampled_from(list(TYPES)), max_size=8)):
        graph.add(draw(nodes(graph.next_id(kind), kind)))
    ids = list(graph.nodes)
    for a, b in draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=15)):
        if max(a, b) < len(ids) and a != b:
            link(graph, ids[a], ids[b])
    if ids and draw(st.booleans()):
        graph.remove(draw(st.sampled_from(ids)))
    return graph


def nodes(node_id: str, kind: Kind) -> st.SearchStrategy[Node]:
    return st.builds(
        Node, id=st.just(node_id), kind=st.just(kind), name=Text, content=Text, applicability=Text, goal=Text,
        tags=st.frozensets(Text, max_size=4), body=st.lists(Text, max_size=4).map(tuple),
        origins=st.lists(Origins, max_size=3).map(tuple), clock=st.integers(0, 10**6), support=st.integers(0, 99),
        bullets=st.lists(Bullets, max_size=4),
    )  # fmt: skip


def link(graph: Graph, a: str, b: str) -> None:
    ends = graph.nodes[a].type, graph.nodes[b].type
    names = {(1, 2): "call", (1, 0): "generalizes", (2, 2): "merged_from", (1, 1): "contrasts"}
    relation = names.get((int(ends[0]), int(ends[1])))
    if relation:
        graph.link(relation, a, b)  # type: ignore[arg-type]


@given(graphs(), st.floats(0, 1e6))
@budget(max_examples=150, deadline=None)
def test_a_graph_written_as_markdown_is_read_back_equal(graph: Graph, age: float) -> None:
    ages = {node.id: age for node in graph.of(NodeType.WORKFLOW)}
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name) / "first", Path(name) / "second"
        first.mkdir()
        second.mkdir()
        write_graph(graph, first, ages)
        again, ages_again = read_graph(first)
        assert again == graph
        assert ages_again == ages
        write_graph(again, second, ages_again)
        files = sorted(path.relative_to(first) for path in first.rglob("*.md"))
        assert len(files) == len(graph) + 1
        assert all((first / file).read_bytes() == (second / file).read_bytes() for file in files)


def node(**changes: object) -> Node:
    origin = Origin("task-1", 1, "heat", "heat egg")
    plain = {
        "id": "workflow-00007", "kind": "workflow", "name": "Heat it", "content": "heats a thing",
        "applicability": "cold", "goal": "warm", "tags": frozenset({"op:heat", "app:x"}),
        "body": ("take it", "heat it"), "origins": (origin,), "clock": 3,
        "bullets": [Bullet("pitfall", "do not open it", origin)],
    }  # fmt: skip
    return Node(**{**plain, **changes})  # type: ignore[arg-type]


def test_a_node_reads_like_a_page() -> None:
    assert node_to_markdown(node(), 0.5).split("\n") == [
        "---",
        'id: "workflow-00007"',
        'type: "workflow"',
        'kind: "workflow"',
        'tags: ["app:x", "op:heat"]',
        "age: 0.5",
        "support: 1",
        "clock: 3",
        'origins: [{"task": "task-1", "trial": 1, "family": "heat", "template": "heat egg"}]',
        "---",
        "# Heat it",
        "",
        "## Content",
        "heats a thing",
        "",
        "## Applicability",
        "cold",
        "",
        "## Goal",
        "warm",
        "",
        "## Procedure",
        "1. take it",
        "2. heat it",
        "",
        "## Bullets",
        '- (pitfall, {"task": "task-1", "trial": 1, "family": "heat", "template": "heat egg"}) do not open it',
        "",
    ]


@pytest.mark.parametrize("damage", ["", "---", "no front matter", '---\nid: "x"\n---\n', "---\nid: {\n---\n# x\n"])
def test_a_damaged_node_is_refused_with_its_name(damage: str) -> None:
    with pytest.raises(LedgerError, match="workflow-00007"):
        node_from_markdown(damage, "workflow-00007")


def test_a_damaged_edge_list_is_refused(tmp_path: Path) -> None:
    write_graph(Graph(), tmp_path, {})
    file = tmp_path / "edges.md"
    file.write_bytes(file.read_bytes() + b"- likes: a -> b\n")
    with pytest.raises(LedgerError, match="expected"):
        read_graph(tmp_path)
