"""The tag space app:* / op:* / obj:*, and two parsers that put queries and nodes into it: by rule, or by an LLM."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from harness.agents.layout import TASK
from harness.backbones.structured import ask
from harness.errors import ContextOverflow, ParseError
from harness.protocols import Backbone
from harness.types import Call
from strata.prompting import messages
from strata.settings import Tagging
from strata.words import STOP_WORDS, goal_words, singular

_VALUE = re.compile(r"[a-z0-9][a-z0-9_\-]*")


SPACES = ("app:", "op:", "obj:")


class TagParser(Protocol):
    """Puts a text into the tag space."""

    def parse(self, text: str, benchmark: str, call: Call) -> frozenset[str]:
        """Return the tags of a text; at least its application."""

    def of_unit(self, answered: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
        """Return the tags of a unit: of its texts, or those answered with them; no application where none is named."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The canonical words of the tag space."""

    operators: Mapping[str, str]
    """Word -> operator."""
    apps: Mapping[str, str]
    """Word -> application."""
    ignore: frozenset[str]

    @classmethod
    def of(cls, settings: Tagging) -> Vocabulary:
        """Turn the configuration's lists round: from word to what it names."""
        operators = {word: op for op, names in settings.operators.items() for word in (op, *names)}
        apps = {word: app for app, names in settings.apps.items() for word in (app, *names)}
        return cls(operators, apps, frozenset(settings.ignore))

    def canonical(self, tag: str) -> str | None:
        """Return a tag with its words made canonical, or None where it is no tag."""
        space, _, value = tag.strip().lower().partition(":")
        value = re.sub(r"\s+", "_", value.strip())
        if space not in ("app", "op", "obj") or not _VALUE.fullmatch(value):
            return None
        if space == "op":
            return f"op:{self.operators.get(value, self.operators.get(singular(value), value))}"
        return f"app:{self.apps.get(value, value)}" if space == "app" else f"obj:{singular(value)}"


class RuleTagParser:
    """Reads tags by rule: known words name operators and applications, heads of the other word runs are objects.

    A run is a row of words between stop words, operators, application names and marks; its last word is its head:
    "put the clean red mug in the sink" has the heads mug and sink.
    """

    def __init__(self, settings: Tagging) -> None:
        self._vocabulary = Vocabulary.of(settings)
        self._sentences = settings.sentences

    def parse(self, text: str, benchmark: str, call: Call) -> frozenset[str]:
        """Return the tags of a text's first sentences; asks nobody."""
        return with_app(self.read(text), benchmark)

    def of_unit(self, answered: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
        """Return what the first sentences of all texts name together."""
        return frozenset().union(*map(self.read, texts))

    def read(self, text: str) -> frozenset[str]:
        """Return what a text's first sentences name; no application where they name none."""
        known = self._vocabulary
        tags, head = set[str](), ""
        for word in [*goal_words(text, self._sentences), ""]:
            boundary = word in STOP_WORDS or not word
            named = _meaning(word, known.operators, "op") or _meaning(word, known.apps, "app")
            if boundary or named:
                tags |= {f"obj:{singular(head)}"} if head else set()
                tags |= {named} if named else set()
                head = ""
            elif len(word) > 1 and not word.isdigit() and not known.ignore & {word, singular(word)}:
                head = word
        return frozenset(tags)


def _meaning(word: str, names: Mapping[str, str], space: str) -> str | None:
    """Return the tag that a word, or a plain inflection of it, names."""
    stems = (word, singular(word), re.sub(r"(?:ing|ed|es|e?s)$", "", word), re.sub(r"(?:ing|ed)$", "e", word))
    return next((f"{space}:{names[stem]}" for stem in stems if stem in names), None)


def with_app(tags: Iterable[str], benchmark: str) -> frozenset[str]:
    """Return tags with the benchmark as application where they name none."""
    return filled(tags, [f"app:{benchmark}"])


def filled(tags: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Return tags, and of each kind that they have none of those of others."""
    found = frozenset(tags)
    missing = tuple(space for space in SPACES if not any(tag.startswith(space) for tag in found))
    return found | {tag for tag in others if tag.startswith(missing)}


class TagAnswer(BaseModel):
    """What an LLM answers when it is asked for tags."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    tags: list[str] = Field(max_length=64, description="app:<application>, op:<operation>, obj:<target object>")


class LLMTagParser:
    """Asks the backbone; whatever it answers becomes canonical, and what is no tag is left out.

    Args:
        repairs: How often an unreadable answer is asked for again.
        unreadable: Counts answers that stayed unreadable; the text is then parsed by rule.
    """

    def __init__(self, settings: Tagging, backbone: Backbone, repairs: int, unreadable: Counter[str]) -> None:
        self._vocabulary, self._most = Vocabulary.of(settings), settings.most
        self._rule = RuleTagParser(settings)
        self._backbone, self._repairs = backbone, repairs
        self._unreadable = unreadable

    def parse(self, text: str, benchmark: str, call: Call) -> frozenset[str]:
        """Return the tags that the backbone reads in a text."""
        known = ", ".join(sorted(set(self._vocabulary.operators.values())))
        prompt = messages("tags", task=f"{TASK} {text}", benchmark=benchmark, operators=known)
        try:
            answer = ask(self._backbone, prompt, TagAnswer, call=call, repairs=self._repairs)
        except (ParseError, ContextOverflow):
            self._unreadable["tags"] += 1
            return self._rule.parse(text, benchmark, call)
        return with_app(self.accept(answer.tags), benchmark)

    def of_unit(self, answered: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
        """Return the tags that were answered with the texts; asks nobody."""
        return self.accept(answered)

    def accept(self, answered: Iterable[str]) -> frozenset[str]:
        """Return the tags among what somebody wrote, canonical and at most ``most`` of each kind."""
        found = dict.fromkeys(filter(None, (self._vocabulary.canonical(tag) for tag in answered)))
        kept = [[tag for tag in found if tag.startswith(space)][: self._most] for space in SPACES]
        return frozenset(tag for tags in kept for tag in tags)
