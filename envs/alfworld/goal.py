"""What a game asks for, read from its files without starting an engine."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from harness.errors import ConfigError

LOOK, SIMPLE, CLEAN, HEAT, COOL, TWO = FAMILIES = (
    "look_at_obj_in_light",
    "pick_and_place_simple",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)

INSTRUCTION = re.compile(r'("rhs":\s*)"(Your task is to: (?:[^"\\]|\\.)*)"')
"""The grammar rule that prints the instruction: its key, and the sentence as the inside of a JSON string."""

_MARKS = (("isToggled", LOOK), ("isClean", CLEAN), ("isHot", HEAT), ("isCool", COOL), ("(not (=", TWO))
_UNSUPPORTED = ("isSliced", "inReceptacleObject")


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a game: its family and the types it names, spelt as in the game (``ButterKnife``)."""

    family: str
    object: str
    receptacle: str
    """Empty where the family is look_at_obj_in_light."""
    toggle: str
    """The lamp; empty in every other family."""


def read_goal(problem: str) -> Goal | None:
    """Return the goal of a PDDL problem, or None for the sliced and movable kinds, which ALFWorld leaves out too.

    Raises ConfigError where the problem has no goal of a known form.
    """
    goal = problem[problem.find("(:goal") :] if "(:goal" in problem else ""
    if any(mark in goal for mark in _UNSUPPORTED):
        return None
    kinds = re.findall(r"\((?:object|receptacle)Type \?(\w+) (\w+)Type\)", goal)
    objects = [kind for variable, kind in kinds if re.fullmatch(r"o\d?", variable)]
    receptacle = next((kind for variable, kind in kinds if variable == "r"), "")
    toggle = next((kind for variable, kind in kinds if variable == "ot"), "")
    family = next((family for mark, family in _MARKS if mark in goal), SIMPLE)
    if not objects or not (toggle if family == LOOK else receptacle):
        raise ConfigError(f"the goal {goal[:80].split()!r} is none of ALFWorld's six task types")
    return Goal(family, objects[0], "" if family == LOOK else receptacle, toggle)


def read_instruction(grammar: str) -> str:
    """Return the instruction that a game's grammar prints, such as ``put a hot apple in fridge``.

    Raises ConfigError where there is none, or more than one.
    """
    found = INSTRUCTION.findall(grammar)
    if len(found) != 1:
        raise ConfigError(f"the grammar prints {len(found)} instructions (`Your task is to: ...`), expected one")
    sentence: str = json.loads(f'"{found[0][1]}"')
    return sentence.removeprefix("Your task is to: ").strip().removesuffix(".")
