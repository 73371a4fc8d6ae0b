"""Which figure of a section is best, and which cannot be told from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from harness.statistics import not_separable
from harness.tables.model import Cell, Column, Mark, Row


def compared(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[Row, ...]:
    """Return the rows with the best of each section and column made bold, and what is not separable from it marked.

    A section compares our own rows only; the papers' are left as they were printed.
    """
    found = list(rows)
    for column in columns:
        if column.higher_is_better is None:
            continue
        for section in dict.fromkeys(row.section for row in rows if row.source == "ours"):
            at = [i for i, row in enumerate(found) if row.section == section and row.cell(column).value is not None]
            if len(at) > 1:
                marked = _marked([found[i].cell(column) for i in at], higher_is_better=column.higher_is_better)
                for i, cell in zip(at, marked, strict=True):
                    found[i] = replace(found[i], cells={**found[i].cells, column.key: cell})
    return tuple(found)


def _marked(cells: Sequence[Cell], *, higher_is_better: bool) -> list[Cell]:
    values = [cell.value for cell in cells if cell.value is not None]
    top = max(values) if higher_is_better else min(values)
    leaders = [math.isclose(value, top, rel_tol=1e-12, abs_tol=1e-12) for value in values]
    if all(leaders):
        return list(cells)
    best = next(cell for cell, leads in zip(cells, leaders, strict=True) if leads)
    found = []
    for cell, value, leads in zip(cells, values, leaders, strict=True):
        if leads:
            found.append(replace(cell, best=True))
        elif not_separable(top, best.sd, value, cell.sd):
            found.append(cell.marked(Mark.TIE))
        else:
            found.append(cell)
    return found
