"""How an insight changed: read from what a memory saved, whichever memory it was."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from harness.errors import ConfigError, LedgerError
from harness.ledger.reading import read_run
from harness.tables.show_insight import print_insight
from harness.types import Recall, RecallItem
from scripts.show import main
from tests.run_folders import record, run_folder

NODES = [
    {"id": "i00001", "text": "Open doors first.", "active": False, "parent": None, "positives": ["q1", "q2"],
     "negatives": []},
    {"id": "i00002", "text": "Look \x1b[2Jaround.", "active": False, "parent": None, "positives": ["q2"],
     "negatives": ["q3"]},
    {"id": "i00003", "text": "Open [red]doors[/red] that are shut.", "active": True, "parent": "i00001",
     "positives": ["q1", "q2", "q3"], "negatives": []},
]  # fmt: skip


def edit(
    operation: str, insight: str, at: int, *, resolved: bool = True, revision: str | None = None
) -> dict[str, Any]:
    return {
        "operation": operation, "insight": insight, "revision": revision, "queries": [f"q{at}"],
        "tasks": [f"boil/{at - 1}"], "resolved": resolved, "clock": at - 1, "by": "controller", "text": "",
    }  # fmt: skip


HISTORY = [
    edit("ADD", "i00001", 1), edit("KEEP", "i00001", 2), edit("ADD", "i00002", 2),
    edit("REVISE", "i00001", 3, resolved=False, revision="i00003"), edit("ARCHIVE", "i00002", 3, resolved=False),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    injected = Recall((RecallItem("i00001", "insight", 1.0, "Open doors first.", ("boil/0",)),))
    episodes = [record(0), record(1).model_copy(update={"recall": injected}), record(2, success=False)]
    made = run_folder(tmp_path, "evo", episodes, memory__name="evograph")
    snapshot = made / "memory" / f"{episodes[-1].memory.generation:06d}"
    snapshot.mkdir(parents=True)
    for name, rows in (("insights.jsonl", NODES), ("history.jsonl", HISTORY)):
        (snapshot / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return made


def shown(word: str, folder: Path) -> str:
    console = Console(file=StringIO(), width=120)
    print_insight(word, read_run(folder), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_revised_insight_is_shown_with_its_ancestor_each_edit_by_task_and_its_evidence(folder: Path) -> None:
    text = shown("i00003", folder)
    parts = [
        "Insight i00003 · active · 2 wordings", "i00001 · archived", "Open doors first.",
        "episode    1  ADD  by boil/0 (solved; controller)", "episode    2  KEEP  by boil/1 (solved; controller)",
        "episode    3  REVISE to i00003  by boil/2 (failed; controller)", "evidence for (2): boil/0, boil/1",
        "injected in 1 episodes, 1 of them solved: 2", "Open [red]doors[/red] that are shut.",
        "episode    3  REVISE of i00001  by boil/2 (failed; controller)", "evidence for (3): boil/0, boil/1, boil/2",
    ]  # fmt: skip
    assert [part for part in parts if part not in text] == []
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert shown("i00001", folder).splitlines()[3:] == text.splitlines()[3:]


def test_an_archived_insight_keeps_its_evidence_and_hostile_text_does_nothing(folder: Path) -> None:
    text = shown("i00002", folder)
    assert "ARCHIVE  by boil/2 (failed; controller)" in text
    assert "evidence against (1): boil/2" in text
    assert "injected in 0 episodes" in text
    assert "\x1b" not in text


def test_an_unknown_insight_is_answered_with_what_was_meant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--insight", "i0003"]) == 2
    error = capsys.readouterr().err
    assert "did you mean i00003" in error
    assert "i00001 to i00003" in error
    assert main([str(folder), "--insight", "i00003"]) == 0
    assert main([str(folder), "1", "--insight", "i00003"]) == 2


def test_a_memory_without_insights_and_a_damaged_one_are_refused(folder: Path, tmp_path: Path) -> None:
    flat = run_folder(tmp_path, "flat", [record(0)])
    with pytest.raises(ConfigError, match=r"flat, keeps no insights\.jsonl"):
        shown("i00001", flat)
    history = next((folder / "memory").glob("*/history.jsonl"))
    history.write_text("{", encoding="utf-8")
    with pytest.raises(LedgerError, match="damaged"):
        shown("i00001", folder)
