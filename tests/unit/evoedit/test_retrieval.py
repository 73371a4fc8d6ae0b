"""Equations (7) to (10), and that what is archived is never retrieved, whatever happened before."""

from __future__ import annotations

import numpy as np
import pytest

from evoedit.controller import Decision, Ruling
from evoedit.insight_graph import Evidence, InsightGraph, InsightNode
from evoedit.maintenance import apply_decision
from evoedit.retrieval import candidates, rank, top
from harness.seeds import Draws


def node(name: str, positives: str, negatives: str = "", *, active: bool = True, born: str = "") -> InsightNode:
    return InsightNode(name, name, positives.split(), negatives.split(), active, born.split())


def ids(found: object) -> list[str]:
    return [each.node.id for each in found]  # type: ignore[attr-defined]


def test_candidates_are_active_and_have_a_positive_query_in_the_subgraph() -> None:
    nodes = [
        node("near", "q1 q9"),
        node("far", "q9"),
        node("archived", "q1", active=False),
        node("against", "q9", "q1"),
    ]
    assert ids(candidates(nodes, {"q1", "q2"}, 1.0, "t")) == ["near"]
    assert candidates(nodes, set(), 1.0, "t") == []


def test_the_score_is_support_less_lambda_times_conflict() -> None:
    nodes = [node("a", "q1 q2 q3 q8", "q4 q9"), node("b", "q1", "q2 q3 q4")]
    found = candidates(nodes, {"q1", "q2", "q3", "q4"}, 0.5, "t")
    assert [(each.support, each.conflict, each.score) for each in found] == [(3, 1, 2.5), (1, 3, -0.5)]


def test_the_best_b_are_retrieved_and_of_equal_ones_the_older() -> None:
    nodes = [node("one", "q1"), node("two", "q1 q2"), node("old", "q2"), node("three", "q1 q2 q3")]
    found = candidates(nodes, {"q1", "q2", "q3"}, 1.0, "t")
    assert ids(top(found, 3)) == ["three", "two", "one"]
    assert ids(top(found, 9)) == ["three", "two", "one", "old"]
    assert top(found, 0) == ()


def test_the_penalty_reorders_and_pushes_out_and_that_is_told() -> None:
    nodes = [node("disputed", "q1 q2", "q3 q4"), node("plain", "q1")]
    subgraph = {"q1", "q2", "q3", "q4"}
    weak = rank(nodes, subgraph, lambda_=0.0, b=1, task_id="t")
    strong = rank(nodes, subgraph, lambda_=1.0, b=1, task_id="t")
    assert (ids(weak.retrieved), weak.conflicting, weak.reranked) == (["disputed"], 1, False)
    assert (ids(strong.retrieved), strong.conflicting, strong.reranked) == (["plain"], 1, True)
    assert strong.candidates == 2


def test_insights_made_from_the_task_at_hand_are_left_out() -> None:
    nodes = [node("own", "q1", born="t0 t1"), node("other", "q1", born="t2")]
    assert ids(rank(nodes, {"q1"}, lambda_=1.0, b=5, task_id="t1").retrieved) == ["other"]


@pytest.mark.parametrize("own_variant", [False, True])
def test_in_ten_thousand_random_histories_nothing_archived_is_ever_retrieved(own_variant: bool) -> None:
    """And under the paper's rules an active node never has a negative, so that c = 0 and lambda is without effect."""
    conflicts = retrieved = archived = 0
    for history in range(10_000):
        rng = Draws(0, "histories").at(history)
        graph = InsightGraph()
        for number in range(int(rng.integers(2, 9))):
            subgraph = {f"q{at}" for at in range(number) if rng.random() < 0.7}
            found = rank(graph.nodes.values(), subgraph, lambda_=float(rng.integers(3)), b=3, task_id=f"t{number}")
            assert all(each.node.active for each in found.retrieved)
            retrieved += len(found.retrieved)
            conflicts += found.conflicting
            evidence = Evidence((f"q{number}",), (f"t{number}",), bool(rng.random() < 0.5), number)
            decision = Decision(
                tuple(_ruling(each.node.id, rng) for each in found.retrieved), "new." if rng.random() < 0.7 else None
            )
            apply_decision(graph, decision, evidence, negatives_on_failure=own_variant)
            assert own_variant or not any(each.negatives for each in graph.active)
        archived += len(graph) - len(graph.active)
    assert min(retrieved, archived) > 5_000
    assert (conflicts > 0) == own_variant


def _ruling(node_id: str, rng: np.random.Generator) -> Ruling:
    verb = ("KEEP", "KEEP", "ARCHIVE", "REVISE")[int(rng.integers(4))]
    return Ruling(node_id, verb, "revised." if verb == "REVISE" else "")  # type: ignore[arg-type]
