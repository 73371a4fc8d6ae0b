"""STRATA's Table 9 over the settings of the simulated agent."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.tables.model import Table
from harness.tables.paper import Reported
from harness.tables.sensitivity import build_sensitivity
from harness.tables.table9 import LAYOUT


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    return build_sensitivity(LAYOUT, runs)
