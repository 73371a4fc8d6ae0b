"""Forgetting: ranks, ages, and a collection that spares bridges, checked against a plain definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from strata.collector import Ages, collect, cut_vertices, degrees, quality, ranks, spare_cuts, surplus
from strata.graph import Origin
from strata.maintenance import Totals, collect_round
from strata.similarity import on_score_grid
from strata.similarity_graph import Edges
from tests.unit.strata.building import mechanisms, plant, settings

FORGETTING = settings()["forgetting"]


def graph_of(n: int, pairs: list[tuple[int, int]], weights: list[float] | None = None) -> Edges:
    """Return W from pairs of places; weights are on a grid of 1/64, equal ones by default."""
    unique = sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
    left, right = (np.array([pair[end] for pair in unique], dtype=np.int64) for end in (0, 1))
    weight = np.array([(weights or [0.5])[at % len(weights or [0.5])] for at in range(len(unique))])
    return Edges(np.arange(n), left, right, weight, {})


def aged(scores: list[float]) -> list[float]:
    ages = Ages(FORGETTING)
    slots = np.arange(len(scores))
    ages.set(len(scores), 0.0)
    for slot in slots.tolist():
        ages.set(slot, 1.0)
    ages.retrieve(slots, np.array(scores, np.float32), 0.35, slots)
    return [float(age) for age in ages.of(slots)]


def test_ranks_lie_between_zero_and_one_and_ties_are_averaged() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 9.0])).tolist() == pytest.approx([0.5, 0.0, 0.5, 1.0])
    assert ranks(np.array([2.0, 2.0, 2.0])).tolist() == pytest.approx([0.5, 0.5, 0.5])
    assert ranks(np.array([7.0])).tolist() == [0.0]


def test_quality_keeps_central_workflows_and_lets_old_ones_go() -> None:
    q = quality(np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0]), FORGETTING)
    assert q.tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_all_candidates_age_at_every_retrieval_empty_ones_too() -> None:
    assert aged([0.1, 0.2]) == pytest.approx([1.02, 1.02])


def test_the_winner_is_halved_after_its_aging() -> None:
    assert aged([0.1, 0.8])[1] == pytest.approx(1.02 * 0.5)


def test_a_close_loser_ages_most() -> None:
    far, close, winner = aged([0.4, 0.79, 0.8])
    assert close > far > 1.02 > winner
    assert close == pytest.approx(1.02 + 0.10 * 0.79 * (1 - (0.8 - 0.79) / 0.8))


def test_a_loser_below_the_gate_was_not_retrieved_and_pays_no_penalty() -> None:
    assert aged([0.34, 0.8])[0] == pytest.approx(1.02)


def test_a_score_of_just_the_gate_was_retrieved() -> None:
    ages = Ages(FORGETTING)
    ages.retrieve(np.arange(1), np.array([on_score_grid(0.33)], np.float32), 0.33, np.arange(1))
    assert ages.of(np.arange(1)).tolist() == pytest.approx([0.02 * 0.5])


def test_a_collection_leaves_at_least_one_workflow() -> None:
    assert surplus(2, 1, 0.15) == 1
    assert surplus(9, 3, 1.0) == 8


def test_nothing_is_collected_at_the_cap_and_above_it_down_to_the_hysteresis_floor() -> None:
    assert surplus(20, 20, 0.15) == 0
    assert surplus(21, 20, 0.15) == 4
    assert surplus(33, 32, 0.15) == 33 - 27


PATH = graph_of(5, [(0, 1), (1, 2), (2, 3), (3, 4)])


def deletions(edges: Edges, age: list[float], count: int, mode: str = "protected") -> list[tuple[int, str, int | None]]:
    found = collect(edges, np.array(age), count, FORGETTING, mode)  # type: ignore[arg-type]
    return [(each.place, each.reason, each.protected) for each in found]


def test_a_cut_vertex_is_spared_while_a_non_cut_vertex_exists() -> None:
    assert cut_vertices(PATH) == [1, 2, 3]
    old_middle = [0.0, 0.0, 9.0, 0.0, 0.0]
    assert deletions(PATH, old_middle, 1) == [(0, "lowest_non_cut", 2)]
    assert deletions(PATH, old_middle, 1, "unprotected") == [(2, "lowest", None)]


def test_of_equal_qualities_the_older_node_goes_first() -> None:
    assert deletions(graph_of(3, []), [1.0, 1.0, 1.0], 2) == [(0, "lowest", None), (1, "lowest", None)]


def test_cut_vertices_are_recomputed_after_each_deletion() -> None:
    order = [place for place, _, _ in deletions(PATH, [5.0, 4.0, 3.0, 2.0, 1.0], 4)]
    assert order[0] == 0
    assert order[1] == 1


def test_if_every_candidate_is_a_cut_vertex_the_unconstrained_minimum_goes() -> None:
    q, alive = np.array([0.4, 0.1, 0.3]), np.array([5, 6, 9])
    assert spare_cuts(q, alive, {5, 6, 9}, lowest=1) == (1, "all_cut")
    assert spare_cuts(q, alive, {6}, lowest=1) == (2, "lowest_non_cut")
    assert spare_cuts(q, alive, {5}, lowest=1) == (1, "lowest")


@given(st.integers(1, 25), st.data())
@budget(max_examples=60, deadline=None)
def test_collection_always_makes_progress(n: int, data: st.DataObject) -> None:
    place = st.integers(0, n - 1)
    edges = graph_of(n, data.draw(st.lists(st.tuples(place, place), max_size=40)))
    places = [each[0] for each in deletions(edges, [0.0] * n, n)]
    assert sorted(places) == list(range(n))


def brute_force(edges: Edges, age: list[float], count: int, protect: bool) -> list[tuple[int, str, int | None]]:
    """Do what the rule says, with networkx and plain loops."""
    graph = nx.Graph()
    graph.add_nodes_from(range(edges.slots.size))
    for a, b, w in zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True):
        graph.add_edge(a, b, weight=w)
    done: list[tuple[int, str, int | None]] = []
    for _ in range(count):
        nodes = sorted(graph)
        degree = {v: sum(graph[v][u]["weight"] for u in graph[v]) for v in nodes}

        def rank(values: dict[int, float], node: int, among: list[int] = nodes) -> float:
            lower = sum(values[other] < values[node] for other in among)
            equal = sum(values[other] == values[node] for other in among) - 1
            return (lower + equal / 2) / (len(among) - 1) if len(among) > 1 else 0.0

        old = {v: age[v] for v in nodes}
        q = {v: 0.35 * rank(degree, v) + 0.65 * (1 - rank(old, v)) for v in nodes}
        lowest = min(nodes, key=lambda v: (round(q[v], 12), v))
        cuts = set(nx.articulation_points(graph))
        free = [v for v in nodes if v not in cuts]
        chosen, reason = lowest, "lowest"
        if protect and lowest in cuts:
            chosen = min(free, key=lambda v: (round(q[v], 12), v)) if free else lowest
            reason = "lowest_non_cut" if free else "all_cut"
        done.append((chosen, reason, lowest if chosen != lowest else None))
        graph.remove_node(chosen)
    return done


@given(st.integers(1, 18), st.booleans(), st.data())
@budget(max_examples=150, deadline=None)
def test_the_collector_does_what_a_brute_force_definition_does(n: int, protect: bool, data: st.DataObject) -> None:
    place = st.integers(0, n - 1)
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=3 * n))
    weights = data.draw(st.lists(st.sampled_from([0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=5))
    age = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    edges, count = graph_of(n, pairs, weights), data.draw(st.integers(0, n))
    assert deletions(edges, age, count, "protected" if protect else "unprotected") == brute_force(
        edges, age, count, protect
    )


def test_activation_is_the_similarity_weighted_degree() -> None:
    assert degrees(graph_of(3, [(0, 1), (1, 2)], [0.25, 0.5])).tolist() == [0.25, 0.75, 0.5]


@pytest.mark.parametrize("seed", range(200))
def test_cut_vertices_agree_with_networkx_on_random_graphs(seed: int) -> None:
    graph = nx.gnm_random_graph(30 + seed % 40, 20 + seed, seed=seed)
    edges = graph_of(graph.number_of_nodes(), list(graph.edges))
    assert cut_vertices(edges) == sorted(nx.articulation_points(graph))


def test_orphaned_atomics_and_unsupported_metas_cascade_away() -> None:
    parts = mechanisms(forgetting={"cap": 2})
    store, totals = parts.store, Totals()
    old, *kept = (plant(store, "workflow", n, tags=["app:x"]).id for n in range(3))
    shared, orphan = plant(store, "skill", 1).id, plant(store, "code", 2).id
    lost, supported = plant(store, "meta", 1).id, plant(store, "meta", 2).id
    for atomic in (shared, orphan):
        store.graph.link("call", old, atomic)
    store.graph.link("call", kept[0], shared)
    for meta in (lost, supported):
        store.graph.link("generalizes", old, meta)
    store.graph.link("generalizes", kept[0], supported)
    parts.ages.set(store.geometry.slot[old], 9.0)
    done = collect_round(
        store, store.w.build(), FORGETTING.model_copy(update={"hysteresis": 0.0}), "unprotected", 2, totals
    )
    assert [row["id"] for row in done["deleted"]] == [old]
    assert set(done["cascaded"]) == {orphan, lost}
    assert set(store.graph.nodes) == {*kept, shared, supported}
    assert totals.deleted == 1


def test_an_atomic_that_never_had_a_caller_is_no_orphan() -> None:
    store = mechanisms().store
    old, kept = (plant(store, "workflow", n).id for n in range(2))
    alone, orphan = plant(store, "skill", 1).id, plant(store, "skill", 2).id
    store.graph.link("call", old, orphan)
    store.ages.set(store.geometry.slot[old], 9.0)
    done = collect_round(store, store.w.build(), FORGETTING, "unprotected", 1, Totals())
    assert done["cascaded"] == [orphan]
    assert set(store.graph.nodes) == {kept, alone}


def test_without_pressure_nothing_is_collected_and_nothing_cascades() -> None:
    parts = mechanisms()
    plant(parts.store, "skill", 1)
    plant(parts.store, "meta", 1)
    done = collect_round(parts.store, parts.store.w.build(), FORGETTING, "protected", 2, Totals())
    assert done == {"deleted": [], "protected": [], "cascaded": []}
    assert len(parts.store) == 2


@pytest.mark.parametrize(
    ("ages", "gone", "quality", "reason", "spared"),
    [
        ((0.0, 2.0, 1.0), 2, 0.65 * 0.5, "lowest", []),
        ((1.0, 2.0, 0.0), 0, 0.35 * 0.5 + 0.65 * 0.5, "lowest_non_cut", [1]),
    ],
)
def test_a_deletion_is_logged_with_its_quality_its_reason_and_where_the_workflow_is_from(
    ages: tuple[float, ...], gone: int, quality: float, reason: str, spared: list[int]
) -> None:
    store = mechanisms().store
    born = [(Origin("t", 1, f"family {n}", f"template {n}"), Origin("t", 2, "later", "later")) for n in range(3)]
    ids = [plant(store, "workflow", n, origins=origins).id for n, origins in enumerate(born)]
    for node_id, age in zip(ids, ages, strict=True):
        store.ages.set(store.geometry.slot[node_id], age)
    path = graph_of(3, [(0, 1), (1, 2)], [0.5, 0.25])
    done = collect_round(store, path, FORGETTING.model_copy(update={"hysteresis": 0.0}), "protected", 2, Totals())
    assert done["deleted"] == [{
        "id": ids[gone], "quality": pytest.approx(quality), "reason": reason,
        "family": f"family {gone}", "template": f"template {gone}",
    }]  # fmt: skip
    assert done["protected"] == [ids[place] for place in spared]


def test_of_equal_winners_it_is_the_oldest_that_wins_wherever_it_stands() -> None:
    ages, slots = Ages(FORGETTING), np.arange(3)
    ages.retrieve(slots, np.array([0.75, 0.75, 0.5], np.float32), 0.35, np.array([7, 3, 1]))
    younger, oldest, _ = ages.of(slots).tolist()
    assert oldest == pytest.approx(0.02 * 0.5)
    assert younger == pytest.approx(0.02 + 0.10 * 0.75)


def test_bridges_are_counted_as_distinct_nodes_of_a_run() -> None:
    parts, totals = mechanisms(), Totals()
    totals.protected = ["workflow-00000"]
    ids = [plant(parts.store, "workflow", n).id for n in range(5)]
    parts.ages.set(parts.store.geometry.slot[ids[2]], 9.0)
    path = Edges(parts.store.w.build().slots, PATH.left, PATH.right, PATH.weight, {})
    collect_round(parts.store, path, FORGETTING, "protected", 4, totals)
    assert totals.protected == ["workflow-00000", ids[2]]
