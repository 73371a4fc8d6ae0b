"""STRATA's Table 9: where contrast edges come from."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="9",
    title="Table 9. Contrast edges",
    variants={
        "contrast=none": "no contrast edges",
        "contrast=hand_placed": "hand-placed",
        "full": "by rule",
        "x_learned": "learned from failures (ours)",
        "x_band_joins_opposites": "by rule, opposites may share a workflow (ours)",
    },
    base="contrast=none",
    figures=("contrast_edges", "contrasts_added", "workflows", "memory_lines"),
    notes=(
        "Without contrast edges opposing tasks may also share a workflow, since what keeps them apart is the same rule "
        "(memory.opposites.separate, reconstructed): the row is without both. `row=x_band_joins_opposites` has the "
        "edges and not the keeping apart, and stands in Table 9.",
    ),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
