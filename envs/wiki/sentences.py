"""Splits running text into sentences, where a data file has not done so already."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]*[^\W_a-z])")
_ABBREVIATIONS = re.compile(
    r"(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Sr|No|Vol|Lt|Col|Gen|Capt|Sgt|Rev|Hon|Gov|Sen|Rep|Inc|Ltd|Co|Corp"
    r"|vs|ca|c|b|d|approx|pl|lit|feat|ft|e\.g|i\.e)\."
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")


def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order. A line ends one; initials and common abbreviations do not."""
    return tuple(sentence for line in text.splitlines() for sentence in _split_line(line) if sentence)


def _split_line(line: str) -> list[str]:
    found, start = [], 0
    for end in _END.finditer(line):
        word = line[max(line.rfind(" ", 0, end.start()) + 1, start) : end.end()].lstrip("\"'“‘([")
        if _ABBREVIATIONS.fullmatch(word) or _INITIALS.fullmatch(word):
            continue
        found.append(line[start : end.end()].strip())
        start = end.end()
    return [*found, line[start:].strip()]
