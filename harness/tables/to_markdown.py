"""A table as GitHub-flavoured Markdown that is also readable as it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.tables.model import COVERAGE, Column, Row, Table

_SPECIAL = re.compile(r"([\\`*<>\[\]|])")


def to_markdown(table: Table) -> str:
    """Return the table, what stands behind it, and its notes."""
    head = [*table.label_titles, *(column.heading for column in table.columns)]
    body = [[*map(escape, row.labels), *(_cell(row, column) for column in table.columns)] for row in table.rows]
    parts = [f"# {escape(table.title)}", _grid(list(map(escape, head)), body, len(table.label_titles))]
    if table.coverage:
        lines = [list(map(escape, line)) for line in table.coverage]
        parts += ["## What stands behind the figures", _grid(list(COVERAGE), lines, 2)]
    said = [*table.legend(), *table.notes]
    if said:
        parts += ["## Notes", "\n".join(f"- {escape(note)}" for note in said)]
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _cell(row: Row, column: Column) -> str:
    cell = row.cell(column)
    text = cell.text(column.places)
    return (f"**{text}**" if cell.best else text) + cell.signs


def _grid(head: Sequence[str], body: Sequence[Sequence[str]], left: int) -> str:
    """Return a padded pipe table whose first columns are flush left and the others flush right."""
    widths = [max(3, *(len(line[i]) for line in (head, *body))) for i in range(len(head))]
    rule = ["-" * width if i < left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines = [head, rule, *body]
    return "\n".join("| " + " | ".join(_pad(line, widths, left)) + " |" for line in lines)


def _pad(line: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    return [
        text.ljust(width) if i < left else text.rjust(width)
        for i, (text, width) in enumerate(zip(line, widths, strict=True))
    ]
