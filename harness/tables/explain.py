"""One cell of a table, traced to the runs it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from harness.errors import ConfigError
from harness.statistics import mean, mean_interval, paired_bootstrap, round_half_up
from harness.tables.model import NOT_RUN, Cell, Column, Row, Table
from harness.tables.plain import plain

T = TypeVar("T", Row, Column)


def explain(table: Table, row: str, column: str, console: Console) -> None:
    """Print a cell's figure, each seed's share with its run folder, and how it compares on the same tasks.

    Row and column are named by words of their labels, or by number from 1. Raises ConfigError where none or several
    are meant.
    """
    chosen_row = _chosen(row, "row", {r.label: r for r in table.rows}, table.rows)
    chosen = _chosen(column, "column", {c.heading: c for c in table.columns}, table.columns)
    cell = chosen_row.cell(chosen)
    _say(console, f"{chosen_row.label}, {chosen.heading}: {cell.text(chosen.places)}{cell.signs}", "bold")
    if chosen_row.source == "paper":
        _say(
            console, "printed by the paper, see results/paper/reported.csv" if cell.value is not None else "not printed"
        )
        return
    if not cell.parts:
        _say(console, "no run gives this figure")
        return
    for part in cell.parts:
        value = NOT_RUN if part.value is None else round_half_up(part.value, chosen.places + 2)
        counts = f"{part.n_scored} of {part.n_planned} tasks scored, {part.n_infrastructure} lost"
        _say(console, f"  seed {part.seed}: {value} · {counts}")
        for folder in part.runs:
            _say(console, f"    {folder}", "dim")
    _interval(cell, chosen, console)
    for other in table.rows:
        if other.section == chosen_row.section and other is not chosen_row:
            _against(cell, other, chosen, console)


def _interval(cell: Cell, column: Column, console: Console) -> None:
    values = [part.value for part in cell.parts if part.value is not None]
    interval = mean_interval(values)
    if interval:
        low, high = (round_half_up(end, column.places) for end in interval)
        _say(console, f"  95 % interval of the mean over {len(values)} seeds (Student's t): {low} to {high}")


def _against(cell: Cell, other: Row, column: Column, console: Console) -> None:
    """Print the paired difference to another row of the section, where both are means over the same tasks."""
    found = paired_bootstrap(_by_task(cell), _by_task(other.cell(column)))
    if found:
        figures = (found.difference, found.low, found.high)
        gap, low, high = (round_half_up(value, column.places) for value in figures)
        _say(
            console,
            f"  minus {other.label}: {gap}, 95 % {low} to {high}, p {round_half_up(found.p, 3)} "
            f"(paired bootstrap over {found.n} tasks, seeds averaged)",
        )


def _by_task(cell: Cell) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for part in cell.parts:
        for task, value in part.units.items():
            values.setdefault(task, []).append(value)
    return {task: found for task, each in values.items() if (found := mean(each)) is not None}


def _chosen(word: str, what: str, named: Mapping[str, T], numbered: Sequence[T]) -> T:
    if word.isdecimal() and 0 < int(word) <= len(numbered):
        return numbered[int(word) - 1]
    if word in named:
        return named[word]
    wanted = word.lower().split()
    matches = [label for label in named if all(part in label.lower() for part in wanted)]
    if len(matches) == 1:
        return named[matches[0]]
    lines = "\n".join(f"  {i}  {label}" for i, label in enumerate(named, start=1) if not matches or label in matches)
    raise ConfigError(f"got {what} {word!r}, which {'could be several' if matches else 'is none'} of\n{lines}")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(plain(text), style=style), soft_wrap=True)
