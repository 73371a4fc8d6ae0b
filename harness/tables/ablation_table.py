"""One of STRATA's ablation tables: rows by environment, ours above the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.ledger.reading import Run
from harness.tables.ablation import DROP, MAIN, OURS, Ablation, Place
from harness.tables.compare import compared
from harness.tables.contradictions import CONTRADICTIONS
from harness.tables.graph_figures import FIGURES, MEANINGS
from harness.tables.graph_log import tag_coverage
from harness.tables.grid import Method
from harness.tables.model import Cell, Column, Mark, Row, Table
from harness.tables.names import STRATA_STREAMS, benchmark_title
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported
from harness.tables.unmoved import unmoved

LABELS = ("Backbone", "Environment", "Row", "Mode")
ALL = "all (average not defined)"
PAPER_NOTE = (
    "Rows headed paper are STRATA's printed figures, which are known in part: its backbones are not named, and what "
    "it does not print is n/a. They stand apart from ours, whatever ours were run on."
)
SHARED_RUNS = (
    "A run stands in every table whose row its switches make it, whatever row it was started as: the full system of "
    "one table is that of all others."
)
_MAIN = Column(MAIN, ("Main metric", "SR % or score"), "", 1, True, "main")


@dataclass(frozen=True, slots=True)
class Layout:
    """What one table shows."""

    number: str
    title: str
    variants: Mapping[str, str]
    """The paper's name of each row, by the variant that the lock names; rows of ours by the row file's name."""
    base: str
    """The variant of the row that others are compared with."""
    figures: tuple[str, ...] = ()
    """Keys of ``FIGURES``."""
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The table's columns."""
        drop = Column(DROP, ("Minus", self.variants[self.base]), "", 1, None, "main")
        rest = [FIGURES[key].column for key in self.figures]
        return (_MAIN, *([drop] if len(self.variants) > 1 else []), *rest)


def build_ablation(layout: Layout, runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    found, columns = Ablation.of(runs, layout.variants, layout.base), layout.columns
    rows = [
        row
        for backbone in found.backbones
        for place in found.places(backbone)
        for row in _rows(found, layout, backbone, place)
    ]
    return Table(
        name=layout.number,
        title=full_title(layout.title, found.grid.runs),
        label_titles=LABELS,
        columns=columns,
        rows=(*compared(rows, columns), *paper_rows(layout, paper)),
        coverage=coverage(found.grid),
        notes=tuple(_notes(found, layout)),
    )


def _notes(found: Ablation, layout: Layout) -> Iterator[str]:
    """Yield what the runs call for, what the table means, and what the paper says against itself."""
    yield from (*unmoved(found.grid), *notes(found.grid), *mean_notes(found), *tag_notes(found), *layout.notes)
    yield from [MEANINGS] if layout.figures else []
    yield from (SHARED_RUNS, PAPER_NOTE)
    yield from (f"On the paper: {text}" for text in CONTRADICTIONS[layout.number])


def _rows(found: Ablation, layout: Layout, backbone: str, place: Place) -> list[Row]:
    """Return the rows of one backbone at one place; a row of the paper that was not run there says so."""
    rows = []
    for key, title in layout.variants.items():
        methods = [m for m in found.of_backbone(backbone) if found.keys[m.label] == key and _ran(m, place)]
        rows += [_row(found, layout, method, place) for method in methods]
        if not methods and not key.startswith(OURS):
            section = f"{backbone} · {place.title}"
            rows.append(Row((backbone, place.title, title, "not run"), {}, section=section))
    return rows


def _ran(method: Method, place: Place) -> bool:
    return all(key in method.cells for group in place.streams for key in group)


def _row(found: Ablation, layout: Layout, method: Method, place: Place) -> Row:
    cells = {MAIN: found.main(method, place), DROP: found.drop(method, place)}
    cells |= {key: found.figure(method, place, key) for key in layout.figures}
    section = f"{method.backbone} · {place.title}"
    return Row((method.backbone, place.title, method.title, method.mode), cells, section=section)


def mean_notes(found: Ablation) -> list[str]:
    """Return which streams a backbone's means leave out."""
    lines = []
    for backbone in found.backbones:
        common = found.common(backbone)
        ran = {key for method in found.of_backbone(backbone) for key in method.cells}
        rest = [stream.label for stream in found.grid.streams if stream.key in ran and stream not in common]
        if rest:
            lines.append(f"{backbone}: means leave out {'; '.join(rest)}, where not every row begun was run.")
    return lines


def tag_notes(found: Ablation) -> list[str]:
    """Return, by stream, in how many tasks the parser read an operator and an object."""
    lines = []
    for stream in found.grid.streams:
        runs = [run for method in found.grid.methods for run in method.cells.get(stream.key, ())]
        parsers = {str(run.run.lock.settings.get("memory", {}).get("tag_parser", "rule")) for run in runs}
        n, operators, objects = tag_coverage(found.logs[str(run.run.folder)] for run in runs)
        if n:
            lines.append(
                f"Coverage of tags, {stream.label}: parsed by {' and '.join(sorted(parsers))}, an operator was read in "
                f"{operators} of {n} tasks and an object in {objects}; the application is always known."
            )
    return lines


def paper_rows(layout: Layout, paper: Sequence[Reported]) -> list[Row]:
    """Return the paper's figures of the table that fit a column, in the table's order of rows."""
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    known = {column.key for column in layout.columns}
    for figure in paper:
        if (figure.paper, figure.table) != ("strata", layout.number):
            continue
        place, key = _position(figure)
        if key in known and (figure.kind != "reported-difference" or key == DROP):
            marks = (Mark.DERIVED,) if figure.kind == "derived" else ()
            rows.setdefault((place, _name(figure)), {})[key] = Cell(figure.value, figure.sd, marks=marks)
    order, places = list(layout.variants.values()), [ALL, *_places()]
    keys = sorted(
        rows, key=lambda key: (places.index(key[0]), order.index(key[1]) if key[1] in order else len(order), key[1])
    )
    return [
        Row(
            ("paper: not named", place, name, "as printed"), rows[place, name], section=f"paper · {place}",
            source="paper",
        )
        for place, name in keys
    ]  # fmt: skip


def _position(figure: Reported) -> tuple[str, str]:
    """Return the environment and the column that a figure of the paper belongs to."""
    column = figure.column
    if figure.row.endswith(_MINUS):
        return _streams().get(column, ALL), DROP
    for key, word in ((DROP, " drop"), (MAIN, "")):
        stream = column.removesuffix(word)
        if column.endswith(word) and stream in (*_streams(), "average"):
            return (ALL if stream == "average" else _streams()[stream]), key
    if figure.row in _streams():
        return _streams()[figure.row], _SPELT.get(column, column)
    return ALL, _SPELT.get(column, column)


_SPELT = {"gc_deletions": "deletions"}
"""Figures that the paper calls otherwise in another table."""


_MINUS = " minus none"
"""How the paper's differences to the row without contrast edges are named."""


def _name(figure: Reported) -> str:
    return "STRATA" if figure.row in (*_streams(), "all", "any") else figure.row.removesuffix(_MINUS)


def _streams() -> dict[str, str]:
    return {
        stream.name: " ".join(filter(None, (benchmark_title(stream.benchmark), stream.title)))
        for stream in STRATA_STREAMS
    }


def _places() -> list[str]:
    return list(_streams().values())
