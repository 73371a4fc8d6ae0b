"""Prompts come from an environment's files and have a version."""

from pathlib import Path

import pytest

from harness.agents.prompts import Prompts
from harness.errors import ConfigError


def write(folder: Path, system: str, fewshots: str) -> Prompts:
    (folder / "system.md").write_text(system, encoding="utf-8")
    (folder / "fewshots.md").write_text(fewshots, encoding="utf-8")
    return Prompts.load(folder)


def test_the_version_depends_on_each_text_and_on_nothing_else(tmp_path: Path) -> None:
    first = write(tmp_path, "rules", "example")
    assert write(tmp_path, "rules\n", "\nexample") == first
    assert len({p.digest() for p in (first, Prompts("rule", "sexample"), Prompts("rules", "examples"))}) == 3
    assert write(tmp_path, "rules", "").fewshots == ""


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "system.md").write_text("rules", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"fewshots\.md is missing"):
        Prompts.load(tmp_path)
