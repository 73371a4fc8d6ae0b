"""Words: which of them are lexical evidence, and how they are taken apart."""

from __future__ import annotations

import pytest

from strata.words import STOP_WORDS, goal_words, singular, words
from tests.unit.strata.building import TableEmbedder, by_rule, memory, plant, task


def test_stop_words_are_no_lexical_evidence() -> None:
    assert words("Put the mug in the sink, and THEN turn it on!") == {"put", "mug", "sink", "turn"}
    assert words(" ".join(STOP_WORDS)) == set()
    assert words(" ".join(sorted(STOP_WORDS)).upper()) == set()


def test_a_text_that_shares_only_stop_words_with_a_node_scores_no_higher_for_them() -> None:
    scores = []
    for text in ("the egg is in the way", "egg way"):
        embedder = TableEmbedder({text: (1.0,)})
        strata = memory(by_rule(), embedder, drop=["content", "index", "tag"], retrieval={"gate": 0.0})
        plant(strata.store, "workflow", content="the mug is in the sink", applicability="in the way", goal="the")
        scores += [item.score for item in strata.retrieve(task(0, text), "", trial=1).items]
    assert scores == pytest.approx([0.5 + 0.075] * 2)


def test_words_are_lower_cased_and_keep_hyphens_and_apostrophes() -> None:
    assert words("Don't re-use my_file 2!") == {"don't", "re-use", "my_file", "2"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Heat it. Then cool it.", ["heat", "it", ""]),
        ("  Take an egg, a mug!\nMore.", ["take", "an", "egg", "", "a", "mug", ""]),
        ("heat it", ["heat", "it"]),
        ("", []),
    ],
)
def test_goal_words_are_those_of_the_first_sentence_in_order_with_marks_as_gaps(text: str, found: list[str]) -> None:
    assert goal_words(text, 1) == found


@pytest.mark.parametrize(
    ("word", "single"),
    [("mugs", "mug"), ("bus", "bus"), ("glass", "glass"), ("iris", "iris"), ("berries", "berry"), ("ties", "tie")],
)
def test_only_a_plain_plural_ending_is_taken_off(word: str, single: str) -> None:
    assert singular(word) == single
