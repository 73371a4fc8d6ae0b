"""Every hyper-parameter with its source, beside the paper's value."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.errors import ConfigError
from harness.tables.catalog import find_table, needs_runs
from harness.tables.paper import figures, read_paper
from harness.tables.table10 import CONFIG, SYMBOLS, read_settings


def leaves(value: object, above: str = "") -> set[str]:
    if not isinstance(value, dict):
        return {above}
    return {leaf for key, below in value.items() for leaf in leaves(below, f"{above}.{key}" if above else str(key))}


def test_every_value_of_the_configuration_is_a_row_with_its_source() -> None:
    values = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    values.pop("_target_")
    settings = list(read_settings(CONFIG))
    assert {each.key for each in settings} == leaves(values)
    assert {each.source for each in settings} == {"paper", "reconstructed"}
    assert len(find_table("10")((), read_paper()).rows) == len(settings)


def test_every_value_the_paper_gives_is_beside_ours_and_equal() -> None:
    table = find_table("10")((), read_paper())
    ours, paper = table.columns
    both = [row for row in table.rows if row.cell(paper).value is not None]
    assert len(both) == len(figures(read_paper(), "strata", "10")) == len(SYMBOLS)
    assert all(row.cell(ours).value == row.cell(paper).value and row.labels[1] == "paper" for row in both)
    assert not [note for note in table.notes if note.startswith("WARNING")]


def test_a_value_that_is_not_the_papers_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "strata.yaml"
    changed.write_text(CONFIG.read_text(encoding="utf-8").replace("gate: 0.35", "gate: 0.40"), encoding="utf-8")
    monkeypatch.setattr("harness.tables.table10.CONFIG", changed)
    notes = find_table("10")((), read_paper()).notes
    assert "WARNING: retrieval.gate is 0.40 here and 0.35 in the paper." in notes


def test_a_value_without_a_source_is_an_error_that_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "strata.yaml"
    file.write_text("retrieval:\n  gate: 0.35 # least score\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"strata\.yaml:2: got 'gate: 0\.35"):
        list(read_settings(file))


def test_it_needs_no_runs_and_the_others_do() -> None:
    assert not needs_runs("10")
    assert all(needs_runs(name) for name in ("1", "2", "9"))
