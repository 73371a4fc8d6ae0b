"""The graph controller: one call that rules on each retrieved insight (11) and, apart from that, on a new one (12).

A controller only decides; ``maintenance`` edits. An answer that is not one whole ruling (an insight missing or unknown,
a verb it may not use, prose, half an object) is asked for again; if it stays so, it rules nothing: every insight is
kept, none is added, and that is counted. Of an insight named twice the last ruling counts, as in any JSON object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator

from baselines.g_memory.asking import Asker, call_of
from baselines.g_memory.trajectory import clean
from evoedit.insight_graph import InsightNode
from harness.types import Episode

PROMPTS = Path(__file__).with_name("prompts")
ROLE = "controller"

Verb = Literal["KEEP", "ARCHIVE", "REVISE"]
Controlling = Literal["all", "add_keep_archive", "add_keep"]
"""Figure 3's variants: which verbs the controller has."""
VERBS: dict[Controlling, tuple[Verb, ...]] = {
    "all": ("KEEP", "ARCHIVE", "REVISE"),
    "add_keep_archive": ("KEEP", "ARCHIVE"),
    "add_keep": ("KEEP",),
}

Text = Annotated[str, Field(max_length=20_000)]


@dataclass(frozen=True, slots=True)
class Ruling:
    """Equation (11): what becomes of one retrieved insight."""

    insight: str
    verb: Verb
    text: str = ""
    """The new wording of a REVISE."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything the controller said about one episode."""

    rulings: tuple[Ruling, ...]
    """One for each retrieved insight, in their order."""
    added: str | None
    """Equation (12): the text of the new insight where a = 1."""
    readable: bool = True
    """Whether it was said at all, or is what an unreadable answer comes to."""


def _word(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _binary(value: object) -> object:
    """Read what models write for 0 and 1; anything else is left for the schema to refuse."""
    word = str(value).strip().lower()
    return {"1": 1, "true": 1, "0": 0, "false": 0}.get(word, value)


class _Edit(BaseModel):
    """The ruling on one insight, as answered."""

    model_config = ConfigDict(extra="ignore", defer_build=True)
    operation: Any
    text: Text = ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.operation == "REVISE" and not clean(self.text, 10):
            raise ValueError("REVISE needs the new wording in text")
        return self


class _Keep(_Edit):
    operation: Annotated[Literal["KEEP"], BeforeValidator(_word)]


class _KeepOrArchive(_Edit):
    operation: Annotated[Literal["KEEP", "ARCHIVE"], BeforeValidator(_word)]


class _Any(_Edit):
    operation: Annotated[Literal["KEEP", "ARCHIVE", "REVISE"], BeforeValidator(_word)]


_EDITS: dict[Controlling, type[_Edit]] = {"all": _Any, "add_keep_archive": _KeepOrArchive, "add_keep": _Keep}


class _Adding(BaseModel):
    """The separate decision on a new insight, as answered."""

    model_config = ConfigDict(extra="ignore", defer_build=True)
    add: Annotated[Literal[1, 0], BeforeValidator(_binary)]
    new_insight: Text = ""

    @model_validator(mode="after")
    def _stated(self) -> Self:
        if self.add == 1 and not clean(self.new_insight, 10):
            raise ValueError("add is 1, so new_insight must hold its text")
        return self


def name_of(number: int) -> str:
    """Return what the n-th retrieved insight is called in prompt and answer, from 1."""
    return f"insight_{number}"


@cache
def answer_schema(controlling: Controlling, insights: int) -> type[BaseModel]:
    """Return the schema of an answer on so many insights: one field each, and no others; without any, ADD alone."""
    if not insights:
        return _Adding
    fields: dict[str, Any] = {name_of(n): (_EDITS[controlling], ...) for n in range(1, insights + 1)}
    edits = create_model("Edits", __config__=ConfigDict(extra="forbid"), **fields)
    return create_model("Ruled", __base__=_Adding, edits=(edits, ...))


@dataclass(frozen=True, slots=True)
class Controller:
    """Asks the model.

    Args:
        controlling: which verbs it has.
        line_chars: longest text of an insight.
    """

    asker: Asker
    controlling: Controlling
    line_chars: int

    def decide(self, episode: Episode, insights: Sequence[InsightNode], values: dict[str, str]) -> Decision:
        """Return the decision on the insights retrieved for an episode.

        ``values`` are its ``task``, ``trajectory`` and ``outcome``, as the prompt shows them.
        """
        listed = "\n".join(_listed(number, node) for number, node in enumerate(insights, 1)) or "(none)"
        verbs = "\n".join(_verb_text(verb) for verb in VERBS[self.controlling]) if insights else ""
        call = call_of(episode.task.id, episode.trial, "update", ROLE)
        schema = answer_schema(self.controlling, len(insights))
        prompt = "controller" if insights else "add"
        answer = self.asker.ask(schema, {**values, "insights": listed, "verbs": verbs}, call, prompt=prompt)
        if not isinstance(answer, _Adding):
            return Decision(tuple(Ruling(node.id, "KEEP") for node in insights), None, readable=False)
        edits: BaseModel | None = getattr(answer, "edits", None)
        rulings = tuple(
            self._ruling(node.id, getattr(edits, name_of(number))) for number, node in enumerate(insights, 1)
        )
        return Decision(rulings, clean(answer.new_insight, self.line_chars) if answer.add else None)

    def _ruling(self, node_id: str, edit: _Edit) -> Ruling:
        verb: Verb = edit.operation
        return Ruling(node_id, verb, clean(edit.text, self.line_chars) if verb == "REVISE" else "")


def _listed(number: int, node: InsightNode) -> str:
    evidence = f"supported by {len(node.positives)} earlier tasks, {len(node.negatives)} against"
    return f"[{name_of(number)}] {node.text} ({evidence})"


@cache
def _verb_text(verb: Verb) -> str:
    return (PROMPTS / f"verb_{verb.lower()}.md").read_text(encoding="utf-8").strip()
