"""The experts from every reachable state of small problems, whatever came before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from envs.pddl.families import FAMILIES
from envs.pddl.strips import Atom, Problem, World
from tests.unit.envs.pddl.building import bar, car, rooms, table

LONGEST = 60

PROBLEMS: dict[str, Callable[[], Problem]] = {
    "barman two cocktails": lambda: bar([("contains", "shot1", "c1"), ("contains", "shot2", "c2")]),
    "barman the same cocktail twice": lambda: bar([("contains", "shot1", "c1"), ("contains", "shot2", "c1")]),
    "barman cocktail and plain": lambda: bar([("contains", "shot1", "c1"), ("contains", "shot2", "i1")]),
    "barman two shakers": lambda: bar([("contains", "shot1", "c1")], shots=1, recipes=1, shakers=2),
    "barman a taller shaker": lambda: bar([("contains", "shot1", "c2")], shots=1, levels=4),
    "blockworld tower": lambda: table("abcd", [("on", "d", "c"), ("on", "c", "b"), ("on", "b", "a")]),
    "blockworld in parts": lambda: table("abcde", [("on", "c", "a"), ("clear", "c"), ("on", "a", "d")]),
    "blockworld on the table": lambda: table("abcd", [("on-table", "a"), ("clear", "d"), ("on", "d", "c")]),
    "gripper three rooms": lambda: rooms([("at", "p", "y"), ("at", "q", "z"), ("at", "r", "x"), ("at-robby", "y")]),
    "tyreworld one hub": lambda: car(1, [("on", "r1", "h1"), ("in", "w1", "boot"), ("inflated", "r1")]),
    "tyreworld wheels change places": lambda: car(2, [("on", "w1", "h2"), ("on", "w2", "h1"), ("inflated", "r1")]),
}


class Reachable:
    """All states that can be reached, and from which of them which can be reached."""

    def __init__(self, world: World) -> None:
        self.states = [world.initial]
        self._before: dict[int, list[int]] = {world.initial: []}
        for state in self.states:
            for action in world.applicable(state):
                result = action.result(state)
                if result not in self._before:
                    self._before[result] = []
                    self.states.append(result)
                self._before[result].append(state)

    def from_which(self, ends: Iterable[int]) -> set[int]:
        """The states from which one of some states can be reached."""
        found = set(ends)
        waiting = list(found)
        while waiting:
            new = [state for state in self._before[waiting.pop()] if state not in found]
            found.update(new)
            waiting += new
        return found


@pytest.mark.parametrize("name", PROBLEMS)
def test_from_every_state_the_expert_reaches_all_that_can_still_be_reached(name: str) -> None:
    problem = PROBLEMS[name]()
    world, family = problem.world, FAMILIES[problem.domain.name]
    reachable = Reachable(world)
    met = {state: frozenset(problem.goal) & set(world.changing(state)) for state in reachable.states}
    hopeful: dict[Atom, set[int]] = {
        atom: reachable.from_which(state for state, true in met.items() if atom in true) for atom in problem.goal
    }
    solvable = reachable.from_which(state for state in reachable.states if state & world.goal == world.goal)
    following: dict[int, int] = {}
    for state in reachable.states:
        facts = world.facts(state)
        lost = family.out_of_reach(facts, problem.goal) if family.out_of_reach else frozenset()
        assert lost == {atom for atom in problem.goal if state not in hopeful[atom]}
        assert (state in solvable) == (not lost)
        action = None if state & world.goal == world.goal else family.expert(facts, problem.goal)
        if action is not None:
            result = world.after(state, world.by_atom[action])
            assert result is not None, (action, family.statements(world.changing(state)))
            following[state] = result
    for state in reachable.states:
        end, steps = state, 0
        while end in following:
            end, steps = following[end], steps + 1
            assert steps <= LONGEST, family.statements(world.changing(state))
        open_goals = [atom for atom in problem.goal if atom not in met[end]]
        assert state not in solvable or not open_goals, family.statements(world.changing(state))
        assert not [atom for atom in open_goals if end in hopeful[atom]]


def test_a_bar_has_states_without_a_way_back_and_the_others_have_none() -> None:
    shares = {}
    for name, make in PROBLEMS.items():
        world = make().world
        reachable = Reachable(world)
        ends = [state for state in reachable.states if state & world.goal == world.goal]
        shares[name] = len(reachable.from_which(ends)) / len(reachable.states)
    assert all((share < 1) == name.startswith("barman") for name, share in shares.items())


def test_the_last_serving_waits_while_another_cocktail_needs_the_shaker() -> None:
    problem = bar([("contains", "shot1", "c1"), ("contains", "shot2", "c2"), ("contains", "shot3", "c1")], shots=3)
    world, family = problem.world, FAMILIES["barman"]
    state, played = world.initial, list[str]()
    while (action := family.expert(world.facts(state), problem.goal)) is not None and len(played) < LONGEST:
        state = world.by_atom[action].result(state)
        played.append(action[0])
    assert state & world.goal == world.goal
    assert played.count("empty-shaker") == 2
