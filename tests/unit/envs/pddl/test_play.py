"""Playing in text: experts to the end, from anywhere; hostile actions; what observations tell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from envs.pddl import PDDL
from envs.pddl.session import CHECK, INVALID, LOOK, SOLVED, PDDLSession
from harness.errors import ConfigError, EnvironmentFault
from harness.types import StopReason, Task

WALKS, LONGEST_WALK = 1000, 50
ENOUGH = 75
"""Steps from any state of these problems; from their starts 40 are."""
HOSTILE = (
    *("", " ", ".", "()", "\x00", "\ud800", "ＰＩＣＫ up ball1", "💥" * 50, "{0}", "%s %d", "pick up ball1\x00"),
    *("a" * 50_000, "pick up " * 10_000, "ball1 " * 10_000, "(" * 50_000, "check valid actions " * 2_000),
    *("pick", "pick ball1", "pick ball1 rooma", "pick ball1 rooma left right", "pick ball1 ball1 ball1"),
    *("go from rooma to rooma", "go from rooma", "move", "at ball1 roomb", "look", "None", "null", '{"action": 1}'),
)


def _solve(session: PDDLSession, limit: int) -> int:
    """Let the expert play on; returns the number of its steps."""
    for number in range(limit):
        if session.outcome().success:
            return number
        action = session.expert()
        assert action is not None
        assert action in session.actions
        assert session.step(action).observation != INVALID, action
    return limit


def test_the_expert_solves_all_of_agentboards_problems_in_40_steps(agentboard: PDDL) -> None:
    steps = {}
    for task in agentboard.tasks():
        with agentboard.start(task) as session:
            steps[task.id] = _solve(session, 40)
            assert (session.outcome().success, session.outcome().score) == (True, 1.0), task.id
    assert len(steps) == 60
    assert sum(number <= 30 for number in steps.values()) == 55


def test_the_known_plans_play_through_the_text_interface(agentboard: PDDL, published: Path) -> None:
    plans = json.loads((published / "oracle_plans.json").read_text(encoding="utf-8"))
    tasks = {task.id: task for task in agentboard.tasks()}
    for name, entry in plans.items():
        with agentboard.start(tasks[f"{name.split('/')[0]}/{entry['file']}"]) as session:
            steps = [session.step(action) for action in entry["plan"]]
            assert [step.done for step in steps] == [False] * (len(steps) - 1) + [True]
            assert session.outcome().score == 1.0


def _solve_after_random_walks(environment: PDDL, walks: range) -> None:
    tasks = environment.tasks()
    for number in walks:
        rng = np.random.default_rng(number)
        with environment.start(tasks[number % len(tasks)]) as session:
            for _ in range(int(rng.integers(1, LONGEST_WALK + 1))):
                action = session.sample(rng)
                if action is None:
                    break
                session.step(action)
            _solve(session, ENOUGH)
            assert (session.outcome().success, session.outcome().score) == (True, 1.0), (number, session.task.id)


def test_the_expert_solves_agentboards_problems_from_a_thousand_random_walks(agentboard: PDDL) -> None:
    _solve_after_random_walks(agentboard, range(WALKS))


def test_the_expert_solves_generated_problems_from_random_walks(generated: PDDL) -> None:
    _solve_after_random_walks(generated, range(WALKS, WALKS + 240))


def test_hostile_actions_change_nothing_and_are_answered(generated: PDDL) -> None:
    with generated.start(generated.tasks()[0]) as session:
        before = session.actions
        for action in HOSTILE:
            step = session.step(action)
            assert (step.action, step.observation, step.reward, step.done) == (action, INVALID, 0.0, False)
        assert session.actions == before
        assert session.outcome().score == 0


@pytest.mark.parametrize(
    "text", ["  PICK up Ball1, in rooma with left.  ", "(pick ball1 rooma left)", "pick ball1 rooma left"]
)
def test_case_spacing_commas_and_a_full_stop_do_not_matter(generated: PDDL, text: str) -> None:
    with generated.start(generated.tasks()[0]) as session:
        assert "gripper left holds ball1" in session.step(text).observation


def test_looking_lists_and_tells_and_costs_nothing_but_the_step(generated: PDDL) -> None:
    for task in generated.tasks()[:4]:
        with generated.start(task) as session:
            *commands, check, look = session.actions
            assert (check, look) == (CHECK, LOOK)
            assert session.step(CHECK).observation == f"Possible now: {'; '.join(commands)}."
            assert session.step(LOOK).observation in session.observation
            assert session.outcome().score == 0


def test_every_listed_action_works_and_the_listing_is_complete(generated: PDDL) -> None:
    for task in generated.tasks()[:4]:
        with generated.start(task) as session:
            listed = [action for action in session.actions if action not in (CHECK, LOOK)]
            every = session._board.commands
        working = []
        for command in every:
            with generated.start(task) as session:
                if session.step(command).observation != INVALID:
                    working.append(command)
        assert sorted(working) == sorted(listed)


def test_bar_and_car_tell_what_became_true_and_the_others_all_that_is(generated: PDDL) -> None:
    told = {}
    for task in generated.tasks()[:4]:
        with generated.start(task) as session:
            told[task.family] = (session.step(session.expert() or "").observation, session.step(LOOK).observation)
    assert {family: told == everything for family, (told, everything) in told.items()} == {
        "gripper": True,
        "blockworld": True,
        "barman": False,
        "tyreworld": False,
    }


def test_the_end_is_said_and_final(generated: PDDL) -> None:
    with generated.start(generated.tasks()[0]) as session:
        observation = ""
        while not session.outcome().success:
            assert session.outcome().stop is StopReason.FAILED
            observation = session.step(session.expert() or "").observation
        assert observation.endswith(SOLVED)
        assert session.outcome().stop is StopReason.SOLVED
        assert (session.actions, session.expert(), session.sample(np.random.default_rng(0))) == ((), None, None)
        with pytest.raises(EnvironmentFault, match="solved and over"):
            session.step(LOOK)


def test_progress_is_never_taken_back(generated: PDDL) -> None:
    with generated.start(generated.tasks()[0]) as session:
        while session.outcome().score == 0:
            session.step(session.expert() or "")
        reached = session.outcome().score
        step = session.step("pick up ball1 in roomb with left")
        assert step.observation != INVALID
        assert (step.reward, session.outcome().score) == (0.0, reached)


def _walk(session: PDDLSession, rng: np.random.Generator, *, careful: bool) -> int:
    """Act at random until the end or for 60 steps; returns how many goals are out of reach then."""
    board = session._board
    out_of_reach = board.game.family.out_of_reach
    assert out_of_reach is not None
    for _ in range(60):
        if session.outcome().success:
            return 0
        listed = [action for action in session.actions if action not in (CHECK, LOOK)]
        action = session.sample(rng) if careful else listed[int(rng.integers(len(listed)))]
        assert action in listed
        session.step(str(action))
    return len(out_of_reach(board.world.facts(session._state), board.game.problem.goal))


def test_a_sampled_action_never_puts_a_drink_out_of_reach_as_pure_chance_does(generated: PDDL) -> None:
    lost = {True: 0, False: 0}
    for number, task in enumerate(task for task in generated.tasks() if task.family == "barman"):
        for careful in lost:
            with generated.start(task) as session:
                lost[careful] += _walk(session, np.random.default_rng(number), careful=careful)
    assert lost[True] == 0 < lost[False]


def test_a_task_of_another_set_is_refused(generated: PDDL) -> None:
    with pytest.raises(ConfigError, match="have no task 'gripper/p01'"):
        generated.start(Task("gripper/p01", "pddl", "", "gripper", "gripper-4-balls"))


def test_sessions_of_one_problem_do_not_touch_each_other(generated: PDDL) -> None:
    task = generated.tasks()[0]
    with generated.start(task) as one, generated.start(task) as other:
        before = other.actions
        one.step(one.expert() or "")
        assert other.actions == before == generated.start(task).actions
