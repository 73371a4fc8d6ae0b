"""What the alfworld wheel ships, read without importing alfworld: rules, texts, rooms, and what fits into what."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Room:
    """One of the 120 floor plans that ALFWorld's games take place in."""

    number: int
    """1-30 kitchens, 201-230 living rooms, 301-330 bedrooms, 401-430 bathrooms."""
    receptacles: tuple[tuple[str, str], ...]
    """Names as ALFRED writes them (``Drawer|+00.64|+00.27|-00.65``), with where one stands to reach each."""
    types: tuple[str, ...]
    """Types of what is in the room, sorted: receptacles, objects, furniture."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """The parts of the wheel that games are made of."""

    domain: str
    grammar: str
    goals: Mapping[str, Mapping[str, Any]]
    """By family: ``pddl``, the goal with marks to fill in, and ``templates``, the instructions."""
    contents: Mapping[str, frozenset[str]]
    """By receptacle type: the object types it takes."""
    abilities: Mapping[str, frozenset[str]]
    """By ability (``Heatable``, ``Coolable``, ``Cleanable``, ``Toggleable``, ``Sliceable``): the object types."""
    openable: frozenset[str]
    nesting: frozenset[str]
    """Object types that hold others, such as plates."""
    rooms: tuple[Room, ...]


@lru_cache(maxsize=1)
def load_wheel() -> Wheel:
    """Read the wheel; about 0.1 s. Raises ConfigError where alfworld is not installed."""
    root = locate()
    constants = _module(root / "gen" / "constants.py")
    return Wheel(
        domain=(root / "data" / "alfred.pddl").read_text(encoding="utf-8"),
        grammar=(root / "data" / "alfred.twl2").read_text(encoding="utf-8"),
        goals=_module(root / "gen" / "goal_library.py").gdict,
        contents={kind: frozenset(takes) for kind, takes in constants.VAL_RECEPTACLE_OBJECTS.items()},
        abilities={ability: frozenset(kinds) for ability, kinds in constants.VAL_ACTION_OBJECTS.items()},
        openable=frozenset(constants.OPENABLE_CLASS_SET),
        nesting=frozenset(constants.MOVABLE_RECEPTACLES_SET),
        rooms=_rooms(root / "gen" / "layouts"),
    )


def locate() -> Path:
    """Return the folder of the installed alfworld package. Raises ConfigError where there is none."""
    found = importlib.util.find_spec("alfworld")
    if found is None or not found.submodule_search_locations:
        raise ConfigError("ALFWorld is not installed: pip install '.[alfworld]' (needs a C++ compiler and cmake)")
    return Path(found.submodule_search_locations[0])


def _module(path: Path) -> ModuleType:
    """Execute one plain module of the wheel by its path, so that alfworld's package code does not run."""
    spec = importlib.util.spec_from_file_location(f"_alfworld_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} is missing from the alfworld wheel: install alfworld again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rooms(folder: Path) -> tuple[Room, ...]:
    rooms = []
    for path in folder.glob("FloorPlan*-openable.json"):
        number = int(path.name.removeprefix("FloorPlan").split("-")[0])
        poses = json.loads(path.read_text(encoding="utf-8"))
        types = json.loads(path.with_name(f"FloorPlan{number}-objects.json").read_text(encoding="utf-8"))
        receptacles = tuple(sorted((name, _location(*pose)) for name, pose in poses.items()))
        rooms.append(Room(number, receptacles, tuple(sorted(types))))
    return tuple(sorted(rooms, key=lambda room: room.number))


def _location(x: float, z: float, rotation: float, horizon: float) -> str:
    """Return a place to stand as the games name it: quarter metres, quarter turns, degrees."""
    parts = (round(x * 4), round(z * 4), round(rotation / 90) % 4, round(horizon))
    return "loc|" + "|".join(str(part) for part in parts)
