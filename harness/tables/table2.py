"""STRATA's Table 2: one mechanism removed at a time."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="2",
    title="Table 2. STRATA less one mechanism at a time",
    variants={
        "full": "STRATA (full)",
        "drop=tag": "w/o tag term",
        "contrast=none": "w/o contrast edges",
        "thresholds=pooled,edge_thresholds=fixed": "w/o adaptive threshold",
        "meta=False": "w/o meta layer",
        "collection=none": "w/o pressure collection",
    },
    base="full",
    figures=("workflows", "metas", "contrast_edges", "deletions", "memory_lines"),
    notes=(
        "Without contrast edges opposing tasks may also share a workflow, since what keeps them apart is the same rule "
        "(memory.opposites.separate, reconstructed): the row is without both. `row=x_band_joins_opposites` has the "
        "edges and not the keeping apart, and stands in Table 9.",
        "Without adaptive thresholds means one pooled group and W's intra-group threshold fixed (reconstructed). A "
        "stream of one application has one group anyway: there the row is without W's adaptive threshold only.",
    ),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
