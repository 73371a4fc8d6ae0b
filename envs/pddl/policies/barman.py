"""Barman: one cocktail after the other, then the plain drinks; and what can never be served any more.

Two things cannot be undone. A shot that held a cocktail can never be cleaned (only traces of what was filled in can
be), and a shaker is lost once its last serving is poured (it can be emptied only from above its empty level) or once
it holds a mixture that no recipe shakes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envs.pddl.strips import Atom, Facts


def next_action(facts: Facts, goal: Sequence[Atom]) -> Atom | None:
    """Return the next action towards the goals still within reach, or None where there are none left."""
    return _Bar(facts, goal).next_action()


def out_of_reach(facts: Facts, goal: Sequence[Atom]) -> frozenset[Atom]:
    """Return the goals that no sequence of actions from here can make true."""
    bar = _Bar(facts, goal)
    return frozenset(("contains", *drink) for drink in bar.open if not bar.servable(*drink))


class _Bar:
    """One state, looked at for what to do next."""

    def __init__(self, facts: Facts, goal: Sequence[Atom]) -> None:
        self.facts = facts
        self.hand = {container: hand for hand, container in facts.of("holding")}
        self.idle = facts.names("handempty")
        self.contents: dict[str, list[str]] = {}
        for container, drink in facts.of("contains"):
            self.contents.setdefault(container, []).append(drink)
        self.traces = facts.pairs("used")
        self.level = facts.pairs("shaker-level")
        self.base = facts.pairs("shaker-empty-level")
        self.above = facts.pairs("next")
        self.below = {high: low for low, high in self.above.items()}
        self.source = {drink: dispenser for dispenser, drink in facts.of("dispenses")}
        first, second = facts.pairs("cocktail-part1"), facts.pairs("cocktail-part2")
        self.recipes = {cocktail: {part, second[cocktail]} for cocktail, part in first.items() if cocktail in second}
        self.open = [(atom[1], atom[2]) for atom in goal if not facts.true(*atom)]
        self.done = {atom[1] for atom in goal if facts.true(*atom)}
        self.shakers = [shaker for shaker in self.base if self._working(shaker)]
        within = [drink for drink in self.open if self.servable(*drink)]
        self.cocktails = [(shot, drink) for shot, drink in within if drink in self.recipes]
        self.plain = [(shot, drink) for shot, drink in within if drink not in self.recipes]

    def next_action(self) -> Atom | None:
        if self.cocktails:
            return self._mix(min(self.shakers, key=self._distance))
        if self.plain:
            return self._fill(*min(self.plain, key=lambda drink: self._cost(*drink)))
        return None

    def servable(self, shot: str, drink: str) -> bool:
        """Return whether a drink that is not in its shot can still come into it."""
        if drink not in self.recipes:
            return self._usable(shot) and drink in self.source
        return self._usable(shot) and bool(self.shakers) and self._mixable(drink)

    def _usable(self, shot: str) -> bool:
        return self.facts.true("clean", shot) or shot in self.traces

    def _mixable(self, cocktail: str) -> bool:
        return len(self.recipes[cocktail]) == 2 and self.recipes[cocktail] <= self.source.keys()

    def _working(self, shaker: str) -> bool:
        if self.facts.true("shaked", shaker):
            return self.level[shaker] != self.base[shaker]
        return not self.facts.true("unshaked", shaker) or bool(self._possible(shaker))

    def _possible(self, shaker: str) -> list[str]:
        """Return the cocktails that what is in an unshaken shaker can still become."""
        room, level = 0, self.level[shaker]
        while level in self.above:
            room, level = room + 1, self.above[level]
        return [
            cocktail
            for cocktail in self.recipes
            if self._mixable(cocktail) and len(self._missing(shaker, cocktail)) <= room
        ]

    def _missing(self, shaker: str, cocktail: str) -> set[str]:
        return self.recipes[cocktail] - set(self.contents.get(shaker, ()))

    def _wanted(self) -> set[str]:
        return {drink for _, drink in self.cocktails}

    def _distance(self, shaker: str) -> tuple[int, str]:
        """Return how far a shaker is from serving a wanted cocktail; only the order matters."""
        if self.facts.true("shaked", shaker):
            return (0 if self._servings(shaker) else 6, shaker)
        if self.facts.true("unshaked", shaker):
            cocktail = self._aim(shaker)
            return (1 + len(self._missing(shaker, cocktail)) + 6 * (cocktail not in self._wanted()), shaker)
        return (4 if self.facts.true("clean", shaker) else 5, shaker)

    def _aim(self, shaker: str) -> str:
        """Return the cocktail to make of an unshaken shaker's contents: a wanted one, else one to empty it by."""
        wanted = self._wanted()
        return min(
            self._possible(shaker), key=lambda each: (each not in wanted, len(self._missing(shaker, each)), each)
        )

    def _servings(self, shaker: str) -> list[tuple[str, str]]:
        """Return the open drinks a shaken shaker may be poured for; not the last one while others need the shaker."""
        low = self.below.get(self.level[shaker])
        last = low is None or (low == self.base[shaker] and len(self.cocktails) > 1 and len(self.shakers) == 1)
        return [(shot, drink) for shot, drink in self.cocktails if drink in self.contents[shaker] and not last]

    def _mix(self, shaker: str) -> Atom | None:
        facts, level = self.facts, self.level[shaker]
        if facts.true("shaked", shaker):
            if servings := self._servings(shaker):
                return self._serve(shaker, servings)
            (cocktail,) = (drink for drink in self.contents[shaker] if drink in self.recipes)
            return self._hold(shaker) or (
                "empty-shaker", self.hand[shaker], shaker, cocktail, level, self.base[shaker]
            )  # fmt: skip
        if facts.true("unshaked", shaker):
            cocktail = self._aim(shaker)
            if missing := self._missing(shaker, cocktail):
                return self._add(shaker, missing)
            first, second = facts.pairs("cocktail-part1")[cocktail], facts.pairs("cocktail-part2")[cocktail]
            return self._hold_alone(shaker) or (
                "shake", cocktail, first, second, shaker, self.hand[shaker], self.idle[0]
            )  # fmt: skip
        if not facts.true("clean", shaker):
            return self._hold_alone(shaker) or ("clean-shaker", self.hand[shaker], self.idle[0], shaker)
        return self._add(shaker, self.recipes[self.cocktails[0][1]])

    def _add(self, shaker: str, missing: Iterable[str]) -> Atom | None:
        """Bring the ingredient that is nearest to the shaker into it."""
        targets = {shot for shot, _ in self.cocktails}
        shots = {*self.facts.names("ontable"), *self.hand} - self.base.keys() - self.done
        ways = [(shot, drink) for shot in shots if self._usable(shot) for drink in missing]
        shot, drink = min(ways, key=lambda way: (self._cost(*way)[0], way[0] in targets, way))
        if drink not in self.contents.get(shot, ()):
            return self._fill(shot, drink)
        fresh = self.facts.true("clean", shaker) and self.facts.true("empty", shaker)
        verb = "pour-shot-to-clean-shaker" if fresh else "pour-shot-to-used-shaker"
        level = self.level[shaker]
        return self._hold(shot) or (verb, shot, drink, shaker, self.hand[shot], level, self.above[level])

    def _serve(self, shaker: str, servings: Sequence[tuple[str, str]]) -> Atom:
        shot, drink = min(servings, key=lambda each: (self._soiled(each[0]), each))
        level = self.level[shaker]
        return (
            self._ready(shot)
            or self._hold(shaker)
            or ("pour-shaker-to-shot", drink, shot, self.hand[shaker], shaker, level, self.below[level])
        )

    def _fill(self, shot: str, drink: str) -> Atom:
        """Return the next action that gets an ingredient into a usable shot, which holds none of it."""
        refill = self.traces.get(shot) == drink
        action = (self._empty(shot) if refill else self._ready(shot)) or self._hold_alone(shot)
        verb = "refill-shot" if refill else "fill-shot"
        return action or (verb, shot, drink, self.hand[shot], self.idle[0], self.source[drink])

    def _cost(self, shot: str, drink: str) -> tuple[int, str, str]:
        """Return about how many actions it takes to hold a drink in a shot."""
        grasp = shot not in self.hand
        if drink in self.contents.get(shot, ()):
            return (grasp, shot, drink)
        refill = self.traces.get(shot) == drink
        return (grasp + 1 + ((shot in self.contents) if refill else self._soiled(shot)), shot, drink)

    def _soiled(self, shot: str) -> int:
        """Return how many actions a shot is from being clean and empty, once it is held."""
        return (shot in self.contents) + (not self.facts.true("clean", shot))

    def _ready(self, shot: str) -> Atom | None:
        """Return the next action that makes a shot clean and empty; None where it is."""
        if self._soiled(shot) == 0:
            return None
        action = self._empty(shot) or self._hold_alone(shot)
        return action or ("clean-shot", shot, self.traces[shot], self.hand[shot], self.idle[0])

    def _empty(self, shot: str) -> Atom | None:
        if shot not in self.contents:
            return None
        return self._hold(shot) or ("empty-shot", self.hand[shot], shot, self.contents[shot][0])

    def _hold(self, container: str) -> Atom | None:
        """Return the next action that gets a container into a hand; None where it is in one."""
        if container in self.hand:
            return None
        return ("grasp", self.idle[0], container) if self.idle else self._put_down(container)

    def _hold_alone(self, container: str) -> Atom | None:
        """Return the next action that gets a container into a hand with another hand empty; None where it is so."""
        return self._hold(container) or (None if self.idle else self._put_down(container))

    def _put_down(self, but: str) -> Atom:
        container, hand = next(each for each in sorted(self.hand.items()) if each[0] != but)
        return ("leave", hand, container)
