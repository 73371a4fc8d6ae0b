"""Scores of insights: what each operation and each episode costs or gains, and what falls out of the list."""

from __future__ import annotations

import pytest

from baselines.g_memory.insights import Edit, InsightList, Verb
from tests.unit.baselines.g_memory.building import graph

QUERIES = list(graph([1.0], [0.0, 1.0], failed=[2]).nodes.values())


def grown(count: int, *, full: int = 10, by_substring: bool = False) -> InsightList:
    made = InsightList(full, by_substring=by_substring)
    for number in range(1, count + 1):
        made.apply(Edit("ADD", f"rule {number}.", None), QUERIES[:1])
    return made


def scores(of: InsightList) -> dict[str, int]:
    return {rule.id: rule.score for rule in of.rules}


def test_a_new_rule_has_score_2_and_the_compared_queries_for_positives() -> None:
    (rule,) = grown(1).rules
    assert (rule.text, rule.score, rule.positives, rule.negatives, rule.born) == ("rule 1.", 2, ["q00001"], [], ["t1"])


@pytest.mark.parametrize(
    ("verb", "score", "text", "positives", "negatives", "born"),
    [
        ("AGREE", 3, "rule 1.", ["q00001", "q00002"], [], ["t1"]),
        ("EDIT", 3, "better.", ["q00001", "q00002"], [], ["t1", "t2"]),
        ("REMOVE", 1, "rule 1.", ["q00001"], ["q00001", "q00002"], ["t1"]),
    ],
)
def test_operations_change_score_text_and_evidence(
    verb: Verb, score: int, text: str, positives: list[str], negatives: list[str], born: list[str]
) -> None:
    made = grown(2)
    assert made.apply(Edit(verb, "better.", "i00001"), QUERIES) == "i00001"
    rule, other = made.rules
    assert (rule.score, rule.text, rule.positives, rule.negatives, rule.born) == (
        score,
        text,
        positives,
        negatives,
        born,
    )
    assert (other.score, other.text) == (2, "rule 2.")


@pytest.mark.parametrize(("length", "left"), [(9, 1), (10, None), (11, None)])
def test_remove_costs_3_only_when_the_list_is_full_and_a_rule_without_score_is_gone(
    length: int, left: int | None
) -> None:
    made = grown(length)
    made.apply(Edit("REMOVE", "", "i00003"), QUERIES)
    assert scores(made).get("i00003") == left
    assert len(made) == length - (left is None)


def test_a_solved_episode_gives_1_and_a_failed_one_takes_2_of_the_rules_shown() -> None:
    made = grown(3)
    assert made.backward(["i00001", "i00002"], resolved=True) == 2
    assert scores(made) == {"i00001": 3, "i00002": 3, "i00003": 2}
    assert made.backward(["i00001", "i00003"], resolved=False) == 2
    assert scores(made) == {"i00001": 1, "i00002": 3}
    assert made.backward(["i00003"], resolved=True) == 0


def test_ids_are_never_given_again() -> None:
    made = grown(2)
    made.backward(["i00002"], resolved=False)
    assert made.apply(Edit("ADD", "rule.", None), QUERIES) == "i00003"


def test_agree_by_substring_credits_the_last_rule_where_nothing_matches() -> None:
    made = grown(3, by_substring=True)
    assert made.apply(Edit("AGREE", "rule 2", None), QUERIES) == "i00002"
    assert made.apply(Edit("AGREE", "no such words", None), QUERIES) == "i00003"
    assert made.apply(Edit("AGREE", "", None), QUERIES) == "i00003"
    assert scores(made) == {"i00001": 2, "i00002": 3, "i00003": 4}
