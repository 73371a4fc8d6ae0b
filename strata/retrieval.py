"""Retrieval returns a subgraph: gated seeds, their meta parents, their atomics, and their contrast neighbours."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from strata.graph import Graph, NodeType
from strata.opposition import Opposition
from strata.settings import Retrieving
from strata.similarity import Floats, Geometry, Slots, on_score_grid

_LAST_LAYER = max(NodeType)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What retrieval found, each node once, in the order it is read: meta, workflow, atomic."""

    seeds: tuple[str, ...]
    """By rank, best first."""
    metas: tuple[str, ...]
    workflows: tuple[str, ...]
    atomics: tuple[str, ...]
    rank: dict[str, float]
    """s~ of every node in it."""
    warned: dict[str, str]
    """The workflows that stand under a warning, each with the side it must not be taken for."""

    def __bool__(self) -> bool:
        return bool(self.seeds)


NOTHING = Subgraph((), (), (), (), {}, {})


def rank_scores(scores: Floats, layers: NDArray[np.int8], layer_bonus: float) -> Floats:
    """Return s~ = s + beta_layer (2 - ord) / 2: general nodes are favoured."""
    bonus = np.array([layer_bonus * (_LAST_LAYER - ord_) / _LAST_LAYER for ord_ in NodeType], dtype=np.float32)
    return scores + bonus[layers]


def seeds(geometry: Geometry, scores: Floats, settings: Retrieving, excluded: Collection[str]) -> Slots:
    """Return the slots of the top-k nodes by s~ among those whose raw score clears the gate; of equal ones the oldest.

    ``excluded`` are the ids of nodes that may not be retrieved.
    """
    admitted = scores >= on_score_grid(settings.gate)
    admitted &= geometry.layer[: scores.size] >= 0
    if excluded:
        admitted[[geometry.slot[node_id] for node_id in excluded]] = False
    slots = np.flatnonzero(admitted)
    ranks = rank_scores(scores[slots], geometry.layer[slots], settings.layer_bonus)
    if slots.size > settings.seeds:
        least = np.partition(ranks, slots.size - settings.seeds)[slots.size - settings.seeds]
        slots, ranks = slots[ranks >= least], ranks[ranks >= least]
    return slots[np.lexsort((geometry.number[slots], -ranks))][: settings.seeds]


def subgraph(
    graph: Graph, geometry: Geometry, scores: Floats, settings: Retrieving, excluded: Collection[str],
    opposition: Opposition, asked: frozenset[str],
) -> Subgraph:  # fmt: skip
    """Return the seeds and what belongs around them; nothing at all if nothing clears the gate.

    A seed that opposes the query brings what contrasts with it, and stands under a warning without its meta parents
    and its atomics. ``asked`` are the query's operators.
    """
    top = [_id_at(geometry, slot) for slot in seeds(geometry, scores, settings, excluded).tolist()]
    if not top:
        return NOTHING
    ranked = partial(_ranked, geometry, scores, settings.layer_bonus)
    parts: dict[NodeType, dict[str, None]] = {node_type: {} for node_type in NodeType}
    for seed in top:
        parts[graph.nodes[seed].type][seed] = None
    own = list(parts[NodeType.WORKFLOW])
    for seed in own:
        opposed = [node_id for node_id in graph.targets("contrasts", seed) if node_id not in excluded]
        opposed.sort(key=lambda node_id: -scores[geometry.slot[node_id]])
        parts[NodeType.WORKFLOW] |= dict.fromkeys(opposed[: settings.contrast_neighbours])
    workflows = list(parts[NodeType.WORKFLOW])
    warned = opposition.warned(graph, workflows, asked, ranked(workflows))
    gate = on_score_grid(settings.gate)
    for seed in (seed for seed in own if seed not in warned):
        parents = graph.targets("generalizes", seed)
        parts[NodeType.META] |= {m: None for m in parents if scores[geometry.slot[m]] >= gate}
        parts[NodeType.ATOMIC] |= dict.fromkeys(graph.targets("call", seed))
    found = {node_type: tuple(i for i in ids if i not in excluded) for node_type, ids in parts.items()}
    rank = ranked([node_id for ids in found.values() for node_id in ids])
    return Subgraph(tuple(top), found[NodeType.META], found[NodeType.WORKFLOW], found[NodeType.ATOMIC], rank, warned)


def _ranked(geometry: Geometry, scores: Floats, layer_bonus: float, nodes: Sequence[str]) -> dict[str, float]:
    """Return s~ of some nodes."""
    at = np.array([geometry.slot[node_id] for node_id in nodes], dtype=np.int64)
    return dict(zip(nodes, map(float, rank_scores(scores[at], geometry.layer[at], layer_bonus)), strict=True))


def _id_at(geometry: Geometry, slot: int) -> str:
    found = geometry.ids[slot]
    if found is None:
        raise ValueError(f"got the free slot {slot}, expected a node's")
    return found
