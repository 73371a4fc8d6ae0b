"""What reflectors answer: the schemas, and drafts of nodes made of answers that may hold anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from strata.settings import Reflecting
from strata.words import clean, clean_code

Text = Annotated[str, Field(max_length=20_000)]
Lines = Annotated[list[Text], Field(max_length=400)]
Reflector = Literal["workflow", "skill", "code", "role"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", defer_build=True)


class RouterAnswer(_Answer):
    """Which sub-reflectors look at an episode."""

    reflectors: list[Reflector] = Field(max_length=64)


class AtomicAnswer(_Answer):
    """Refine a unit, create one, or neither."""

    decision: Literal["refine", "create", "none"]
    target: Text = ""
    merge: Lines = []
    name: Text = ""
    content: Text = ""
    applicability_condition: Text = ""
    goal: Text = ""
    lines: Lines = []
    tags: Lines = []


class WorkflowAnswer(_Answer):
    """A generalized procedure."""

    name: Text
    content: Text
    applicability_condition: Text
    goal: Text
    procedure: Annotated[Lines, Field(min_length=1)]
    calls: Lines = []
    tags: Lines = []


class VariantAnswer(_Answer):
    """The one difference that also worked."""

    variant: Text


class PitfallAnswer(_Answer):
    """The one thing to avoid."""

    pitfall: Text


class MetaAnswer(_Answer):
    """The principle of a family of workflows."""

    name: Text
    content: Text
    applicability_condition: Text
    goal: Text
    principle: Annotated[Lines, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Draft:
    """Texts of a node to be, cleaned: single lines, no control characters, none longer than allowed."""

    name: str
    content: str
    applicability: str
    goal: str
    body: tuple[str, ...]


def drafted(
    answer: AtomicAnswer | WorkflowAnswer | MetaAnswer, body: Sequence[str], settings: Reflecting
) -> Draft | None:
    """Return the draft in an answer, or None where it has no name, no content or no body.

    ``body`` is clean already, by ``plain_body`` or ``code_body``.
    """

    def line(text: str) -> str:
        return clean(text, settings.line_chars)

    name, content = line(answer.name), line(answer.content)
    if not (name and content and body):
        return None
    return Draft(name, content, line(answer.applicability_condition), line(answer.goal), tuple(body[: settings.lines]))


def plain_body(lines: Sequence[str], settings: Reflecting) -> list[str]:
    """Return steps or sentences one an entry, empty ones left out."""
    return [line for line in (clean(line, settings.line_chars) for line in lines) if line]


def code_body(lines: Sequence[str], settings: Reflecting) -> list[str]:
    """Return code one line an entry, its spaces kept and its tabs expanded; empty lines are left out."""
    found = [part for line in lines for part in line.replace("\r\n", "\n").split("\n")]
    return [line for line in (clean_code(line, settings.line_chars) for line in found) if line]
