"""Rounds of induction one after the other: which meta is nearest, what an update takes in, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from strata.graph import Graph, Node
from strata.meta import Community, Induction, centroid
from strata.similarity import Geometry
from strata.similarity_graph import Edges
from tests.unit.strata.building import TableEmbedder, settings
from tests.unit.strata.rounds import PRINCIPLE, grow, parts_at, take, turned, workflows

ASKED = 1 + settings()["reflection"].repairs
"""Ordinals that one principle may take up."""
A, B, C = [1.0], [0.0, 1.0], [0.0, 0.0, 1.0]


@pytest.mark.parametrize(("degrees", "nearest"), [(10, 0), (80, 1)])
def test_of_two_metas_the_nearest_is_updated(degrees: float, nearest: int) -> None:
    parts = parts_at(A, A, B, B)
    first = workflows(parts)
    metas = take(parts, first[:2], first[2:])["created"]
    assert len(metas) == 2
    assert take(parts, grow(parts, *[turned(degrees)] * 2)) == {"created": [], "updated": [metas[nearest]]}


@pytest.mark.parametrize(("radius", "created"), [(1.0, 2), (1.001, 1)])
def test_a_distance_of_exactly_the_radius_is_new(radius: float, created: int) -> None:
    parts = parts_at(A, A, B, B, induction={"distance": "cosine", "radius": radius})
    nodes = workflows(parts)
    assert len(take(parts, nodes[:2], nodes[2:])["created"]) == created


def test_a_centroid_is_the_mean_of_all_members_at_unit_length() -> None:
    parts = parts_at(A, A, B)
    geometry, ids = parts.store.geometry, [node.id for node in workflows(parts)]
    assert centroid(geometry, ids)[:3].tolist() == pytest.approx([2 / 5**0.5, 1 / 5**0.5, 0.0])


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_centroid_follows_the_members_that_a_meta_has_absorbed(rounds: int) -> None:
    parts = parts_at(*(turned(angle) for angle in (0, 0, 30, 30, 45, 45)))
    nodes = workflows(parts)
    pairs = [nodes[:2], nodes[2:4], nodes[4:]]
    done = [take(parts, *pairs)] if rounds == 1 else [take(parts, pair) for pair in pairs]
    (meta,) = [made for one in done for made in one["created"]]
    assert [met for one in done for met in one["updated"]] == [meta, meta], "45 degrees is too far from 0, not from 15"


def test_a_member_that_was_deleted_no_longer_moves_its_metas_centroid() -> None:
    parts = parts_at(turned(0), turned(60))
    nodes = workflows(parts)
    take(parts, nodes)
    parts.store.remove(nodes[1].id)
    assert len(take(parts, grow(parts, *[turned(40)] * 2))["created"]) == 1


def test_a_deleted_meta_is_never_matched() -> None:
    parts = parts_at(A, A)
    nodes = workflows(parts)
    take(parts, nodes)
    for node in nodes:
        parts.store.remove(node.id)
    parts.store.cascade(())
    done = take(parts, grow(parts, A, A))
    assert (len(done["created"]), done["updated"]) == (1, [])


def test_the_community_with_the_oldest_workflow_comes_first_even_if_another_is_larger() -> None:
    parts = parts_at(*[A] * 5)
    nodes = workflows(parts)
    (meta,) = take(parts, nodes[2:], nodes[:2])["created"]
    conditions = [bullet.text.split(":")[0] for bullet in parts.store.graph.nodes[meta].bullets]
    assert conditions == ["when a0", "when a1", "when a2", "when a3", "when a4"]


def test_an_update_of_a_mixed_community_absorbs_only_its_unlinked_members() -> None:
    parts = parts_at(A, A)
    old = workflows(parts)
    (meta,) = take(parts, old)["created"]
    new = grow(parts, A)
    assert take(parts, [old[1], *new])["updated"] == [meta]
    node = parts.store.graph.nodes[meta]
    members = [*(member.id for member in old), new[0].id]
    assert parts.store.graph.sources("generalizes", meta) == tuple(members)
    assert parts.totals.absorbed[meta] == members
    assert [bullet.origin for bullet in node.bullets] == [member.origins[0] for member in (*old, *new)]
    assert node.origins == tuple(member.origins[0] for member in (*old, *new))
    assert node.support == 3


def test_the_tags_after_an_update_are_those_of_all_the_rounds_members_linked_ones_too() -> None:
    parts = parts_at()
    (first,), (second,) = (grow(parts, A, tags=["app:x", tag]) for tag in ("op:gone", "op:linked"))
    (meta,) = take(parts, [first, second])["created"]
    (third,) = grow(parts, A, tags=["app:x", "op:new"])
    take(parts, [second, third])
    assert parts.store.graph.nodes[meta].tags == {"app:x", "op:linked", "op:new"}


def written(*names: str) -> tuple[list[dict[str, Any]], TableEmbedder]:
    """Return one principle a name without a word in common, and an embedder that gives each name an axis."""
    axes = {"p": A, "q": B, "r": C}
    vectors: dict[str, list[float]] = {}
    for name, axis in axes.items():
        vectors |= {f"{name}content": axis, f"{name}when\n{name}goal": axis}
    answers = [
        {**PRINCIPLE, "content": f"{n}content", "applicability_condition": f"{n}when", "goal": f"{n}goal"}
        for n in names for _ in range(ASKED)
    ]  # fmt: skip
    return answers, TableEmbedder(vectors)


@pytest.mark.parametrize(("names", "churned"), [("pqp", 1), ("qpp", 1), ("pqr", 0)])
def test_a_create_is_churn_if_the_most_similar_standing_meta_is_a_duplicate(names: str, churned: int) -> None:
    principles, embedder = written(*names)
    parts = parts_at(principles=principles, embedder=embedder)
    groups = [grow(parts, axis, axis, tags=[f"app:{at}"]) for at, axis in enumerate((A, B, C))]
    assert len(take(parts, *groups)["created"]) == 3
    assert (parts.totals.churned, parts.totals.meta_writes) == (churned, 3)


def test_a_create_is_judged_as_churn_before_it_counts_as_a_meta_itself() -> None:
    parts = parts_at(A, A)
    take(parts, workflows(parts))
    assert (parts.totals.churned, parts.totals.meta_writes) == (0, 1)


@pytest.mark.parametrize(("again", "churned"), [(slice(0, 2), 1), (slice(2, 4), 0)])
def test_the_members_of_a_deleted_meta_count_for_churn(again: slice, churned: int) -> None:
    parts = parts_at(*[A] * 4)
    nodes = workflows(parts)
    (meta,) = take(parts, nodes[:2])["created"]
    parts.store.remove(meta)
    assert len(take(parts, nodes[again])["created"]) == 1
    assert (parts.totals.churned, len(parts.totals.absorbed)) == (churned, 2)


def test_an_update_counts_as_a_write_and_never_as_churn() -> None:
    parts = parts_at(A, A)
    nodes = workflows(parts)
    take(parts, nodes)
    take(parts, [nodes[0], *grow(parts, A)])
    assert (parts.totals.churned, parts.totals.meta_writes) == (0, 2)


class Insisting(Induction):
    """Promotes the same members every round, whether they are linked or not."""

    members: tuple[str, ...] = ()

    def detect(self, graph: Graph, geometry: Geometry, edges: Edges) -> list[Community]:
        super().detect(graph, geometry, edges)
        return [Community(self.members, len(self.members), 0.0, "promoted")]


def test_an_update_that_adds_no_member_changes_and_counts_nothing() -> None:
    parts = parts_at(A, A)
    nodes: list[Node] = workflows(parts)
    (meta,) = take(parts, nodes)["created"]
    before = parts.store.graph.nodes[meta].tags, list(parts.store.graph.nodes[meta].bullets)
    insisting = Insisting(settings()["induction"], "louvain", True, 0)
    insisting.members = (nodes[0].id,)
    assert parts.metas is not None
    nodes[0].tags = frozenset({"app:other"})
    parts.metas = replace(parts.metas, induction=insisting)
    assert take(parts, nodes) == {"created": [], "updated": []}
    assert (parts.store.graph.nodes[meta].tags, parts.store.graph.nodes[meta].bullets) == before
    assert parts.totals.meta_writes == 1
