"""Kill it any time: the same command goes on, and nothing is lost, doubled or different."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from harness.stream.launch import run_cell
from tests.streams import compose_cell, final_state

ROOT = Path(__file__).resolve().parents[2]
STREAM = ["env=corridor", "memory=flat", "backbone=apprentice", "env.order=shuffled", "seed=1"]
SHORT = ["env.length=2", "backbone.skill=1.0", "backbone.obedience=0.0"]


def script(folder: Path) -> list[str]:
    """Return the overrides of a scripted stream with readable, unreadable and empty answers."""
    answers = ["Thought: On.\nAction: go east", "no action here", None, "Action: open door", "Action: pull red lever"]
    path = folder / "script.yaml"
    path.write_text(yaml.safe_dump({"answers": answers * 4}), encoding="utf-8")
    return ["env=corridor", "memory=flat", "backbone=scripted", f"backbone.file={path}"]


def kill_everywhere(folder: Path, *overrides: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_everywhere.py")), str(folder), *overrides],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("save_every", [1, 2])
def test_a_kill_at_every_write_boundary_changes_nothing(tmp_path: Path, save_every: int) -> None:
    found = kill_everywhere(tmp_path, *STREAM, *SHORT, "env.tasks=3", f"stream.save_every={save_every}")
    assert found["differing"] == []
    assert found["episodes"] == 3
    assert int(str(found["boundaries"])) > 30


def test_a_kill_at_every_write_boundary_of_a_scripted_stream_with_trials_changes_nothing(tmp_path: Path) -> None:
    found = kill_everywhere(tmp_path, *script(tmp_path), "env.tasks=1", "stream.trials=2", "env.max_steps=2")
    assert found["differing"] == []


def test_a_kill_around_a_lost_episode_leaves_the_memorys_clock_right(tmp_path: Path) -> None:
    lost = ["env=flaky_corridor", "env.broken_tasks=[corridor-001]", "stream.on_infrastructure=skip"]
    fast = ["memory=memory_bank", "memory.mode=paper", "backbone=random", "stream.retry_wait_s=0", "env.max_steps=3"]
    found = kill_everywhere(tmp_path, *lost, *fast, "env.n_tasks=3")
    assert found["differing"] == []
    assert found["episodes"] == 3


def command(out: Path, overrides: list[str]) -> list[str]:
    search = f"hydra.searchpath=[file://{ROOT / 'tests' / 'configs'}]"
    return [sys.executable, "-m", "scripts.run", search, *overrides, f"out={out}", "display=off"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["apprentice", "scripted"])
def test_fifty_kills_at_random_instants_change_nothing(tmp_path: Path, kind: str) -> None:
    overrides = [*STREAM, "env.n_tasks=40"] if kind == "apprentice" else [*script(tmp_path), "env.n_tasks=40"]
    whole = run_cell(compose_cell(tmp_path / "whole", *overrides))
    assert whole.folder is not None
    rng = random.Random(20260101)
    started = time.perf_counter()
    subprocess.run(command(tmp_path / "timing", overrides), cwd=ROOT, capture_output=True, check=True)
    length_s = time.perf_counter() - started
    out, kills = tmp_path / "killed", 0
    while kills < 50:
        process = subprocess.Popen(
            command(out / str(kills // 10), overrides), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(rng.uniform(0.3, 1.0) * length_s)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    for number in range(5):
        resumed = subprocess.run(command(out / str(number), overrides), cwd=ROOT, capture_output=True, check=False)
        assert resumed.returncode == 0, resumed.stderr
        assert final_state(out / str(number) / whole.folder.name) == final_state(whole.folder)
