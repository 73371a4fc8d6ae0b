"""What a row of a table says, held against what was composed."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.config import rows

K, ONE = "row=mine sets memory.k to 2,", "leave one of the two out"
OTHER = "row=mine is a row of memory=flat, but memory=none was asked for"


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("# nothing yet\n", {}, []),
        ("memory:\n  k: ${seed}\n", {"memory": {"k": 7}}, []),
        ("memory:\n  k: 2\n", {"memory": {"k": 2}}, []),
        ("memory:\n  k: 2\n", {"memory": {"k": 3}}, [f"{K} but it is 3; {ONE}"]),
        ("memory:\n  k: 2\n", {"memory": {}}, [f"{K} but it is nothing; {ONE}"]),
        ("defaults:\n  - _self_\n  - override /memory: flat\n", {}, [OTHER]),
    ],
)  # fmt: skip
def test_a_row_is_unsaid_only_by_another_value(
    text: str, asked: dict[str, object], said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "row").mkdir()
    (tmp_path / "row" / "mine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(rows, "CONFIGS", tmp_path)
    assert rows.unsaid("mine", asked, {"memory": "none"}) == said
