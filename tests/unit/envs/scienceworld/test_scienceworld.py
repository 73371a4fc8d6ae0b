"""ScienceWorld's selection, disclosures and engines."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from envs.scienceworld import ScienceWorld, java
from harness.errors import ConfigError, EnvironmentFault

SHORT = ["lifespan-longest-lived-then-shortest-lived", "power-component"]


@pytest.fixture
def environment() -> Iterator[ScienceWorld]:
    environment = ScienceWorld(subset=SHORT)
    yield environment
    environment.close()


def _engines() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True) if process.name() == "java"}


def test_the_default_is_one_test_variation_of_each_of_the_23_tasks() -> None:
    environment = ScienceWorld()
    ids = [task.id for task in environment.tasks()]
    assert environment.variant == "paper23"
    assert len(ids) == 23
    assert ids[:2] == ["boil-21", "melt-21"]
    assert ids[-1] == "identify-life-stages-2-6"
    assert all(task.family == task.template == task.id.rpartition("-")[0] for task in environment.tasks())


def test_listing_tasks_starts_no_simulator() -> None:
    before = _engines()
    assert len(ScienceWorld(subset="all", split="train", variations="all").tasks()) == 3592
    assert not _engines() - before


@pytest.mark.parametrize(
    ("settings", "variant"),
    [
        ({"subset": "all"}, "all-test-1"),
        ({"variations": 2}, "paper23-test-2"),
        ({"subset": ["boil", "melt"], "split": "train", "variations": [0, 3]}, "boil+melt-train-0_3"),
        ({"subset": "boil,melt", "split": "dev", "variations": "all"}, "boil+melt-dev-all"),
    ],
)
def test_the_variant_tells_selections_apart(settings: dict[str, object], variant: str) -> None:
    assert ScienceWorld(**settings).variant == variant  # type: ignore[arg-type]


def test_what_is_reconstructed_simplified_or_not_repeatable_is_disclosed() -> None:
    said = " ".join(ScienceWorld().disclosures)
    assert "23 tasks are reconstructed" in said
    assert "noElectricalAction is left out" in said
    assert "used again" not in said
    loose = " ".join(ScienceWorld(subset="boil", simplification="", strict=False).disclosures)
    assert "simplifications: none" in loose
    assert "used again" in loose
    assert "23" not in loose


def test_a_task_outside_the_selection_is_refused(environment: ScienceWorld) -> None:
    with pytest.raises(ConfigError, match="boil-21"):
        environment.start(ScienceWorld(subset="boil").tasks()[0])


def test_without_java_nothing_starts_and_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    java.check.cache_clear()
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ConfigError, match="apt-get install default-jre-headless"):
        ScienceWorld().tasks()


def test_a_java_that_refuses_the_fixed_options_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    (folder / "java").write_text("#!/bin/sh\necho 'Unrecognized VM option' >&2\nexit 1\n", encoding="utf-8")
    (folder / "java").chmod(0o755)
    java.check.cache_clear()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    with pytest.raises(ConfigError, match=r"refuses .*Unrecognized VM option"):
        ScienceWorld().tasks()


def test_the_next_simulator_is_started_while_the_current_one_plays(environment: ScienceWorld) -> None:
    before = _engines()
    with environment.start(environment.tasks()[0]):
        assert len(_engines() - before) == 2
    assert len(_engines() - before) == 1
    environment.close()
    assert not _engines() - before


def test_without_strict_one_simulator_plays_all_episodes() -> None:
    environment = ScienceWorld(subset=SHORT, strict=False)
    assert not environment.deterministic
    before = _engines()
    used = []
    for task in environment.tasks():
        with environment.start(task) as session:
            used.append(_engines() - before)
            assert session.task.text
    environment.close()
    assert used[0] == used[1]
    assert len(used[0]) == 1
    assert not _engines() - before


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_a_dead_or_hanging_simulator_is_a_fault_and_the_next_episode_has_a_new_one(blow: signal.Signals) -> None:
    environment = ScienceWorld(subset=SHORT, call_timeout_s=5)
    before = _engines()
    task = environment.tasks()[0]
    session = environment.start(task)
    for pid in _engines() - before:
        os.kill(pid, blow)
    with pytest.raises(EnvironmentFault), session:
        session.step("look around")
    if blow is signal.SIGSTOP:
        environment.close()
    with environment.start(task) as session:
        assert session.step("look around").observation
    environment.close()
    assert not _engines() - before


def test_two_environments_play_side_by_side(environment: ScienceWorld) -> None:
    other = ScienceWorld(subset=SHORT)
    first, second = environment.tasks()
    with environment.start(first) as one, other.start(second) as two:
        assert one.step("inventory").observation
        assert two.step("inventory").observation
        assert one.task.id != two.task.id
    other.close()


def test_the_simulator_leaves_nothing_where_the_user_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = ScienceWorld(subset=["find-plant"])
    with environment.start(environment.tasks()[0]) as session:
        session.step("look around")
    environment.close()
    assert list(tmp_path.iterdir()) == []
