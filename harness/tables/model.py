"""What a table is: columns, rows and cells that remember which runs they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal, Self

from harness.statistics import mean, round_half_up, sd

NOT_RUN = "n/a"
COVERAGE = ("Row", "Stream", "Seeds", "Planned", "Scored", "Infrastructure", "Outcome source", "Protocol", "Date")
"""Headings of ``Table.coverage``; counts are tasks, all seeds together."""


class Mark(Enum):
    """A sign behind a figure, and what the note below the table says it means."""

    SHORT = ("†", "fewer tasks scored than planned")
    TIE = ("≈", "not separable from the best: the means differ by at most sqrt(sd_a^2 + sd_b^2)")
    DERIVED = ("‡", "not printed by the paper as it stands here: derived, or its backbone inferred")

    @property
    def sign(self) -> str:
        """The sign itself."""
        return self.value[0]

    @property
    def meaning(self) -> str:
        """One clause for the legend."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Part:
    """What one run (one seed) gives to a cell."""

    seed: int
    value: float | None
    runs: tuple[str, ...]
    """Paths of the run folders: one, or one a stream for a mean over streams."""
    n_planned: int
    """Tasks."""
    n_scored: int
    n_infrastructure: int
    date: str = ""
    """Day the run was started, UTC."""
    units: Mapping[str, float] = field(default_factory=dict)
    """What the value is the mean of, by task or template; empty where it is no such mean."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of a table: a mean over seeds, a figure of a paper, or nothing."""

    value: float | None = None
    """None where there is no figure; shown as n/a."""
    sd: float | None = None
    """None for fewer than two seeds."""
    parts: tuple[Part, ...] = ()
    """Empty for a paper's figure and for what was not run."""
    best: bool = False
    marks: tuple[Mark, ...] = ()

    @classmethod
    def of(cls, parts: Iterable[Part]) -> Self:
        """Average runs that differ in nothing but their seed."""
        parts = tuple(sorted(parts, key=lambda part: part.seed))
        values = [part.value for part in parts if part.value is not None]
        whole = len(values) == len(parts)
        short = any(part.n_scored < part.n_planned for part in parts)
        figures = (mean(values), sd(values)) if whole else (None, None)
        return cls(*figures, parts=parts, marks=(Mark.SHORT,) if short else ())

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds that are in the figure."""
        return tuple(part.seed for part in self.parts)

    @property
    def n_planned(self) -> int:
        """Tasks of all seeds."""
        return sum(part.n_planned for part in self.parts)

    @property
    def n_scored(self) -> int:
        """Tasks of all seeds that have a verdict."""
        return sum(part.n_scored for part in self.parts)

    @property
    def n_infrastructure(self) -> int:
        """Tasks of all seeds lost to infrastructure."""
        return sum(part.n_infrastructure for part in self.parts)

    @property
    def signs(self) -> str:
        """The signs behind the figure, in the legend's order."""
        return "".join(mark.sign for mark in Mark if mark in self.marks)

    def marked(self, mark: Mark) -> Cell:
        """Return the cell with one more mark."""
        return replace(self, marks=(*self.marks, mark))

    def text(self, places: int) -> str:
        """Return the figure as every writer shows it, marks aside: ``61.2 ± 3.1``, ``61.2 (n=1)``, ``n/a``."""
        if self.value is None:
            return NOT_RUN
        shown = round_half_up(self.value, places)
        if self.sd is not None:
            return f"{shown} ± {round_half_up(self.sd, places)}"
        return f"{shown} (n=1)" if self.parts else shown


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of every row."""

    key: str
    """Unique in its table, such as ``scienceworld/paper23/score``."""
    title: tuple[str, ...]
    """Lines of the heading."""
    unit: str = ""
    places: int = 1
    higher_is_better: bool | None = None
    """None where neither is."""
    stream: str = ""
    """Columns of the same stream rest on the same runs."""
    bold: bool = True
    """Whether the best of a section is made bold and compared with the others."""

    @property
    def heading(self) -> str:
        """The heading on one line."""
        return " ".join(line for line in self.title if line)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    labels: tuple[str, ...]
    """One for each of the table's label columns."""
    cells: Mapping[str, Cell]
    """By column key; a missing one is shown as n/a."""
    section: str = ""
    """Rows of one section are compared with each other, and set apart from the next."""
    source: Literal["ours", "paper"] = "ours"

    def cell(self, column: Column) -> Cell:
        """Return the cell of a column."""
        return self.cells.get(column.key, Cell())

    @property
    def label(self) -> str:
        """The labels on one line."""
        return " · ".join(label for label in self.labels if label)


@dataclass(frozen=True, slots=True)
class Table:
    """A table with everything a reader needs to judge it."""

    name: str
    """What it is asked for by, such as ``1``; the files are called so too."""
    title: str
    label_titles: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    coverage: tuple[tuple[str, ...], ...] = ()
    """What stands behind the rows: one entry a row and stream, in the order of ``COVERAGE``."""
    notes: tuple[str, ...] = ()

    def legend(self) -> tuple[str, ...]:
        """Return what the signs mean that the table uses."""
        used = {mark for row in self.rows for column in self.columns for mark in row.cell(column).marks}
        legend = [f"{mark.sign} {mark.meaning}." for mark in Mark if mark in used]
        if any(row.cell(column).best for row in self.rows for column in self.columns):
            legend.insert(0, "Bold: best of its section.")
        return tuple(legend)
