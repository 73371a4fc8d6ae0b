"""Reads any memory text as a list of notes: what each is about, its procedure, and what it warns of."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Literal

Section = Literal["title", "steps", "bare", "warning", "pitfall", "skipped"]
"""``bare``: steps one below the other without bullets; ``skipped``: the text of an observation or a thought."""

_BULLET = re.compile(r"(?:\d{1,3}[.):](?=\s)|[-*•–](?=\s)|(?:->|→|=>|>)\s*|step \d+\s*[.:)-])\s*", re.I)
_ITEM = re.compile(
    r"#+\s|\[[^\]\s]{1,16}\](?=\s)|(?:item|memory|note|episode|example|skill|case)\s*#?\d+\b|[-=]{3,}$", re.I
)
_TITLE = re.compile(r"(?:task|goal|title|name|instruction|query|intent|when)\s*(?:\([^)]*\))?\s*:\s*", re.I)
_ACTION = re.compile(r"action(?:\s*\d+)?\s*:\s*", re.I)
_LABEL = re.compile(r"([A-Za-z][\w ,'/()-]{1,60}):\s*")
_ARROWS = re.compile(r"\s*(?:->|→|=>|⇒|➜)\s*")
_WARNING = re.compile(r"(?:do not|don't|not to be|never) confuse|confusable|easily confused|not the same as", re.I)
_PITFALL = re.compile(r"\b(?:pitfalls?|avoid\w*|mistakes?|never|do not|don't|caution|failed actions?)\b", re.I)
_STEPS = re.compile(r"\b(?:actions?|steps?|procedures?|plan|workflow|trajectory|solution|script|recipe)\b", re.I)
_QUOTED = re.compile(r"(?:first |last |initial )?(?:observation|obs|thought|state)\s*\d*\s*:", re.I)
_REMARK = re.compile(r"(?:note|tags?|keywords?|score|time|context|outcome|result|success|status|reward)\s*[:=]", re.I)
_FAILED = re.compile(
    r"\b(?:outcome|result|success|status|solved)\s*[:=]\s*\W?(?:fail\w*|false|no|0|unsolved|unsuccessful)\b"
    r"|[(\[](?:failed|failure|unsolved|unsuccessful)[)\]]|\bnot solved\b",
    re.I,
)


@dataclass(slots=True)
class Note:
    """One item of a memory, as a plain reader takes it."""

    title: str = ""
    steps: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    """Lines under a warning not to confuse."""
    avoid: list[str] = field(default_factory=list)
    """Lines that say what not to do."""
    failed: bool = False
    """Whether the note says that its own attempt failed."""


def listed(text: str) -> list[str]:
    """Return the actions of a list on one line (arrows, semicolons, JSON, or commas); one action is a list of one."""
    text = text.strip()
    if text.startswith("["):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, list):
            return [v.strip() for v in value if isinstance(v, str) and v.strip()]
    for separator in (_ARROWS, re.compile(r"\s*;\s*"), re.compile(r"\s*\|\s*"), re.compile(r",\s+")):
        parts = [p.strip(" \"'`") for p in separator.split(text.strip("[]"))]
        if len(parts) > 1:
            return [p for p in parts if p]
    return [text.strip(" \"'`")] if text else []


def read_notes(memory: str) -> list[Note]:
    """Read a memory text; never raises, whatever the text."""
    reader = _Reader()
    for line in memory.splitlines():
        reader.take(line)
    return [n for n in reader.notes if n.title or n.steps or n.warned or n.avoid]


class _Reader:
    """Walks down the lines; a mark or a title after steps begins the next note, deeper lines stay in their section."""

    def __init__(self) -> None:
        self.notes: list[Note] = [Note()]
        self.section: Section = "title"
        self.depth = 0
        """Indentation of the line that opened the section."""
        self.empty = True
        """Whether the section has no line yet."""
        self.named = False
        """Whether the note's title came from a label such as ``Task:``; other lines add nothing to it then."""
        self.heading = False
        """Whether the title so far is but a heading, which the next title line replaces."""
        self.blank = False

    def take(self, raw: str) -> None:
        """Read one line."""
        line, depth = raw.strip(), len(raw) - len(raw.lstrip())
        after_blank, self.blank = self.blank, not line
        bullet = _BULLET.match(line)
        body = line[bullet.end() :].strip() if bullet else line
        if not body:
            return
        if self.section in ("warning", "pitfall") and (depth > self.depth or self.empty):
            self._put(body)
        elif _WARNING.search(body):
            self._open("warning", depth, _after_label(body))
        elif _ITEM.match(body) or _TITLE.match(body):
            self._title(body)
        elif _QUOTED.match(body):
            self.section = "skipped"
        elif _FAILED.search(body) or _REMARK.match(body):
            self.notes[-1].failed |= _FAILED.search(body) is not None
        elif action := _ACTION.match(body):
            self._open("steps", depth, "")
            self._put(body[action.end() :])
        else:
            self._line(body, depth, bullet[0].strip() if bullet else "", after_blank)

    def _line(self, body: str, depth: int, bullet: str, after_blank: bool) -> None:
        """Read a line without a mark of its own; ``bullet`` is what it began with."""
        label = _LABEL.match(body)
        if label and _STEPS.search(label[1]) and not _PITFALL.search(label[1]):
            self._open("bare", depth, "")
            for step in listed(body[label.end() :]):
                self._put(step)
        elif _PITFALL.search(label[1] if label else body[:24]):
            within, self_depth = self.section, self.depth
            self._open("pitfall", depth, _after_label(body))
            if bullet and within in ("steps", "bare"):
                self.section, self.depth = within, self_depth
        elif self.section in ("warning", "pitfall") and (bullet or not after_blank):
            self._put(body)
        elif _ARROWS.search(body):
            if label:
                self._title(label[1])
            self._open("steps", depth, body[label.end() :] if label else body)
        elif (self.section in ("steps", "bare") and depth > self.depth and not bullet) or (
            self.section == "skipped" and bullet in "-*•–"
        ):
            return
        elif bullet or (self.section == "bare" and not after_blank):
            self._open("steps" if bullet else "bare", depth, body)
        elif self.section != "skipped" and not (self.named and not self.notes[-1].steps):
            self._title(body)

    def _open(self, section: Section, depth: int, first: str) -> None:
        self.section, self.depth, self.empty = section, depth, True
        if first.strip():
            self._put(first)

    def _put(self, body: str) -> None:
        self.empty, note = False, self.notes[-1]
        if self.section in ("steps", "bare"):
            note.steps += filter(None, map(str.strip, _ARROWS.split(body)))
            return
        label = _LABEL.match(body)
        lines = _ARROWS.split(body[label.end() :] if label else body)
        (note.warned if self.section == "warning" else note.avoid).extend(filter(None, map(str.strip, lines)))

    def _title(self, body: str) -> None:
        note, mark = self.notes[-1], _ITEM.match(body)
        text = body[mark.end() :].strip() if mark else body
        label = _TITLE.match(text)
        if note.steps or note.avoid or note.warned or note.failed or (mark and note.title) or (label and self.named):
            note = Note()
            self.notes.append(note)
            self.named = False
        note.failed |= _FAILED.search(body) is not None
        text = (text[label.end() :] if label else text).strip(" #:")
        note.title = text if label or self.heading else f"{note.title} {text}".strip()
        self.heading = body.endswith(":")
        self.named |= label is not None
        self.section = "title"


def _after_label(body: str) -> str:
    """Return what a heading says on its own line: the part after the colon, or a whole sentence without one."""
    label = _LABEL.match(body)
    return body[label.end() :] if label else ("" if body.endswith(":") else body)
