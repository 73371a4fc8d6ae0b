"""Prompts of the memory's own calls: templates as files, in ``prompts/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

from harness.types import Message

FOLDER = Path(__file__).parent / "prompts"


def messages(name: str, /, **values: str) -> list[Message]:
    """Return the prompt of one call: the template ``prompts/NAME.md`` with its blanks filled in."""
    return [Message("user", _template(name).substitute(values))]


@cache
def _template(name: str) -> Template:
    return Template((FOLDER / f"{name}.md").read_text(encoding="utf-8").rstrip("\n"))
