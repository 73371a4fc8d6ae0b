"""A table in the terminal: as wide as the window, in as many bands of columns as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from harness.tables.model import COVERAGE, NOT_RUN, Cell, Column, Row, Table
from harness.tables.plain import plain

_GAP = 2
_ASIDE = 2
"""The last two labels, method and mode, stand beside the figures; those before head a section."""

_LEAST_LABEL = 12
_COVERAGE_LINES = 16


def print_table(table: Table, console: Console) -> None:
    """Print the figures, what stands behind them, and the notes; columns without any run of ours stay in the files."""
    shown, hidden = _with_runs(table)
    console.print(Text(plain(table.title), style="bold"))
    for columns in _bands(shown, console.width):
        console.print()
        _print_band(shown, columns, console)
    if table.coverage:
        console.print()
        _print_coverage(table.coverage, console)
    unseen = [f"Not run here, hence only in the files: {'; '.join(hidden)}."] if hidden else []
    console.print()
    for note in (*shown.legend(), *table.notes, *unseen):
        style = "yellow" if note.startswith("WARNING") else "dim"
        bulleted = Grid.grid(padding=(0, 1, 0, 0))
        bulleted.add_row(Text("·", style=style), Text(plain(note), style=style))
        console.print(bulleted)


def _with_runs(table: Table) -> tuple[Table, list[str]]:
    """Return the table less the columns that no run of ours is in, and their headings."""
    ours = [row for row in table.rows if row.source == "ours"]
    kept = [column for column in table.columns if any(row.cell(column).parts for row in ours)]
    if not kept:
        return table, []
    rows = [row for row in table.rows if row in ours or any(row.cell(c).value is not None for c in kept)]
    hidden = [column.heading for column in table.columns if column not in kept]
    return replace(table, columns=tuple(kept), rows=tuple(rows)), hidden


def _bands(table: Table, width: int) -> list[list[Column]]:
    """Split the columns so that each band fits beside the labels."""
    left = sum(label + _GAP for label in _label_widths(table, width))
    bands: list[list[Column]] = [[]]
    used = left
    for column in table.columns:
        wide = _column_width(table, column) + _GAP
        if bands[-1] and used + wide > width:
            bands.append([])
            used = left
        bands[-1].append(column)
        used += wide
    return bands


def _label_widths(table: Table, width: int) -> list[int]:
    """Return the widths of the labels beside the figures: the longest is wrapped until the widest figure fits too."""
    titles, n = table.label_titles[-_ASIDE:], len(table.label_titles) - _ASIDE
    widths = [max([len(title), *(len(row.labels[n + i]) for row in table.rows)]) for i, title in enumerate(titles)]
    room = width - max((_column_width(table, column) for column in table.columns), default=0) - (_ASIDE + 1) * _GAP
    while sum(widths) > room and max(widths) > _LEAST_LABEL:
        widths[widths.index(max(widths))] -= 1
    return widths


def _column_width(table: Table, column: Column) -> int:
    figures = [len(row.cell(column).text(column.places)) + len(row.cell(column).signs) for row in table.rows]
    return max([*map(len, column.title), *figures, len(NOT_RUN)])


def _print_band(table: Table, columns: Sequence[Column], console: Console) -> None:
    console.print(_grid(table, columns, console.width, header=True))
    for i, (heading, rows) in enumerate(groupby(table.rows, key=lambda row: row.labels[:-_ASIDE])):
        grid = _grid(table, columns, console.width, header=False)
        for row in rows:
            colour = "cyan" if row.source == "paper" else ""
            labels = [Text(plain(label), style=colour) for label in row.labels[-_ASIDE:]]
            grid.add_row(*labels, *(_figure(row.cell(column), column, row) for column in columns))
        console.print(Padding(Text(plain(" · ".join(heading)), style=f"bold {colour}"), (min(i, 1), 0, 0, 0)))
        console.print(grid)


def _grid(table: Table, columns: Sequence[Column], width: int, *, header: bool) -> Grid:
    """Return an empty grid of fixed widths, so that grids printed below each other line up."""
    apart = _GAP - 1 if header else _GAP  # the box of the header puts a space of its own between columns
    grid = Grid(
        box=box.SIMPLE_HEAD if header else None, pad_edge=False, padding=(0, apart, 0, 0), show_header=header,
        header_style="bold", show_edge=False,
    )  # fmt: skip
    for title, label in zip(table.label_titles[-_ASIDE:], _label_widths(table, width), strict=True):
        grid.add_column(Text(title), width=label, overflow="fold", vertical="bottom" if header else "top")
    for column in columns:
        heading = Text("\n".join(map(plain, column.title)), justify="right")
        grid.add_column(heading, justify="right", width=_column_width(table, column), no_wrap=True)
    return grid


def _figure(cell: Cell, column: Column, row: Row) -> Text:
    if cell.value is None:
        return Text(cell.text(column.places) + cell.signs, style="dim")
    style = "bold green" if cell.best else "cyan" if row.source == "paper" else ""
    return Text(cell.text(column.places), style=style).append(cell.signs, style="yellow")


def _print_coverage(coverage: Sequence[Sequence[str]], console: Console) -> None:
    """Print what stands behind the figures; what is the same in every line is said once."""
    same = [i for i in range(len(COVERAGE)) if i > 4 and len({line[i] for line in coverage}) == 1]
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_edge=False)
    for i, title in enumerate(COVERAGE):
        if i not in same:
            grid.add_column(title, justify="right" if 2 <= i <= 5 else "left", overflow="fold")
    for line in coverage[:_COVERAGE_LINES]:
        grid.add_row(*(Text(plain(text), style="dim") for i, text in enumerate(line) if i not in same))
    alike = "; ".join(f"{COVERAGE[i].lower()} {coverage[0][i]}" for i in same)
    console.print(Text("What stands behind the figures", style="bold"))
    console.print(grid)
    if len(coverage) > _COVERAGE_LINES:
        console.print(Text(f"and {len(coverage) - _COVERAGE_LINES} more lines in the files.", style="dim"))
    if alike:
        console.print(Text(plain(f"In every line: {alike}."), style="dim"))
