"""How texts are taken apart into words: for the lexical overlap, and for tags by rule."""

from __future__ import annotations

import re

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but by
    can could did do does down during each either every few first five for four from further had has have having he
    her here hers him his how i if in inside into is it its itself just like me more most my near no nor not now of
    off on once one only onto or other our out outside over own please same second she should since so some such than
    that the their theirs them then there these they third this those three through to too two under until up upon us
    very was we were what when where which while who whom whose why will with within without would you your
    """.split()  # noqa: SIM905
)
"""Words without a topic; they are no lexical evidence and they end a row of words."""

TAB = 4
"""Columns between the stops of a tab in code."""

_WORD = re.compile(r"[^\W_]+(?:['’_\-][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+(?:['’_\-][^\W_]+)*|[.,;:!?()\[\]\"\n]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def words(text: str) -> frozenset[str]:
    """Return a text's lower-cased words, stop words left out."""
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


def goal_words(text: str, sentences: int) -> list[str]:
    """Return the words of a text's first sentences in order; a mark between words stands as an empty word."""
    goal = " . ".join([part for part in _SENTENCE_END.split(text.strip()) if part][:sentences])
    return [piece if piece[0].isalnum() else "" for piece in _PIECE.findall(goal.lower())]


def singular(word: str) -> str:
    """Return a word without a plain plural ending; words of three letters and those in -ss, -us, -is are left alone."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def clean(text: str, limit: int) -> str:
    """Return hostile text as one line that can be stored: no control characters, single spaces, at most ``limit``."""
    printable = "".join(mark if mark.isprintable() else " " for mark in _encodable(text))
    return " ".join(printable.split())[:limit].rstrip()


def clean_code(line: str, limit: int) -> str:
    """Return a hostile line of code as ``clean`` would, but with its spaces, and tabs as the spaces they stand for."""
    marks = (mark if mark.isprintable() or mark == "\t" else " " * mark.isspace() for mark in _encodable(line))
    return "".join(marks).expandtabs(TAB)[:limit].rstrip()


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
