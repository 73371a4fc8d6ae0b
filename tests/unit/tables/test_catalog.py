from pathlib import Path

import pytest

import harness.tables
from harness.errors import ConfigError
from harness.tables.catalog import find_table, table_names
from harness.tables.paper import REPORTED, figures, read_paper

MODULE = """
from harness.tables.model import Table

def build(runs, paper):
    return Table("{}", "t", (), (), ())
"""


@pytest.fixture
def more_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("evograph_table91", "strata_fig92", "table93", "strata_depth", "cells", "mytable", "to_word"):
        (tmp_path / f"{name}.py").write_text(MODULE.format(name), encoding="utf-8")
    monkeypatch.setattr(harness.tables, "__path__", [*harness.tables.__path__, str(tmp_path)])


@pytest.mark.usefixtures("more_tables")
@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("evograph-91", "evograph_table91"),
        ("strata-fig92", "strata_fig92"),
        ("93", "table93"),
        ("strata-depth", "strata_depth"),
    ],
)
def test_a_new_table_is_one_file(name: str, module: str) -> None:
    assert name in table_names()
    assert find_table(name)((), ()).name == module


@pytest.mark.usefixtures("more_tables")
def test_a_misspelt_table_is_answered_with_what_was_meant() -> None:
    with pytest.raises(ConfigError, match="did you mean strata-fig92"):
        find_table("strata-fig29")
    with pytest.raises(ConfigError, match="got table 'cells'"):
        find_table("cells")


def test_the_papers_figures_are_all_read_and_differences_kept_apart() -> None:
    paper = read_paper()
    assert len(paper) == len(REPORTED.read_text(encoding="utf-8").splitlines()) - 1
    assert {figure.paper for figure in paper} == {"strata", "evograph-mem"}
    assert all(figure.kind != "reported-difference" for figure in figures(paper, "strata", "1"))
    strata = next(f for f in figures(paper, "strata", "1") if (f.row, f.column) == ("STRATA", "webarena/sr"))
    assert (strata.value, strata.sd, strata.note) == (45.6, 1.6, "backbone inferred")


def test_where_the_papers_figures_are_not_installed_there_are_none(tmp_path: Path) -> None:
    assert read_paper(tmp_path / "reported.csv") == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("paper,table\n", "reported.csv:1"),
        ("paper,table,row,column,backbone,value,std,kind,note\na,1,b,c,d,many,,reported,\n", "reported.csv:2"),
    ],
)
def test_a_bad_figure_is_an_error_that_names_its_line(tmp_path: Path, text: str, where: str) -> None:
    (tmp_path / "reported.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=where):
        read_paper(tmp_path / "reported.csv")
