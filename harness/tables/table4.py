"""STRATA's Table 4: what the memory graph is made of after a stream."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.ablation_table import Layout, build_ablation
from harness.tables.model import Table
from harness.tables.paper import Reported

LAYOUT = Layout(
    number="4",
    title="Table 4. The memory graph after a full pass, by environment",
    variants={
        "full": "STRATA",
    },
    base="full",
    figures=(
        "tasks",
        "workflows",
        "metas",
        "atomics",
        "call_edges",
        "generalizes_edges",
        "merged_from_edges",
        "contrast_edges",
        "contrasts_added",
        "deletions",
        "bridges_protected",
        "tasks_per_workflow",
        "workflows_per_meta",
        "growth_first",
        "growth_second",
    ),
    notes=(
        "Growth is how many workflows a stream gains an episode, in its first and in its second half.",
        "Created, bullets and the rest of the decisions are in `python -m scripts.diagnostics`.",
        "The paper has bridge protection fire between 1 and 6 times on each benchmark.",
    ),
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_ablation(LAYOUT, runs, paper)
