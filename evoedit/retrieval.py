"""Retrieval of insights: candidates, evidence scores, and the top B, equations (7) to (10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from evoedit.insight_graph import InsightNode


@dataclass(frozen=True, slots=True)
class Candidate:
    """An insight with its score for one query."""

    node: InsightNode
    support: int
    """s of equation (9): positive queries in the expanded subgraph."""
    conflict: int
    """c of equation (9): negative queries in the expanded subgraph."""
    score: float
    """r of equation (8)."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the insight graph gives for one query."""

    retrieved: tuple[Candidate, ...]
    """Equation (10)."""
    candidates: int
    conflicting: int
    """Candidates with c > 0: without any, lambda cannot act."""
    reranked: bool
    """Whether lambda = 0 would have retrieved others, or in another order."""


def candidates(
    insights: Iterable[InsightNode], subgraph: Collection[str], lambda_: float, task_id: str
) -> list[Candidate]:
    """Return the candidates of equation (7) with their scores (8) and (9), oldest first.

    Args:
        insights: all nodes; archived ones are never candidates.
        subgraph: ids of the expanded query subgraph, equation (4).
        lambda_: strength of the penalty, 0 or more.
        task_id: the task at hand; insights that were made from it are left out.
    """
    near, found = set(subgraph), []
    for node in insights:
        support = len(near.intersection(node.positives))
        if node.active and support and task_id not in node.born:
            conflict = len(near.intersection(node.negatives))
            found.append(Candidate(node, support, conflict, support - lambda_ * conflict))
    return found


def top(found: Iterable[Candidate], b: int) -> tuple[Candidate, ...]:
    """Return the B best candidates, equation (10); of equal ones the older, so that runs repeat."""
    return tuple(sorted(found, key=lambda candidate: -candidate.score)[:b])


def rank(
    insights: Iterable[InsightNode], subgraph: Collection[str], *, lambda_: float, b: int, task_id: str
) -> Ranking:
    """Return the retrieved insights, and whether the penalty played a part."""
    found = candidates(insights, subgraph, lambda_, task_id)
    retrieved = top(found, b)
    unpunished = sorted(found, key=lambda candidate: -candidate.support)[:b]
    return Ranking(
        retrieved=retrieved,
        candidates=len(found),
        conflicting=sum(candidate.conflict > 0 for candidate in found),
        reranked=[each.node.id for each in retrieved] != [each.node.id for each in unpunished],
    )
