"""STRIPS: domains and problems as data, and a problem's grounded world, where a state is an integer of bits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

Atom = tuple[str, ...]
"""A name (of a predicate or an action) and its arguments, in lower case; ``?x`` is a variable."""


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with variables."""

    name: str
    parameters: tuple[tuple[str, frozenset[str]], ...]
    """Variables with the types they may have, none meaning any."""
    needs: tuple[Atom, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """What can be true and what can be done."""

    name: str
    supertypes: Mapping[str, str | None]
    constants: Mapping[str, str]
    """Names with their types."""
    predicates: Mapping[str, int]
    """Names with their arities."""
    schemas: tuple[Schema, ...]

    def is_a(self, kind: str | None, wanted: Iterable[str]) -> bool:
        """Return whether a type is, or descends from, one of those wanted; no wish is met by any."""
        wishes = set(wanted)
        while kind is not None and kind not in wishes:
            kind = self.supertypes.get(kind)
        return kind is not None or not wishes or "object" in wishes

    @property
    def fluents(self) -> frozenset[str]:
        """The predicates that some action changes."""
        return frozenset(atom[0] for schema in self.schemas for atom in (*schema.adds, *schema.deletes))


@dataclass(frozen=True)
class Problem:
    """Objects, what is true at first, and what is to become true."""

    domain: Domain
    objects: Mapping[str, str]
    """Names with their types, constants included; ``object`` where the domain has no types."""
    initial: frozenset[Atom]
    goal: tuple[Atom, ...]

    @cached_property
    def world(self) -> World:
        """The grounded problem; made once."""
        return World(self)


class Facts:
    """Atoms arranged for asking."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._all: dict[str, set[Atom]] = defaultdict(set)
        for predicate, *arguments in atoms:
            self._all[predicate].add(tuple(arguments))

    def of(self, predicate: str) -> list[Atom]:
        """Return the arguments of a predicate's true atoms, sorted."""
        return sorted(self._all.get(predicate, ()))

    def names(self, predicate: str) -> list[str]:
        """Return the first arguments of a predicate's true atoms, sorted."""
        return [arguments[0] for arguments in self.of(predicate)]

    def pairs(self, predicate: str) -> dict[str, str]:
        """Return a two-place predicate as a mapping from its first to its second argument."""
        return {arguments[0]: arguments[1] for arguments in self.of(predicate)}

    def true(self, predicate: str, *arguments: str) -> bool:
        """Return whether an atom holds."""
        return arguments in self._all.get(predicate, ())


@dataclass(frozen=True, slots=True)
class Action:
    """A grounded action; the three masks speak of the world's bits."""

    number: int
    """Its place in the world's order."""
    atom: Atom
    needs: int
    adds: int
    keeps: int
    """All bits but those it deletes."""

    def result(self, state: int) -> int:
        """Return the state after it."""
        return (state & self.keeps) | self.adds


class World:
    """A problem with its actions grounded: by type, by the facts that never change, and with no object used twice.

    Each action hangs on the one of its conditions that the fewest actions share, so that a state looks at few of them.
    """

    def __init__(self, problem: Problem) -> None:
        self._bits: dict[Atom, int] = {}
        fluents = problem.domain.fluents
        self.static = frozenset(atom for atom in problem.initial if atom[0] not in fluents)
        self.initial = self._mask(sorted(problem.initial - self.static))
        self.goal = self._mask(problem.goal)
        self.actions: tuple[Action, ...] = tuple(self._ground(problem))
        self.by_atom: Mapping[Atom, Action] = {action.atom: action for action in self.actions}
        self._hung = self._hang()

    def facts(self, state: int) -> Facts:
        """Return what is true, the facts that never change included."""
        return Facts([*self.changing(state), *self.static])

    def changing(self, state: int) -> list[Atom]:
        """Return the true atoms among those that may change."""
        return [atom for atom, bit in self._bits.items() if state & bit]

    def applicable(self, state: int) -> list[Action]:
        """Return the actions that are possible and change something, in the world's order."""
        found = [
            action
            for bit, actions in self._hung
            if state & bit == bit
            for action in actions
            if state & action.needs == action.needs and action.result(state) != state
        ]
        return sorted(found, key=lambda action: action.number)

    def after(self, state: int, action: Action) -> int | None:
        """Return the state after an action; None where it is not possible or changes nothing."""
        if state & action.needs != action.needs:
            return None
        result = action.result(state)
        return None if result == state else result

    def _mask(self, atoms: Iterable[Atom]) -> int:
        mask = 0
        for atom in atoms:
            mask |= self._bits.setdefault(atom, 1 << len(self._bits))
        return mask

    def _ground(self, problem: Problem) -> Iterator[Action]:
        number = 0
        fluents = problem.domain.fluents
        for schema in problem.domain.schemas:
            names = [name for name, _ in schema.parameters]
            for values in _bindings(schema, problem, self.static, fluents):
                bound = dict(zip(names, values, strict=True))
                needs = self._mask(_filled(atom, bound) for atom in schema.needs if atom[0] in fluents)
                adds = self._mask(_filled(atom, bound) for atom in schema.adds)
                deletes = self._mask(_filled(atom, bound) for atom in schema.deletes)
                yield Action(number, (schema.name, *values), needs, adds, ~(deletes & ~adds))
                number += 1

    def _hang(self) -> list[tuple[int, list[Action]]]:
        every = {bit: [action for action in self.actions if action.needs & bit] for bit in self._bits.values()}
        shared = Counter({bit: len(actions) for bit, actions in every.items() if actions})
        hung: dict[int, list[Action]] = defaultdict(list)
        for action in self.actions:
            conditions = [bit for bit in shared if action.needs & bit]
            hung[min(conditions, key=shared.__getitem__, default=0)].append(action)
        return list(hung.items())


def _filled(atom: Atom, bound: Mapping[str, str]) -> Atom:
    return tuple(bound.get(term, term) for term in atom)


def _bindings(
    schema: Schema, problem: Problem, static: frozenset[Atom], fluents: frozenset[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the values of a schema's parameters that types and unchanging facts allow, each object once."""
    names = [name for name, _ in schema.parameters]
    candidates = [
        [each for each, kind in problem.objects.items() if problem.domain.is_a(kind, kinds)]
        for _, kinds in schema.parameters
    ]
    tests: list[list[Atom]] = [[] for _ in range(len(names) + 1)]
    for atom in schema.needs:
        if atom[0] not in fluents:
            tests[max((names.index(term) + 1 for term in atom if term in names), default=0)].append(atom)

    def extend(values: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        bound = dict(zip(names, values, strict=False))
        if any(_filled(atom, bound) not in static for atom in tests[len(values)]):
            return
        if len(values) == len(names):
            yield values
            return
        for each in candidates[len(values)]:
            if each not in values:
                yield from extend((*values, each))

    return extend(())
