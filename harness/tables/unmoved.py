"""Rows that cannot be told apart because the agent acted the same whatever its memory injected."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from harness.ledger.reading import Run
from harness.tables.grid import Grid, Method

SHOWN = 3
"""Most rows that a sentence names."""


class Played(NamedTuple):
    """What the episodes of some seeds came to, in order."""

    actions: str
    """sha256 over the actions of all episodes."""
    recalls: tuple[str, ...]
    """Text injected into each episode."""


def unmoved(grid: Grid) -> list[str]:
    """Return one warning for each stream and set of rows with equal actions in every episode of every seed.

    Equal figures of such rows are no finding: nothing that tells the rows apart has reached what the agent did. The
    backbone is named where there are several.
    """
    found, several = [], len({method.backbone for method in grid.methods}) > 1
    for stream in grid.streams:
        rows: dict[tuple[str, str], list[tuple[Method, Played]]] = {}
        for method in grid.methods:
            if stream.key in method.cells:
                played = _played([run.run for run in method.cells[stream.key]])
                rows.setdefault((method.backbone, played.actions), []).append((method, played))
        for (backbone, _), same in rows.items():
            if len(same) > 1:
                found.append(_sentence(f"{backbone}, {stream.label}" if several else stream.label, same))
    return found


def _played(runs: Sequence[Run]) -> Played:
    total, recalls = hashlib.sha256(), []
    for run in runs:
        for record in run.records():
            actions = [step.action for step in record.steps]
            total.update(repr((run.lock.seed, record.task.id, record.trial, actions)).encode("utf-8", "replace"))
            recalls.append(record.recall.text)
    return Played(total.hexdigest(), tuple(recalls))


def _sentence(stream: str, same: Sequence[tuple[Method, Played]]) -> str:
    titles = [f"{method.title}, {method.mode}" for method, _ in same]
    named = "; ".join(titles[:SHOWN]) + (f"; and {len(titles) - SHOWN} more" if len(titles) > SHOWN else "")
    texts = list(zip(*(played.recalls for _, played in same), strict=True))
    differing = sum(len(set(each)) > 1 for each in texts)
    injected = (
        f"although what was injected differed in {differing} of {len(texts)} episodes" if differing
        else "and what was injected never differed"
    )  # fmt: skip
    return (
        f"WARNING: {stream}: {len(same)} rows ({named}) have the same actions in every episode, {injected}. "
        "Their equal figures say nothing about what tells these rows apart."
    )
