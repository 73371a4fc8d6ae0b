"""Whether an ablation's effects depend on how the simulated agent is set: one row for each setting and environment."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation import MAIN, Ablation, Place
from harness.tables.ablation_table import Layout
from harness.tables.model import Cell, Column, Row, Table
from harness.tables.notes import coverage, full_title, notes
from harness.tables.unmoved import unmoved

NOTE = (
    "The first figure is the main metric (SR % or score) of the row named; the others are what each other row has less "
    "or more, seed by seed. The paper has no such table: its agents are language models, ours is simulated and heeds "
    "warnings by construction, so an effect counts only if it does not hang on the knobs p (skill) and q (obedience)."
)


def build_sensitivity(layout: Layout, runs: Sequence[Run]) -> Table:
    """Make the grid of a table's effects. Raises LedgerError for a damaged run."""
    found = Ablation.of(runs, layout.variants, layout.base)
    others = [key for key in layout.variants if key != layout.base]
    columns = [Column(MAIN, (layout.variants[layout.base],), "", 1, None, MAIN)]
    columns += [Column(key, (layout.variants[key], "less or more"), "", 1, None, key) for key in others]
    pairs = [(place, backbone) for backbone in found.backbones for place in found.places(backbone)]
    titles = list(dict.fromkeys(place.title for place, _ in pairs))
    pairs.sort(key=lambda pair: titles.index(pair[0].title))
    rows = [
        Row((place.title, backbone), _cells(found, layout, backbone, place), section=place.title)
        for place, backbone in pairs
    ]
    return Table(
        name=f"sensitivity-{layout.number}",
        title=full_title(f"Sensitivity of Table {layout.number} to the simulated agent", found.grid.runs),
        label_titles=("Environment", "Backbone"),
        columns=tuple(columns),
        rows=tuple(rows),
        coverage=coverage(found.grid),
        notes=(*unmoved(found.grid), *notes(found.grid), NOTE),
    )


def _cells(found: Ablation, layout: Layout, backbone: str, place: Place) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for method in found.of_backbone(backbone):
        key = found.keys[method.label]
        if key == layout.base:
            cells.setdefault(MAIN, found.main(method, place))
        else:
            cells.setdefault(key, found.drop(method, place))
    return cells
