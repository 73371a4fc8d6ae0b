"""STRATA's Table 5: one similarity dimension removed at a time."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="5",
    title="Table 5. Similarity dimensions, the weights of those left renormalised",
    variants={
        "full": "STRATA (four dimensions)",
        "drop=content": "w/o content",
        "drop=index": "w/o index",
        "drop=tag": "w/o tag",
        "drop=lexical": "w/o lexical",
        "drop=index+tag+lexical": "content only",
    },
    base="full",
    figures=("workflows", "metas", "contrast_edges", "memory_lines"),
    notes=("The paper gives the loss without any one embedding dimension as 2.5 to 3.7 points, not which is which.",),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
