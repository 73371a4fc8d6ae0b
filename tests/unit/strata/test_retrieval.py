"""Retrieval: the gate, the layer bonus, and what comes in around a seed."""

from __future__ import annotations

import numpy as np
import pytest

from strata.graph import Graph
from strata.mechanisms import Mechanisms
from strata.retrieval import NOTHING, Subgraph, rank_scores, seeds, subgraph
from strata.settings import Retrieving
from strata.similarity import on_score_grid
from tests.unit.strata.building import mechanisms, plant, settings

RETRIEVAL = settings()["retrieval"]


def planted(*kinds: str) -> tuple[Mechanisms, list[str]]:
    """Return parts with one node of each kind, and their ids; slots are in the same order."""
    parts = mechanisms()
    return parts, [plant(parts.store, kind, number).id for number, kind in enumerate(kinds)]  # type: ignore[arg-type]


def found(
    parts: Mechanisms, scores: list[float], excluded: tuple[str, ...] = (), asked: tuple[str, ...] = (),
    **changes: object,
) -> Subgraph:  # fmt: skip
    retrieving = Retrieving.model_validate({**RETRIEVAL.model_dump(), **changes})
    store, opposition = parts.store, parts.contrasts.opposition
    raw = np.array([on_score_grid(score) for score in scores], np.float32)
    return subgraph(store.graph, store.geometry, raw, retrieving, excluded, opposition, frozenset(asked))


def opposed() -> tuple[Mechanisms, str, str]:
    """Return parts with a heat and a cool workflow, in this order of slots, each with a meta and a skill."""
    parts = mechanisms()
    store = parts.store
    heat, cool = (plant(store, "workflow", n, tags=[f"op:{op}"]).id for n, op in enumerate(("heat", "cool")))
    for n, workflow in enumerate((heat, cool)):
        store.graph.link("generalizes", workflow, plant(store, "meta", n).id)
        store.graph.link("call", workflow, plant(store, "skill", n).id)
    store.graph.link("contrasts", heat, cool)
    return parts, heat, cool


def test_if_nothing_clears_the_gate_nothing_is_retrieved_at_all() -> None:
    parts, (meta, workflow, _) = planted("meta", "workflow", "skill")
    parts.store.graph.link("generalizes", workflow, meta)
    assert found(parts, [0.349, 0.349, 0.349]) == NOTHING
    assert not found(parts, [0.349, 0.349, 0.349])


def test_the_gate_reads_the_raw_score_and_not_the_rank_score() -> None:
    parts, _ = planted("meta")
    assert not found(parts, [0.34])
    assert found(parts, [0.35]).seeds


def test_ranks_favour_general_nodes_by_the_layer_bonus() -> None:
    ranks = rank_scores(np.full(3, 0.5, np.float32), np.array([0, 1, 2], np.int8), 0.15)
    assert ranks.tolist() == pytest.approx([0.65, 0.575, 0.5])


def test_seeds_are_ranked_by_score_and_bonus_together() -> None:
    parts, (skill, workflow, meta) = planted("skill", "workflow", "meta")
    assert found(parts, [0.55, 0.50, 0.45], seeds=2).seeds == (meta, workflow)
    assert found(parts, [0.70, 0.50, 0.45], seeds=2).seeds == (skill, meta)


def test_only_the_top_k_are_seeds_and_of_equal_ones_the_oldest() -> None:
    parts, ids = planted(*["workflow"] * 6)
    assert found(parts, [0.5, 0.6, 0.5, 0.7, 0.5, 0.4], seeds=3).seeds == (ids[3], ids[1], ids[0])


def test_a_seed_brings_its_meta_parents_that_clear_the_gate_themselves_and_no_others() -> None:
    parts, (near, far, workflow) = planted("meta", "meta", "workflow")
    for meta in (near, far):
        parts.store.graph.link("generalizes", workflow, meta)
    result = found(parts, [0.36, 0.34, 0.9], seeds=1)
    assert result.metas == (near,)


def test_a_seed_brings_the_atomics_it_calls_in_call_order_whatever_they_score() -> None:
    parts, (first, second, workflow) = planted("skill", "code", "workflow")
    parts.store.graph.link("call", workflow, second)
    parts.store.graph.link("call", workflow, first)
    assert found(parts, [0.0, 0.0, 0.9]).atomics == (second, first)


def test_a_seed_brings_its_contrast_neighbours_which_need_not_clear_the_gate() -> None:
    parts, (left, right) = planted("workflow", "workflow")
    parts.store.graph.link("contrasts", left, right)
    assert found(parts, [0.9, 0.0]).workflows == (left, right)
    assert found(parts, [0.0, 0.9]).workflows == (right, left)


