"""Exact match and F1 on the cases that HotpotQA's own evaluation is known for."""

from __future__ import annotations

import pytest

from envs.wiki.scoring import exact_match, normalize, token_f1


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        ("The  Chief of Protocol", "chief of protocol"),
        ("U.S.A.", "usa"),
        ("an apple, a pear", "apple pear"),
        ("Theodore", "theodore"),
        ("the", ""),
        ("3,000", "3000"),
        ("\tYes!\n", "yes"),
        ("Łódź", "łódź"),
    ],
)
def test_normalising_drops_case_ascii_punctuation_articles_and_blanks(answer: str, normal: str) -> None:
    assert normalize(answer) == normal


@pytest.mark.parametrize(
    ("answer", "gold", "em", "f1"),
    [
        ("Chief of Protocol", "the chief of protocol", 1.0, 1.0),
        ("Chief Protocol", "Chief of Protocol", 0.0, 0.8),
        ("of of", "of", 0.0, 2 / 3),
        ("yes", "Yes.", 1.0, 1.0),
        ("yes", "no", 0.0, 0.0),
        ("yes it is", "yes", 0.0, 0.0),
        ("noanswer", "no answer", 0.0, 0.0),
        ("no one", "no one else", 0.0, 0.8),
        ("", "Tarrow", 0.0, 0.0),
        ("the", "a", 1.0, 0.0),
        ("supports", "SUPPORTS", 1.0, 1.0),
        ("not enough information", "NOT ENOUGH INFO", 0.0, 2 / 3),
    ],
)
def test_exact_match_and_f1(answer: str, gold: str, em: float, f1: float) -> None:
    assert exact_match(answer, gold) == em
    assert token_f1(answer, gold) == pytest.approx(f1)
    assert token_f1(gold, answer) == pytest.approx(f1)
