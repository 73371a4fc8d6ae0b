"""STRATA's Table 6: how the reflection thresholds are set."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="6",
    title="Table 6. Reflection thresholds",
    variants={
        "thresholds=global": "one global band",
        "thresholds=raw": "per-group quantiles, no shrinkage",
        "full": "full shrinkage",
    },
    base="full",
    figures=("workflows", "created", "bulleted", "noop", "pitfall", "memory_lines"),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
