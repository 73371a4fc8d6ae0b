from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from harness.errors import ConfigError
from harness.ledger.reading import find_runs
from harness.tables.catalog import find_table
from harness.tables.explain import explain
from harness.tables.model import Table
from harness.tables.paper import read_paper
from harness.tables.plain import plain
from harness.tables.terminal import print_table
from tests.run_folders import run_folder, stream


def built(folder: Path, name: str = "1") -> Table:
    return find_table(name)(find_runs(folder), read_paper())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for memory, solved in (("none", (1, 2)), ("flat", (3, 4))):
        for seed, n in enumerate(solved):
            episodes = stream([i < n for i in range(4)], says=f"{memory} {seed}")
            run_folder(tmp_path, f"{memory}-{seed}", episodes, memory__name=memory, seed=seed, env__metrics=["sr"])
    return tmp_path


def printed(table: Table, width: int) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=False)
    print_table(table, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_figure_is_cut_whatever_the_width(folder: Path, width: int) -> None:
    for name in ("1", "3"):
        text = printed(built(folder, name), width)
        assert "…" not in text
        table = built(folder, name)
        cells = [(row.cell(c), c.places) for row in table.rows for c in table.columns if row.source == "ours"]
        assert all(cell.text(places) in text for cell, places in cells)
        assert max(map(len, text.splitlines())) <= width


def test_columns_without_a_run_of_ours_are_named_and_left_to_the_files(folder: Path) -> None:
    text = " ".join(printed(built(folder), 200).split())
    assert "Not run here, hence only in the files: AppWorld test_normal TGC %;" in text


def test_markup_and_escapes_in_names_do_nothing(folder: Path) -> None:
    run_folder(folder, "x", stream([True]), memory__name="[red]evil[/red]\x1b[2J", env__metrics=["sr"])
    text = printed(built(folder), 200)
    assert "[red]evil[/red]" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\rb\x08c", "a\\x0db\\x08c"),
        ("\x9b2J", "\\x9b2J"),
        ("abc\u202edef", "abc\\u202edef"),
        ("line\r\nnext\ttab", "line\nnext\ttab"),
        ("\ud800", "\\ud800"),
        ("[bold]no[/bold]", "[bold]no[/bold]"),
    ],
)
def test_text_becomes_harmless_and_stays_readable(text: str, shown: str) -> None:
    assert plain(text) == shown


def explained(folder: Path, row: str, column: str) -> str:
    console = Console(file=StringIO(), width=200)
    explain(built(folder), row, column, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_cell_is_traced_to_its_seeds_and_folders(folder: Path) -> None:
    text = explained(folder, "flat gpt", "scienceworld sr")
    assert "87.5 ± 17.7" in text
    assert "seed 0: 75.000 · 4 of 4 tasks scored, 0 lost" in text
    assert str(folder / "flat-1") in text
    assert "minus gpt-4o-mini-2024-07-18 · No-Memory" in text


def test_a_cell_of_the_paper_is_traced_to_where_it_was_printed(folder: Path) -> None:
    assert "reported.csv" in explained(folder, "pro strata", "webarena")


@pytest.mark.parametrize(("row", "column", "said"), [("gpt", "scienceworld", "several"), ("1", "mars", "none")])
def test_an_unclear_row_or_column_is_answered_with_those_there_are(
    folder: Path, row: str, column: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        explained(folder, row, column)


def test_long_labels_give_way_to_the_figures(folder: Path) -> None:
    run_folder(folder, "x", stream([True]), memory__name="a name that goes on " * 5, env__metrics=["sr"])
    text = printed(built(folder), 80)
    assert "100.0" in text
    assert "SR %" in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_table_that_no_run_has_a_row_in_is_printed(folder: Path) -> None:
    table = replace(built(folder), rows=(), coverage=())
    assert "Table 1" in printed(table, 80)


@pytest.mark.parametrize("width", range(60, 90))
def test_headings_stand_over_their_figures_and_are_never_cut(folder: Path, width: int) -> None:
    text = printed(built(folder, "3"), width)
    lines = text.splitlines()
    assert "…" not in text
    rules = [at for at, line in enumerate(lines) if line.startswith("────")]
    [shown, *_] = [line for line in lines[rules[0] :] if line.startswith("No-Memory")]
    assert lines[rules[0] - 1].index("Mode") == shown.index(shown.split()[1])
