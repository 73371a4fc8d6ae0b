"""What is logged of the graph and of what was injected."""

from __future__ import annotations

import numpy as np
import pytest

from harness.tokens import estimate_tokens
from harness.types import Recall, RecallItem
from strata.diagnostics import (
    MOST_COMMUNITIES,
    community_rows,
    graph_notes,
    injection_notes,
    totals_notes,
    w_notes,
)
from strata.graph import Bullet, Kind, Origin
from strata.maintenance import Totals
from strata.meta import Community, Verdict
from strata.similarity_graph import Edges
from tests.unit.strata.building import TableEmbedder, by_rule, experience, mechanisms, memory, plant, task
from tests.unit.strata.rounds import EPISODE, cliques, grow, parts_at, take, turned, workflows


def test_purity_and_support_are_means_over_the_metas() -> None:
    store = mechanisms().store
    heat, cool = Origin("t", 1, "heat", "x"), Origin("t", 1, "cool", "x")
    metas = [plant(store, "meta", n).id for n in range(2)]
    for origin, meta in ((heat, 0), (heat, 0), (cool, 0), (cool, 1)):
        workflow = plant(store, "workflow", len(store), origins=(origin,)).id
        store.graph.link("generalizes", workflow, metas[meta])
    notes = graph_notes(store.graph)
    assert notes["purity"] == (2 / 3 + 1) / 2
    assert notes["support"] == 2.0
    assert notes["nodes"] == {"meta": 2, "workflow": 4, "skill": 0, "code": 0, "role": 0}


def test_a_contrast_edge_is_counted_once_for_both_directions() -> None:
    store = mechanisms().store
    ids = [plant(store, "workflow", n).id for n in range(2)]
    store.graph.link("contrasts", *ids)
    assert graph_notes(store.graph)["edges"]["contrasts"] == 1


def test_injection_counts_lines_tokens_and_kinds() -> None:
    items = tuple(
        RecallItem(str(n), kind, 0.5, "a line\nanother", ("t",)) for n, kind in enumerate(["meta", "workflow"])
    )
    notes = injection_notes(Recall(items, "Head:"))
    assert (notes["lines"], notes["meta"], notes["items"]) == (5, True, {"meta": 1, "workflow": 1})
    assert notes["tokens"] == estimate_tokens("Head:\na line\nanother\na line\nanother") > 5
    assert not injection_notes(Recall(items[1:], "Head:"))["meta"]
    assert injection_notes(Recall()) == {"lines": 0, "tokens": 0, "meta": False, "items": {}}


def test_nodes_are_counted_by_kind_edges_by_relation_and_bullets_of_workflows_by_kind() -> None:
    store = mechanisms().store
    counts: dict[Kind, int] = {"meta": 1, "skill": 2, "code": 3, "role": 1, "workflow": 2}
    metas, skills, codes, _, flows = ([plant(store, kind, n) for n in range(many)] for kind, many in counts.items())
    for flow, called in ((flows[0], skills + codes), (flows[1], skills[:1])):
        for node in called:
            store.graph.link("call", flow.id, node.id)
    store.graph.link("generalizes", flows[0].id, metas[0].id)
    store.graph.link("merged_from", skills[0].id, codes[0].id)
    born = Origin("t", 1, "f", "x")
    flows[0].bullets += [Bullet("variant", "a", born)] * 3
    flows[1].bullets += [Bullet("pitfall", "a", born)] * 2
    metas[0].bullets += [Bullet("variant", "a", born)] * 7
    notes = graph_notes(store.graph)
    assert notes["nodes"] == counts
    assert notes["edges"] == {"call": 6, "generalizes": 1, "merged_from": 1, "contrasts": 0}
    assert notes["bullets"] == {"variant": 3, "pitfall": 2}


