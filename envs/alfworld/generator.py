"""Seeded games of all six task types in ALFWorld's own 120 rooms: the embedded default, needing no download.

Every game can be won by construction: the things it asks for are in the room, can be reached and carried, fit where
they go, and none is there at the start; a microwave, fridge or sink is present where one is needed.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import numpy as np

from envs.alfworld.games import Game, sha256_of
from envs.alfworld.goal import CLEAN, COOL, FAMILIES, HEAT, LOOK, TWO, Goal, read_instruction
from envs.alfworld.wheel import Room, Wheel, load_wheel
from harness.seeds import Draws

_MOST_OF_A_KIND = 6
"""Receptacles of one type that a room keeps; some kitchens have thirty cabinets."""
_LAMPS = ("DeskLamp", "FloorLamp")
_LAMP_STANDS = frozenset({"CoffeeTable", "Desk", "Dresser", "Shelf", "SideTable"})
_TREATMENTS = {CLEAN: ("Cleanable", "SinkBasin"), HEAT: ("Heatable", "Microwave"), COOL: ("Coolable", "Fridge")}
_ABILITIES = ("Heatable", "Coolable", "Cleanable", "Toggleable", "Sliceable")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Setting:
    """What one game may be about: an object, where it goes (or the lamp it is looked at under), and the room."""

    object: str
    target: str
    room: Room


@dataclass(slots=True)
class _Scene:
    """A furnished room: names with types, and where everything is."""

    receptacles: list[tuple[str, str, str]]
    """(name, type, place to stand)"""
    objects: list[tuple[str, str, int]] = field(default_factory=list)
    """(name, type, index of the receptacle it is in)"""


def generate(seed: int, per_type: int) -> list[Game]:
    """Return ``per_type`` games of each family, the families taking turns; more games leave the earlier ones alone.

    Equal seeds give equal bytes. Raises ConfigError where alfworld is not installed.
    """
    return [_game(seed, family, index) for index in range(per_type) for family in FAMILIES]


@dataclass(frozen=True, slots=True)
class _Recipe:
    """Makes the text of one game when asked: nothing is stored."""

    seed: int
    family: str
    index: int

    def __call__(self) -> str:
        return _write(self)[1]


def _game(seed: int, family: str, index: int) -> Game:
    recipe = _Recipe(seed, family, index)
    setting, text = _write(recipe)
    look = family == LOOK
    goal = Goal(family, setting.object, "" if look else setting.target, setting.target if look else "")
    name = f"{family}-{setting.object}-None-{setting.target}-{setting.room.number}/{_trial(recipe)}"
    return Game(name, goal, read_instruction(json.loads(text)["grammar"]), sha256_of(text), recipe)


def _trial(recipe: _Recipe) -> str:
    return f"trial_G{recipe.seed}_{recipe.index:04d}"


def _write(recipe: _Recipe) -> tuple[_Setting, str]:
    """Return the setting and the file text of a game, in the format of ALFWorld's own files."""
    wheel = load_wheel()
    rng = Draws(recipe.seed, "alfworld").at(recipe.family, recipe.index)
    setting = _draw_setting(recipe.family, rng)
    scene = _furnish(wheel, recipe.family, setting, rng)
    library = wheel.goals[recipe.family]
    look = recipe.family == LOOK
    words = {"obj": setting.object, "recep": "" if look else setting.target, "toggle": setting.target if look else ""}
    goal = textwrap.dedent(library["pddl"]).replace("#", "-").format(**words)
    wording = _pick(rng, library["templates"]).format(**{mark: word.lower() for mark, word in words.items()})
    game = {
        "pddl_domain": wheel.domain,
        "grammar": wheel.grammar.replace("UNKNOWN GOAL", wording),
        "pddl_problem": _problem(_trial(recipe), wheel, scene, goal),
        "solvable": True,
        "walkthrough": None,
    }
    return setting, json.dumps(game)


@lru_cache(maxsize=len(FAMILIES))
def _settings(family: str) -> dict[str, dict[str, list[Room]]]:
    """Return the rooms a family can be played in, by object and then by target."""
    wheel = load_wheel()
    ability, device = _TREATMENTS.get(family, ("", ""))
    found: dict[str, dict[str, list[Room]]] = {}
    for room in wheel.rooms:
        kinds = _receptacle_types(wheel, room)
        if device and device not in kinds:
            continue
        targets = [lamp for lamp in _LAMPS if lamp in room.types and kinds & _LAMP_STANDS] if family == LOOK else kinds
        for thing in _object_types(wheel, room):
            homes = {kind for kind in kinds if thing in wheel.contents[kind] and kind != device}
            for target in sorted(targets):
                fits = family == LOOK or target in homes
                if fits and homes - {target} and (not ability or thing in wheel.abilities[ability]):
                    found.setdefault(thing, {}).setdefault(target, []).append(room)
    return found


def _draw_setting(family: str, rng: np.random.Generator) -> _Setting:
    settings = _settings(family)
    thing = _pick(rng, sorted(settings))
    target = _pick(rng, sorted(settings[thing]))
    return _Setting(thing, target, _pick(rng, settings[thing][target]))


def _receptacle_type(name: str) -> str:
    """Return ``SinkBasin`` for ``Sink|-00.70|+00.93|-00.65|SinkBasin`` and ``Drawer`` for ``Drawer|...``."""
    parts = name.split("|")
    return parts[4] if len(parts) > 4 else parts[0]


def _receptacle_types(wheel: Wheel, room: Room) -> frozenset[str]:
    """Return the types of fixed receptacles in a room, those included that ALFWorld gives no place to stand for."""
    placed = {_receptacle_type(name) for name, _ in room.receptacles}
    return frozenset((placed | set(room.types)) & set(wheel.contents)) - wheel.nesting


