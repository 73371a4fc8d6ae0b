"""Where sentences end."""

from __future__ import annotations

import pytest

from envs.wiki.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ("One.", "Two!", "Three?", "Four")),
        ("J. R. R. Tolkien wrote it. Dr. Who did not.", ("J. R. R. Tolkien wrote it.", "Dr. Who did not.")),
        ("The U.S. Army came. It left.", ("The U.S. Army came.", "It left.")),
        ('He said "Go." Then he went.', ('He said "Go."', "Then he went.")),
        ("It rose by 3.5 points. Über alles.", ("It rose by 3.5 points.", "Über alles.")),
        ("a first line\n\nand another one", ("a first line", "and another one")),
        ("see e.g. Malmö. 北京很大。", ("see e.g. Malmö.", "北京很大。")),
        ("Marvel vs. Capcom is a game.", ("Marvel vs. Capcom is a game.",)),
        ("", ()),
    ],
)
def test_a_text_is_split_at_the_ends_of_sentences_only(text: str, sentences: tuple[str, ...]) -> None:
    assert split_sentences(text) == sentences


def test_a_hostile_text_is_split_in_bounded_time() -> None:
    assert len(split_sentences(". A" * 50_000)) > 1
