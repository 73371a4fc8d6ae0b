"""The corridor world keeps the promises that other tests build on."""

import numpy as np
import pytest

from harness.errors import ConfigError, EnvironmentFault
from harness.types import StopReason
from tests.worlds.corridor import CorridorWorld, FlakyCorridor


@pytest.mark.parametrize("length", [2, 3, 5, 7])
def test_the_expert_solves_every_task_from_the_start(length: int) -> None:
    world = CorridorWorld(n_tasks=24, length=length)
    for task in world.tasks():
        with world.start(task) as session:
            steps = 0
            while (action := session.expert()) is not None:
                step = session.step(action)
                steps += 1
                assert steps < 60
            assert step.done
            assert session.outcome().success
            assert session.outcome().score == 100.0
            assert session.outcome().stop is StopReason.SOLVED


def test_the_expert_solves_every_task_from_a_random_state_that_sample_led_to() -> None:
    world = CorridorWorld(n_tasks=40, length=7)
    for number, task in enumerate(world.tasks()):
        rng = np.random.default_rng(number)
        with world.start(task) as session:
            for _ in range(25):
                action = session.sample(rng)
                assert action is not None
                assert action in session.actions
                assert not session.step(action).done
            while (action := session.expert()) is not None:
                session.step(action)
            assert session.outcome().success


def test_rewards_add_up_to_the_score_and_the_wrong_lever_ends_the_task() -> None:
    world = CorridorWorld(n_tasks=4, length=4)
    for task in world.tasks():
        with world.start(task) as session:
            total = 0.0
            while (action := session.expert()) is not None:
                if action.startswith("pull"):
                    action = "pull blue lever" if "red" in action else "pull red lever"
                total += session.step(action).reward
            assert session.outcome().stop is StopReason.FAILED
            assert total == session.outcome().score == 99.0
            with pytest.raises(EnvironmentFault, match="over"):
                session.step("look")


def test_the_expert_and_the_list_of_actions_change_nothing() -> None:
    world = CorridorWorld()
    session = world.start(world.tasks()[3])
    for _ in range(3):
        assert (session.expert(), session.actions) == (session.expert(), session.actions)
    assert session.outcome().score == 0


def test_worlds_of_equal_arguments_have_equal_tasks_and_all_families_occur() -> None:
    tasks = CorridorWorld(n_tasks=24).tasks()
    assert tasks == CorridorWorld(n_tasks=24).tasks()
    assert {task.family for task in tasks} == {"red", "blue", "red with keys", "blue with keys"}


def test_an_impossible_action_takes_a_step_and_does_nothing() -> None:
    world = CorridorWorld()
    session = world.start(world.tasks()[0])
    before = session.actions
    assert session.step("fly").observation == "Nothing happens."
    assert session.actions == before


def test_a_flaky_corridor_breaks_where_it_was_told_to_and_goes_on_after() -> None:
    world = FlakyCorridor(fault_steps=[2], broken_tasks=["corridor-001"])
    good, broken = world.tasks()[:2]
    with pytest.raises(EnvironmentFault, match="does not start"):
        world.start(broken)
    session = world.start(good)
    session.step("look")
    with pytest.raises(EnvironmentFault, match="step call 2"):
        session.step("look")
    assert world.start(good).step("look").observation == session.observation


@pytest.mark.parametrize(("n_tasks", "length"), [(0, 3), (1, 1), (1, 8)])
def test_arguments_out_of_range_are_refused(n_tasks: int, length: int) -> None:
    with pytest.raises(ConfigError, match=f"got {n_tasks} and {length}"):
        CorridorWorld(n_tasks=n_tasks, length=length)