def test_w_is_logged_with_its_size_its_cut_vertices_and_the_pairs_behind_its_thresholds() -> None:
    ends = np.array([[0, 1], [1, 2], [1, 3], [3, 4]])
    edges = Edges(np.arange(6), ends[:, 0], ends[:, 1], np.full(4, 0.5), {"app:a": (0.41, 3), "app:b": (0.40, 0)})
    assert w_notes(edges) == {
        "workflows": 6, "edges": 4, "cut_vertices": 2,
        "thresholds": {"app:a": {"intra": 0.41, "n": 3}, "app:b": {"intra": 0.40, "n": 0}},
    }  # fmt: skip


def test_communities_are_logged_largest_first_and_older_first_with_conductance_distance_and_fate() -> None:
    found = [
        (Community(("a", "b"), 2, 0.1, "promoted"), Verdict("create", None, None)),
        (Community((), 1, 0.0, "small"), None),
        (Community(("c", "d", "e"), 3, 0.2, "promoted"), Verdict("update", "meta-00009", 0.3)),
        (Community(("f", "g"), 2, 0.7, "loose"), None),
    ]
    assert community_rows(found) == {
        "count": 4, "small": 1,
        "largest": [
            {"size": 3, "conductance": 0.2, "distance": 0.3, "fate": "update"},
            {"size": 2, "conductance": 0.1, "distance": None, "fate": "create"},
            {"size": 2, "conductance": 0.7, "distance": None, "fate": "loose"},
        ],
    }  # fmt: skip


def test_the_largest_communities_are_logged_one_by_one_and_all_are_counted() -> None:
    sizes = range(2, MOST_COMMUNITIES + 12)
    rows = community_rows([(Community(("a",) * size, size, 0.0, "linked"), None) for size in sizes])
    assert (rows["count"], rows["small"]) == (len(sizes), 0)
    assert [row["size"] for row in rows["largest"]] == sorted(sizes, reverse=True)[:MOST_COMMUNITIES]


def chord(degrees: float) -> object:
    return pytest.approx(2 * np.sin(np.radians(degrees / 2)), abs=1e-3)


def test_a_round_logs_each_communitys_own_conductance_and_distance_to_the_nearest_meta() -> None:
    parts = parts_at(turned(0), turned(0))
    take(parts, workflows(parts))
    near, far = grow(parts, *[turned(30)] * 2), grow(parts, *[turned(90)] * 3)
    assert parts.metas is not None
    edges = cliques(parts, [node.id for node in near], [node.id for node in far])
    rows = parts.metas.round(edges, EPISODE, 0)["communities"]
    assert rows == {
        "count": 4, "small": 2,
        "largest": [
            {"size": 3, "conductance": 0.0, "distance": chord(90 - 15), "fate": "create"},
            {"size": 2, "conductance": 0.0, "distance": chord(30), "fate": "update"},
        ],
    }  # fmt: skip


def test_totals_are_logged_with_the_metas_there_ever_were_and_the_share_of_writes_that_were_churn() -> None:
    totals = Totals(protected=["a", "b"], absorbed={"m": ["x"], "n": [], "o": []}, meta_writes=8, churned=2, deleted=5)
    assert totals_notes(totals) == {
        "deleted": 5, "protected": 2, "metas_ever": 3, "meta_writes": 8, "churned": 2, "churn": 0.25,
    }  # fmt: skip
    assert totals_notes(Totals())["churn"] is None


def test_an_update_logs_the_memory_as_it_stands_after_the_round() -> None:
    strata = memory(by_rule(), TableEmbedder())
    for number in range(6):
        each = experience(task(number))
        recall = strata.retrieve(each.episode.task, "", trial=1)
        notes = strata.update(each).notes
    assert notes["injected"] == injection_notes(recall)
    assert notes["injected"]["tokens"] == estimate_tokens(recall.text) > 0
    assert notes["w"] == w_notes(strata.store.w.build())
    assert notes["clock"] == 5
    assert {key: notes[key] for key in graph_notes(strata.graph)} == graph_notes(strata.graph)
