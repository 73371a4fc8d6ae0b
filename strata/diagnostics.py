"""What a memory logs of itself every round; harness.tables.graph_log adds it up over a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.tokens import estimate_tokens
from harness.types import Recall
from strata.collector import cut_vertices
from strata.graph import RELATIONS, TYPES, Graph, NodeType
from strata.meta import Community, Verdict
from strata.similarity_graph import Edges

if TYPE_CHECKING:
    from strata.maintenance import Totals

MOST_COMMUNITIES = 64
"""Communities logged one by one, the largest; all are counted."""


def graph_notes(graph: Graph) -> dict[str, Any]:
    """Return node counts by kind, edge counts by relation, bullets by kind, and the shape of the meta layer."""
    kinds = Counter(node.kind for node in graph.nodes.values())
    bullets = Counter(bullet.kind for node in graph.of(NodeType.WORKFLOW) for bullet in node.bullets)
    return {
        "nodes": {kind: kinds[kind] for kind in TYPES},
        "edges": {relation: graph.count(relation) for relation in RELATIONS},
        "bullets": {"variant": bullets["variant"], "pitfall": bullets["pitfall"]},
        **meta_shape(graph),
    }


def meta_shape(graph: Graph) -> dict[str, float | None]:
    """Return mean purity and mean support over the metas; None where there is none.

    Purity is the share of a meta's live members that come from its most frequent family; support is their number.
    """
    members = [graph.sources("generalizes", meta.id) for meta in graph.of(NodeType.META)]
    families = [Counter(graph.nodes[i].origins[0].family for i in own) for own in members if own]
    if not families:
        return {"purity": None, "support": None}
    shares = [max(counts.values()) / counts.total() for counts in families]
    return {"purity": sum(shares) / len(shares), "support": sum(f.total() for f in families) / len(families)}


def w_notes(edges: Edges) -> dict[str, Any]:
    """Return W's size, its cut vertices, and each group's intra-group threshold with the pairs behind it."""
    return {
        "workflows": int(edges.slots.size),
        "edges": int(edges.weight.size),
        "cut_vertices": len(cut_vertices(edges)),
        "thresholds": {group: {"intra": value, "n": n} for group, (value, n) in edges.thresholds.items()},
    }


def community_rows(found: Sequence[tuple[Community, Verdict | None]]) -> dict[str, Any]:
    """Return how many communities W has, and the largest ones with size, conductance, novelty and fate."""
    shown = sorted((pair for pair in found if pair[0].fate != "small"), key=lambda pair: -pair[0].size)
    rows = [
        {
            "size": community.size,
            "conductance": community.conductance,
            "distance": verdict.distance if verdict else None,
            "fate": verdict.action if verdict else community.fate,
        }
        for community, verdict in shown[:MOST_COMMUNITIES]
    ]
    return {"count": len(found), "small": len(found) - len(shown), "largest": rows}


def injection_notes(recall: Recall) -> dict[str, Any]:
    """Return what was injected before an episode: lines, estimated tokens, and items by kind."""
    kinds = Counter(item.kind for item in recall.items)
    return {
        "lines": recall.lines, "tokens": estimate_tokens(recall.text), "meta": kinds["meta"] > 0,
        "items": dict(sorted(kinds.items())),
    }  # fmt: skip


def totals_notes(totals: Totals) -> dict[str, Any]:
    """Return the counts over the whole stream so far."""
    churn = totals.churned / totals.meta_writes if totals.meta_writes else None
    return {
        "deleted": totals.deleted, "protected": len(totals.protected), "metas_ever": len(totals.absorbed),
        "meta_writes": totals.meta_writes, "churned": totals.churned, "churn": churn,
    }  # fmt: skip
