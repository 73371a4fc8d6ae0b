"""Rounds of the meta layer over workflows and a W that a test chose."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin
from typing import Any

import numpy as np

from harness.types import Episode, Outcome, StopReason
from strata.graph import Node
from strata.mechanisms import Mechanisms
from strata.similarity_graph import Edges
from tests.unit.strata.building import by_rule, mechanisms, plant, task

EPISODE = Episode(task(), 1, "", (), Outcome(True, 1.0, StopReason.SOLVED))
PRINCIPLE = {
    "name": "Warm it first", "content": "warm things", "applicability_condition": "warming", "goal": "warm",
    "principle": ["find it", "warm it"],
}  # fmt: skip


def turned(degrees: float) -> list[float]:
    """Return a unit vector at an angle to the first axis."""
    return [cos(radians(degrees)), sin(radians(degrees))]


def grow(parts: Mechanisms, *vectors: Sequence[float], tags: Sequence[str] = ("app:x",)) -> list[Node]:
    """Add one workflow a vector; the n-th node made applies to ``a<n>``."""
    made = []
    for vector in vectors:
        number = parts.store.graph.made
        own = {"content_vector": vector, "index_vector": vector, "applicability": f"a{number}"}
        made.append(plant(parts.store, "workflow", number, tags=tags, **own))
    return made


def parts_at(*vectors: Sequence[float], principles: object = PRINCIPLE, **changes: Any) -> Mechanisms:
    """Return parts with one workflow a vector."""
    parts = mechanisms(by_rule(meta=principles), **changes)
    grow(parts, *vectors)
    return parts


def cliques(parts: Mechanisms, *groups: Sequence[str]) -> Edges:
    """Return W in which each group of workflow ids is a clique and nothing else is linked."""
    geometry = parts.store.geometry
    slots = geometry.layer_slots(1)
    slots = slots[np.argsort(geometry.number[slots])]
    place = {str(geometry.ids[slot]): at for at, slot in enumerate(slots.tolist())}
    groups_at = [sorted(place[node_id] for node_id in group) for group in groups]
    pairs = sorted((a, b) for group in groups_at for a in group for b in group if a < b)
    left, right = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return Edges(slots, left, right, np.full(len(pairs), 0.5), {})


def take(parts: Mechanisms, *groups: Sequence[Node]) -> dict[str, list[str]]:
    """Go through a round in which each group is a community; returns the metas created and updated."""
    assert parts.metas is not None
    edges = cliques(parts, *([node.id for node in group] for group in groups))
    done = parts.metas.round(edges, EPISODE, 0)
    return {"created": done["created"], "updated": done["updated"]}


def workflows(parts: Mechanisms) -> list[Node]:
    return [node for node in parts.store.graph.nodes.values() if node.kind == "workflow"]
