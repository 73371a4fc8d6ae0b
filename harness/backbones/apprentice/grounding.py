"""Compares remembered lines with actions: which action a line means here, and which lines are already done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.backbones.apprentice.notes import Note
from harness.backbones.apprentice.words import Phrase, content, phrase

ACCEPTED = 0.6
"""Least likeness, of 1, at which a line is taken to mean an action."""
ABOUT = 0.5
"""Least share of common words at which a note is taken to be about a task."""
REACH = 2
"""How many lines an action may jump over and still count as a line of the procedure."""
SHORTLIST = 32
"""How many admissible actions are compared word by word; the nearest by characters when there are more."""

_NUMBERED = re.compile(r"[a-z]+ \d+\b")
_MOVES = frozenset({"go", "open", "close", "look", "wait", "examine"})
_NEGATIONS = frozenset({"avoid", "never", "don't", "pitfall", "mistake", "caution"})


@dataclass(frozen=True, slots=True)
class Context:
    """What a reader keeps in mind while it compares: its own task, and how the note's task differs."""

    task: frozenset[str]
    theirs: frozenset[str] = frozenset()
    """Words only the note's title has."""
    ours: frozenset[str] = frozenset()
    """Words only the own task has; they take the place of ``theirs``."""


def context(task: str, title: str = "") -> Context:
    """Read a task, and a note's title against it; without a title nothing takes another's place."""
    own, other = content(task), content(title)
    return Context(own, other - own, own - other) if other else Context(own)


def aboutness(note: Note, task: str) -> float:
    """Return how far a note seems to be about a task, 0 (not at all) to 2; by the words they share and nothing else.

    Compared is the note's title, or its steps where it has none. A note with fewer than two words in common (one, if
    it has only one) or less than half of the shorter text's words is not about the task.
    """
    own, theirs = content(task), content(note.title or " ".join(note.steps))
    shared = len(own & theirs)
    least = min(len(own), len(theirs))
    if shared < min(2, least) or not least or shared / least < ABOUT:
        return 0.0
    return shared / least + shared / len(own | theirs)


def likeness(line: Phrase, action: Phrase, about: Context) -> float:
    """Return how well an action does what a line says, 0 to about 1; equal texts give 1.

    The verbs must agree. What the verb acts on counts 0.7 where the line means the task's own object, else as much as
    the rest. Numbers hardly count: places are numbered differently in every room.
    """
    if line.text.lower() == action.text.lower():
        return 1.0
    if line.verb != action.verb or not line.verb:
        return 0.0
    parts = ((line.main, action.main, line.slots[0]), (line.rest, action.rest, line.slots[1]))
    weights = (0.7, 0.3) if is_deed(line, about) else (0.5, 0.5)
    scored = [
        (weight, _part(wanted, found, slots, about))
        for weight, (wanted, found, slots) in zip(weights, parts, strict=True)
        if wanted or slots
    ]
    if not scored:
        return 0.9 if not action.words else 0.3
    extra = len(action.words - line.words) if sum(line.slots) == 0 else 0
    score = sum(weight * value for weight, value in scored) / sum(weight for weight, _ in scored)
    return max(0.0, score - 0.04 * extra - (0.02 if line.numbers != action.numbers else 0.0))


def _part(wanted: frozenset[str], found: frozenset[str], slots: int, about: Context) -> float:
    """Score one part of a line; a word of the note's task may stand for one of the own task, a slot for anything."""
    free = set(found - wanted)
    points = 0.0
    for word in sorted(wanted):
        swap = sorted(free & about.ours) if word in about.theirs else []
        if swap:
            free.discard(swap[0])
            points += 0.95
        elif word in found:
            points += 0.85 if word in about.theirs and about.ours else 1.0
    if slots:
        points += slots * (1.0 if free & about.task else 0.7 if free else 0.0)
    return points / (len(wanted) + slots)


def progress(lines: Sequence[str], past: Sequence[str], about: Context, *, left_out: int = 0) -> int:
    """Return the number of the first line not done yet, comparing the lines with the past actions in order.

    An action counts as the nearest line ahead that it does, at most ``REACH`` lines further, or any number where
    the line names the task's own object: a deed, unlike a move, shows how far the work has come. The first action
    may reach as many lines further as steps were left out.
    """
    at, reach = 0, REACH + left_out
    read = [phrase(line) for line in lines]
    for action in map(phrase, past):
        for ahead in range(at, len(read)):
            line = read[ahead]
            if ahead - at > reach and not is_deed(line, about):
                continue
            if likeness(line, action, about) >= ACCEPTED:
                at, reach = ahead + 1, REACH
                break
    return at


def ground(line: str, choices: Sequence[str], about: Context) -> str | None:
    """Return the admissible action that a line means, or None; of equally good ones the first."""
    if line in choices:
        return line
    wanted = phrase(line)
    same = [choice for choice in choices if _opens_alike(choice, wanted.verb)]
    if len(same) > SHORTLIST:
        same = _shortlist(line, same, about)
    best, score = None, ACCEPTED
    for choice in same:
        value = likeness(wanted, phrase(choice), about)
        if value > score or (best is None and value == score):
            best, score = choice, value
    return best


def _opens_alike(choice: str, verb: str) -> bool:
    return phrase(choice).verb == verb


def _shortlist(line: str, choices: list[str], about: Context) -> list[str]:
    """Return the nearest choices by their words; the task's own words stand in for the placeholders."""
    from rapidfuzz import fuzz, process

    query = " ".join(sorted(phrase(line).words | (about.ours if about.theirs or sum(phrase(line).slots) else set())))
    found = process.extract(query, choices, scorer=fuzz.token_set_ratio, limit=SHORTLIST)
    return [choices[i] for i in sorted(index for _, _, index in found)]


def names(line: str, action: str) -> bool:
    """Return whether a line that says what not to do names an action: its verb, all its objects, and its numbers.

    A line with placeholders names every action with its verb and its other words.
    """
    said, done = phrase(line), phrase(action)
    spoken = content(line) - _NEGATIONS
    if not done.verb or done.verb not in spoken:
        return line.strip().lower() == action.strip().lower()
    if said.numbers and done.numbers and not set(done.numbers) <= set(said.numbers):
        return False
    if sum(said.slots):
        return said.words <= done.words
    return done.words <= spoken if done.words else spoken == {done.verb}


def sayable(line: str, observation: str, choices: Sequence[str]) -> bool:
    """Return whether a line can be said word for word: its verb is offered, and all it names is in sight.

    The listed actions are a hint and no fence; engines take more than they list. What a line names includes the
    numbers: a ``mug 2`` is not in sight where there is only a ``mug 1``.
    """
    wanted = phrase(line)
    if sum(wanted.slots) or not any(_opens_alike(choice, wanted.verb) for choice in choices):
        return False
    missing = set(wanted.words - content(observation))
    numbered = set(_NUMBERED.findall(line.lower())) - set(_NUMBERED.findall(observation.lower()))
    for choice in choices:
        if not missing and not numbered:
            return True
        missing -= phrase(choice).words
        numbered -= set(_NUMBERED.findall(choice.lower())) if numbered else set()
    return not missing and not numbered


def is_deed(line: Phrase, about: Context) -> bool:
    """Return whether a line does something to the task's own object, rather than move or look about."""
    return line.verb not in _MOVES and bool(line.slots[0] or line.main & (about.task | about.theirs))
