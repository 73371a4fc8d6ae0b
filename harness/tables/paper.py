"""The papers' own figures, as they were printed or follow from what was printed."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ConfigError

REPORTED = Path(__file__).resolve().parents[2] / "results" / "paper" / "reported.csv"
FIELDS = ("paper", "table", "row", "column", "backbone", "value", "std", "kind", "note")


@dataclass(frozen=True, slots=True)
class Reported:
    """One figure of a paper."""

    paper: str
    """``strata`` or ``evograph-mem``."""
    table: str
    row: str
    column: str
    backbone: str
    """The paper's own word, such as ``pro``; empty where it does not say."""
    value: float
    sd: float | None
    kind: str
    """reported | derived (follows from other figures) | reported-difference."""
    note: str


def read_paper(path: Path = REPORTED) -> tuple[Reported, ...]:
    """Read the figures; nothing where the file is not installed. Raises ConfigError, naming the line, for a bad one."""
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != FIELDS:
            raise ConfigError(f"{path}:1: got columns {rows.fieldnames}, expected {','.join(FIELDS)}")
        return tuple(_reported(row, f"{path}:{rows.line_num}") for row in rows)


def figures(paper: Sequence[Reported], name: str, table: str) -> tuple[Reported, ...]:
    """Return the figures of one table, differences between two of them left out."""
    return tuple(r for r in paper if (r.paper, r.table) == (name, table) and r.kind != "reported-difference")


def _reported(row: dict[str, str], where: str) -> Reported:
    try:
        sd = float(row["std"]) if row["std"] else None
        return Reported(
            row["paper"], row["table"], row["row"], row["column"], row["backbone"],
            float(row["value"]), sd, row["kind"], row["note"] or "",
        )  # fmt: skip
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: not a figure: {error}") from error
