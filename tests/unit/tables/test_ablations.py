"""STRATA's ablation tables: which run is which row, both averages, the paper's figures, and what is said below them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.ledger.reading import find_runs
from harness.tables.catalog import find_table
from harness.tables.contradictions import AVERAGE, CONTRADICTIONS
from harness.tables.explain import explain
from harness.tables.model import Row, Table
from harness.tables.paper import read_paper
from harness.tables.to_latex import to_latex
from harness.tables.to_markdown import to_markdown
from tests.unit.tables.building import one
from tests.unit.tables.strata_runs import notes, strata_run

ABLATIONS = ("2", "4", "5", "6", "7", "8", "9")
APPWORLD = {"env__name": "appworld", "env__metrics": ["tgc"]}


def row(table: Table, name: str, environment: str = "", source: str = "ours") -> Row:
    found = [
        each for each in table.rows
        if each.labels[2] == name and environment in each.labels[1] and each.source == source
    ]  # fmt: skip
    assert len(found) == 1, [each.labels for each in table.rows]
    return found[0]


def shown(table: Table, name: str, column: str, environment: str = "", source: str = "ours") -> str:
    chosen = next(each for each in table.columns if each.key == column)
    return row(table, name, environment, source).cell(chosen).text(1)


def test_a_run_is_the_row_that_its_switches_make_it_whatever_it_was_started_as(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4, row="t9_rule")
    strata_run(tmp_path, "collection=none", 3, row="t2_no_collection")
    table = one(tmp_path, "7")
    assert shown(table, "no collection", "main", "paper23") == "75.0 (n=1)"
    assert shown(table, "lowest quality, bridges protected", "main", "paper23") == "100.0 (n=1)"
    assert shown(table, "no collection", "drop", "paper23") == "-25.0 (n=1)"


def test_one_row_run_for_several_tables_is_told_in_one_sentence(tmp_path: Path) -> None:
    for row_file in ("t2_full", "t6_full", "t9_rule"):
        strata_run(tmp_path, "full", 4, row=row_file)
    told = [note for note in one(tmp_path, "2").notes if "of a later one" in note or "run twice" in note]
    assert len(told) == 1
    assert told[0].startswith("2 runs have")


def test_a_row_that_was_not_run_says_so_and_is_never_blank_or_zero(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4)
    found = row(one(tmp_path, "7"), "lowest quality, no protection")
    assert found.labels[3] == "not run"
    assert not found.cells


def test_the_drop_is_taken_seed_by_seed(tmp_path: Path) -> None:
    for seed, (full, less) in enumerate([(4, 3), (3, 2), (4, 1)]):
        strata_run(tmp_path, "full", full, seed)
        strata_run(tmp_path, "contrast=none", less, seed)
    assert shown(one(tmp_path, "2"), "w/o contrast edges", "drop") == "-41.7 ± 28.9"


def test_other_memories_and_switches_of_other_tables_stay_out(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4)
    strata_run(tmp_path, "novelty=False", 3)
    strata_run(tmp_path, "full", 2, memory__name="flat", row="x")
    assert {each.labels[3] for each in one(tmp_path, "2").rows if each.source == "ours"} == {"paper/full", "not run"}


def test_both_averages_are_printed_and_differ_where_a_benchmark_has_two_streams(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4)
    strata_run(tmp_path, "full", 2, **APPWORLD, env__variant="test_normal")
    strata_run(tmp_path, "full", 0, **APPWORLD, env__variant="test_challenge", row="t4")
    table = one(tmp_path, "6")
    assert shown(table, "full shrinkage", "main", "mean over 3 streams") == "50.0 (n=1)"
    assert shown(table, "full shrinkage", "main", "mean over 2 benchmarks") == "62.5 (n=1)"
    assert shown(table, "full shrinkage", "workflows", "mean over 3 streams") == "12.0 (n=1)"


def test_a_mean_is_over_the_streams_that_all_rows_were_run_on_and_the_others_are_named(tmp_path: Path) -> None:
    for variant, solved in (("full", 4), ("thresholds=raw", 2)):
        strata_run(tmp_path, variant, solved)
        strata_run(tmp_path, variant, solved, **APPWORLD, env__variant="test_normal")
    strata_run(tmp_path, "full", 0, **APPWORLD, env__variant="test_challenge", row="t6_full")
    table = one(tmp_path, "6")
    assert shown(table, "full shrinkage", "main", "mean over 2 streams") == "100.0 (n=1)"
    assert shown(table, "per-group quantiles, no shrinkage", "drop", "mean over 2 streams") == "-50.0 (n=1)"
    assert any("means leave out AppWorld test_challenge" in note for note in table.notes)


def test_a_store_that_was_filled_beforehand_is_no_row_of_the_paper(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4)
    strata_run(tmp_path, "full", 1, row="x", asked__prefill={"_target_": "d", "n": 100})
    assert shown(one(tmp_path, "2"), "STRATA (full)", "main", "paper23") == "100.0 (n=1)"


def test_rows_of_ours_stand_beside_the_papers_only_where_they_were_run(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4)
    strata_run(tmp_path, "full", 2, row="x_band_joins_opposites")
    names = [each.labels[2] for each in one(tmp_path, "9").rows if each.source == "ours"]
    assert names == ["no contrast edges", "hand-placed", "by rule", "by rule, opposites may share a workflow (ours)"]


@pytest.mark.parametrize("name", ABLATIONS)
def test_the_papers_figures_stand_in_rows_of_their_own(name: str) -> None:
    table = find_table(name)((), read_paper())
    assert table.rows
    assert {each.source for each in table.rows} == {"paper"}
    assert any(each.cell(column).value is not None for each in table.rows for column in table.columns)
    for sentence in CONTRADICTIONS[name]:
        assert any(sentence in note for note in table.notes)
    assert to_markdown(table)
    assert to_latex(table)


def test_figures_of_the_paper_are_found_where_a_reader_looks_for_them() -> None:
    paper = read_paper()
    tables = {name: find_table(name)((), paper) for name in ABLATIONS}
    printed = [
        ("2", "w/o contrast edges", "drop", "ScienceWorld", "-18.0"),
        ("2", "STRATA (full)", "main", "all", "72.9"),
        ("4", "STRATA", "workflows", "WebArena", "112.0"),
        ("4", "STRATA", "deletions", "ScienceWorld", "0.0"),
        ("5", "w/o tag", "drop", "all", "-14.4"),
        ("6", "one global band", "workflows", "all", "236.0"),
        ("7", "lowest quality, no protection", "regret_pct", "all", "13.2"),
        ("8", "full", "purity_pct", "all", "92.7"),
        ("9", "by rule", "main", "ALFWorld", "98.6"),
        ("9", "by rule", "drop", "WebArena", "1.8"),
    ]
    for name, label, column, environment, value in printed:
        assert shown(tables[name], label, column, environment, "paper") == value, (name, label, column)


def test_every_table_of_averages_says_that_the_paper_does_not_define_its_own() -> None:
    assert all(AVERAGE in CONTRADICTIONS[name] for name in ABLATIONS if name != "4")


def test_the_coverage_of_tags_is_told_by_environment(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4, rounds=[notes(tags=["app:a", "op:heat"])] * 3 + [notes(tags=["app:a"])])
    told = [note for note in one(tmp_path, "4").notes if note.startswith("Coverage of tags")]
    assert len(told) == 1
    assert "an operator was read in 3 of 4 tasks and an object in 0" in told[0]


def test_rows_whose_agent_acted_alike_are_warned_of(tmp_path: Path) -> None:
    strata_run(tmp_path, "full", 4)
    strata_run(tmp_path, "contrast=none", 4)
    assert any("have the same actions in every episode" in note for note in one(tmp_path, "9").notes)


def test_of_several_agents_the_one_that_acted_alike_is_named(tmp_path: Path) -> None:
    for skill in ("0.3", "0.6"):
        strata_run(tmp_path / skill, "full", 4, backbone__id=f"apprentice-p{skill}")
    strata_run(tmp_path / "0.3", "contrast=none", 4, backbone__id="apprentice-p0.3")
    (warning,) = [note for note in one(tmp_path, "9").notes if "same actions" in note]
    assert warning.startswith("WARNING: apprentice-p0.3, ")


def test_a_simulated_agent_is_named_in_the_title(tmp_path: Path) -> None:
    backbone = {"backbone__id": "apprentice-p0.6-q0.9", "backbone__real": False}
    strata_run(tmp_path, "full", 4, **backbone)
    for name in ABLATIONS:
        assert "simulated (apprentice-p0.6-q0.9)" in one(tmp_path, name).title


def test_a_cell_of_an_ablation_can_be_traced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    strata_run(tmp_path, "full", 4)
    strata_run(tmp_path, "meta=False", 3)
    explain(one(tmp_path, "2"), "paper23 w/o meta layer", "Main metric", Console(width=200))
    said = capsys.readouterr().out
    assert "meta=False-0" in said
    assert "paired bootstrap over 4 tasks" in said


def test_the_sensitivity_has_a_row_for_each_setting_of_the_agent(tmp_path: Path) -> None:
    for knobs in ("p0.3-q0.5", "p0.9-q1"):
        backbone = {"backbone__id": f"apprentice-{knobs}", "backbone__real": False}
        strata_run(tmp_path / knobs, "full", 4, **backbone)
        strata_run(tmp_path / knobs, "contrast=none", 2, **backbone)
    table = find_table("sensitivity-2")(find_runs(tmp_path), ())
    assert [each.labels[1] for each in table.rows] == ["apprentice-p0.3-q0.5", "apprentice-p0.9-q1"]
    effect = next(column for column in table.columns if column.key == "contrast=none")
    assert {each.cell(effect).text(1) for each in table.rows} == {"-50.0 (n=1)"}
