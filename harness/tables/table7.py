"""STRATA's Table 7: whether to forget, and which workflow."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="7",
    title="Table 7. Forgetting",
    variants={
        "collection=none": "no collection",
        "collection=unprotected": "lowest quality, no protection",
        "full": "lowest quality, bridges protected",
    },
    base="full",
    figures=("workflows", "memory_lines", "deletions", "regret_pct", "regret_family_pct", "bridges_protected"),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
