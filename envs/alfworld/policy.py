"""The expert: the next command of each task type from any state, by the engine's true facts and without a planner.

It is reactive, so it needs no plan and no history: it looks at what is held, and brings it one step nearer to the goal.
Every choice is by (fewest commands to get there, name), which a step towards the chosen one never turns to another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from envs.alfworld.goal import CLEAN, COOL, HEAT, LOOK, TWO, Goal

Fact = tuple[str, tuple[str, ...]]
"""A predicate and its arguments, in the engine's spelling (lower case)."""

_TREATMENTS = {
    CLEAN: ("clean", "cleanable", "isclean", "sinkbasintype"),
    HEAT: ("heat", "heatable", "ishot", "microwavetype"),
    COOL: ("cool", "coolable", "iscool", "fridgetype"),
}
"""By family: the verb, what an object must be, what it becomes, and the type of receptacle that does it."""


class World:
    """The facts of a state, arranged for asking."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.all: dict[str, set[Any]] = defaultdict(set)  # tuples of one length a predicate
        for predicate, arguments in facts:
            self.all[predicate].add(arguments)
        self.here = next((where for _, where in self.all["atlocation"]), "")
        self.held = next((thing for _, thing in self.all["holds"]), None)
        self.place = dict[str, str](self.all["receptacleatlocation"])
        self.kind = dict[str, str](self.all["receptacletype"] | self.all["objecttype"])

    def true(self, predicate: str, *arguments: str) -> bool:
        """Return whether a fact holds."""
        return arguments in self.all[predicate]

    def closed(self, receptacle: str) -> bool:
        """Return whether a receptacle has to be opened before it is used."""
        return self.true("openable", receptacle) and not self.true("opened", receptacle)

    def takers(self, thing: str) -> list[str]:
        """Return the receptacles that an object may be put into."""
        return [r for r in self.place if self.true("cancontain", self.kind[r], self.kind[thing])]

    def stranding(self) -> set[str]:
        """Return the objects that, once taken, nothing takes back."""
        return {thing for (thing,) in self.all["pickupable"] if not self.takers(thing)}


class Policy:
    """Chooses the next command in one state."""

    def __init__(self, goal: Goal, world: World, names: Mapping[str, str]) -> None:
        self.goal = goal
        self.world = world
        self.names = names
        self.object = f"{goal.object}type".lower()
        self.receptacle = f"{goal.receptacle}type".lower()
        self.verb, self.able, self.treated, self.device = _TREATMENTS.get(goal.family, ("", "", "", ""))

    def command(self) -> str | None:
        """Return the next command; None where none leads on (the hands hold something that nothing takes)."""
        held = self.world.held
        if held is None:
            return self._take()
        if not self._wanted(held):
            return self._put(held, self.world.takers(held))
        if self.goal.family == LOOK:
            return self._light()
        if not self._ready(held):
            devices = [r for r in self.world.place if self.world.kind[r] == self.device]
            return self._nearest([(r, f"{self.verb} {self._name(held)} with {self._name(r)}") for r in devices])
        if self.goal.family == TWO:
            return self._put(held, self._gathering()[:1])
        return self._put(held, [r for r in self.world.takers(held) if self.world.kind[r] == self.receptacle])

    def _name(self, thing: str) -> str:
        return self.names[thing].strip()

    def _wanted(self, thing: str) -> bool:
        """Return whether the goal can be met with an object."""
        able = not self.able or self.world.true(self.able, thing)
        return self.world.kind.get(thing) == self.object and able

    def _ready(self, thing: str) -> bool:
        return not self.treated or self.world.true(self.treated, thing)

    def _take(self) -> str | None:
        """Go for an object of the goal: one that needs no treatment any more before one that does."""
        first = self._gathering()[:1] if self.goal.family == TWO else []
        gathered = {thing for thing, r in self.world.all["inreceptacle"] if r in first}
        wanted = [
            (thing, r)
            for thing, r in self.world.all["inreceptacle"]
            if self._wanted(thing) and thing not in gathered and self.world.true("pickupable", thing)
        ]
        ready = [(thing, r) for thing, r in wanted if self._ready(thing)]
        return self._nearest(
            [(r, f"take {self._name(o)} from {self._name(r)}") for o, r in ready or wanted], inside=True
        )

    def _put(self, thing: str, receptacles: Iterable[str]) -> str | None:
        return self._nearest([(r, f"move {self._name(thing)} to {self._name(r)}") for r in receptacles], inside=True)

    def _light(self) -> str | None:
        """Go to a lamp that was switched on, else switch one on."""
        world = self.world
        kind = f"{self.goal.toggle}type".lower()
        lamps = [(lamp, r) for lamp, r in world.all["inreceptacle"] if world.kind.get(lamp) == kind]
        lit = [(r, "look") for lamp, r in lamps if world.true("istoggled", lamp)]
        dark = [(r, f"use {self._name(lamp)}") for lamp, r in lamps if world.true("toggleable", lamp)]
        return self._nearest(lit or dark)

    def _gathering(self) -> list[str]:
        """Return the receptacles that two objects may be gathered in, the one with most of them first.

        The order must not depend on where the agent is: two half-filled ones would send it to and fro.
        """
        world = self.world
        fitting = [r for r in world.place if world.kind[r] == self.receptacle]
        fitting = [r for r in fitting if world.true("cancontain", self.receptacle, self.object)]
        count = {r: sum(1 for o, into in world.all["inreceptacle"] if into == r and self._wanted(o)) for r in fitting}
        return sorted(fitting, key=lambda r: (-count[r], world.true("openable", r), r))

    def _nearest(self, options: list[tuple[str, str]], *, inside: bool = False) -> str | None:
        """Return the next command on the way to the option (receptacle, command there) that needs the fewest."""
        world = self.world

        def cost(option: tuple[str, str]) -> tuple[int, str, str]:
            away = world.here != world.place[option[0]]
            return away + (inside and world.closed(option[0])), *option

        options = [option for option in options if option[0] in world.place]
        if not options:
            return None
        receptacle, command = min(options, key=cost)
        if world.here != world.place[receptacle]:
            return f"go to {self._name(receptacle)}"
        if inside and world.closed(receptacle):
            return f"open {self._name(receptacle)}"
        return command
