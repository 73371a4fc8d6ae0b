"""STRATA's Table 8: the meta layer and its novelty gate."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="8",
    title="Table 8. The meta layer",
    variants={
        "meta=False": "no meta layer",
        "novelty=False": "no novelty gate",
        "full": "full",
        "x_meta_tags": "full, meta tags accumulated (ours)",
    },
    base="full",
    figures=("metas", "support", "purity_pct", "churn_pct", "injection_pct"),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
