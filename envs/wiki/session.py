"""One running episode of searching an encyclopaedia for an answer: Search, Lookup, Finish."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from envs.wiki.pages import Page, Wiki
from envs.wiki.titles import title_key
from harness.errors import EnvironmentFault
from harness.types import Outcome, Step, StepKind, StopReason, Task

LEAD_SENTENCES = 5

NO_PAGE = "No page is open."
_ACTION = re.compile(r"\s*(search|lookup|finish)\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)
_INVALID = "Invalid action. Use Search[title], Lookup[keyword] or Finish[answer], with something between the brackets."
_ECHO_CHARS = 200
_FREE_TEXT = r"""text ::= ([^\x00-\x20\[\]] | bracket) ([^\x00-\x1f\[\]] | bracket){0,99}
bracket ::= "[" [^\x00-\x1f\[\]]{0,40} "]"
"""


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right, and where it says so."""

    answer: str
    titles: tuple[str, ...]
    """Pages that together give the answer, in the order to read them."""


class WikiSession:
    """An episode; it ends with Finish and never by itself, so that a limit on steps is the agent's.

    Args:
        task: The task, whose text is the question or the claim.
        gold: The right answer.
        wiki: Where the pages are.
        measure: Returns the metrics of an answer by name, each 0 to 1; the first is score and, if 1, success.
        answers: The only answers that can be right, where there are few; None where any text may be.
    """

    def __init__(
        self,
        task: Task,
        gold: Gold,
        wiki: Wiki,
        *,
        measure: Callable[[str], Mapping[str, float]],
        answers: Sequence[str] | None = None,
    ) -> None:
        self.task = task
        self.observation = NO_PAGE
        self._gold = gold
        self._wiki = wiki
        self._measure = measure
        self._answers = answers
        self._answer: str | None = None
        self._page: Page | None = None
        self._keyword = ""
        self._shown = 0
        self._asked: set[str] = set()

    @property
    def actions(self) -> Sequence[str] | None:
        """None: titles, keywords and answers cannot be listed."""
        return None

    def grammar(self) -> str | None:
        """Return the grammar of what can be done now: brackets within an argument are balanced, Lookup needs a page."""
        kinds = ("Search", "Lookup", "Finish") if self._page else ("Search", "Finish")
        arguments = dict.fromkeys(kinds, "text")
        if self._answers is not None:
            arguments["Finish"] = "(" + " | ".join(f'"{answer}"' for answer in self._answers) + ")"
        forms = (f'"{kind}[" {argument} "]"' for kind, argument in arguments.items())
        return f"root ::= {' | '.join(forms)}\n{_FREE_TEXT}"

    def step(self, action: str) -> Step:
        """Execute an action. Raises EnvironmentFault after the end, or where a page cannot be had."""
        if self._answer is not None:
            raise EnvironmentFault(f"the episode of {self.task.id} has ended: the action {action!r} cannot be played")
        match = _ACTION.fullmatch(action)
        argument = match[2].strip() if match else ""
        if match is None or not argument:
            return Step(StepKind.ACT, action, _INVALID)
        match match[1].lower():
            case "search":
                return Step(StepKind.ACT, action, self._search(argument))
            case "lookup":
                return Step(StepKind.ACT, action, self._look_up(argument))
            case _:
                self._answer = argument
                return Step(StepKind.ACT, action, "Your answer is noted.", reward=self._score(), done=True)

    def outcome(self) -> Outcome:
        """Return the verdict; without an answer it is a failure with score 0."""
        score = self._score()
        return Outcome(score == 1.0, score, StopReason.SOLVED if score == 1.0 else StopReason.FAILED)

    def measures(self) -> Mapping[str, float]:
        """Return every metric of the answer given, each 0 to 1; 0 without one."""
        if self._answer is None:
            return dict.fromkeys(self._measure(""), 0.0)
        return self._measure(self._answer)

    def expert(self) -> str | None:
        """Return the search for the next gold title not asked for yet, then Finish with the gold answer."""
        if self._answer is not None:
            return None
        left = (title for title in self._gold.titles if title not in self._asked)
        title = next(left, None)
        return f"Finish[{self._gold.answer}]" if title is None else f"Search[{title}]"

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return the search for a random title."""
        titles = self._wiki.titles
        return f"Search[{titles[int(rng.integers(len(titles)))]}]" if titles and self._answer is None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing was started."""

    def _score(self) -> float:
        return next(iter(self.measures().values()))

    def _search(self, title: str) -> str:
        """Open a page and show how it begins; without such a page the one open before stays open."""
        page = self._wiki.open(title)
        self._asked.add(title)
        if page is None:
            similar = json.dumps(list(self._wiki.similar(title)), ensure_ascii=False)
            return f"Could not find [{_echo(title)}]. Similar: {similar}"
        self._asked.add(page.title)
        self._page, self._keyword, self._shown = page, "", 0
        return " ".join(page.sentences[:LEAD_SENTENCES]) or "The page is empty."

    def _look_up(self, keyword: str) -> str:
        """Show the next sentence of the open page that has the keyword in it, whatever its case."""
        if self._page is None:
            return f"{NO_PAGE} Lookup works on the page that the last successful Search opened."
        key = title_key(keyword)
        if key != self._keyword:
            self._keyword, self._shown = key, 0
        hits = [sentence for sentence in self._page.sentences if key in title_key(sentence)]
        if self._shown == len(hits):
            return "No more results."
        self._shown += 1
        return f"(Result {self._shown} / {len(hits)}) {hits[self._shown - 1]}"


def _echo(text: str) -> str:
    """Return a text to repeat in an observation: not endless, and without characters that no file can hold."""
    kept = text.encode("utf-8", "replace").decode("utf-8")
    return kept if len(kept) <= _ECHO_CHARS else f"{kept[:_ECHO_CHARS]}..."
