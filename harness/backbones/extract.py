"""The one extractor of JSON out of a model's text. The text is hostile: time, depth and size are bounded."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import dataclass, field

from harness.backbones.answers import split_reasoning
from harness.errors import ParseError

MAX_CHARS = 200_000
"""Longer answers are refused unread."""
MAX_DEPTH = 64
"""Deeper nesting is refused: it breaks recursive readers further on."""
MAX_REPAIR_CHARS = 50_000
"""Longer broken JSON is not repaired, nor deeper one: that takes time that grows faster than the text."""
_MAX_RESTARTS = 64
_MARK = re.compile(r'[{}\[\]"]')
_BRACKET = re.compile(r"[{}\[\]]")
_STRING_END = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_ARRAY = re.compile(r'\[\s*[{"\[]')


def extract_json(text: str, *, truncated: bool = False) -> object:
    """Return the JSON value in a text.

    Think blocks are skipped. Of several values the last whole object counts (models restate the schema or an example
    first, and draft before they decide), or the last whole array if there is no object. Only where nothing reads
    strictly is the last candidate repaired: trailing commas, single quotes, comments, a missing end. An answer known
    to be ``truncated`` inside a value is refused: what is missing cannot be guessed. Numbers are finite, texts can be
    written as UTF-8.

    Raises:
        ParseError: There is no JSON, or it is broken, too long, too deep or cut off; the text says which.
    """
    if len(text) > MAX_CHARS:
        raise ParseError(f"the answer has {len(text)} characters, more than the {MAX_CHARS} that are read")
    text, _ = split_reasoning(text)
    if not text:
        raise ParseError("the answer is empty")
    found = _scan(text)
    if truncated and found.unclosed is not None:
        raise ParseError("the answer was cut off inside its JSON")
    values = [text[begin:end] for begin, end, depth in found.spans if depth <= MAX_DEPTH]
    if found.spans and not values:
        raise ParseError(f"the JSON is nested deeper than {MAX_DEPTH}")
    candidates = sorted(values, key=lambda value: value.startswith("{"))[::-1] if values else _FENCE.findall(text)[::-1]
    # A stable sort, then reversed: objects before arrays, later ones before earlier ones.
    for candidate in candidates:
        try:
            return _sound(json.loads(candidate, parse_constant=_refuse))
        except (ValueError, RecursionError):
            continue
    tail = [] if found.unclosed is None else [text[found.unclosed :]]
    for candidate in [*candidates[:1], *tail]:
        value = _repaired(candidate)
        if value:
            return _sound(value)
    raise ParseError("the JSON in the answer is broken" if candidates or tail else "there is no JSON in the answer")


@dataclass(slots=True)
class _Found:
    spans: list[tuple[int, int, int]] = field(default_factory=list)
    """Begin, end and depth of each outermost bracketed part that is whole."""
    unclosed: int | None = None
    """Where a value begins that never ends; what it holds is not looked at, lest a part pass for the whole."""


def _scan(text: str) -> _Found:
    found = _Found()
    at, restarts = 0, 0
    while (begin := _next(text, at)) is not None:
        closed = _close(text, begin)
        if closed is not None:
            found.spans.append((begin, *closed))
            at = closed[0]
        elif text[begin] == "[" and not _ARRAY.match(text, begin) and restarts < _MAX_RESTARTS:
            restarts += 1  # a bracket of prose
            at = begin + 1
        else:
            found.unclosed = begin
            break
    return found


def _next(text: str, at: int) -> int | None:
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places, default=None)


def _close(text: str, begin: int) -> tuple[int, int] | None:
    """Return end and depth of the bracketed part that begins here; brackets inside strings do not count."""
    depth = deepest = 0
    at = begin
    while mark := _MARK.search(text, at):
        at = mark.end()
        if mark[0] == '"':
            string = _STRING_END.match(text, at)
            if string is None:
                return None
            at = string.end()
        elif mark[0] in "{[":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
            if depth == 0:
                return at, deepest
    return None


def _repaired(text: str) -> object:
    depths = itertools.accumulate(1 if mark in "{[" else -1 for mark in _BRACKET.findall(text))
    if len(text) > MAX_REPAIR_CHARS or max(depths, default=0) > MAX_DEPTH:
        return None
    import json_repair

    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON number")


def _sound(value: object, depth: int = 0) -> object:
    if depth > MAX_DEPTH:
        raise ParseError(f"the JSON is nested deeper than {MAX_DEPTH}")
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        raise ParseError("a number in the JSON is not finite")
    if isinstance(value, list):
        return [_sound(part, depth + 1) for part in value]
    if isinstance(value, dict):
        return {str(_sound(key)): _sound(part, depth + 1) for key, part in value.items()}
    return value
