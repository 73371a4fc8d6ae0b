"""Which tasks and variations there are, so that a selection is known and checked without a JVM."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal

from harness.errors import ConfigError

Split = Literal["train", "dev", "test"]

CATALOGUE: dict[str, tuple[int, int, int]] = {
    "boil": (14, 7, 9),
    "melt": (14, 7, 9),
    "freeze": (14, 7, 9),
    "change-the-state-of-matter-of": (14, 7, 9),
    "use-thermometer": (270, 135, 135),
    "measure-melting-point-known-substance": (218, 109, 109),
    "measure-melting-point-unknown-substance": (150, 75, 75),
    "power-component": (10, 5, 5),
    "power-component-renewable-vs-nonrenewable-energy": (10, 5, 5),
    "test-conductivity": (450, 225, 225),
    "test-conductivity-of-unknown-substances": (300, 150, 150),
    "find-living-thing": (150, 75, 75),
    "find-non-living-thing": (150, 75, 75),
    "find-plant": (150, 75, 75),
    "find-animal": (150, 75, 75),
    "grow-plant": (62, 31, 33),
    "grow-fruit": (62, 31, 33),
    "chemistry-mix": (16, 8, 8),
    "chemistry-mix-paint-secondary-color": (18, 9, 9),
    "chemistry-mix-paint-tertiary-color": (18, 9, 9),
    "lifespan-longest-lived": (62, 31, 32),
    "lifespan-shortest-lived": (62, 31, 32),
    "lifespan-longest-lived-then-shortest-lived": (62, 31, 32),
    "identify-life-stages-1": (6, 3, 5),
    "identify-life-stages-2": (4, 2, 4),
    "inclined-plane-determine-angle": (84, 42, 42),
    "inclined-plane-friction-named-surfaces": (692, 346, 348),
    "inclined-plane-friction-unnamed-surfaces": (80, 40, 42),
    "mendelian-genetics-known-plant": (60, 30, 30),
    "mendelian-genetics-unknown-plant": (240, 120, 120),
}
"""The 30 tasks in the order of the ScienceWorld paper (1-1 to 10-2), each with how many variations its train, dev and
test splits hold; the splits follow one another without a gap. A test compares this with the simulator."""

PAPER23: tuple[str, ...] = tuple(
    name for name in CATALOGUE if not name.startswith(("grow-", "inclined-plane-", "mendelian-"))
)
"""What is left of the 30 without the tasks 5-1, 5-2, 9-1 to 9-3, 10-1, 10-2: 23, as many as the papers evaluate."""

SIMPLIFICATIONS: tuple[str, ...] = (
    "noElectricalAction",
    "openContainers",
    "openDoors",
    "selfWateringFlowerPots",
    "teleportAction",
)
EASY: tuple[str, ...] = ("noElectricalAction", "openDoors", "selfWateringFlowerPots", "teleportAction")
"""What the simulator means by ``easy``."""

_ELECTRICAL = ("power-component", "test-conductivity")


def electrical(name: str) -> bool:
    """Return whether a task cannot be solved without electrical actions."""
    return name.startswith(_ELECTRICAL)


def task_names(subset: str | Sequence[str]) -> tuple[str, ...]:
    """Return the tasks of a subset, in catalogue order for a named one. Raises ConfigError for unknown or no names."""
    if subset == "paper23":
        return PAPER23
    if subset == "all":
        return tuple(CATALOGUE)
    names = tuple(part.strip() for part in subset.split(",")) if isinstance(subset, str) else tuple(subset)
    for name in names:
        if name not in CATALOGUE:
            raise ConfigError(f"env.subset: {_unknown(name, ['paper23', 'all', *CATALOGUE])}")
    if not names or len(set(names)) < len(names):
        raise ConfigError(f"env.subset: got {list(names)}, expected at least one task name and none twice")
    return names


def variations(name: str, split: Split, wanted: int | Sequence[int] | Literal["all"]) -> Sequence[int]:
    """Return a task's variations: the first so many of a split, the given ones, or all of it.

    Raises ConfigError where the split does not hold as many, or a given one.
    """
    sizes = CATALOGUE[name]
    index = ("train", "dev", "test").index(split)
    first = sum(sizes[:index])
    available = range(first, first + sizes[index])
    if wanted == "all":
        return available
    if isinstance(wanted, int):
        if not 1 <= wanted <= len(available):
            raise ConfigError(
                f"env.variations={wanted}: expected 1 to {len(available)}, as many as {name} has in split {split}"
            )
        return available[:wanted]
    outside = [number for number in wanted if number not in available]
    if outside or not wanted or len(set(wanted)) < len(wanted):
        raise ConfigError(
            f"env.variations={list(wanted)}: expected different numbers within {available.start}.."
            f"{available.stop - 1}, the {split} split of {name}"
        )
    return tuple(wanted)


def simplifications(text: str) -> tuple[str, ...]:
    """Return the names in a comma-joined text, ``easy`` spelt out. Raises ConfigError for an unknown one."""
    names: set[str] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part != "easy" and part not in SIMPLIFICATIONS:
            raise ConfigError(f"env.simplification: {_unknown(part, ['easy', *SIMPLIFICATIONS])}")
        names.update(EASY if part == "easy" else [part])
    return tuple(sorted(names))


def _unknown(name: object, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(known)}"
    return f"got {name!r}; {hint}"
