"""The meta layer: promotion, the novelty gate, bullets that accumulate and tags that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from strata.mechanisms import Mechanisms
from strata.meta import Community, Induction, distance, is_churn
from strata.similarity import on_score_grid
from strata.similarity_graph import Edges
from tests.unit.strata.building import ByTask, by_rule, mechanisms, plant, settings
from tests.unit.strata.rounds import EPISODE, PRINCIPLE


def parts_with(vectors: list[list[float]], tags: list[list[str]] | None = None, **changes: object) -> Mechanisms:
    parts = mechanisms(by_rule(meta=PRINCIPLE), **changes)
    for number, vector in enumerate(vectors):
        own = tags[number] if tags else ["app:x"]
        plant(
            parts.store,
            "workflow",
            number,
            tags=own,
            content_vector=vector,
            index_vector=vector,
            applicability=f"a{number}",
        )
    return parts


def ring(parts: Mechanisms, *groups: list[int]) -> Edges:
    """Return W in which each group is a clique and nothing else is linked."""
    pairs = sorted((a, b) for group in groups for a in group for b in group if a < b)
    slots = parts.store.geometry.layer_slots(1)
    left, right = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return Edges(slots, left, right, np.full(len(pairs), 0.5), {})


def run(parts: Mechanisms, edges: Edges) -> dict[str, list[str]]:
    assert parts.metas is not None
    done = parts.metas.round(edges, EPISODE, 0)
    return {"created": done["created"], "updated": done["updated"]}


def fates(parts: Mechanisms, edges: Edges, **changes: object) -> list[str]:
    inducing = settings(induction=changes)["induction"]
    found = Induction(inducing, "louvain", True, 0).detect(parts.store.graph, parts.store.geometry, edges)
    return [community.fate for community in found]


def test_a_community_is_promoted_only_if_it_is_large_tight_and_not_linked_already() -> None:
    parts = parts_with([[1.0, n / 10] for n in range(5)])
    edges = ring(parts, [0, 1], [2, 3])
    assert fates(parts, edges) == ["promoted", "promoted", "small"]
    assert fates(parts, edges, least_size=3) == ["small", "small", "small"]
    assert fates(parts, edges, conductance=0.0) == ["loose", "loose", "small"]


def test_a_community_whose_members_share_a_meta_is_skipped() -> None:
    parts = parts_with([[1.0], [1.0, 0.1]])
    edges = ring(parts, [0, 1])
    run(parts, edges)
    assert fates(parts, edges) == ["linked"]
    assert run(parts, edges) == {"created": [], "updated": []}


def test_the_first_promoted_community_creates_a_meta_with_one_routing_bullet_a_member() -> None:
    parts = parts_with([[1.0], [1.0, 0.1]])
    (meta,) = run(parts, ring(parts, [0, 1]))["created"]
    node = parts.store.graph.nodes[meta]
    assert parts.store.graph.sources("generalizes", meta) == ("workflow-00000", "workflow-00001")
    assert [bullet.text for bullet in node.bullets] == ["when a0: workflow 0", "when a1: workflow 1"]
    assert {bullet.kind for bullet in node.bullets} == {"variant"}
    assert (node.name, node.body, node.support) == ("Warm it first", ("find it", "warm it"), 2)


class Asked(ByTask):
    """Remembers the prompts it answered."""

    def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Any:
        self.prompts = [*getattr(self, "prompts", []), messages[-1].content]
        return super().complete(messages, call=call, schema=schema)


def test_the_name_of_a_meta_is_asked_for_in_view_of_the_communitys_tags() -> None:
    backbone = Asked(by_rule(meta=PRINCIPLE), {})
    parts = mechanisms(backbone)
    for number, tags in enumerate((["op:heat", "app:x"], ["obj:egg", "app:x"])):
        plant(parts.store, "workflow", number, tags=tags, content_vector=[1.0])
    run(parts, ring(parts, [0, 1]))
    (prompt,) = backbone.prompts
    assert "Tags: app:x, obj:egg, op:heat\n" in prompt


def grown(angle: float, **changes: Any) -> tuple[Mechanisms, str, dict[str, list[str]]]:
    """Make a meta of two workflows, then a community of one of them and two new ones at an angle."""
    parts = parts_with([[1.0], [1.0]], **changes)
    (meta,) = run(parts, ring(parts, [0, 1]))["created"]
    new = [float(np.cos(angle)), float(np.sin(angle))]
    for number in (2, 3):
        plant(parts.store, "workflow", number, tags=["app:x", "op:new"], content_vector=new, applicability=f"a{number}")
    return parts, meta, run(parts, ring(parts, [2, 3]))


def test_a_community_far_from_every_meta_creates_one_and_a_near_one_updates_the_nearest() -> None:
    chord = 2 * np.arcsin(0.6 / 2)
    assert grown(chord + 0.01)[2]["updated"] == []
    assert len(grown(chord + 0.01)[2]["created"]) == 1
    _, meta, near = grown(chord - 0.01)
    assert near == {"created": [], "updated": [meta]}


def test_the_cosine_distance_is_another_gate() -> None:
    angle = np.arccos(0.4) - 0.01
    assert grown(angle, induction={"distance": "cosine"})[2]["created"] == []
    assert len(grown(angle)[2]["created"]) == 1


def test_without_the_novelty_gate_every_promoted_community_creates() -> None:
    assert len(grown(0.01, novelty=False)[2]["created"]) == 1


def test_an_update_absorbs_the_unlinked_members_and_bullets_accumulate() -> None:
    parts, meta, _ = grown(0.1)
    assert len(parts.store.graph.sources("generalizes", meta)) == 4
    assert len(parts.store.graph.nodes[meta].bullets) == 4
    assert parts.store.graph.nodes[meta].support == 4


def test_an_update_recomputes_the_tags_from_this_rounds_community_alone() -> None:
    parts = parts_with([[1.0], [1.0]], [["app:x", "op:delete"], ["app:x"]])
    (meta,) = run(parts, ring(parts, [0, 1]))["created"]
    assert parts.store.graph.nodes[meta].tags == {"app:x", "op:delete"}
    plant(parts.store, "workflow", 2, tags=["app:x", "op:new"], content_vector=[1.0])
    run(parts, ring(parts, [1, 2]))
    assert parts.store.graph.nodes[meta].tags == {"app:x", "op:new"}
    assert parts.store.geometry.view(meta).tags == {"app:x", "op:new"}


def test_accumulated_tags_keep_those_of_earlier_rounds() -> None:
    parts = parts_with([[1.0], [1.0]], [["app:x", "op:delete"], ["app:x"]], meta_tags="accumulated")
    (meta,) = run(parts, ring(parts, [0, 1]))["created"]
    plant(parts.store, "workflow", 2, tags=["app:x", "op:new"], content_vector=[1.0])
    run(parts, ring(parts, [1, 2]))
    assert parts.store.graph.nodes[meta].tags == {"app:x", "op:delete", "op:new"}


def test_a_meta_made_in_a_round_counts_for_the_next_community_of_it() -> None:
    parts = parts_with([[1.0], [1.0], [1.0], [1.0]])
    done = run(parts, ring(parts, [0, 1], [2, 3]))
    assert len(done["created"]) == 1
    assert done["updated"] == done["created"]


@pytest.mark.parametrize("answer", ["", {"name": "x"}, {**PRINCIPLE, "principle": ["", " \x00 "]}, "[[["])
def test_a_principle_that_cannot_be_read_leaves_the_graph_as_it_was(answer: object) -> None:
    parts = mechanisms(by_rule(meta=answer))
    for number in range(2):
        plant(parts.store, "workflow", number, content_vector=[1.0])
    before = list(parts.store.graph.edges())
    assert run(parts, ring(parts, [0, 1])) == {"created": [], "updated": []}
    assert (list(parts.store.graph.edges()), len(parts.store)) == (before, 2)
    assert parts.reflectors.unreadable["meta"] == 1
    assert parts.totals.meta_writes == 0


def test_with_the_meta_layer_off_there_is_none() -> None:
    assert mechanisms(meta=False).metas is None


def test_distances_of_unit_centroids() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert distance(rows, rows[0], "euclidean").tolist() == pytest.approx([0.0, 2**0.5, 2.0])
    assert distance(rows, rows[0], "cosine").tolist() == pytest.approx([0.0, 1.0, 2.0])


def test_a_create_is_churn_if_it_rebuilds_a_member_set_or_a_standing_meta() -> None:
    assert is_churn(["a", "b"], [frozenset("ab")], -1.0, 0.5, 0.62)
    assert is_churn(["a", "b"], [frozenset("abcd")], -1.0, 0.5, 0.62)
    assert not is_churn(["a", "b"], [frozenset("bcd")], on_score_grid(0.55), 0.5, 0.55)
    assert is_churn(["a", "b"], [], 0.63, 0.5, 0.62)


def test_a_community_log_holds_size_conductance_and_novelty() -> None:
    parts = parts_with([[1.0], [1.0, 0.1], [1.0, 5.0]])
    assert parts.metas is not None
    rows = parts.metas.round(ring(parts, [0, 1]), EPISODE, 0)["communities"]
    assert rows == {
        "count": 2,
        "small": 1,
        "largest": [{"size": 2, "conductance": 0.0, "distance": None, "fate": "create"}],
    }
    assert Community((), 1, 0.0, "small").members == ()
