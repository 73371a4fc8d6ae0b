"""The examples that docs/ teaches with are complete: written to the places the pages name, they run as they stand."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPIED = ("baselines", "configs", "envs", "harness", "hydra_plugins", "scripts", "strata", "evoedit")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the source with every file of every page added, so that the originals stay as they are."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "results").mkdir()
    shutil.copytree(ROOT / "results" / "paper", tmp_path / "results" / "paper")
    for page in sorted((ROOT / "docs").glob("add-*.md")):
        for name, text in FILES.findall(page.read_text(encoding="utf-8")):
            target = tmp_path / name
            assert not target.exists(), f"{page.name} would replace {name}"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_environment_method_and_table_of_the_pages_run_together(checkout: Path, run_cli):
    here = {"cwd": checkout, "env": {"PYTHONPATH": str(checkout)}}
    run = run_cli("run", "env=counting", "memory=last_plan", "backbone=expert", "display=plain", **here)
    assert run.returncode == 0, run.stderr
    folder = run.stdout.splitlines()[-1].removeprefix("run: ")
    shown = json.loads(run_cli("show", folder, "--json", **here).stdout)
    assert (shown["n_planned"], shown["n_solved"], shown["steps"], shown["memory_items"]) == (3, 3, 6, 3)

    tables = run_cli("tables", "docs-1", **here)
    assert tables.returncode == 0, tables.stderr
    (row,) = re.findall(r"^.*last_plan.*$", (checkout / "results/tables/docs-1.csv").read_text(encoding="utf-8"), re.M)[
        :1
    ]
    assert "2.0" in row


def test_the_example_method_recalls_the_plan_of_an_earlier_task(checkout: Path, run_cli):
    here = {"cwd": checkout, "env": {"PYTHONPATH": str(checkout)}}
    run = run_cli("run", "env=counting", "memory=last_plan", "backbone=expert", "display=plain", **here)
    folder = checkout / run.stdout.splitlines()[-1].removeprefix("run: ")
    lines = [json.loads(line) for line in (folder / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [item["born"] for line in lines for item in line["recall"]["items"]] == [["count-1"], ["count-2"]]
