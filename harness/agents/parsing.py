"""Reads the thought and the action out of a model's answer, which may be anything at all."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass

_REASONING = re.compile(r"<(?P<close>/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_MARK = re.compile(
    r"^[ \t>#*_`-]*(?P<word>thought|action|observation)[ \t]*\d*[*_`]*[ \t]*:[*_]*[ \t]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*```")
_FIELD = r"""["']{name}["']\s*:\s*(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_ACTION_FIELD = re.compile(_FIELD.format(name="action"), re.DOTALL)
_THOUGHT_FIELD = re.compile(_FIELD.format(name="thought"), re.DOTALL)
_WRAPPERS = ("**", "`", '"', "'")


@dataclass(frozen=True, slots=True)
class Answer:
    """A readable answer."""

    thought: str
    """Empty where the model gave none."""
    action: str
    """Never empty; several lines only where the model fenced them."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer without a complete action."""

    text: str
    """What the model said, reasoning taken out."""
    reason: str
    """What is wrong with it: the end of a sentence that begins with "your answer"."""


def visible(text: str | None) -> str:
    """Return an answer without the reasoning in think tags, and without characters that no file can hold.

    A tag that is never closed hides the rest; one that was never opened hides what came before it.
    """
    clean = (text or "").encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    kept: list[str] = []
    start, inside = 0, False
    for tag in _REASONING.finditer(clean):
        if tag["close"]:
            kept = kept if inside else []
        elif not inside:
            kept.append(clean[start : tag.start()])
        start, inside = tag.end(), not tag["close"]
    return "".join(kept if inside else [*kept, clean[start:]]).strip()


def parse_answer(text: str | None, *, cut: bool = False) -> Answer | Unreadable:
    """Return the first complete action of an answer and the thought before it.

    An action stands behind ``Action:`` or on the lines below it: one line, or a whole fenced block. Markdown around
    the mark, and one pair of quotes, backticks or asterisks around the whole action, are taken off; everything else
    is kept verbatim. Without the mark, the ``action`` field of something like JSON counts.

    Args:
        text: the answer as it came; reasoning in think tags is never looked at.
        cut: whether the answer was cut off by a length limit, so that an action at its very end is not complete.
    """
    clean = visible(text)
    lines = clean.split("\n")
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    marked = False
    for number, line in enumerate(lines):
        mark = _MARK.match(line)
        if mark is None or mark["word"].lower() != "action":
            continue
        marked = True
        action, ended = _action_at(lines, fences, number, mark)
        if action and (ended or not cut):
            return _answer(_thought_before(lines[:number]), action)
    field = None if marked else _ACTION_FIELD.search(clean)
    if field and (value := _string(field["value"])):
        thought = _THOUGHT_FIELD.search(clean)
        return Answer(_string(thought["value"]) if thought else "", value)
    return Unreadable(clean, _reason(clean, marked=marked, cut=cut))


def _reason(clean: str, *, marked: bool, cut: bool) -> str:
    if not clean:
        return "was empty"
    if cut:
        return "was cut off before its action was complete"
    return "has no complete action behind `Action:`" if marked else "has no line that begins with `Action:`"


def _action_at(lines: list[str], fences: list[int], number: int, mark: re.Match[str]) -> tuple[str, bool]:
    """Return the action behind a mark, empty if there is none, and whether more text shows that it was not cut off."""
    rest, bold = mark["rest"], "**" in lines[number][: mark.start("rest")]
    if rest.strip("*_ \t") == "":
        below = (at for at in range(number + 1, len(lines)) if lines[at].strip())
        number = next(below, len(lines))
        if number == len(lines) or _MARK.match(lines[number]):
            return "", False
        rest = lines[number]
    if _FENCE.match(rest) and rest.count("```") == 1:
        after = bisect_right(fences, number)
        action = "\n".join(lines[number + 1 : fences[after]]).strip("\n") if after < len(fences) else ""
        return (action, True) if action.strip() else ("", False)
    return _plain(rest, bold=bold), number + 1 < len(lines)


def _plain(text: str, *, bold: bool) -> str:
    """Return a one-line action without what is wrapped around the whole of it."""
    text = text.strip()
    if bold and text.count("**") % 2:
        text = text.removesuffix("**").rstrip()
    if text.startswith("```") and text.endswith("```"):
        text = text.strip("`").strip()
    for wrapper in _WRAPPERS:
        inner = text[len(wrapper) : -len(wrapper)]
        if text.startswith(wrapper) and text.endswith(wrapper) and inner and wrapper not in inner:
            text = inner.strip()
    return "" if text.strip("*_`\"'") == "" else text


def _answer(thought: str, action: str) -> Answer:
    """Return the answer; an action that is itself an object with an action field is taken out of it."""
    if action.startswith("{") and (field := _ACTION_FIELD.search(action)) and (value := _string(field["value"])):
        return Answer(thought, value)
    return Answer(thought, action)


def _thought_before(lines: list[str]) -> str:
    """Return the text from the first thought mark on, or all of it where there is no such mark."""
    for number, line in enumerate(lines):
        mark = _MARK.match(line)
        if mark is not None and mark["word"].lower() == "thought":
            lines = [mark["rest"], *lines[number + 1 :]]
            break
    kept = [line for line in lines if not _FENCE.match(line)]
    return "\n".join(kept).strip().removesuffix("**").strip()


def _string(literal: str) -> str:
    """Return what a quoted string of JSON, or of something like it, says; empty if that is not text."""
    try:
        value = json.loads(literal, strict=False) if literal.startswith('"') else literal[1:-1].replace("\\'", "'")
    except json.JSONDecodeError:
        value = literal[1:-1]
    return str(value).encode("utf-8", "replace").decode("utf-8").strip()
