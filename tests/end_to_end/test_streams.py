"""Whole streams on the tests' own world: protocols, faults, budgets, interrupts, what a folder holds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.errors import ConfigError
from harness.ledger.durable import tree_digest
from harness.ledger.folder import RunFolder
from harness.stream.launch import Result, run_cell
from tests.streams import compose_cell, episodes, final_state

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("backbone=apprentice", "stream.retry_wait_s=0")


def run(out: Path, *overrides: str) -> Result:
    return run_cell(compose_cell(out, *QUICK, *overrides))


def finished(out: Path, *overrides: str) -> RunFolder:
    result = run(out, *overrides)
    assert result.code == 0, result.message
    assert result.folder is not None
    return RunFolder(result.folder)


def test_two_runs_of_one_configuration_are_equal_and_seeds_differ(tmp_path: Path) -> None:
    first, second, other = (
        finished(tmp_path / name, "env=corridor", "memory=flat", f"seed={seed}")
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert final_state(first.path) == final_state(second.path)
    assert episodes(first.path) != episodes(other.path)
    assert first.path.name == second.path.name != other.path.name


def test_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    folder = finished(tmp_path, "env=corridor", "memory=flat")
    before = (folder.path / "episodes.jsonl").read_bytes()
    finished(tmp_path, "env=corridor", "memory=flat")
    assert (folder.path / "episodes.jsonl").read_bytes() == before


def test_memory_carries_over_from_task_to_task_but_never_from_the_task_itself(tmp_path: Path) -> None:
    lines = episodes(finished(tmp_path, "env=corridor", "memory=flat").path)
    assert lines[0]["recall"]["items"] == []
    assert all(line["recall"]["items"] for line in lines[1:])
    for line in lines:
        born = {task for item in line["recall"]["items"] for task in item["born"]}
        assert line["task"]["id"] not in born
        assert line["update"]["items"] == line["index"] + 1


def test_train_then_frozen_learns_on_one_set_and_only_reads_on_the_other(tmp_path: Path) -> None:
    folder = finished(tmp_path, "env=corridor", "env.length=5", "env@train=corridor", "train.tasks=4", "memory=flat")
    lines = episodes(folder.path)
    assert {line["memory"]["generation"] for line in lines} == {0}
    assert {line["memory"]["items"] for line in lines} == {4}
    assert all(line["update"] is None for line in lines)
    assert any(line["recall"]["items"] for line in lines)
    trained = next(path for path in tmp_path.iterdir() if path != folder.path)
    assert tree_digest(trained / "memory" / "000004") == tree_digest(folder.path / "memory" / "000000")


def test_transfer_starts_from_another_runs_store_and_goes_on_learning(tmp_path: Path) -> None:
    first = finished(tmp_path, "env=corridor", "env.tasks=3", "memory=flat")
    second = finished(
        tmp_path,
        "env=corridor",
        "env.length=5",
        "memory=flat",
        "stream.protocol=transfer",
        f"stream.store={first.path}",
    )
    assert [line["memory"]["items"] for line in episodes(second.path)] == [4, 5, 6, 7, 8, 9]


def test_an_unfinished_store_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run is there"):
        compose_cell(tmp_path, "env=corridor", "stream.protocol=frozen", f"stream.store={tmp_path / 'nothing'}")


def test_an_engine_fault_is_played_again_from_the_memory_as_it_was(tmp_path: Path) -> None:
    calm = finished(tmp_path / "calm", "env=flaky_corridor", "memory=flat")
    shaken = finished(tmp_path / "shaken", "env=flaky_corridor", "memory=flat", "env.fault_steps=[2,9]")
    strip = [{k: v for k, v in line.items() if k != "memory"} for line in episodes(calm.path)]
    assert strip == [{k: v for k, v in line.items() if k != "memory"} for line in episodes(shaken.path)]
    assert sum(record.time.attempts for record in shaken.episodes.read()) == 4 + 2


def test_a_task_that_never_starts_stops_the_stream_resumably(tmp_path: Path) -> None:
    result = run(tmp_path, "env=flaky_corridor", "memory=flat", "env.broken_tasks=[corridor-002]")
    assert result.code == 3
    assert "corridor-002" in result.message
    assert result.folder is not None
    assert len(episodes(result.folder)) == 2


def test_a_lost_episode_is_recorded_as_lost_and_never_scored(tmp_path: Path) -> None:
    folder = finished(
        tmp_path,
        "env=flaky_corridor",
        "memory=flat",
        "env.broken_tasks=[corridor-001]",
        "stream.on_infrastructure=skip",
    )
    lines = episodes(folder.path)
    assert [line["outcome"] is None for line in lines] == [False, True, False, False]
    assert lines[1]["infrastructure"]["error"] == "EnvironmentFault"
    assert [line["memory"]["items"] for line in lines] == [1, 1, 2, 3]


def test_trials_end_with_the_first_success(tmp_path: Path) -> None:
    lines = episodes(finished(tmp_path, "env=corridor", "stream.trials=3", "env.max_steps=6").path)
    by_task: dict[str, list[bool]] = {}
    for line in lines:
        tries = by_task.setdefault(line["task"]["id"], [])
        assert line["trial"] == len(tries) + 1
        tries.append(line["outcome"]["success"])
    assert all(not any(tries[:-1]) and len(tries) <= 3 for tries in by_task.values())
    assert any(len(tries) == 3 for tries in by_task.values())


@pytest.mark.parametrize("source", ["none", "judge"])
def test_the_memory_sees_only_the_feedback_that_was_asked_for(tmp_path: Path, source: str) -> None:
    lines = episodes(finished(tmp_path, "env=corridor", "memory=flat", f"stream.outcome_source={source}").path)
    assert {line["feedback"]["source"] for line in lines} == {source}
    if source == "none":
        assert {line["feedback"]["success"] for line in lines} == {None}
    else:
        assert all(any(row["phase"] == "judge" for row in line["usage"]) for line in lines)


def test_a_changed_prompt_is_another_run(tmp_path: Path) -> None:
    folder = finished(tmp_path, "env=corridor")
    lock = json.loads((folder.path / "lock.json").read_text(encoding="utf-8"))
    lock["prompts"]["environment"] = "0" * 64
    (folder.path / "lock.json").write_text(json.dumps(lock), encoding="utf-8")
    result = run(tmp_path, "env=corridor")
    assert result.code == 2
    assert "prompts.environment" in result.message


def test_a_changed_script_is_another_run(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"answers": ["Action: look"]}', encoding="utf-8")
    asked = ("env=corridor", "backbone=scripted", f"backbone.file={script}", "env.max_steps=2")
    assert run_cell(compose_cell(tmp_path, *asked)).code == 0
    script.write_text('{"answers": ["Action: go east"]}', encoding="utf-8")
    result = run_cell(compose_cell(tmp_path, *asked))
    assert result.code == 2
    assert "settings.backbone" in result.message


def test_a_token_budget_stops_the_stream_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    result = run(tmp_path, "env=corridor", "memory=flat", "stream.budget_tokens=15000")
    assert result.code == 3
    assert result.folder is not None
    before = episodes(result.folder)
    assert 0 < len(before) < 6
    folder = finished(tmp_path, "env=corridor", "memory=flat", "stream.budget_tokens=100000000")
    whole = finished(tmp_path / "whole", "env=corridor", "memory=flat")
    assert final_state(folder.path) == final_state(whole.path)


def test_replay_gives_the_same_episodes_and_asks_nothing_new(tmp_path: Path) -> None:
    recorded = finished(tmp_path / "a", "env=corridor", "memory=flat")
    replayed = finished(tmp_path / "b", "env=corridor", "memory=flat", f"replay={recorded.path}")
    assert final_state(recorded.path) == final_state(replayed.path)
    missing = run(tmp_path / "c", "env=corridor", "memory=flat", "seed=5", f"replay={recorded.path}")
    assert missing.code == 3
    assert "corridor-000" in missing.message


def test_a_replay_of_train_then_frozen_replays_both_streams(tmp_path: Path) -> None:
    both = ["env=corridor", "env@train=corridor", "train.tasks=2", "env.tasks=2", "memory=flat"]
    recorded = finished(tmp_path / "a", *both)
    replayed = finished(tmp_path / "b", *both, f"replay={recorded.path}")
    assert final_state(recorded.path) == final_state(replayed.path)


def test_a_planted_key_is_found_nowhere_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-canary-7f3a9c0d1e5b"
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "WANDB_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(name, key)
    folder = finished(tmp_path, "env=corridor", "memory=flat", "tracking=wandb")
    found = subprocess.run(["grep", "-rl", key, str(folder.path)], capture_output=True, text=True, check=False)
    assert found.stdout == ""
    assert found.returncode == 1


def command(out: Path, *overrides: str) -> list[str]:
    search = f"hydra.searchpath=[file://{ROOT / 'tests' / 'configs'}]"
    return [sys.executable, "-m", "scripts.run", search, *overrides, f"out={out}", "display=plain"]


def test_the_command_ends_with_the_folder_and_a_second_one_is_refused_meanwhile(tmp_path: Path) -> None:
    arguments = command(tmp_path, "env=corridor", "env.n_tasks=400", "backbone=apprentice", "memory=flat")
    first = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_episodes(tmp_path, 3)
    second = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 2, second.stderr
    assert f"another process (pid {first.pid})" in second.stderr
    first.send_signal(signal.SIGINT)
    out, _ = first.communicate(timeout=60)
    assert first.returncode == 130
    assert out.splitlines()[-1].startswith("run: ")


def test_ctrl_c_finishes_the_episode_and_the_same_command_goes_on(tmp_path: Path) -> None:
    arguments = command(tmp_path, "env=corridor", "env.n_tasks=120", "backbone=apprentice", "memory=flat")
    first = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    folder = wait_for_episodes(tmp_path, 3)
    first.send_signal(signal.SIGINT)
    assert first.wait(timeout=60) == 130
    progress = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    assert progress["state"] == "interrupted"
    assert 3 <= len(episodes(folder)) < 120
    again = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[-1] == f"run: {folder}"
    assert len(episodes(folder)) == 120


def wait_for_episodes(out: Path, count: int) -> Path:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in out.glob("*/episodes.jsonl"):
            if path.read_bytes().count(b"\n") >= count:
                return path.parent
        time.sleep(0.02)
    raise AssertionError(f"{count} episodes did not come: {sorted(out.rglob('*'))}")
