"""The pages of an encyclopaedia that never changes, found by exact title or by nearness."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from envs.wiki.titles import title_key

if TYPE_CHECKING:
    from bm25s import BM25

N_SIMILAR = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Page:
    """One page."""

    title: str
    sentences: tuple[str, ...]


class Wiki(Protocol):
    """Where a session finds its pages."""

    @property
    def titles(self) -> Sequence[str]:
        """Titles that are known beforehand, in a fixed order."""

    def open(self, title: str) -> Page | None:
        """Return the page of a title, or None. Raises EnvironmentFault where it cannot be had."""

    def similar(self, query: str) -> Sequence[str]:
        """Return at most five titles near a query, nearest first. Raises EnvironmentFault likewise."""


class FrozenWiki:
    """Pages kept in memory; the index for similar titles is made when it is first needed.

    Args:
        pages: The pages; of several with one title the first counts.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages: dict[str, Page] = {}
        self._titles: dict[str, str] = {}
        for page in pages:
            self._pages.setdefault(page.title, page)
            self._titles.setdefault(title_key(page.title), page.title)

    @cached_property
    def titles(self) -> Sequence[str]:
        """All titles, in the order of the pages."""
        return tuple(self._pages)

    def open(self, title: str) -> Page | None:
        """Return the page of exactly this title, else of the first equal one (see title_key), else None."""
        return self._pages.get(title) or self._pages.get(self._titles.get(title_key(title), ""))

    def similar(self, query: str) -> Sequence[str]:
        """Return the titles of the five best pages by BM25, the title counted twice; equal scores in page order."""
        words = [word for word in _words(query) if word in self._index.vocab_dict]
        if not words:
            return ()
        scores = self._index.get_scores(words)
        best = np.argsort(-scores, kind="stable")[:N_SIMILAR]
        return [self.titles[at] for at in best if scores[at] > 0]

    @cached_property
    def _index(self) -> BM25:
        from bm25s import BM25

        index = BM25()
        texts = (f"{page.title} {page.title} {' '.join(page.sentences)}" for page in self._pages.values())
        index.index([_words(text) for text in texts], show_progress=False)
        return index


def _words(text: str) -> list[str]:
    return _WORD.findall(title_key(text))
