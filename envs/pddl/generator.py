"""Seeded problems of our own encodings of the four domains: the embedded default, needing no download.

Every problem can be solved by construction, and within 30 steps; the sizes are those of AgentBoard's problems, less its
five that need more steps than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from envs.pddl.families import FAMILIES
from envs.pddl.problems import Source
from envs.pddl.strips import Atom
from harness.seeds import Draws

_DOMAINS = Path(__file__).with_name("domains")

_BALLS = (4, 6, 4, 8, 6, 10)
_BLOCKS = (3, 5, 4, 6, 7)
_DRINKS = ((1, 0), (1, 1), (2, 0), (1, 0), (0, 3), (1, 0), (2, 0), (1, 1), (1, 0), (0, 2))
_HUBS = ((1, True), (2, False), (2, True), (3, False), (3, True), (4, False))
"""Sizes by turns: balls; blocks; cocktails and plain drinks asked for; hubs, and whether all of their wheels change."""

_Draft = tuple[Mapping[str, Sequence[str]], list[Atom], list[Atom]]
"""Objects by type, what is true at first, and the goal."""


def generate(seed: int, counts: Mapping[str, int]) -> list[Source]:
    """Return so many problems of each family, the families taking turns; more problems leave the earlier ones alone."""
    draws = Draws(seed, "pddl problems")
    made = []
    for index in range(max(counts.values(), default=0)):
        for name in FAMILIES:
            if index < counts.get(name, 0):
                draft = _DRAFTS[name](index, draws.at(name, index))
                made.append(Source(f"{name}/s{seed}-{index:02d}", name, domain_text(name), problem_text(name, draft)))
    return made


def domain_text(name: str) -> str:
    """Return our encoding of a domain."""
    return (_DOMAINS / f"{name}.pddl").read_text(encoding="utf-8")


def problem_text(name: str, draft: _Draft) -> str:
    """Return a draft as PDDL."""
    objects, initial, goal = draft
    typed = "\n".join(f"    {' '.join(names)} - {kind}" for kind, names in objects.items())
    return (
        f"(define (problem {name}-made)\n  (:domain {name})\n  (:objects\n{typed})\n"
        f"  (:init\n{_lines(initial)})\n  (:goal (and\n{_lines(goal)})))\n"
    )


def _lines(atoms: Iterable[Atom]) -> str:
    return "\n".join(f"    ({' '.join(atom)})" for atom in atoms)


def _numbered(noun: str, count: int) -> list[str]:
    return [f"{noun}{number}" for number in range(1, count + 1)]


def _gripper(index: int, rng: np.random.Generator) -> _Draft:
    """Two rooms, every ball in the wrong one; one way in every second problem, both ways in the others."""
    balls, rooms, grippers = _numbered("ball", _BALLS[index % len(_BALLS)]), ("rooma", "roomb"), ("left", "right")
    starts = [int(rng.integers(2)) if index % 2 else 0 for _ in balls]
    initial: list[Atom] = [("at-robby", "rooma"), *(("free", each) for each in grippers)]
    initial += [("at", ball, rooms[start]) for ball, start in zip(balls, starts, strict=True)]
    goal: list[Atom] = [("at", ball, rooms[1 - start]) for ball, start in zip(balls, starts, strict=True)]
    return {"room": rooms, "ball": balls, "gripper": grippers}, initial, goal


def _blockworld(index: int, rng: np.random.Generator) -> _Draft:
    """Two random arrangements of the blocks; the goal names what is to be on what, two blocks at least."""
    blocks = _numbered("b", _BLOCKS[index % len(_BLOCKS)])
    initial = [("arm-empty",), *_towers(blocks, rng)]
    goal: list[Atom] = []
    while len(goal) < 2 or set(goal) <= set(initial):
        goal = [atom for atom in _towers(blocks, rng) if atom[0] == "on"]
    return {"block": blocks}, initial, goal


def _towers(blocks: Sequence[str], rng: np.random.Generator) -> list[Atom]:
    """Return a random arrangement; a block stands on another one with probability 0.6."""
    order = [str(block) for block in rng.permutation(blocks)]
    stacked = {top: base for base, top in pairwise(order) if rng.random() < 0.6}
    atoms: list[Atom] = [("on", top, base) for top, base in stacked.items()]
    atoms += [("on-table", block) for block in order if block not in stacked]
    return atoms + [("clear", block) for block in order if block not in stacked.values()]


def _barman(index: int, rng: np.random.Generator) -> _Draft:
    """A fresh shaker, three ingredients on tap, a menu that makes every pair of them, and shots to spare."""
    n_cocktails, n_plain = _DRINKS[index % len(_DRINKS)]
    shots = _numbered("shot", n_cocktails + n_plain + int(rng.integers(2, 6)))
    ingredients, taps = _numbered("ingredient", 3), _numbered("dispenser", 3)
    pairs = [tuple(rng.permutation(pair)) for pair in combinations(ingredients, 2)]
    cocktails = _numbered("cocktail", int(rng.integers(3, 8)))
    menu = [pairs[number % 3] for number in rng.permutation(len(cocktails))]
    initial: list[Atom] = [("handempty", "left"), ("handempty", "right")]
    initial += [(state, each) for each in ["shaker1", *shots] for state in ("ontable", "empty", "clean")]
    initial += [("shaker-level", "shaker1", "l0"), ("shaker-empty-level", "shaker1", "l0")]
    initial += [("next", "l0", "l1"), ("next", "l1", "l2")]
    initial += [("dispenses", tap, ingredient) for tap, ingredient in zip(taps, ingredients, strict=True)]
    for cocktail, parts in zip(cocktails, menu, strict=True):
        initial += [(f"cocktail-part{place}", cocktail, str(part)) for place, part in enumerate(parts, 1)]
    drinks = [*rng.permutation(cocktails)[:n_cocktails], *rng.permutation(ingredients)[:n_plain]]
    glasses = rng.permutation(shots)[: len(drinks)]
    goal: list[Atom] = [("contains", str(glass), str(drink)) for glass, drink in zip(glasses, drinks, strict=True)]
    objects = {"shaker": ["shaker1"], "hand": ["left", "right"], "shot": shots, "ingredient": ingredients}
    objects |= {"cocktail": cocktails, "dispenser": taps, "level": ["l0", "l1", "l2"]}
    return objects, initial, goal


def _tyreworld(index: int, rng: np.random.Generator) -> _Draft:
    """Hubs with old wheels, spares and tools in the boot; all wheels are to change, or some parts of that work."""
    count, whole = _HUBS[index % len(_HUBS)]
    hubs, nuts, old, spare = (_numbered(noun, count) for noun in ("hub", "nuts", "w", "r"))
    initial: list[Atom] = [("in", thing, "boot") for thing in ("jack", "pump", "wrench", *spare)]
    initial += [("unlocked", "boot"), ("isopen" if rng.random() < 0.3 else "closed", "boot")]
    goal: list[Atom] = []
    for hub, nut, worn, wheel in zip(hubs, nuts, old, spare, strict=True):
        pumped = not whole and rng.random() < 0.3
        initial += [("intact", wheel), ("inflated" if pumped else "not-inflated", wheel)]
        initial += [("on", worn, hub), ("on-ground", hub), ("fastened", hub)]
        initial += [("loose" if rng.random() < 0.3 else "tight", nut, hub)]
        goal += [("on", wheel, hub), ("in", worn, "boot"), *([] if pumped else [("inflated", wheel)])]
    if not whole:
        goal = [goal[place] for place in sorted(rng.permutation(len(goal))[: int(rng.integers(2, 6))])]
    return {"hub": hubs, "nut": nuts, "wheel": [*spare, *old], "container": ["boot"]}, initial, goal


_DRAFTS: Mapping[str, Callable[[int, np.random.Generator], _Draft]] = {
    "gripper": _gripper,
    "blockworld": _blockworld,
    "barman": _barman,
    "tyreworld": _tyreworld,
}
