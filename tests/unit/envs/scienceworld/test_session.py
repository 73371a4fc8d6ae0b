"""A ScienceWorld episode against the published package, and what our session adds to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from envs.scienceworld import ScienceWorld
from envs.scienceworld.java import FIXED_OPTIONS
from harness.errors import EnvironmentFault
from harness.protocols import Session
from harness.types import StopReason

FEW = ["power-component", "find-plant", "chemistry-mix-paint-secondary-color"]


@pytest.fixture(scope="module")
def environment() -> Iterator[ScienceWorld]:
    environment = ScienceWorld(subset=FEW)
    yield environment
    environment.close()


@pytest.fixture
def session(environment: ScienceWorld) -> Iterator[Session]:
    """The task find-plant: from the art studio a plant is to be found and moved."""
    with environment.start(environment.tasks()[1]) as session:
        yield session


def _published(task_id: str, actions: list[str]) -> list[tuple[str, int, bool]]:
    """Return observation, score and completion of the first look and of each action, by the published wrapper."""
    from scienceworld import ScienceWorldEnv

    name, _, variation = task_id.rpartition("-")
    published = ScienceWorldEnv("", envStepLimit=10_000)
    try:
        published.load(name, int(variation), "easy")
        observation, info = published.reset()
        seen = [(observation, info["score"], False)]
        for action in actions:
            observation, _, done, info = published.step(action)
            seen.append((observation, info["score"], done))
    finally:
        published.close()
    return seen


def _equals_the_published_wrapper(environment: ScienceWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", " ".join(FIXED_OPTIONS))
    for task in environment.tasks():
        with environment.start(task) as session:
            seen = [(session.observation.removeprefix(f"{session.task.text}\n"), int(session.outcome().score), False)]
            actions = []
            while (action := session.expert()) is not None:
                step = session.step(action)
                actions.append(action)
                seen.append((step.observation, int(session.outcome().score), step.done))
        assert seen == _published(task.id, actions), task.id


def test_a_whole_gold_path_looks_and_scores_as_with_the_published_wrapper(
    environment: ScienceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    _equals_the_published_wrapper(environment, monkeypatch)


@pytest.mark.slow
def test_all_23_gold_paths_look_and_score_as_with_the_published_wrapper(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = ScienceWorld()
    try:
        _equals_the_published_wrapper(environment, monkeypatch)
    finally:
        environment.close()


def test_a_wrong_focus_ends_the_episode_at_minus_100(session: Session) -> None:
    assert session.outcome().score > 0
    step = session.step("focus on table")
    assert step.done
    assert session.outcome().score == -100
    assert session.outcome().stop is StopReason.FAILED
    assert not session.outcome().success
    assert session.expert() is None
    with pytest.raises(EnvironmentFault, match="has ended"):
        session.step("look around")


def test_actions_outside_the_valid_list_are_played(session: Session) -> None:
    assert "open door to hallway" not in (session.actions or ())
    assert session.step("open door to hallway").observation == "The door is already open."


def test_the_plan_waits_after_other_actions_and_leads_back_where_they_led_away(session: Session) -> None:
    line = session.expert()
    session.step("look at table")
    assert session.expert() == line
    session.step("teleport to greenhouse")
    assert session.expert() == "teleport to art studio"
    session.step("teleport to art studio")
    assert session.expert() == line
    session.step("go to hallway")
    assert session.expert() == "teleport to art studio"


def test_without_teleporting_the_plan_only_waits() -> None:
    environment = ScienceWorld(subset="find-plant", simplification="openDoors")
    with environment.start(environment.tasks()[0]) as session:
        line = session.expert()
        session.step("go to hallway")
        assert session.expert() == line
        assert not any(action.startswith("teleport") for action in session.actions or ())
    environment.close()


def test_random_actions_are_valid_and_never_a_focus(session: Session) -> None:
    valid = set(session.actions or ())
    drawn = {session.sample(np.random.default_rng(draw)) for draw in range(200)}
    assert drawn <= valid
    assert len(drawn) > 50
    assert not any(re.match("focus|reset|eat|mix|pour|dunk|flush|wait", str(action)) for action in drawn)


def test_listing_actions_does_not_move_the_bees() -> None:
    environment = ScienceWorld(subset="grow-fruit", split="train")
    actions = ["teleport to greenhouse", "open bee hive", *["look around", "wait"] * 3]
    seen = []
    for listing in (False, True):
        with environment.start(environment.tasks()[0]) as session:
            told = []
            for action in actions:
                if listing:
                    assert session.actions
                told.append(session.step(action).observation)
            seen.append(told)
    environment.close()
    assert seen[0] == seen[1]


def test_the_few_shots_are_episodes_that_the_simulator_really_tells_this_way() -> None:
    text = (ScienceWorld.prompts / "fewshots.md").read_text(encoding="utf-8")
    environment = ScienceWorld(subset=["find-animal", "use-thermometer"], split="train", variations=[2])
    for task, example in zip(environment.tasks(), text.split("\nTask: ")[1:], strict=True):
        told, *rest = re.split(r"^(?:Observation|Thought|Action): ", example.strip(), flags=re.MULTILINE)
        first, actions, answers = rest[0], rest[2::3], rest[3::3]
        with environment.start(task) as session:
            assert told.strip() == session.task.text
            assert _plain(f"{told.strip()}\n{first}") == _plain(session.observation)
            steps = [session.step(action.strip()) for action in actions]
            assert [_plain(step.observation) for step in steps] == [_plain(answer) for answer in answers]
            assert session.outcome().success
    environment.close()


def _plain(text: str) -> str:
    """Return a text without the spaces that the simulator leaves at line ends."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))
