"""`python -m scripts.show` and `python -m scripts.tables`, as a user calls them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "v1" / "scienceworld-flat-apprentice-s0-3f1c9a2e"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    shutil.copytree(GOLDEN, tmp_path / "runs" / GOLDEN.name)
    return tmp_path / "runs"


def call(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"scripts.{script}", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
        env={**os.environ, "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


def test_show_prints_the_promised_json(runs: Path) -> None:
    done = call("show", runs / GOLDEN.name, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found) == [
        "run", "env", "memory", "backbone", "seed", "n_planned", "n_scored", "n_infrastructure", "n_solved",
        "success_rate", "mean_score", "steps", "tokens", "cost_usd", "memory_items",
    ]  # fmt: skip
    assert (found["run"], found["success_rate"], found["cost_usd"]) == (GOLDEN.name, pytest.approx(2 / 3), None)


def test_show_prints_a_run_and_an_episode_for_a_person(runs: Path) -> None:
    run = call("show", "scienceworld", "--runs", runs)
    assert run.returncode == 0
    assert "4 of 5 tasks · 2 solved (66.7 %)" in run.stdout
    episode = call("show", "scienceworld", "melt", "--runs", runs)
    assert episode.returncode == 0
    assert "You focus on the thermometer. [bold]Wrong[/bold] thing." in episode.stdout
    assert "\x1b" not in episode.stdout


def test_show_prints_an_episodes_record_as_json(runs: Path) -> None:
    lines = call("show", runs / GOLDEN.name, "boil/002", "--json").stdout.splitlines()
    assert [json.loads(line)["trial"] for line in lines] == [1, 2]


def test_show_refuses_what_there_is_not_with_one_line(runs: Path) -> None:
    for arguments in (["alfworld", "--runs", runs], [runs / GOLDEN.name, "boil/9"]):
        done = call("show", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: got ")
        assert len(done.stderr.splitlines()) == 1


def test_tables_are_printed_and_written_in_three_formats(runs: Path, tmp_path: Path) -> None:
    done = call("tables", "1", "3", "--runs", runs, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "Table 1. Main results" in done.stdout
    assert "simulated (apprentice-p0.6-q0.9)" in " ".join(done.stdout.split())
    assert f"written: {tmp_path / 'out' / '1.md'}" in done.stdout
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["1.csv", "1.md", "1.tex", "3.csv", "3.md", "3.tex"]


def test_a_cell_is_explained_and_nothing_is_written(runs: Path, tmp_path: Path) -> None:
    done = call("tables", "1", "--runs", runs, "--out", tmp_path / "out", "--explain", "apprentice", "scienceworld 5")
    assert done.returncode == 0, done.stderr
    assert str(runs / GOLDEN.name) in done.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["11"], "got table '11'; did you mean 1"), (["1", "--runs", "nowhere"], "got no runs in nowhere")],
)
def test_a_wrong_name_or_an_empty_folder_exits_2_before_anything_is_written(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    done = call("tables", *arguments, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_damaged_run_exits_2_and_names_file_and_line(runs: Path, tmp_path: Path) -> None:
    path = runs / GOLDEN.name / "episodes.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], "{}\n", *lines[2:]]), encoding="utf-8")
    for done in (call("tables", "1", "--runs", runs, "--out", tmp_path / "out"), call("show", runs / GOLDEN.name)):
        assert done.returncode == 2
        assert "episodes.jsonl:2" in done.stderr


def test_a_pipe_that_closes_early_is_no_error(runs: Path) -> None:
    command = f"{sys.executable} -m scripts.show {runs / GOLDEN.name} melt | head -n 1"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("melt/NA")
    assert done.stderr == ""


@pytest.mark.parametrize("script", ["show", "tables"])
def test_help_says_what_there_is_and_loads_nothing_heavy(script: str) -> None:
    code = (
        f"import sys; sys.argv = ['x', '--help']\nimport scripts.{script} as s\n"
        "try: s.main()\nexcept SystemExit: pass\n"
        "print([m for m in ('litellm', 'pandas', 'wandb', 'scipy', 'hydra') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert f"scripts.{script}" in done.stdout
