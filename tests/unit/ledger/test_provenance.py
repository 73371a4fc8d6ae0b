"""Which code made a run, whatever lies about in the checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.ledger import provenance


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "code.py").write_text("x = 1\n", encoding="utf-8")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path.resolve())
    return tmp_path


def git_part() -> Any:
    return provenance.provenance()["git"]


def test_a_clean_checkout_is_clean_and_results_do_not_make_it_dirty(checkout: Path) -> None:
    (checkout / "results").mkdir()
    (checkout / "results" / "1.md").write_text("a table", encoding="utf-8")
    assert (git_part()["dirty"], git_part()["diff_sha256"]) == (False, None)


def test_new_and_changed_files_are_told_apart_by_their_content(checkout: Path) -> None:
    seen = set()
    for text in ("a", "b"):
        (checkout / "mine.py").write_text(text, encoding="utf-8")
        assert git_part()["dirty"]
        seen.add(git_part()["diff_sha256"])
    (checkout / "code.py").write_bytes(b"x = '\xe9'\n")
    seen.add(git_part()["diff_sha256"])
    assert len(seen) == 3


def test_odd_names_folders_and_dead_links_do_not_keep_a_run_from_starting(checkout: Path) -> None:
    (checkout / 'w\u00f6rter "und" mehr.py').write_text("x", encoding="utf-8")
    Path(os.fsdecode(bytes(checkout) + b"/\xff.py")).write_text("x", encoding="utf-8")
    (checkout / "dead").symlink_to(checkout / "nowhere")
    inner = checkout / "inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    assert git_part()["dirty"]
    assert len(git_part()["diff_sha256"]) == 64
