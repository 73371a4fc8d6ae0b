"""Sweeps: a stop reaches all of their streams, what streams share is made once, and mistakes show before the first."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.ledger.folder import RunFolder
from harness.stream.junit import write_junit

ROOT = Path(__file__).resolve().parents[2]
SEARCH = f"hydra.searchpath=[file://{ROOT / 'tests' / 'configs'}]"
SIDE_BY_SIDE = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]


def command(out: Path, *overrides: str) -> list[str]:
    return [sys.executable, "-m", "scripts.run", SEARCH, "env=corridor", *overrides, f"out={out}", "display=off"]


def run(out: Path, *overrides: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(out, *overrides), cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("launcher", [[], SIDE_BY_SIDE], ids=["one after the other", "side by side"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_a_stop_that_only_the_launching_process_hears_ends_the_whole_sweep(
    launcher: list[str], number: signal.Signals, tmp_path: Path
) -> None:
    sweep = command(tmp_path, "env.n_tasks=3000", "memory=flat", "backbone=random", "seed=0,1,2,3", *launcher)
    process = subprocess.Popen(sweep, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    at_once = 2 if launcher else 1
    wait_for_streams(tmp_path, at_once)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130, told
    assert len(list(tmp_path.glob("*/lock.json"))) == at_once, "no further stream is begun"
    time.sleep(1)
    before = sizes(tmp_path)
    time.sleep(1)
    assert sizes(tmp_path) == before, "no stream goes on by itself"


def wait_for_streams(out: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if len(sizes(out)) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{count} streams did not start")


def sizes(out: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_size for path in out.glob("*/episodes.jsonl")}


def test_streams_side_by_side_that_start_from_one_train_stream_wait_for_it(tmp_path: Path) -> None:
    done = run(
        tmp_path, "env.length=5,4", "env.n_tasks=2", "env@train=corridor", "train.n_tasks=40", "memory=flat",
        "backbone=random", *SIDE_BY_SIDE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    locks = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*/lock.json")]
    assert sorted(lock["protocol"] for lock in locks) == ["frozen", "frozen", "online"]


@pytest.mark.parametrize("flags", [["--config-name", "config"], ["--config-name=config"], ["--run"]])
def test_a_flag_for_hydra_changes_nothing_about_how_a_stream_ends(flags: list[str], tmp_path: Path) -> None:
    done = run(
        tmp_path,
        *flags,
        "env=flaky_corridor",
        "env.n_tasks=1",
        "env.broken_tasks=[corridor-000]",
        "stream.retry_wait_s=0",
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("run: ")


def test_a_flag_that_only_prints_runs_nothing(tmp_path: Path) -> None:
    done = run(tmp_path / "runs", "--cfg", "job")
    assert done.returncode == 0, done.stderr
    assert "n_tasks:" in done.stdout
    assert not (tmp_path / "runs").exists()


def test_an_experiments_launcher_can_be_exchanged(tmp_path: Path) -> None:
    done = run(tmp_path, "experiment=quickstart", "env.tasks=1", "seed=0", "hydra/launcher=basic", "env=corridor")
    assert done.returncode == 0, done.stderr
    assert [Path(line).name.split("-")[1] for line in done.stdout.splitlines() if line.startswith("run: ")] == [
        "none",
        "flat",
    ]


def test_a_report_tells_of_a_stream_that_did_not_end_and_stays_xml(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("answers: [{error: TransientBackboneError}]", encoding="utf-8")
    report = tmp_path / "report.xml"
    report.write_text("an older report", encoding="utf-8")
    broken = ["backbone=scripted", f"backbone.file={script}", "env.tasks=1", "stream.max_attempts=1"]
    done = run(tmp_path / "runs", *broken, "--junit", str(report))
    assert done.returncode == 3, done.stderr
    [suite] = ElementTree.parse(report).getroot()  # noqa: S314 - our own file
    assert suite.get("errors") == "1"


def test_what_a_server_said_cannot_break_a_report(tmp_path: Path) -> None:
    write_junit(tmp_path / "report.xml", [(RunFolder(tmp_path / "run"), "down \x1b[31m\x00 for <ever> & \ud800")])
    [suite] = ElementTree.parse(tmp_path / "report.xml").getroot()  # noqa: S314 - our own file
    assert "for <ever> &" in str(suite[0][0].get("message"))


def test_what_a_library_merely_notes_stays_out_of_the_output(tmp_path: Path) -> None:
    program = (
        "import logging, sys; from scripts.run import main; code = main(sys.argv[1:]);"
        "log = logging.getLogger('httpx'); log.setLevel(1); log.info('HTTP Request'); log.warning('slow');"
        "sys.exit(code)"
    )
    arguments = [SEARCH, "env=corridor", "env.tasks=1", "backbone=random", f"out={tmp_path}", "display=off"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "httpx: slow"
    assert done.stdout.startswith("run: ")
    assert len(done.stdout.splitlines()) == 1


def test_a_worker_that_is_killed_ends_the_sweep_in_words_and_the_same_command_goes_on(tmp_path: Path) -> None:
    sweep = ("env=flaky_corridor", "env.kill_step=0,7", "memory=flat", "backbone=apprentice", *SIDE_BY_SIDE)
    done = run(tmp_path, *sweep)
    assert done.returncode == 1
    assert "its process is gone" in done.stderr
    assert "Traceback" not in done.stderr
    assert any(line.startswith("run: ") for line in done.stdout.splitlines())
    again = run(tmp_path, "env=flaky_corridor", "env.kill_step=0", "memory=flat", "backbone=apprentice")
    assert again.returncode == 0, again.stderr
