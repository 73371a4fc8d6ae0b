"""Fine-tuning: when it comes, which episodes are compared, which rules are shown, which answers count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from baselines.g_memory.asking import Asker
from baselines.g_memory.condensing import PROMPTS
from baselines.g_memory.finetuning import FineTuner
from baselines.g_memory.insights import Edit, Insight, InsightList
from baselines.g_memory.queries import QueryGraph
from baselines.g_memory.settings import Fault
from harness.seeds import Draws
from tests.unit.baselines.g_memory.building import graph, settings, task
from tests.unit.strata.building import by_rule, experience

ALIKE = [[1.0, 0.1 * n] for n in range(8)]


def tuner(answer: Any = None, faults: Sequence[Fault] = (), seed: int = 0, **numbers: Any) -> FineTuner:
    backbone = by_rule(fine_tune=answer) if answer is not None else by_rule()
    tuning = settings(finetuning=numbers)["finetuning"]
    return FineTuner(Asker(backbone, PROMPTS, 2), Draws(seed, "memory"), tuning, 600, frozenset(faults))


def edits(made: FineTuner, of: QueryGraph, rules: InsightList) -> list[Edit]:
    episode = experience(task(0)).episode
    found = []
    for comparison, edit in made.round(of, episode, lambda: rules.rules):
        rules.apply(edit, comparison.queries)
        found.append(edit)
    return found


def operation(verb: str, rule: int = 0, text: str = "look first.") -> dict[str, Any]:
    return {"operations": [{"operation": verb, "rule": rule, "text": text}]}


def test_a_round_comes_every_5_stored_episodes() -> None:
    assert [stored for stored in range(21) if tuner().due(stored)] == [5, 10, 15, 20]
    assert [stored for stored in range(21) if tuner(start=11).due(stored)] == [15, 20]


def test_each_of_five_points_gives_a_pair_and_a_chunk_of_solved_episodes() -> None:
    made = tuner()
    comparisons = made.comparisons(graph(*ALIKE, failed=[2, 5]))
    assert len(comparisons) == 10
    for pair, chunk in zip(comparisons[::2], comparisons[1::2], strict=True):
        assert [query.resolved for query in pair.queries] == [True, False]
        assert all(query.resolved for query in chunk.queries)
        assert len(chunk.queries) in (3, 4)
        assert (pair.prompt, chunk.prompt) == ("compare", "generalize")
        assert pair.around == chunk.around


def test_points_are_drawn_from_the_seed_and_the_number_of_episodes_alone() -> None:
    of = graph(*ALIKE)
    assert tuner().comparisons(of) == tuner().comparisons(of)
    assert any(tuner(seed=seed).comparisons(of) != tuner().comparisons(of) for seed in range(1, 4))


def test_a_point_is_compared_with_itself_with_the_fault_alone() -> None:
    of = graph(*ALIKE)
    for comparison in tuner().comparisons(of):
        assert len({query.id for query in comparison.queries}) == len(comparison.queries)
    doubled = tuner(faults=["point_counted_twice"]).comparisons(of)
    assert all(comparison.queries[0] == comparison.queries[1] for comparison in doubled)


def test_only_rules_that_half_of_the_episodes_speak_for_are_shown() -> None:
    of = graph(*ALIKE[:4])
    for covered, shown in ((1, False), (2, True), (4, True)):
        rules = InsightList(10)
        rules.replace([Insight("i9", "known.", 5, list(of.nodes)[:covered])])
        found = edits(tuner(operation("REMOVE", 1), points=1), of, rules)
        assert bool(found) is shown, covered


@pytest.mark.parametrize(
    "answer",
    [operation("ADD", text="no full stop"), operation("EDIT", 1, ""), operation("AGREE", 0), operation("AGREE", 2),
     operation("REMOVE", -1), "prose", {"operations": [{"operation": "BURN"}]}, ""],
)  # fmt: skip
def test_an_operation_that_cannot_be_carried_out_is_counted_and_left_out(answer: Any) -> None:
    of = graph(*ALIKE[:4])
    rules = InsightList(10)
    rules.replace([Insight("i9", "known.", 5, list(of.nodes))])
    made = tuner(answer, points=1)
    assert edits(made, of, rules) == []
    assert made.asker.unreadable["fine_tune"] == 1
    assert [(rule.text, rule.score) for rule in rules.rules] == [("known.", 5)]


def test_no_more_than_four_operations_of_an_answer_count() -> None:
    rules = InsightList(10)
    many = {"operations": [{"operation": "ADD", "rule": 0, "text": f"rule {n}."} for n in range(7)]}
    assert len(edits(tuner(many, points=1), graph(*ALIKE[:3]), rules)) == 4


def test_a_rule_that_an_edit_before_it_dropped_is_not_edited() -> None:
    of = graph(*ALIKE[:3])
    rules = InsightList(10)
    rules.replace([Insight("i9", "known.", 1, list(of.nodes))])
    twice = {"operations": [{"operation": "REMOVE", "rule": 1}, {"operation": "AGREE", "rule": 1}]}
    made = tuner(twice, points=1)
    assert [edit.verb for edit in edits(made, of, rules)] == ["REMOVE"]
    assert (len(rules), made.asker.unreadable["fine_tune"]) == (0, 1)


def test_agree_takes_a_text_with_the_fault_and_a_number_without() -> None:
    of = graph(*ALIKE[:3])
    for faults, credited in (((), "i1"), (("agree_by_substring",), "i2")):
        rules = InsightList(10, by_substring=bool(faults))
        rules.replace([Insight("i1", "one.", 5, list(of.nodes)), Insight("i2", "two.", 5, list(of.nodes))])
        edits(tuner(operation("AGREE", 1, "no match"), faults, points=1), of, rules)  # type: ignore[arg-type]
        assert {rule.id: rule.score for rule in rules.rules}[credited] == 6
