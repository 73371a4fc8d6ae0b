"""Engines live in processes of their own, leave nothing in ours, and never outlive their session."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from envs.alfworld import ALFWorld
from harness.errors import EnvironmentFault

_ROOT = Path(__file__).resolve().parents[4]
Living = Callable[[], list[int]]


def _gone(living: Living, within_s: float = 15.0) -> bool:
    deadline = time.monotonic() + within_s
    while living() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not living()


def test_closing_a_session_ends_its_engine_and_closing_the_environment_ends_the_rest(engines: Living) -> None:
    environment = ALFWorld(per_type=1)
    with environment.start(environment.tasks()[0]) as session:
        session.step("look")
        assert len(engines()) == 2
    assert len(engines()) == 1
    environment.close()
    environment.close()
    assert engines() == []


def test_an_exception_inside_a_session_ends_its_engine(engines: Living) -> None:
    environment = ALFWorld(per_type=1)
    with pytest.raises(ZeroDivisionError), environment.start(environment.tasks()[0]):
        _ = 1 / 0
    assert len(engines()) == 1
    environment.close()
    assert engines() == []


def test_two_sessions_play_side_by_side(generated: ALFWorld) -> None:
    first, second = generated.tasks()[:2]
    with generated.start(first) as one, generated.start(second) as two:
        before = two.actions
        command = one.expert()
        assert command is not None
        one.step(command)
        assert two.actions == before
        assert one.observation != two.observation


def test_a_step_that_hangs_is_a_fault_and_ends_the_engine(engines: Living) -> None:
    environment = ALFWorld(per_type=1, step_timeout_s=0.5)
    session = environment.start(environment.tasks()[0])
    os.kill(engines()[-1], signal.SIGSTOP)
    with pytest.raises(EnvironmentFault, match=r"did not answer within 0\.5 s"):
        session.step("look")
    assert len(engines()) == 1
    with pytest.raises(EnvironmentFault, match="closed"):
        session.step("look")
    environment.close()
    assert engines() == []


def test_a_start_that_takes_too_long_is_a_fault_and_leaves_nothing(engines: Living) -> None:
    environment = ALFWorld(per_type=1, start_timeout_s=0.01)
    with pytest.raises(EnvironmentFault, match=r"more than 0\.01 s"):
        environment.start(environment.tasks()[0])
    assert engines() == []


def test_a_crash_is_a_fault_that_carries_the_last_words_and_the_next_start_works(engines: Living) -> None:
    environment = ALFWorld(per_type=1)
    task = environment.tasks()[0]
    session = environment.start(task)
    os.kill(engines()[-1], signal.SIGSEGV)
    with pytest.raises(EnvironmentFault, match="Segmentation fault"):
        session.step("look")
    session.close()
    with environment.start(task) as again:
        assert again.step("look").observation
    environment.close()
    assert engines() == []


def test_losing_the_preloaded_process_is_a_fault_and_the_next_start_brings_another(engines: Living) -> None:
    environment = ALFWorld(per_type=1)
    task = environment.tasks()[0]
    session = environment.start(task)
    os.kill(engines()[0], signal.SIGKILL)
    assert _gone(engines)
    with pytest.raises(EnvironmentFault):
        session.step("look")
    with environment.start(task) as again:
        assert again.step("look").observation
    environment.close()
    assert engines() == []


@pytest.mark.parametrize("moment", ["playing", "importing"])
def test_killing_the_harness_leaves_no_process(engines: Living, moment: str) -> None:
    program = (
        "import sys, time\n"
        "from envs.alfworld import ALFWorld\n"
        "environment = ALFWorld(per_type=1)\n"
        "task = environment.tasks()[0]\n"
        "print('importing', flush=True)\n"
        "session = environment.start(task)\n"
        "print('playing', flush=True)\n"
        "time.sleep(60)\n"
    )
    harness = subprocess.Popen([sys.executable, "-c", program], cwd=_ROOT, stdout=subprocess.PIPE, text=True)
    assert harness.stdout is not None
    while harness.stdout.readline().strip() != moment:
        assert harness.poll() is None
    assert engines()
    harness.kill()
    harness.wait()
    harness.stdout.close()
    assert _gone(engines)


def test_nothing_of_the_engine_reaches_the_harness(capfd: pytest.CaptureFixture[str]) -> None:
    argv, stdout, modules = list(sys.argv), sys.stdout, set(sys.modules)
    environment = ALFWorld(per_type=1)
    with environment.start(environment.tasks()[0]) as session:
        session.step("look")
        session.expert()
    environment.close()
    assert sys.argv == argv
    assert sys.stdout is stdout
    assert not {name for name in set(sys.modules) - modules if name.split(".")[0] in ("textworld", "fast_downward")}
    assert capfd.readouterr() == ("", "")
