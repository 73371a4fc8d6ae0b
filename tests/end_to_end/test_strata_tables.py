"""From an experiment to a table, as a user goes: the rows of STRATA's tables in the tests' own world."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEARCH = f"hydra.searchpath=[file://{ROOT / 'tests' / 'configs'}]"
Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def experiment(run_cli: Cli, out: Path, name: str, *overrides: str) -> list[str]:
    """Run an experiment and return the names of its run folders."""
    done = run_cli("run", SEARCH, f"experiment={name}", "env=corridor", *overrides, f"out={out}", "display=off")
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("run: ") for line in done.stdout.splitlines())
    return [Path(line.removeprefix("run: ")).name for line in done.stdout.splitlines()]


def cells(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_given_on_the_command_line_goes_before_the_experiment_and_comes_out_as_a_table(
    run_cli: Cli, tmp_path: Path
) -> None:
    made = experiment(run_cli, tmp_path / "runs", "table7", "seed=0", "env.tasks=3")
    assert len(made) == 3
    assert {name.split("-")[1] for name in made} == {"t7_protected", "t7_unprotected", "t7_no_collection"}
    done = run_cli("tables", "7", "2", "--runs", tmp_path / "runs", "--out", tmp_path / "tables")
    assert done.returncode == 0, done.stderr
    assert "Table 7. Forgetting. Made with a simulated (apprentice-p0.6-q0.9) backbone" in " ".join(done.stdout.split())
    ours = [line for line in cells(tmp_path / "tables", "7") if line["source"] == "ours"]
    workflows = [line for line in ours if line["column"] == "Workflows"]
    assert len(workflows) == 3
    assert all(line["n_planned"] == "3" for line in workflows)
    ran = {line["row"] for line in cells(tmp_path / "tables", "2") if line["n_planned"] == "3"}
    assert ran == {"STRATA (full)", "w/o pressure collection"}, "Table 7's runs stand in Table 2 too"


def test_everything_logged_is_one_file(run_cli: Cli, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    experiment(run_cli, tmp_path / "runs", "table9", "seed=0", "env.tasks=3", "row=t9_rule,x_learned")
    done = run_cli("diagnostics", tmp_path / "runs", "-o", tmp_path / "all.csv")
    assert (done.returncode, done.stdout.split(" (")[1]) == (0, "6 episodes of 2 runs)\n"), done.stderr
    frame = pandas.read_csv(tmp_path / "all.csv")
    assert set(frame["row"]) == {"t9_rule", "x_learned"}
    assert {"notes.reflection.decision", "notes.w.cut_vertices", "notes.totals.deleted"} <= set(frame.columns)
    assert run_cli("diagnostics", "nowhere").returncode == 2


def test_the_table_of_hyper_parameters_needs_no_runs(run_cli: Cli, tmp_path: Path) -> None:
    done = run_cli("tables", "10", "--runs", tmp_path / "none", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "10.tex").exists()
    assert run_cli("tables", "10", "2", "--runs", tmp_path / "none", "--out", tmp_path).returncode == 2
