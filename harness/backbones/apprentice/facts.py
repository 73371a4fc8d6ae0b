"""What a memory-writing prompt says, by plain reading: the task, what was done, what failed, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.backbones.apprentice.notes import read_notes
from harness.backbones.apprentice.words import VERBS, content, in_order, phrase, stem
from harness.types import Message

_TASK = re.compile(r"^\W*(?:task|goal|instruction|question|query|intent)[^:\n]{0,20}:[ \t]*(\S.*)$", re.I | re.M)
_ACTION = re.compile(r"^\W*(?:action(?:\s*\d+)?\s*:|>)\s*(\S.*)$", re.I)
_SAYS_FAILED = re.compile(
    r"nothing happen|no known action|can(?:'t|not)\b|unable|invalid|\berror\b|exception|\bfail"
    r"|not (?:possible|found|available)|don't understand|does not exist|unknown",
    re.I,
)
_VERDICT = re.compile(
    r"\b(?:outcome|result|success|solved|status|verdict|reward|score|won)\b[\"'*]*\s*[:=]\s*[\"'*]*(-?[\d.]+|\w+)", re.I
)
_GOOD = frozenset(
    """
    success succeeded successful solved true yes pass passed correct won win done complete completed
    """.split()  # noqa: SIM905
)
_BAD = frozenset(
    """
    failure failed fail false no unsolved incorrect lost wrong unsuccessful step_limit
    """.split()  # noqa: SIM905
)
_CANDIDATE = re.compile(
    r"^\s*(?:\[([\w-]{1,40})\]|(?:memory\s+)?(?:index|id)\s*[:=]?\s*([\w-]{1,40})\W|(\d{1,4})[.):]\s)\s*(.+)$", re.I
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_MANY = 40


@dataclass(frozen=True)
class Facts:
    """A reader's notes on one prompt."""

    text: str
    """The last user message."""
    task: str
    actions: tuple[str, ...]
    """In order, those that were seen to fail included."""
    failed: str | None
    """The first action that failed; of a failed attempt without one, the last action."""
    success: bool | None
    """None where the prompt does not tell."""

    @cached_property
    def verbs(self) -> list[str]:
        """Words of the task that name a deed."""
        deeds = VERBS | {phrase(action).verb for action in self.actions}
        return [w for w in in_order(self.task) if stem(w) in {stem(d) for d in deeds}]

    @cached_property
    def nouns(self) -> list[str]:
        """The task's other content words."""
        return [w for w in in_order(self.task) if w not in self.verbs]

    @cached_property
    def procedure(self) -> list[str]:
        """The actions of a solved attempt with the task's objects and all numbers abstracted; else empty."""
        if not self.success:
            return []
        marks: dict[str, str] = {}
        steps = [abstract(action, frozenset(map(stem, self.nouns)), marks) for action in self.actions]
        return [s for i, s in enumerate(steps) if s and (i == 0 or s != steps[i - 1])][:_MANY]

    @cached_property
    def related(self) -> list[str]:
        """Ids of the listed candidates that share half of their words with the task, nearest first."""
        own = content(self.task)
        found: list[tuple[float, int, str]] = []
        for line in self.text.splitlines():
            hit = _CANDIDATE.match(line)
            if hit is None or hit[4].strip() in self.actions:
                continue
            theirs = content(hit[4])
            shared = len(own & theirs)
            if shared >= 2 and shared / min(len(own), len(theirs)) >= 0.5:
                found.append((-shared / len(own | theirs), len(found), hit[1] or hit[2] or hit[3]))
        return list(dict.fromkeys(name for _, _, name in sorted(found)))


def read_facts(messages: Sequence[Message]) -> Facts:
    """Read the last user message (or the last message); never raises, whatever the text."""
    users = [m.content for m in messages if m.role == "user"] or [m.content for m in messages]
    text = users[-1] if users else ""
    named = _TASK.search(text)
    task = (named[1] if named else re.split(r"(?<=[.!?])\s|\n", text.strip(), maxsplit=1)[0]).strip()[:300]
    done = _attempts(text)
    success = _success(text)
    broken = next((action for action, ok in done if not ok), None)
    if broken is None and success is False and done:
        broken = done[-1][0]
    return Facts(text, task, tuple(action for action, _ in done), broken, success)


def abstract(action: str, nouns: frozenset[str], marks: dict[str, str]) -> str:
    """Replace the words of an action that the task names by ``{obj}``, ``{obj2}``, ... and drop numbers of things."""
    words, run = [], []
    verb_seen = False
    for token in [*re.sub(r"(?<=\s)\d+\b", " ", action).split(), ""]:
        plain = "".join(_WORD.findall(token)).lower()
        if verb_seen and plain and stem(plain) in nouns:
            run.append(plain)
            continue
        if run:
            words.append(marks.setdefault(" ".join(run), f"{{obj{len(marks) + 1 if marks else ''}}}"))
            run = []
        verb_seen = verb_seen or bool(plain)
        words.append(token)
    return " ".join(filter(None, words))


def _attempts(text: str) -> list[tuple[str, bool]]:
    """Return each action with whether the text that follows it sounds as if it worked."""
    done: list[tuple[str, bool]] = []
    for line in text.splitlines():
        hit = _ACTION.match(line)
        if hit is not None:
            done.append((hit[1].strip(), True))
        elif done and _SAYS_FAILED.search(line) and not _VERDICT.search(line):
            done[-1] = (done[-1][0], False)
    if not done:
        longest = max(read_notes(text), key=lambda note: len(note.steps), default=None)
        for step in longest.steps if longest is not None else ():
            action, _, after = step.partition(" | ")
            done.append((action.strip(), not _SAYS_FAILED.search(after)))
    return done


def _success(text: str) -> bool | None:
    """Return the verdict the text gives, the last one; None where it gives none."""
    for word in reversed(_VERDICT.findall(text)):
        if word.lower() in _GOOD | _BAD:
            return word.lower() in _GOOD
        if re.fullmatch(r"-?\d+(?:\.\d*)?|-?\.\d+", word):
            return float(word) >= (1.0 if float(word) <= 1.0 else 100.0)
    good, bad = (
        len(re.findall(p, text, re.I)) for p in (r"\bsuccess|\bsolved\b", r"\bfail|\bunsolved\b|\bnot solved\b")
    )
    return None if good == bad else good > bad
