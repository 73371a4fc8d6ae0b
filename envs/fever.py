"""FEVER (Thorne et al. 2018, arXiv:1803.05355): claims to verify, played as by ReAct (arXiv:2210.03629)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, get_args

from envs.wiki.data import Claim, Label
from envs.wiki.scoring import exact_match
from envs.wiki.session import Gold, WikiSession
from envs.wiki.world import World
from harness.errors import ConfigError
from harness.types import RUNTIME, ExpertKind, Task

LABELS: tuple[str, ...] = get_args(Label)

_NEGATION = re.compile(
    r"\b(not|never|no|none|nobody|nothing|neither|nor|cannot|only|without|\w+n['’]t)\b", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\d|\b(one(?! of)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand|million"
    r"|billion|first|second|third|\w+teenth|\w+tieth)\b",
    re.IGNORECASE,
)
_CLASS = re.compile(r"\b(is|are|was|were)\s+(an?|the|one of)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(is|are|was|were|has|have|had|does|did|can|could|will|would)\b", re.IGNORECASE)


class Fever:
    """Claims over a frozen wiki; the family of a task is the form of its claim, told from the claim's words alone.

    ``negation`` (not, never, only, ...), else ``number`` (a digit, a number word), else ``class`` (is a, was the),
    else ``statement``. The template adds the claim's first auxiliary verb: ``class-is``, ``number-was``,
    ``statement-other``. Neither says what the label is: that stays inside the environment. Score and success are
    accuracy, exact match of the label; the same figure stands once more under its label's own name, such as
    ``accuracy_refutes``, among the measures of the finished episode.

    Args:
        data: ``embedded``, or a file of FEVER's format with files of pages beside it, or a folder of both.
            ``$HARNESS_CACHE`` in it is where ``scripts.data`` puts its data.
        live: Whether pages come from Wikipedia as it is now instead of from the data.
        endpoint: Address of the MediaWiki API. Counts only where pages are live.
        recordings: Folder where live pages are recorded and taken from. Counts only where pages are live.
        timeout_s: Seconds until the API must have answered.
    """

    name = "fever"
    metrics: tuple[str, ...] = ("accuracy",)
    expert_kind: ExpertKind = "exact"
    offers_actions = False
    prompts = Path(__file__).with_name("wiki") / "prompts" / "fever"

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
            title="FEVER", kind=Claim, data=data, live=live, endpoint=endpoint, recordings=recordings,
            timeout_s=timeout_s,
        )  # fmt: skip
        self.deterministic = self._world.deterministic

    @property
    def variant(self) -> str:
        """``embedded``, or the name of the file of claims; with ``-live`` where pages come from Wikipedia."""
        return self._world.variant

    @property
    def disclosures(self) -> Sequence[str]:
        """Say which claims and pages these are, and how many claims have all their evidence among the pages."""
        if self._world.embedded or not self._world.deterministic:
            return self._world.disclosures
        verifiable = [claim for claim in self._world.corpus.rows if claim.title_sets]
        covered = sum(any(self._known(titles) == titles for titles in claim.title_sets) for claim in verifiable)
        return (
            *self._world.disclosures,
            f"FEVER's evidence pages are all there for {covered:,} of {len(verifiable):,} verifiable claims.",
        )

    def tasks(self) -> Sequence[Task]:
        """Return the claims in file order. Raises ConfigError where data is missing or damaged."""
        return [self._task(claim) for claim in self._claims.values()]

    def start(self, task: Task) -> WikiSession:
        """Start a fresh session of a claim. Raises ConfigError for one that is not in the data."""
        if task.id not in self._claims:
            raise ConfigError(f"FEVER's data ({self.variant}) has no claim {task.id!r}; take tasks from tasks()")
        claim = self._claims[task.id]
        gold = claim.label
        return WikiSession(
            self._task(claim),
            Gold(gold, self._titles(claim)),
            self._world.wiki,
            measure=lambda answer: dict.fromkeys(("accuracy", _by_label(gold)), exact_match(answer, gold)),
            answers=LABELS,
        )

    def digests(self) -> Mapping[str, str]:
        """Return the sha256 of each data file used."""
        return self._world.digests()

    def close(self) -> None:
        """Nothing was started ahead."""

    @cached_property
    def _claims(self) -> Mapping[str, Claim]:
        return {f"claim-{claim.id}": claim for claim in self._world.corpus.rows}

    def _task(self, claim: Claim) -> Task:
        family = _form(claim.claim)
        verb = _VERB.search(claim.claim)
        template = f"{family}-{verb[1].lower() if verb else 'other'}"
        return Task(f"claim-{claim.id}", self.name, claim.claim, family, template)

    def _known(self, titles: Sequence[str]) -> tuple[str, ...]:
        return self._world.known(titles)

    def _titles(self, claim: Claim) -> tuple[str, ...]:
        """Return the evidence to read: the set with the fewest missing pages, of those the shortest, then the first."""
        sets = sorted(claim.title_sets, key=lambda titles: (len(titles) - len(self._known(titles)), len(titles)))
        return self._known(sets[0]) if sets else ()


def _form(claim: str) -> str:
    """Return the form of a claim; it depends on nothing but the claim."""
    forms = {"negation": _NEGATION, "number": _NUMBER, "class": _CLASS}
    return next((form for form, pattern in forms.items() if pattern.search(claim)), "statement")


def _by_label(label: str) -> str:
    """Return the name of the accuracy on claims of one label, such as ``accuracy_not_enough_info``."""
    return f"accuracy_{label.lower().replace(' ', '_')}"
