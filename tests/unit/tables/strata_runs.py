"""Runs of STRATA with made-up logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.ledger.record import EpisodeRecord
from harness.types import UpdateReport
from tests.run_folders import record, run_folder


def notes(
    workflows: int = 1, metas: int = 0, deleted: int = 0, contrasts: int = 0, tags: Sequence[str] = ("app:a",)
) -> dict[str, Any]:
    """Return what STRATA logs of one round, as far as tables read it."""
    return {
        "nodes": {"meta": metas, "workflow": workflows, "skill": 1, "code": 0, "role": 0},
        "edges": {"call": 2, "generalizes": 2, "merged_from": 0, "contrasts": contrasts},
        "reflection": {"decision": "create", "tags": list(tags), "band": None},
        "collection": {"deleted": [], "protected": [], "cascaded": []},
        "totals": {"deleted": deleted, "protected": 0, "churn": None},
        "contrasts_added": contrasts, "purity": 0.75, "support": 2.0,
    }  # fmt: skip


def episodes(
    rounds: Sequence[Mapping[str, Any]], *, solved: int | None = None, kinds: Sequence[str] = (), **settings: Any
) -> list[EpisodeRecord]:
    """Return the episodes of these rounds, the first ``solved`` of them solved; ``kinds`` are what was recalled."""
    found = []
    for index, logged in enumerate(rounds):
        own = record(index, success=solved is None or index < solved, **settings)
        items = tuple(replace(item, kind=kinds[index]) for item in own.recall.items) if kinds else own.recall.items
        update = {"update": UpdateReport(1, (), dict(logged)), "recall": replace(own.recall, items=items)}
        found.append(own.model_copy(update=update))
    return found


def strata_run(folder: Path, variant: str, solved: int, seed: int = 0, **changes: Any) -> None:
    """Write a run of four tasks."""
    logged = changes.pop("rounds", [notes(n) for n in range(1, 5)])
    name = f"{variant}-{seed}-{changes.get('row')}-{changes.get('env__name', '')}"
    run_folder(
        folder, name, episodes(logged, solved=solved, thought=f"{name}"), seed=seed,
        **{"memory__name": "strata", "memory__variant": variant, "env__metrics": ["sr"], **changes},
    )  # fmt: skip