def _object_types(wheel: Wheel, room: Room) -> list[str]:
    """Return the types of things in a room that some receptacle of it takes, sorted."""
    taken = frozenset[str]().union(*(wheel.contents[kind] for kind in _receptacle_types(wheel, room)))
    return sorted(taken & set(room.types))


def _furnish(wheel: Wheel, family: str, setting: _Setting, rng: np.random.Generator) -> _Scene:
    """Return the room with its receptacles, and objects in them; those asked for are in neither target nor device."""
    scene = _Scene(_place_receptacles(wheel, setting.room, rng))
    kept_from = {setting.target, _TREATMENTS.get(family, ("", ""))[1]}
    for kind in _object_types(wheel, setting.room):
        asked = kind == setting.object
        homes = [
            index
            for index, (_, home, _) in enumerate(scene.receptacles)
            if kind in wheel.contents[home] and not (asked and home in kept_from)
        ]
        least = (2 if family == TWO else 1) if asked else 0
        for _ in range(least + int(rng.integers(2 if asked else 3))):
            scene.objects.append((_name(kind, scene, rng), kind, _pick(rng, homes)))
    if family == LOOK:
        stands = [index for index, (_, kind, _) in enumerate(scene.receptacles) if kind in _LAMP_STANDS]
        scene.objects.append((_name(setting.target, scene, rng), setting.target, _pick(rng, stands)))
    return scene


def _place_receptacles(wheel: Wheel, room: Room, rng: np.random.Generator) -> list[tuple[str, str, str]]:
    """Return the receptacles of a room; one without a place to stand is reached from where another is."""
    placed: list[tuple[str, str, str]] = []
    for name, where in room.receptacles:
        kind = _receptacle_type(name)
        if kind in wheel.contents and sum(1 for _, other, _ in placed if other == kind) < _MOST_OF_A_KIND:
            placed.append((name, kind, where))
    scene = _Scene(list(placed))
    for kind in sorted(_receptacle_types(wheel, room) - {kind for _, kind, _ in placed}):
        name = _name(kind, scene, rng)
        scene.receptacles.append((f"{name}|{kind}" if kind.endswith("Basin") else name, kind, _pick(rng, placed)[2]))
    return scene.receptacles


def _name(kind: str, scene: _Scene, rng: np.random.Generator) -> str:
    """Return a name with coordinates, as ALFRED gives one, that nothing in the scene has."""
    taken = {name for name, _, _ in scene.objects} | {name for name, _, _ in scene.receptacles}
    while True:
        x, y, z = rng.uniform(-3, 3), rng.uniform(0, 2), rng.uniform(-3, 3)
        name = f"{kind.removesuffix('Basin')}|" + "|".join(f"{value:+06.2f}" for value in (x, y, z))
        if name not in taken:
            return name


def _problem(trial: str, wheel: Wheel, scene: _Scene, goal: str) -> str:
    """Return the PDDL problem; ``goal`` is the library's, with the parenthesis that closes the definition."""
    places = sorted({where for _, _, where in scene.receptacles})
    start = next(where for where in (f"loc|0|0|{turn}|{90 + turn}" for turn in range(4)) if where not in places)
    homes = sorted({kind for _, kind, _ in scene.receptacles})
    kinds = sorted({kind for _, kind, _ in scene.objects})
    objects = ["agent1 - agent"]
    objects += [f"{kind}Type - otype" for kind in kinds] + [f"{kind}Type - rtype" for kind in homes]
    objects += [f"{name} - object" for name, _, _ in scene.objects]
    objects += [f"{name} - receptacle" for name, _, _ in scene.receptacles]
    objects += [f"{where} - location" for where in [*places, start]]
    facts = [f"atLocation agent1 {start}"]
    facts += [f"canContain {home}Type {kind}Type" for home in homes for kind in kinds if kind in wheel.contents[home]]
    for name, kind, where in scene.receptacles:
        facts += [f"receptacleType {name} {kind}Type", f"receptacleAtLocation {name} {where}"]
        facts += [f"openable {name}"] * (kind in wheel.openable)
    for thing in scene.objects:
        facts += _object_facts(wheel, scene, *thing)
    lines = [
        f"\n(define (problem plan_{trial})",
        "(:domain alfred)",
        "(:objects",
        *(f"    {_mangled(line, keep_dash=True)}" for line in objects),
        ")",
        "(:init",
        *(f"    ({_mangled(fact)})" for fact in facts),
        ")",
        goal,
    ]
    return "\n".join(lines)


def _object_facts(wheel: Wheel, scene: _Scene, name: str, kind: str, home: int) -> list[str]:
    receptacle, home_kind, where = scene.receptacles[home]
    facts = [f"objectType {name} {kind}Type", f"inReceptacle {name} {receptacle}", f"objectAtLocation {name} {where}"]
    facts += [f"{ability.lower()} {name}" for ability in _ABILITIES if kind in wheel.abilities[ability]]
    facts += [f"pickupable {name}"] * (kind not in _LAMPS)
    facts += [f"isReceptacleObject {name}"] * (kind in wheel.nesting)
    facts += [f"isCool {name}"] * (home_kind == "Fridge" and kind in wheel.abilities["Coolable"])
    return facts


def _mangled(line: str, *, keep_dash: bool = False) -> str:
    """Spell names as PDDL takes them and ALFWorld reads them back."""
    text, dash, kind = line.partition(" - ") if keep_dash else (line, "", "")
    for mark, word in (("|", "_bar_"), ("+", "_plus_"), ("-", "_minus_"), (".", "_dot_")):
        text = text.replace(mark, word)
    return text + dash + kind


def _pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]
