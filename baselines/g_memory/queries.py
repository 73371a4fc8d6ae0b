"""The middle tier: a graph of past queries, and what it gives for a new one.

Equations are EvoGraph-Mem's, which states G-Memory's graph in the same form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from baselines.g_memory.files import read_lines, write_lines
from baselines.g_memory.settings import Linking
from baselines.g_memory.trajectory import State
from baselines.g_memory.vectors import Row, Vectors

QUERIES, VECTORS = "queries.jsonl", "queries.npy"


@dataclass(frozen=True, slots=True)
class QueryNode:
    """Equation (1): the query, its status, and its interaction graph, here the chain of one agent's steps."""

    id: str
    task_id: str
    trial: int
    text: str
    resolved: bool
    """Status: Resolved or Failed, by the feedback."""
    states: tuple[State, ...]
    key_steps: tuple[str, ...]
    fail_reason: str
    """Empty where the task was resolved."""
    links: tuple[str, ...] = ()
    """Edges to older queries."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored query and its cosine with a new one."""

    node: QueryNode
    cosine: float


class QueryGraph:
    """Queries in the order they came, joined where they are alike.

    Args:
        dim: length of an embedding.
        linking: the edge rule.
        collapse: whether queries of one text count as one node (a fault of the published code).
    """

    def __init__(self, dim: int, linking: Linking, *, collapse: bool = False) -> None:
        self._linking, self._collapse = linking, collapse
        self._vectors = Vectors(dim)
        self._edges: dict[str, list[str]] = {}
        self._of_text: dict[str, list[str]] = {}
        self.nodes: dict[str, QueryNode] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def next_id(self) -> str:
        """The id of the next query."""
        return f"q{len(self.nodes) + 1:05d}"

    def links_of(self, vector: Row) -> tuple[str, ...]:
        """Return the edges of a new query: those of the nearest stored ones whose cosine reaches the threshold."""
        nearest = self.ranked(vector)[: self._linking.neighbours]
        return tuple(hit.node.id for hit in nearest if hit.cosine >= self._linking.cosine)

    def add(self, node: QueryNode, vector: Row) -> None:
        """Add a query with its edges."""
        self._place(node)
        self._vectors.add(vector)

    def ranked(self, vector: Row, without: str | None = None) -> list[Hit]:
        """Return all queries but those of one task, nearest first, of equally near ones the older first."""
        if not self.nodes:
            return []
        scores = self._vectors.cosines(vector)
        nodes = list(self.nodes.values())
        order = np.argsort(-scores, kind="stable").tolist()
        return [Hit(nodes[at], float(scores[at])) for at in order if nodes[at].task_id != without]

    def neighbours(self, node_id: str) -> list[str]:
        """Return the queries that share an edge with one, N(q), in the order of the edges."""
        if not self._collapse:
            return self._edges[node_id]
        same = self._of_text[self.nodes[node_id].text]
        joined = [other for each in same for linked in self._edges[each] for other in self._equals(linked)]
        return list(dict.fromkeys(each for each in [*same, *joined] if each != node_id))

    def expanded(self, seeds: Iterable[str], hops: int, allowed: Collection[str]) -> list[str]:
        """Return the seeds and all allowed queries within so many hops: equations (3) and (4) where hops is 1."""
        found = dict.fromkeys(seeds)
        front: Sequence[str] = list(found)
        for _ in range(hops):
            around = (near for each in front for near in self.neighbours(each))
            front = [near for near in dict.fromkeys(around) if near in allowed and near not in found]
            found.update(dict.fromkeys(front))
        return list(found)

    def subgraph(self, ranking: Sequence[Hit], k: int, hops: int) -> list[str]:
        """Return the k nearest queries, equation (2), and what lies around them."""
        allowed = {hit.node.id for hit in ranking}
        return self.expanded([hit.node.id for hit in ranking[:k]], hops, allowed)

    def vectors(self) -> Vectors:
        """Return the embeddings, one row a query, to be read."""
        return self._vectors

    def save(self, folder: Path) -> None:
        """Write ``queries.jsonl`` and ``queries.npy``."""
        write_lines(folder / QUERIES, map(asdict, self.nodes.values()))
        self._vectors.save(folder / VECTORS)

    def load(self, folder: Path) -> None:
        """Fill an empty graph with what was saved. Raises LedgerError where vectors and queries do not fit."""
        for row in read_lines(folder / QUERIES):
            self._place(_node(row))
        self._vectors.load(folder / VECTORS, len(self.nodes))

    def _place(self, node: QueryNode) -> None:
        self.nodes[node.id] = node
        self._of_text.setdefault(node.text, []).append(node.id)
        self._edges[node.id] = list(node.links)
        for other in node.links:
            self._edges[other].append(node.id)

    def _equals(self, node_id: str) -> list[str]:
        return self._of_text[self.nodes[node_id].text]


def _node(row: dict[str, Any]) -> QueryNode:
    kept = tuple(State(**state) for state in row.pop("states"))
    return QueryNode(**{**row, "states": kept, "key_steps": tuple(row["key_steps"]), "links": tuple(row["links"])})
