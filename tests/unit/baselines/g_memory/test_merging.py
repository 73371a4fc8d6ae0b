"""Merging: clusters by first neighbours, when it comes, how many rules are asked for, and what is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from baselines.g_memory.asking import Asker
from baselines.g_memory.condensing import PROMPTS
from baselines.g_memory.insights import Insight, InsightList
from baselines.g_memory.merging import Merger, finch
from tests.unit.baselines.g_memory.building import graph, settings, task
from tests.unit.strata.building import by_rule, experience, random_unit, unit


def merger(answer: Any = None, *faults: str, **numbers: Any) -> Merger:
    backbone = by_rule(merge=answer) if answer is not None else by_rule()
    return Merger(Asker(backbone, PROMPTS, 2), settings(merging=numbers)["merging"], 600, frozenset(faults))  # type: ignore[arg-type]


def rules(*positives: str) -> InsightList:
    made = InsightList(10)
    made.replace(
        [Insight(f"i{n}", f"rule {n}.", 4, each.split(), ["q00001"], [f"born{n}"]) for n, each in enumerate(positives)]
    )
    return made


def merge(made: Merger, of: InsightList, *vectors: list[float]) -> int:
    return made.merge(graph(*vectors), of, experience(task(0)).episode)


def test_first_neighbours_cluster_what_lies_together() -> None:
    rows = np.stack([unit(each) for each in ([1, 0], [0, 1], [1, 0.1], [0.1, 1], [1, 0.2])])
    assert finch(rows) == [0, 1, 0, 1, 0]
    assert finch(rows[:1]) == [0]
    assert finch(rows[:0]) == []


def test_clusters_are_those_of_the_adjacency_in_the_definition() -> None:
    """Literally: i and j are joined if j is i's nearest, i is j's, or both have the same nearest."""
    for case in range(20):
        rows = np.stack([random_unit("finch", case, n) for n in range(15)])
        cosines = (rows.astype(float) @ rows.T.astype(float)).round(6)
        np.fill_diagonal(cosines, -2)
        near = cosines.argmax(axis=1)
        joined = [[j == near[i] or i == near[j] or near[i] == near[j] for j in range(15)] for i in range(15)]
        reach = np.linalg.matrix_power(np.array(joined, dtype=float) + np.eye(15), 15) > 0
        labels = finch(rows)
        assert [[labels[i] == labels[j] for j in range(15)] for i in range(15)] == reach.tolist()


def test_a_merge_comes_every_20_stored_episodes() -> None:
    assert [stored for stored in range(61) if merger().due(stored)] == [20, 40, 60]


@pytest.mark.parametrize(("count", "faulty", "sound"), [(1, 0, 1), (3, 0, 1), (8, 0, 2), (9, 1, 3), (10, 1, 3)])
def test_the_published_code_asks_for_no_rules_where_a_batch_is_under_nine(count: int, faulty: int, sound: int) -> None:
    assert merger(None, "merge_asks_for_none").target(count) == faulty
    assert merger().target(count) == sound


def test_the_list_is_replaced_and_new_rules_have_score_2_their_clusters_positives_and_no_negatives() -> None:
    of = rules("q00001", "q00002")
    assert merge(merger({"rules": ["both."]}), of, [1.0], [1.0, 0.1]) == 1
    (rule,) = of.rules
    assert (rule.text, rule.score, rule.positives, rule.negatives) == ("both.", 2, ["q00001", "q00002"], [])
    assert rule.born == ["born0", "born1"]


def test_rules_are_merged_by_cluster_in_batches_of_ten() -> None:
    of = rules(*["q00001"] * 12, "q00003")
    made = merger({"rules": ["a.", "b.", "c.", "d."]})
    assert merge(made, of, [1.0], [1.0, 0.1], [0.0, 1.0], [0.0, 1.0, 0.1]) == 3 + 1 + 1
    assert {tuple(rule.positives) for rule in of.rules} == {("q00001", "q00002"), ("q00003", "q00004")}


@pytest.mark.parametrize("answer", ["prose", "", {"rules": []}, {"rules": [" "]}])
def test_a_batch_whose_answer_cannot_be_read_stays_as_it_is(answer: Any) -> None:
    of = rules("q00001", "q00002")
    assert merge(merger(answer), of, [1.0], [1.0, 0.1]) == 0
    assert [(rule.id, rule.score, rule.negatives) for rule in of.rules] == [
        ("i0", 4, ["q00001"]),
        ("i1", 4, ["q00001"]),
    ]


def test_with_the_fault_an_answer_without_rules_empties_the_list() -> None:
    of = rules("q00001", "q00002")
    assert merge(merger({"rules": []}, "merge_asks_for_none"), of, [1.0], [1.0, 0.1]) == 0
    assert len(of) == 0
