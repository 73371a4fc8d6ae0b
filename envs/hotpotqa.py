"""HotpotQA (Yang et al. 2018, arXiv:1809.09600): questions over two pages, played as by ReAct (arXiv:2210.03629)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated

from envs.wiki.data import Question
from envs.wiki.scoring import exact_match, token_f1
from envs.wiki.session import Gold, WikiSession
from envs.wiki.world import World
from harness.errors import ConfigError
from harness.types import RUNTIME, ExpertKind, Task

_QUESTION_WORD = re.compile(r"\b(who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_VERB_FIRST = re.compile(r"\W*(are|is|was|were|did|do|does|has|have|had|can|could)\b", re.IGNORECASE)


class HotpotQA:
    """Questions over a frozen wiki; the family of a task is its type, bridge or comparison.

    The template adds the word that asks, as the question has it: ``bridge-which``, ``comparison-yes-no``. Score and
    success are exact match; F1 is reported beside them.

    Args:
        data: ``embedded``, or a file of HotpotQA's format, or a folder with one such file and maybe files of pages.
            ``$HARNESS_CACHE`` in it is where ``scripts.data`` puts its data.
        live: Whether pages come from Wikipedia as it is now instead of from the data.
        endpoint: Address of the MediaWiki API. Counts only where pages are live.
        recordings: Folder where live pages are recorded and taken from. Counts only where pages are live.
        timeout_s: Seconds until the API must have answered.
    """

    name = "hotpotqa"
    metrics: tuple[str, ...] = ("em", "f1")
    expert_kind: ExpertKind = "exact"
    offers_actions = False
    prompts = Path(__file__).with_name("wiki") / "prompts" / "hotpotqa"

    def __init__(
        self,
        *,
        data: str = "embedded",
        live: bool = False,
        endpoint: str = "https://en.wikipedia.org/w/api.php",
        recordings: str = "$HARNESS_CACHE/wikipedia",
        timeout_s: Annotated[float, RUNTIME] = 30.0,
    ) -> None:
        self._world = World(
            title="HotpotQA", kind=Question, data=data, live=live, endpoint=endpoint, recordings=recordings,
            timeout_s=timeout_s,
        )  # fmt: skip
        self.deterministic = self._world.deterministic

    @property
    def variant(self) -> str:
        """``embedded``, or the name of the file of questions; with ``-live`` where pages come from Wikipedia."""
        return self._world.variant

    @property
    def disclosures(self) -> Sequence[str]:
        """Say which questions and pages these are."""
        return self._world.disclosures

    def tasks(self) -> Sequence[Task]:
        """Return the questions in file order. Raises ConfigError where data is missing or damaged."""
        return [self._task(question) for question in self._questions.values()]

    def start(self, task: Task) -> WikiSession:
        """Start a fresh session of a question. Raises ConfigError for one that is not in the data."""
        if task.id not in self._questions:
            raise ConfigError(f"HotpotQA's data ({self.variant}) has no question {task.id!r}; take tasks from tasks()")
        question = self._questions[task.id]
        gold = question.answer
        return WikiSession(
            self._task(question),
            Gold(gold, self._world.known(question.titles)),
            self._world.wiki,
            measure=lambda answer: {"em": exact_match(answer, gold), "f1": token_f1(answer, gold)},
        )

    def digests(self) -> Mapping[str, str]:
        """Return the sha256 of each data file used."""
        return self._world.digests()

    def close(self) -> None:
        """Nothing was started ahead."""

    @cached_property
    def _questions(self) -> Mapping[str, Question]:
        return {question.id: question for question in self._world.corpus.rows}

    def _task(self, question: Question) -> Task:
        template = f"{question.type}-{_asking_word(question.question)}"
        return Task(question.id, self.name, question.question, question.type, template)


def _asking_word(question: str) -> str:
    """Return the first word that asks; ``yes-no`` where a verb comes first, ``other`` where nothing asks."""
    if _VERB_FIRST.match(question):
        return "yes-no"
    found = _QUESTION_WORD.search(question)
    return found[1].lower() if found else "other"
