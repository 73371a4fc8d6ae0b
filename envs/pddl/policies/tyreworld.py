"""Tyreworld: inflate, put away, and change wheels hub by hub; one jack, so one hub is up at a time."""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.strips import Atom, Facts


def next_action(facts: Facts, goal: Sequence[Atom]) -> Atom | None:
    """Return the next action towards the goal, or None where it is reached."""
    return _Garage(facts, goal).next_action()


class _Garage:
    """One state, looked at for what to do next.

    No wheel is ever put onto a wrong hub and none is taken off its own, so the wheels still to be moved only become
    fewer; a hub is let down only where another one can be worked at, or where its nuts have to be loosened.
    """

    def __init__(self, facts: Facts, goal: Sequence[Atom]) -> None:
        self.facts = facts
        self.stowed = {atom[1]: atom[2] for atom in goal if atom[0] == "in"}
        self.mounted = {atom[1]: atom[2] for atom in goal if atom[0] == "on"}
        self.flat = [atom[1] for atom in goal if atom[0] == "inflated" and not facts.true(*atom)]
        self.inside = facts.pairs("in")
        self.wheel = {hub: wheel for wheel, hub in facts.pairs("on").items()}
        self.nuts = {hub: nut for nut, hub in (facts.pairs("tight") | facts.pairs("loose")).items()}

    def next_action(self) -> Atom | None:
        if self.flat:
            return self._get("pump") or ("inflate", self.flat[0])
        return self._stow() or self._change()

    def _get(self, thing: str) -> Atom | None:
        """Return the action that brings something nearer to the hands; None where it is in them."""
        container = self.inside.get(thing)
        return None if container is None else self._open(container) or ("fetch", thing, container)

    def _open(self, container: str) -> Atom | None:
        return None if self.facts.true("isopen", container) else ("open", container)

    def _stow(self) -> Atom | None:
        for thing, container in self.stowed.items():
            if self.facts.true("have", thing):
                return self._open(container) or ("put-away", thing, container)
            if self.inside.get(thing, container) != container:
                return self._get(thing)
        return None

    def _change(self) -> Atom | None:
        grounded = self.facts.names("on-ground")
        raised = self.facts.names("not-on-ground")
        for hub in raised:
            if action := self._work(hub):
                return action
        ready = [hub for hub in grounded if self._work(hub)]
        for hub in raised if ready else []:
            return ("jack-down", hub)
        for hub in ready:
            if nut := self._tight(hub):
                return self._get("wrench") or ("loosen", nut, hub)
            return self._get("jack") or ("jack-up", hub)
        return None

    def _work(self, hub: str) -> Atom | None:
        """Return the next action on a hub as if it were up; None where nothing is to do or its wheel is not at hand."""
        wheel = self.wheel.get(hub)
        if wheel is not None:
            home = self.mounted.get(wheel)
            spare = home is None and wheel not in self.stowed and hub not in self.mounted.values()
            return None if home == hub or spare else self._undo(hub) or ("remove-wheel", wheel, hub)
        for missing, place in self.mounted.items():
            if place == hub and (self.facts.true("have", missing) or missing in self.inside):
                return self._undo(hub) or self._get(missing) or ("put-on-wheel", missing, hub)
        return None

    def _undo(self, hub: str) -> Atom | None:
        if self.facts.true("unfastened", hub):
            return None
        return ("jack-down", hub) if self._tight(hub) else self._get("wrench") or ("undo", self.nuts[hub], hub)

    def _tight(self, hub: str) -> str | None:
        nut = self.nuts.get(hub)
        return nut if nut is not None and self.facts.true("tight", nut, hub) else None
