"""The engine against a literal one on plain sets: what is possible, what it leads to, and the progress rate."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from envs.pddl import PDDL
from envs.pddl.families import FAMILIES
from envs.pddl.session import CHECK, INVALID, LOOK, Board
from envs.pddl.strips import Atom, Problem
from tests.unit.envs.pddl.building import bar, car, literal_result, rooms, table

WALKS, STEPS = 1000, 25
MANY = 4
"""Parameters of which all combinations would be too many to try."""
IDLE = (CHECK, LOOK, "", "pick", "pick up ball1", "do something about shot1")


SMALL: dict[str, Callable[[], Problem]] = {
    "barman": lambda: bar([("contains", "shot1", "c1")], shots=1),
    "blockworld": lambda: table("abcd", [("on", "d", "c"), ("on", "c", "b")]),
    "tyreworld": lambda: car(2, [("on", "r1", "h1")]),
    "gripper": lambda: rooms([("at", "p", "y")]),
}


@pytest.mark.parametrize("family", SMALL)
def test_exactly_what_is_possible_and_changes_something_is_listed(family: str) -> None:
    problem = SMALL[family]()
    world = problem.world
    every = [
        (schema.name, *values)
        for schema in problem.domain.schemas
        for values in product(problem.objects, repeat=len(schema.parameters))
        if len(schema.parameters) < MANY
    ]
    rng = np.random.default_rng(0)
    state = world.initial
    for _ in range(10):
        atoms = frozenset([*world.changing(state), *world.static])
        expected = {action for action in every if literal_result(problem, atoms, action) not in (None, atoms)}
        listed = {action.atom for action in world.applicable(state) if len(action.atom) <= MANY}
        assert listed == expected
        actions = world.applicable(state)
        state = actions[int(rng.integers(len(actions)))].result(state)


def _random_text(board: Board, listed: list[str], rng: np.random.Generator) -> str:
    """Mostly a listed action, else any command at all or something that is none."""
    chance = rng.random()
    if chance < 0.7:
        return listed[int(rng.integers(len(listed)))]
    return str(rng.choice(board.commands) if chance < 0.9 else rng.choice(IDLE))


def _restated_walk(environment: PDDL, number: int) -> int:
    """Walk at random and say the rule again in its own words; returns how often an action was refused."""
    rng = np.random.default_rng(number)
    tasks = environment.tasks()
    session = environment.start(tasks[number % len(tasks)])
    board = session._board
    problem, atoms = board.game.problem, board.game.problem.initial
    meaning: dict[str, Atom] = dict(zip(board.commands, (action.atom for action in board.world.actions), strict=True))
    rate, refused = 0.0, 0
    for _ in range(STEPS):
        text = _random_text(board, list(session.actions), rng)
        action = meaning.get(text)
        after = None if action is None else literal_result(problem, atoms, action)
        step = session.step(text)
        before = rate
        if after is not None and after != atoms:
            atoms = after
            rate = max(rate, sum(goal in atoms for goal in problem.goal) / len(problem.goal))
        else:
            refused += text not in (CHECK, LOOK)
            assert step.observation == INVALID or text in (CHECK, LOOK)
        solved = all(goal in atoms for goal in problem.goal)
        assert frozenset(board.world.changing(session._state)) | board.world.static == atoms
        assert session.outcome().score == pytest.approx(rate)
        assert step.reward == pytest.approx(rate - before)
        assert step.done == session.outcome().success == (solved and after is not None)
        if step.done:
            break
    return refused


def test_the_progress_rate_is_the_literal_one_on_a_thousand_random_walks(generated: PDDL) -> None:
    refused = [_restated_walk(generated, number) for number in range(WALKS)]
    assert 0 < sum(refused) < WALKS * STEPS / 2


def test_the_progress_rate_is_the_literal_one_on_agentboards_problems(agentboard: PDDL) -> None:
    assert sum(_restated_walk(agentboard, number) for number in range(180)) > 0


def test_what_is_true_at_the_start_counts_after_the_first_change_only(agentboard: PDDL) -> None:
    task = next(task for task in agentboard.tasks() if task.id == "blockworld/problem5")
    with agentboard.start(task) as session:
        assert session.outcome().score == 0
        assert session.step(LOOK).reward == session.step("nonsense").reward == 0
        step = session.step(session.expert() or "")
        assert session.outcome().score == step.reward == 0.5


def test_an_action_that_changes_nothing_is_invalid_though_its_conditions_hold() -> None:
    problem = bar([("contains", "shot1", "c1")])
    world = problem.world
    grasped = world.by_atom[("grasp", "left", "shaker1")].result(world.initial)
    idle = world.by_atom[("clean-shaker", "left", "right", "shaker1")]
    assert grasped & idle.needs == idle.needs
    assert world.after(grasped, idle) is None
    assert idle not in world.applicable(grasped)


def test_facts_and_actions_of_every_domain_have_words() -> None:
    for make in SMALL.values():
        problem = make()
        family = FAMILIES[problem.domain.name]
        told = [family.command(action.atom) for action in problem.world.actions]
        assert len(set(told)) == len(told)
        assert len(set(family.statements(problem.initial))) == len(problem.initial)
