"""One file of everything that was logged: a line for each episode and the round of maintenance after it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.ledger.durable import atomic_write
from harness.ledger.reading import Run
from harness.ledger.record import EpisodeRecord
from harness.tables.graph_log import GraphLog
from harness.types import StepKind


def flat_row(notes: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested notes as one line: keys joined by dots; a list as JSON, and its length under ``KEY.n``."""
    row: dict[str, Any] = {}
    for key, value in notes.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            row |= flat_row(value, f"{name}.")
        elif isinstance(value, list | tuple):
            row |= {name: json.dumps(value, ensure_ascii=False), f"{name}.n": len(value)}
        else:
            row[name] = value
    return row


def diagnostic_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield a run's episodes as flat lines, what the memory logged under ``notes.``. Raises LedgerError for damage.

    Columns under ``run.`` are figures of the whole run so far, the same on each of its lines.
    """
    lock = run.lock
    of_run = {
        "run": run.name, "env": lock.env.name, "variant": lock.env.variant, "memory": lock.memory.name,
        "memory_variant": lock.memory.variant, "row": lock.row, "backbone": lock.backbone.id, "seed": lock.seed,
        **_of_the_whole(GraphLog.of(run)),
    }  # fmt: skip
    for record in run.records():
        notes = record.update.notes if record.update else {}
        yield {**of_run, **_episode(record), **flat_row(notes, "notes.")}


def _of_the_whole(log: GraphLog) -> dict[str, float | None]:
    """Return what only a whole run tells of its graph: injection, and regret by template and by family, in percent."""
    if not log.workflows:
        return {}
    return {
        "run.injection_pct": log.injection_percent(), "run.regret_template_pct": log.regret_percent("template"),
        "run.regret_family_pct": log.regret_percent("family"),
    }  # fmt: skip


def _episode(record: EpisodeRecord) -> dict[str, Any]:
    outcome = record.outcome
    return {
        "episode": record.index, "task": record.task.id, "family": record.task.family,
        "template": record.task.template, "trial": record.trial,
        "success": outcome.success if outcome else None, "score": outcome.score if outcome else None,
        "stop": outcome.stop.value if outcome else "infrastructure",
        "steps": sum(step.kind is StepKind.ACT for step in record.steps),
        "recall_lines": record.recall_lines, "recall_tokens": record.recall_tokens,
        "recall_items": len(record.recall.items), "memory_items": record.memory.items,
        "memory_s": record.time.memory_s,
    }  # fmt: skip


def write_diagnostics(runs: Sequence[Run], path: Path) -> int:
    """Write the lines of some runs as one CSV with every key of any of them as a column; return how many lines."""
    rows = [row for run in runs for row in diagnostic_rows(run)]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _keys(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    atomic_write(path, text.getvalue())
    return len(rows)


def _keys(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return all keys in the order they first come."""
    return list(dict.fromkeys(key for row in rows for key in row))
