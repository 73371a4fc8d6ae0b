"""A table as CSV: one line a cell, with the unrounded figure and everything that qualifies it."""

from __future__ import annotations

import csv
import io

from harness.tables.model import NOT_RUN, Column, Row, Table

FIELDS = (
    "column", "unit", "value", "sd", "n_seeds", "seeds", "n_planned", "n_scored", "n_infrastructure", "source", "best",
    "marks", "text", "title",
)  # fmt: skip
"""After the table's own label columns. ``text`` is the figure as the other formats show it."""


def to_csv(table: Table) -> str:
    """Return the table's cells; what was not run is n/a, never empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*(title.lower() for title in table.label_titles), *FIELDS])
    for row in table.rows:
        for column in table.columns:
            writer.writerow([*row.labels, *_cell(row, column), table.title])
    return file.getvalue()


def _cell(row: Row, column: Column) -> list[str]:
    cell = row.cell(column)
    counts = (cell.n_planned, cell.n_scored, cell.n_infrastructure) if cell.parts else (NOT_RUN,) * 3
    return [
        column.heading,
        column.unit,
        NOT_RUN if cell.value is None else repr(cell.value),
        NOT_RUN if cell.sd is None else repr(cell.sd),
        str(len(cell.parts)) if cell.parts else NOT_RUN,
        " ".join(map(str, cell.seeds)) if cell.parts else NOT_RUN,
        *map(str, counts),
        row.source,
        "best" if cell.best else "",
        " ".join(mark.name.lower() for mark in cell.marks),
        cell.text(column.places),
    ]
