"""Plain reading of short English: words, stems, and phrases that can be compared with actions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")
_SLOT = re.compile(r"\{[^{}]*\}|<[^<>]*>")

PREPOSITIONS = frozenset(
    """
    in on to from with of into onto at inside under near through via for by
    """.split()  # noqa: SIM905
)
_IGNORED = PREPOSITIONS | frozenset(
    """
    a an the and or then first next finally now it its them they this that these those some any your you my i we our
    is are be was were will can could should must would do does did done has have had as so if when while until once
    up out there here please not no task step using also than but all one two
    """.split()  # noqa: SIM905
)
_SAME_VERB = {
    "place": "put", "move": "put", "insert": "put", "set": "put",
    "pick": "take", "grab": "take", "get": "take",
    "walk": "go", "navigate": "go", "head": "go", "travel": "go",
    "switch": "turn", "toggle": "turn",
}  # fmt: skip
VERBS = frozenset(
    """
    put take go turn open close find look examine heat cool clean wash use boil melt freeze measure grow mix pour
    activate deactivate connect focus read search lookup finish click type fill select send create add delete update
    remove check count buy play make cook stack unstack unload load pull push inflate cut slice dunk eat drop wait
    identify determine compare verify show list download upload share follow rate review cancel order book call
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a word in lower case without plural and verb endings, and the same verb for a few everyday synonyms."""
    word = word.lower().removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word
            break
    return _SAME_VERB.get(word, word)


def content(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about; numbers and little words left out."""
    return frozenset(
        stem(w)
        for w in _WORD.findall(_SLOT.sub(" ", text).replace("_", " "))
        if w.lower() not in _IGNORED and not w.isdigit()
    )


def in_order(text: str) -> list[str]:
    """Return the content words of a text as written in lower case, in order, each once."""
    found = (w.lower() for w in _WORD.findall(_SLOT.sub(" ", text).replace("_", " ")))
    return list(dict.fromkeys(w for w in found if w not in _IGNORED and not w.isdigit() and len(w) > 1))


@dataclass(frozen=True, slots=True)
class Phrase:
    """An action, or a line that tells one."""

    text: str
    verb: str
    """Stem of the first word; empty where there is none."""
    main: frozenset[str]
    """Stems of what the verb acts on: the words before the second part."""
    rest: frozenset[str]
    """Stems of the words after the preposition that follows ``main``."""
    numbers: tuple[str, ...]
    slots: tuple[int, int]
    """Placeholders, such as ``{obj}``, in main and in rest."""

    @property
    def words(self) -> frozenset[str]:
        """Stems of everything but the verb."""
        return self.main | self.rest


@lru_cache(maxsize=32768)
def phrase(text: str) -> Phrase:
    """Read a line as verb, main object and the rest; long ones by their first 200 characters."""
    tokens = _WORD.findall(_SLOT.sub(" slotmark ", text[:200]).replace("_", " "))
    parts: tuple[list[str], list[str]] = ([], [])
    slots, numbers, verb, part = [0, 0], [], "", 0
    for raw in tokens:
        word = raw.lower()
        if word.isdigit():
            numbers.append(word)
        elif word == "slotmark":
            slots[part] += 1
        elif word in PREPOSITIONS and verb and (parts[0] or slots[0]):
            part = 1
        elif word in _IGNORED:
            continue
        elif not verb:
            verb = stem(word)
        else:
            parts[part].append(stem(word))
    main, rest = frozenset(parts[0]), frozenset(parts[1])
    return Phrase(text.strip(), verb, main, rest - main, tuple(numbers), (slots[0], slots[1]))
