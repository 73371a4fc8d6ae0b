"""What every environment promises, on the real engines."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import psutil
import pytest

from baselines.none import NoMemory
from harness.agents.prompts import Prompts
from harness.agents.react import ReactAgent
from harness.backbones.expert import ExpertBackbone
from harness.errors import EnvironmentFault
from harness.metrics import METRICS
from harness.protocols import Environment
from harness.seeds import Draws
from harness.types import Limits, Recall, StepKind, StopReason, Task
from tests.contract.environments import ENTRIES, Entry
from tests.contract.playing import Played, play_expert

HOSTILE = ("", " ", "no such action", "\x00\ud800é💥", "look\nlook", "open " * 3000, '{"action": null}')
PLAYER = """
import json, sys, time
from tests.contract.environments import build
environment = build(sys.argv[1], json.loads(sys.argv[2]))
session = environment.start(environment.tasks()[0])
print("started", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module", params=ENTRIES, ids=lambda entry: str(entry.id))
def entry(request: pytest.FixtureRequest) -> Entry:
    chosen: Entry = request.param
    return chosen


@pytest.fixture(scope="module")
def environment(entry: Entry) -> Iterator[Environment]:
    environment = entry.build()
    yield environment
    environment.close()


@pytest.fixture(scope="module")
def won(entry: Entry, environment: Environment) -> list[Played]:
    """The first tasks, each played once by the expert."""
    if environment.expert_kind == "none":
        pytest.skip("has no expert")
    return [play_expert(environment, task, entry.max_steps) for task in environment.tasks()[: entry.wins]]


def test_tasks_are_unique_complete_and_always_in_the_same_order(entry: Entry, environment: Environment) -> None:
    tasks = environment.tasks()
    assert len(tasks) >= max(entry.wins, 1)
    assert len({task.id for task in tasks}) == len(tasks)
    assert all(task.id and task.family and task.template and task.benchmark == environment.name for task in tasks)
    assert list(entry.build().tasks()) == list(environment.tasks()) == list(tasks)


def test_it_says_what_tables_and_prompts_and_locks_need(environment: Environment) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", environment.name)
    assert environment.variant
    assert environment.metrics
    assert set(environment.metrics) <= set(METRICS)
    assert environment.expert_kind in ("exact", "path", "none")
    assert all(sentence.endswith(".") for sentence in environment.disclosures)
    assert Prompts.load(environment.prompts).system
    digests = environment.digests()
    assert digests
    assert all(digests.values())


def test_the_expert_wins_from_the_start(entry: Entry, won: list[Played]) -> None:
    for played in won:
        assert played.end.success, played.actions
        assert played.end.stop is StopReason.SOLVED
        assert played.end.score == entry.full_score
        assert played.plan_after_end is None


def test_a_session_brings_instruction_observation_and_something_to_do(won: list[Played]) -> None:
    for played in won:
        assert played.task.text.strip()
        assert played.observation.strip()
        assert played.actable


def test_asking_for_plan_actions_and_outcome_changes_nothing(won: list[Played]) -> None:
    assert [played.wavered for played in won] == [()] * len(won)


def test_done_is_final_and_a_step_after_it_is_refused(won: list[Played]) -> None:
    for played in won:
        assert [step.done for step in played.steps] == [False] * (len(played.steps) - 1) + [True]
        assert played.refused


def test_outcomes_are_finite_and_rewards_add_up_to_the_score(won: list[Played]) -> None:
    for played in won:
        assert not played.start.success
        assert all(math.isfinite(outcome.score) for outcome in (played.start, played.end))
        gained = sum(step.reward for step in played.steps)
        assert played.start.score + gained == pytest.approx(played.end.score)
        assert all(step.kind is StepKind.ACT for step in played.steps)


def test_the_plan_is_no_part_of_the_task(won: list[Played]) -> None:
    for played in won:
        told = json.dumps([played.task.id, played.task.text, played.task.family, played.task.template])
        assert not any(
            first in told and second in told for first, second in pairwise(played.actions) if first != second
        )


def test_a_bare_id_and_equal_actions_give_an_equal_episode_in_a_fresh_environment(
    entry: Entry, environment: Environment, won: list[Played]
) -> None:
    if not environment.deterministic:
        pytest.skip("declares itself not deterministic")
    fresh = entry.build()
    try:
        for played in reversed(won):
            bare = Task(played.task.id, played.task.benchmark, text="", family="", template="")
            with fresh.start(bare) as session:
                assert session.task == played.task
                assert session.observation == played.observation
                assert tuple(session.step(action) for action in played.actions) == played.steps
                assert session.outcome() == played.end
    finally:
        fresh.close()


def test_hostile_actions_are_answered_and_random_ones_never_end_an_episode(environment: Environment) -> None:
    with environment.start(environment.tasks()[0]) as session:
        for action in HOSTILE:
            step = session.step(action)
            assert step.action == action
            assert not step.done
        for draw in range(15):
            drawn = session.sample(np.random.default_rng(draw))
            assert drawn == session.sample(np.random.default_rng(draw))
            if drawn is not None:
                assert not session.step(drawn).done, drawn
        assert math.isfinite(session.outcome().score)


@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_the_step_that_reaches_the_limit_is_played_and_no_further_one(
    environment: Environment, won: list[Played], spare: int
) -> None:
    shortest = min(won, key=lambda played: len(played.steps))
    needed = len(shortest.steps)
    backbone = ExpertBackbone(draws=Draws(0, "backbone"))
    agent = ReactAgent(backbone=backbone, prompts=Prompts.load(environment.prompts))
    with environment.start(shortest.task) as session:
        limits = Limits(max_steps=needed + spare)
        episode = agent.solve(session, shortest.task, 1, NoMemory(), Recall(), limits)
    assert episode.actions == shortest.actions[: needed + min(spare, 0)]
    assert episode.outcome.success is (spare >= 0)
    assert episode.outcome.stop is (StopReason.SOLVED if spare >= 0 else StopReason.STEP_LIMIT)


def test_no_process_outlives_an_exception_or_a_normal_end(entry: Entry, no_process_left: None) -> None:
    environment = entry.build()
    task = environment.tasks()[0]
    with pytest.raises(ZeroDivisionError), environment.start(task):
        raise ZeroDivisionError
    with environment.start(task) as session:
        session.outcome()
    environment.close()
    environment.close()


def test_a_timeout_is_an_environment_fault_and_leaves_no_process(entry: Entry, no_process_left: None) -> None:
    if not entry.impatient:
        pytest.skip("nothing in it can hang")
    for changes in entry.impatient:
        environment = entry.build(**changes)
        task = environment.tasks()[0]
        with pytest.raises(EnvironmentFault), environment.start(task) as session:
            session.step("look around")
        environment.close()


@pytest.mark.parametrize("moment", ["starting", "started"])
def test_no_process_outlives_a_killed_parent(entry: Entry, no_process_left: None, moment: str) -> None:
    if moment == "starting" and not entry.impatient:
        pytest.skip("starts no process")
    command = [sys.executable, "-c", PLAYER, entry.target, json.dumps(dict(entry.arguments))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(Path.cwd())}) as player:
        assert player.stdout is not None
        if moment == "started":
            assert player.stdout.readline() == b"started\n"
        else:
            deadline = time.monotonic() + 60
            while not psutil.Process(player.pid).children() and player.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
        player.send_signal(signal.SIGKILL)
    assert player.returncode == -signal.SIGKILL
