"""The insight graph: nodes with evidence for and against them, hyper-edges, and the history of every edit.

Equations (5) and (6). An edit changes the graph in one step, once everything it needs is known; nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from baselines.g_memory.files import read_lines, write_lines

INSIGHTS, EDGES, HISTORY = "insights.jsonl", "insight_edges.jsonl", "history.jsonl"

By = Literal["controller", "default", "negatives_on_failure", "gmemory_finetune"]
"""Who made an edit; ``default`` is what an unreadable controller comes to."""
Operation = Literal["KEEP", "ARCHIVE", "REVISE", "ADD", "OPPOSE"]
"""OPPOSE adds negatives to a node that stays active; only our own variants do that."""


@dataclass(slots=True)
class InsightNode:
    """Equation (6): content kappa, positive queries Omega+, negative queries Omega-, activation state z."""

    id: str
    text: str
    positives: list[str]
    """Ids of the queries it is positive support for."""
    negatives: list[str] = field(default_factory=list)
    """Ids of the queries it was ineffective or harmful for."""
    active: bool = True
    """z: an archived node is never retrieved, and kept for audit."""
    born: list[str] = field(default_factory=list)
    """Ids of the tasks its text was made from, its ancestors' included."""
    parent: str | None = None
    """The archived node it is a revision of."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The task in whose name an edit is made."""

    queries: tuple[str, ...]
    """Query nodes that become evidence; the controller's edits have exactly one."""
    tasks: tuple[str, ...]
    resolved: bool
    clock: int
    """Number of the episode."""
    by: By = "controller"


@dataclass(frozen=True, slots=True)
class Edit:
    """One line of the history."""

    operation: Operation
    insight: str
    """The node edited, or the one added."""
    revision: str | None
    """The node that a REVISE made."""
    queries: tuple[str, ...]
    tasks: tuple[str, ...]
    resolved: bool
    clock: int
    by: By
    text: str
    """The text made, empty where none was."""


class InsightGraph:
    """Equation (5): insights, and hyper-edges (m, n, q), insight m contextualizes n, mediated by query q."""

    def __init__(self) -> None:
        self.nodes: dict[str, InsightNode] = {}
        self.edges: list[tuple[str, str, str]] = []
        self.history: list[Edit] = []

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def active(self) -> list[InsightNode]:
        """The nodes that retrieval may see, oldest first."""
        return [node for node in self.nodes.values() if node.active]

    def keep(self, node_id: str, evidence: Evidence) -> None:
        """KEEP: the query joins Omega+."""
        _join(self._live(node_id).positives, evidence.queries)
        self._note("KEEP", node_id, evidence)

    def archive(self, node_id: str, evidence: Evidence) -> None:
        """ARCHIVE: the query joins Omega-, and z becomes 0."""
        node = self._live(node_id)
        _join(node.negatives, evidence.queries)
        node.active = False
        self._note("ARCHIVE", node_id, evidence)

    def revise(self, node_id: str, text: str, evidence: Evidence) -> InsightNode:
        """REVISE: the old node is archived; a new one has its Omega+ and the query, no Omega-, and a link to it."""
        old = self._live(node_id)
        positives = list(dict.fromkeys([*old.positives, *evidence.queries]))
        new = self._new(text, positives, [*old.born, *evidence.tasks], parent=old.id)
        old.active = False
        self._note("REVISE", node_id, evidence, revision=new.id, text=text)
        return new

    def add(self, text: str, evidence: Evidence) -> InsightNode:
        """ADD: a new active node with Omega+ = {q} and no Omega-."""
        new = self._new(text, list(dict.fromkeys(evidence.queries)), evidence.tasks)
        self._note("ADD", new.id, evidence, text=text)
        return new

    def oppose(self, node_id: str, evidence: Evidence) -> None:
        """Let queries join Omega- of a node that stays active: a rule of our own variants, not of the paper."""
        _join(self._live(node_id).negatives, evidence.queries)
        self._note("OPPOSE", node_id, evidence)

    def connect(self, context: str, insight: str, query: str) -> None:
        """Add the hyper-edge: the first insight contextualizes the second, mediated by a query."""
        self.edges.append((context, insight, query))

    def lineage(self, node_id: str) -> list[InsightNode]:
        """Return the node's ancestors, itself, and its revisions, oldest first."""
        first = self.nodes[node_id]
        while first.parent is not None:
            first = self.nodes[first.parent]
        chain = [first]
        while later := next((node for node in self.nodes.values() if node.parent == chain[-1].id), None):
            chain.append(later)
        return chain

    def edits_of(self, node_id: str) -> list[Edit]:
        """Return the history of a node."""
        return [edit for edit in self.history if node_id in (edit.insight, edit.revision)]

    def save(self, folder: Path) -> None:
        """Write nodes, edges and history, one JSON object a line."""
        write_lines(folder / INSIGHTS, map(asdict, self.nodes.values()))
        write_lines(folder / EDGES, ({"context": m, "insight": n, "query": q} for m, n, q in self.edges))
        write_lines(folder / HISTORY, map(asdict, self.history))

    def load(self, folder: Path) -> None:
        """Fill an empty graph with what was saved."""
        for row in read_lines(folder / INSIGHTS):
            self.nodes[row["id"]] = InsightNode(**row)
        self.edges += [(row["context"], row["insight"], row["query"]) for row in read_lines(folder / EDGES)]
        self.history += [
            Edit(**{**row, "queries": tuple(row["queries"]), "tasks": tuple(row["tasks"])})
            for row in read_lines(folder / HISTORY)
        ]

    def _live(self, node_id: str) -> InsightNode:
        node = self.nodes[node_id]
        if not node.active:
            raise ValueError(f"insight {node_id} is archived: nothing about it changes any more")
        return node

    def _new(self, text: str, positives: list[str], born: Sequence[str], parent: str | None = None) -> InsightNode:
        node_id = f"i{len(self.nodes) + 1:05d}"
        self.nodes[node_id] = InsightNode(node_id, text, positives, born=list(dict.fromkeys(born)), parent=parent)
        return self.nodes[node_id]

    def _note(
        self, operation: Operation, node_id: str, evidence: Evidence, revision: str | None = None, text: str = ""
    ) -> None:
        self.history.append(
            Edit(
                operation, node_id, revision, evidence.queries, evidence.tasks, evidence.resolved, evidence.clock,
                evidence.by, text,
            )
        )  # fmt: skip


def _join(ids: list[str], more: Iterable[str]) -> None:
    ids += [each for each in dict.fromkeys(more) if each not in ids]