def test_a_seed_brings_only_its_best_contrast_neighbours_so_that_what_is_injected_stays_bounded() -> None:
    parts, (seed, *others) = planted(*["workflow"] * 4)
    for other in others:
        parts.store.graph.link("contrasts", seed, other)
    scores = [0.9, 0.1, 0.3, 0.2]
    assert found(parts, scores).workflows == (seed, others[1])
    assert found(parts, scores, contrast_neighbours=2).workflows == (seed, others[1], others[2])
    assert found(parts, scores, contrast_neighbours=None).workflows == (seed, others[1], others[2], others[0])


def test_a_seed_that_opposes_the_query_stands_under_a_warning_without_its_meta_and_its_atomics() -> None:
    parts, heat, cool = opposed()
    asked = found(parts, [0.9, 0.1, 0.5, 0.5, 0.1, 0.1], asked=("cool",), seeds=1)
    assert asked.warned == {heat: cool}
    assert (asked.workflows, asked.metas, asked.atomics) == ((heat, cool), (), ())
    followed = found(parts, [0.9, 0.1, 0.5, 0.5, 0.1, 0.1], asked=("heat",), seeds=1)
    assert followed.warned == {cool: heat}
    assert [kind.rpartition("-")[0] for kind in (*followed.metas, *followed.atomics)] == ["meta", "skill"]


def test_a_meta_parent_of_exactly_the_gate_comes_in() -> None:
    parts, (meta, workflow) = planted("meta", "workflow")
    parts.store.graph.link("generalizes", workflow, meta)
    assert found(parts, [0.35, 0.9], seeds=1).metas == (meta,)
    assert found(parts, [0.35 - 2**-20, 0.9], seeds=1).metas == ()


@pytest.mark.parametrize("asked", ["heat", "cool"])
def test_a_contrast_neighbour_brings_nothing_of_its_own(asked: str) -> None:
    parts, heat, cool = opposed()
    result = found(parts, [0.9, 0.1, 0.5, 0.5, 0.5, 0.5], asked=(asked,), seeds=1)
    own = parts.store.graph.targets("generalizes", heat), parts.store.graph.targets("call", heat)
    assert result.workflows == (heat, cool)
    assert (result.metas, result.atomics) == (own if asked == "heat" else ((), ()))


def test_an_excluded_node_is_neither_seed_nor_neighbour() -> None:
    parts, (left, right) = planted("workflow", "workflow")
    parts.store.graph.link("contrasts", left, right)
    result = found(parts, [0.9, 0.8], excluded=(left,), seeds=1)
    assert (result.seeds, result.workflows, list(result.rank), result.warned) == ((right,), (right,), [right], {})
    assert found(parts, [0.9, 0.1], excluded=(left,)) == NOTHING


def test_an_excluded_node_does_not_take_a_neighbours_place_either() -> None:
    parts, (seed, best, second) = planted(*["workflow"] * 3)
    for other in (best, second):
        parts.store.graph.link("contrasts", seed, other)
    result = found(parts, [0.9, 0.3, 0.2], excluded=(best,))
    assert (result.workflows, result.warned) == ((seed, second), {second: seed})


def test_an_excluded_node_comes_in_as_no_parent_and_no_callee() -> None:
    parts, (meta, workflow, skill) = planted("meta", "workflow", "skill")
    parts.store.graph.link("generalizes", workflow, meta)
    parts.store.graph.link("call", workflow, skill)
    result = found(parts, [0.9, 0.9, 0.9], excluded=(meta, skill))
    assert (result.metas, result.workflows, result.atomics) == ((), (workflow,), ())
    assert list(result.rank) == [workflow]


def test_each_node_comes_once() -> None:
    parts, (meta, left, right, skill) = planted("meta", "workflow", "workflow", "skill")
    graph: Graph = parts.store.graph
    for workflow in (left, right):
        graph.link("generalizes", workflow, meta)
        graph.link("call", workflow, skill)
    result = found(parts, [0.9, 0.8, 0.8, 0.7], seeds=4)
    assert (result.metas, result.workflows, result.atomics) == ((meta,), (left, right), (skill,))


def test_free_slots_are_never_seeds() -> None:
    parts, ids = planted("workflow", "workflow")
    parts.store.remove(ids[0])
    assert seeds(parts.store.geometry, np.array([0.9, 0.5], np.float32), RETRIEVAL, ()).tolist() == [1]
