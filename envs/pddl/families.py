"""The four families of problems: how their facts and actions read, what their goals may be, and who their expert is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from envs.pddl.policies import barman, blockworld, gripper, tyreworld
from envs.pddl.strips import Atom, Facts, Problem

Expert = Callable[[Facts, Sequence[Atom]], Atom | None]


@dataclass(frozen=True, slots=True)
class Family:
    """One domain as agents meet it. In its texts, ``{0}`` is the first argument."""

    name: str
    facts: Mapping[str, str]
    """Predicates as statements, in the order of telling."""
    actions: Mapping[str, str]
    """Actions as commands."""
    goals: Mapping[str, tuple[str, ...]]
    """Predicates that a goal may be made of, with the types of their arguments where the domain has types."""
    expert: Expert
    size: Callable[[Problem], str]
    """Returns the size class of a problem."""
    tells_all: bool = True
    """Whether an action's observation is all that is true now, or only what became true."""
    out_of_reach: Callable[[Facts, Sequence[Atom]], frozenset[Atom]] | None = None
    """Returns the goals that can never come true any more; None where everything can be undone."""

    def statements(self, atoms: Iterable[Atom]) -> list[str]:
        """Return atoms as statements without full stops, in the order of telling."""
        order = list(self.facts)
        ranked = sorted(atoms, key=lambda atom: (order.index(atom[0]), [_natural(name) for name in atom[1:]]))
        return [self.facts[atom[0]].format(*atom[1:]) for atom in ranked]

    def command(self, action: Atom) -> str:
        """Return an action as an agent writes it."""
        return self.actions[action[0]].format(*action[1:])


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _counted(count: int, noun: str) -> str:
    return f"{count}-{noun}" + "s" * (count != 1)


def _of_kind(problem: Problem, kind: str) -> int:
    return sum(problem.domain.is_a(own, [kind]) for own in problem.objects.values())


def _cocktails(problem: Problem) -> str:
    wanted = sum(problem.objects[atom[2]] == "cocktail" for atom in problem.goal)
    return f"{wanted}-mixed-{len(problem.goal) - wanted}-plain"


GRIPPER = Family(
    name="gripper",
    facts={
        "room": "{0} is a room",
        "ball": "{0} is a ball",
        "gripper": "{0} is a gripper",
        "at-robby": "the robot is in {0}",
        "at": "{0} is in {1}",
        "carry": "gripper {1} holds {0}",
        "free": "gripper {0} is free",
    },
    actions={
        "move": "go from {0} to {1}",
        "pick": "pick up {0} in {1} with {2}",
        "drop": "drop {0} in {1} from {2}",
    },
    goals={"at": ("ball", "room"), "at-robby": ("room",)},
    expert=gripper.next_action,
    size=lambda problem: _counted(sum(atom[0] == "at" for atom in problem.goal), "ball"),
)

BLOCKWORLD = Family(
    name="blockworld",
    facts={
        "on-table": "{0} is on the table",
        "on": "{0} is on {1}",
        "clear": "nothing is on {0}",
        "holding": "the arm holds {0}",
        "arm-empty": "the arm is empty",
    },
    actions={
        "pickup": "pick up {0} from the table",
        "putdown": "put down {0} on the table",
        "unstack": "take {0} off {1}",
        "stack": "stack {0} on {1}",
    },
    goals={"on": ("block", "block"), "on-table": ("block",), "clear": ("block",)},
    expert=blockworld.next_action,
    size=lambda problem: _counted(len(problem.objects), "block"),
)

BARMAN = Family(
    name="barman",
    facts={
        "dispenses": "{0} gives {1}",
        "cocktail-part1": "the first part of {0} is {1}",
        "cocktail-part2": "the second part of {0} is {1}",
        "next": "level {1} follows level {0}",
        "shaker-empty-level": "{0} is at level {1} when it is empty",
        "handempty": "hand {0} is empty",
        "holding": "hand {0} holds {1}",
        "ontable": "{0} is on the table",
        "contains": "{0} contains {1}",
        "empty": "{0} is empty",
        "clean": "{0} is clean",
        "used": "{0} has traces of {1}",
        "unshaked": "{0} is not shaken yet",
        "shaked": "{0} is shaken",
        "shaker-level": "{0} is at level {1}",
    },
    actions={
        "grasp": "grasp {1} with {0}",
        "leave": "put down {1} with {0}",
        "fill-shot": "fill clean {0} with {1} from {4}, {2} holding it and {3} empty",
        "refill-shot": "refill used {0} with {1} from {4}, {2} holding it and {3} empty",
        "empty-shot": "empty {1} of {2} with {0}",
        "clean-shot": "clean {0} of {1}, {2} holding it and {3} empty",
        "pour-shot-to-clean-shaker": "pour {1} from {0} into clean {2} with {3}, raising it from {4} to {5}",
        "pour-shot-to-used-shaker": "pour {1} from {0} into used {2} with {3}, raising it from {4} to {5}",
        "shake": "shake {0} of {1} and {2} in {3}, {4} holding it and {5} empty",
        "pour-shaker-to-shot": "serve {0} in {1} from {3} with {2}, lowering it from {4} to {5}",
        "empty-shaker": "empty {1} of {2} with {0}, lowering it from {3} to {4}",
        "clean-shaker": "clean {2}, {0} holding it and {1} empty",
    },
    goals={"contains": ("shot", "beverage")},
    expert=barman.next_action,
    size=_cocktails,
    tells_all=False,
    out_of_reach=barman.out_of_reach,
)

TYREWORLD = Family(
    name="tyreworld",
    facts={
        "unlocked": "{0} is unlocked",
        "intact": "{0} is intact",
        "isopen": "{0} is open",
        "closed": "{0} is closed",
        "have": "you have {0}",
        "in": "{0} is in {1}",
        "on-ground": "{0} is on the ground",
        "not-on-ground": "{0} is jacked up",
        "fastened": "{0} is fastened",
        "unfastened": "{0} is not fastened",
        "tight": "{0} is tight on {1}",
        "loose": "{0} is loose on {1}",
        "on": "{0} is on {1}",
        "free": "no wheel is on {0}",
        "inflated": "{0} is inflated",
        "not-inflated": "{0} is not inflated",
    },
    actions={
        "open": "open {0}",
        "close": "close {0}",
        "fetch": "fetch {0} from {1}",
        "put-away": "put {0} away in {1}",
        "loosen": "loosen {0} on {1}",
        "tighten": "tighten {0} on {1}",
        "jack-up": "jack up {0}",
        "jack-down": "jack down {0}",
        "undo": "undo {0} on {1}",
        "do-up": "do up {0} on {1}",
        "remove-wheel": "remove {0} from {1}",
        "put-on-wheel": "put {0} on {1}",
        "inflate": "inflate {0}",
    },
    goals={"on": ("wheel", "hub"), "in": ("wheel", "container"), "inflated": ("wheel",)},
    expert=tyreworld.next_action,
    size=lambda problem: _counted(_of_kind(problem, "hub"), "hub"),
    tells_all=False,
)

FAMILIES: Mapping[str, Family] = {family.name: family for family in (GRIPPER, BLOCKWORLD, BARMAN, TYREWORLD)}
"""In the order of AgentBoard's 60 problems."""
