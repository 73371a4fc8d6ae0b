"""Exact match and token F1 of short answers, as HotpotQA's own evaluation defines them (Yang et al. 2018)."""

from __future__ import annotations

import re
import string
from collections import Counter

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_VERDICTS = frozenset({"yes", "no", "noanswer"})


def normalize(answer: str) -> str:
    """Return an answer in lower case without ASCII punctuation and English articles, with single blanks."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, gold: str) -> float:
    """Return 1.0 where both are equal once normalised, else 0.0."""
    return float(normalize(answer) == normalize(gold))


def token_f1(answer: str, gold: str) -> float:
    """Return the F1 of the normalised words, 0.0 to 1.0; 0.0 where either is a yes or no that the other is not."""
    ours, theirs = normalize(answer), normalize(gold)
    if ours != theirs and not _VERDICTS.isdisjoint((ours, theirs)):
        return 0.0
    words, gold_words = Counter(ours.split()), Counter(theirs.split())
    common = (words & gold_words).total()
    return 2 * common / (words.total() + gold_words.total()) if common else 0.0
