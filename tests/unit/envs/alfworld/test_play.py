"""Playing: the same game as the bare engine's, an expert that wins from anywhere, and nothing given away."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from envs.alfworld import ALFWorld
from envs.alfworld.goal import FAMILIES
from harness.errors import ConfigError, EnvironmentFault
from harness.protocols import Environment, Session
from harness.seeds import Draws
from harness.types import Task

_RANDOM_STEPS = 10
_MOST_EXPERT_STEPS = 25


def _wander(session: Session, steps: int = _RANDOM_STEPS) -> list[str]:
    """Take random steps, the same for the same task."""
    rng = Draws(0, "wander").at(session.task.id)
    taken: list[str] = []
    while len(taken) < steps and not session.outcome().success:
        action = session.sample(rng)
        assert action is not None
        session.step(action)
        taken.append(action)
    return taken


def _finish(session: Session) -> list[str]:
    """Follow the expert to the end, checking that its every action is admissible."""
    taken: list[str] = []
    while not session.outcome().success and len(taken) < _MOST_EXPERT_STEPS:
        action = session.expert()
        assert action is not None
        assert session.actions is not None
        assert action in session.actions
        session.step(action)
        taken.append(action)
    return taken


def _unsolved(environment: Environment, tasks: list[Task], *, random_steps: int) -> list[str]:
    failed = []
    for task in tasks:
        with environment.start(task) as session:
            _wander(session, random_steps)
            _finish(session)
            if not session.outcome().success:
                failed.append(task.id)
    return failed


def test_the_expert_wins_generated_games_of_all_six_types(generated: ALFWorld) -> None:
    tasks = list(generated.tasks())
    assert {task.family for task in tasks} == set(FAMILIES)
    assert _unsolved(generated, tasks, random_steps=0) == []


def test_the_expert_wins_generated_games_after_random_steps(generated: ALFWorld) -> None:
    assert _unsolved(generated, list(generated.tasks()), random_steps=_RANDOM_STEPS) == []


def test_the_expert_wins_published_games_from_the_start_and_after_random_steps(published: Path) -> None:
    environment = ALFWorld(games=str(published))
    tasks = list(environment.tasks())[::24]
    assert _unsolved(environment, tasks, random_steps=0) == []
    assert _unsolved(environment, tasks, random_steps=_RANDOM_STEPS) == []
    environment.close()


@pytest.mark.slow
@pytest.mark.parametrize("random_steps", [0, _RANDOM_STEPS])
def test_the_expert_wins_all_134_published_games(published: Path, random_steps: int) -> None:
    environment = ALFWorld(games=str(published))
    assert _unsolved(environment, list(environment.tasks()), random_steps=random_steps) == []
    environment.close()


@pytest.mark.slow
def test_the_expert_wins_300_generated_games_after_random_steps() -> None:
    environment = ALFWorld(per_type=50, generator_seed=1)
    assert _unsolved(environment, list(environment.tasks()), random_steps=_RANDOM_STEPS) == []
    environment.close()


def _compare_with_bare_engine(environment: ALFWorld, tasks: list[Task]) -> None:
    orders, ours = [], []
    for task in tasks:
        with environment.start(task) as session:
            actions = [*_wander(session), "no such command", *_finish(session)]
        with environment.start(task) as session:
            seen = [[session.observation, list(session.actions or ()), False]]
            for action in actions:
                step = session.step(action)
                seen.append([step.observation, list(session.actions or ()), step.done])
        orders.append(json.dumps({"game": environment._games[task.id].read(), "actions": actions}))
        ours.append(seen)
    bare = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("replay_bare.py"))],
        input="\n".join(orders),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    for seen, line in zip(ours, bare.stdout.splitlines(), strict=True):
        expected = json.loads(line)
        expected[0][0] = expected[0][0].removeprefix("-= Welcome to TextWorld, ALFRED! =-\n\n")
        assert seen[:-1] == expected[:-1]
        assert seen[-1][0] == expected[-1][0]
        assert expected[-1][2] is True


def test_generated_games_read_as_in_the_bare_engine(generated: ALFWorld) -> None:
    _compare_with_bare_engine(generated, list(generated.tasks()))


def test_published_games_read_as_in_the_bare_engine(published: Path) -> None:
    environment = ALFWorld(games=str(published))
    _compare_with_bare_engine(environment, list(environment.tasks())[5::44])
    environment.close()


def test_the_first_observation_shows_room_and_task_and_no_more(generated: ALFWorld) -> None:
    for task in generated.tasks():
        with generated.start(task) as session:
            assert session.task == task
            room, _, instruction = session.observation.partition("\n\n")
            assert room.startswith("You are in the middle of a room. Looking quickly around you, you see a ")
            assert instruction == f"Your task is to: {task.text}."


def test_asking_the_expert_or_for_a_sample_changes_nothing(generated: ALFWorld) -> None:
    with generated.start(generated.tasks()[5]) as session:
        _wander(session)
        before = session.step("look").observation, session.actions
        answers = {session.expert() for _ in range(3)}
        session.sample(Draws(1, "x").at(1))
        assert len(answers) == 1
        assert (session.step("look").observation, session.actions) == before


def test_the_same_actions_give_the_same_game_in_another_environment(generated: ALFWorld) -> None:
    task = generated.tasks()[3]
    transcripts = []
    for environment in (generated, ALFWorld(per_type=2, generator_seed=11)):
        with environment.start(task) as session:
            transcripts.append((session.observation, _wander(session), session.actions, _finish(session)))
    environment.close()
    assert transcripts[0] == transcripts[1]


def test_winning_is_final_and_scores_one(generated: ALFWorld) -> None:
    with generated.start(generated.tasks()[1]) as session:
        assert (session.outcome().success, session.outcome().score) == (False, 0.0)
        *early, last = _finish(session)
        assert (session.outcome().success, session.outcome().score) == (True, 1.0)
        assert (session.actions, session.expert(), session.sample(Draws(0, "x").at(0))) == ((), None, None)
        with pytest.raises(EnvironmentFault, match="won and over"):
            session.step("look")
    with generated.start(generated.tasks()[1]) as session:
        assert [session.step(action).reward for action in [*early, last]] == [0.0] * len(early) + [1.0]


@pytest.mark.parametrize("action", ["", "  ", "put mug 1 in/on shelf 1", "look\nlook", "\x00", "\ud800", "a" * 20_000])
def test_hostile_actions_change_nothing(generated: ALFWorld, action: str) -> None:
    with generated.start(generated.tasks()[0]) as session:
        before = session.actions
        step = session.step(action)
        assert (step.action, step.observation, step.done, step.reward) == (action, "Nothing happens.", False, 0.0)
        assert session.actions == before


def test_a_task_of_another_set_is_refused(generated: ALFWorld) -> None:
    with pytest.raises(ConfigError, match="have no task"):
        generated.start(Task("nowhere/trial", "alfworld", "", "", ""))


def test_the_worked_examples_are_played_in_the_engine() -> None:
    environment = ALFWorld(per_type=2, generator_seed=2024)
    by_text = {task.text: task for task in environment.tasks()}
    _, *episodes = (environment.prompts / "fewshots.md").read_text(encoding="utf-8").split("Task: ")
    assert len(episodes) == 2
    for episode in episodes:
        text, *lines = episode.strip().splitlines()
        with environment.start(by_text[text]) as session:
            seen = [session.observation.partition("\n")[0]]
            seen += [session.step(line.removeprefix("Action: ")).observation for line in lines if "Action: " in line]
            assert seen == [line.removeprefix("Observation: ") for line in lines if line.startswith("Observation: ")]
            assert session.outcome().success
    environment.close()
