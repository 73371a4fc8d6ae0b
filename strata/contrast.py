"""Contrast edges join experiences that look alike and lead in opposite directions: by rule, by hand, or learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from strata.graph import Graph, Node, operators
from strata.settings import ContrastMode, Opposing
from strata.similarity import VECTOR_GRID, Floats, Geometry
from strata.words import words


@dataclass(frozen=True, slots=True)
class Misfire:
    """A task that failed while the agent executed a workflow made for something else."""

    workflow: str
    content: tuple[int, ...]
    """The task's content vector, in units of the vector grid."""
    operators: tuple[str, ...]
    """The task's own."""


class Contrasts:
    """Finds and adds contrast edges, and says which side of one opposes a query.

    Args:
        mode: rule: opposite operators of the lexicon, whatever the objects. hand_placed: listed pairs of tags.
            learned: opposition shown by failures, no lexicon. none: no edges.
    """

    def __init__(self, settings: Opposing, mode: ContrastMode) -> None:
        self._settings, self._mode = settings, mode
        self._pairs = frozenset(frozenset(pair) for pair in settings.lexicon if mode != "learned")
        self.misfires: list[Misfire] = []
        """Failures whose right workflow has not been made yet; only the learned mode keeps any."""

    def opposite(self, left: Iterable[str], right: Iterable[str]) -> bool:
        """Return whether one operator of each side make a pair of the lexicon."""
        there = frozenset(right)
        return any(frozenset((a, b)) in self._pairs for a in left for b in there if a != b)

    def separates(self, node: Node, asked: frozenset[str]) -> bool:
        """Return whether an episode with these operators may not be written into a workflow that opposes it."""
        return self._settings.separate and self._mode != "none" and self.opposite(operators(node.tags), asked)

    def add(self, graph: Graph, geometry: Geometry, new: Node) -> list[str]:
        """Link a workflow just made to every workflow that contrasts with it; returns their ids."""
        if self._mode == "rule":
            found = self._by_rule(graph, geometry, new)
        elif self._mode == "hand_placed":
            found = [n.id for n in _workflows(graph) if n.id != new.id and self._hand_placed(n.tags, new.tags)]
        else:
            found = self._by_misfire(graph, geometry, new) if self._mode == "learned" else []
        for other in found:
            graph.link("contrasts", new.id, other)
        return found

    def _by_rule(self, graph: Graph, geometry: Geometry, new: Node) -> list[str]:
        own = operators(new.tags)
        wanted = sorted({op for pair in self._pairs for op in pair if self.opposite(own, (op,))})
        slots = {int(slot) for op in wanted for slot in geometry.tags.slots_with(f"op:{op}")}
        nodes = [graph.nodes[node_id] for slot in slots if (node_id := geometry.ids[slot])]
        return [n.id for n in sorted(nodes, key=lambda n: n.number) if n.kind == "workflow" and n.id != new.id]

    def _hand_placed(self, left: frozenset[str], right: frozenset[str]) -> bool:
        return any(
            (left.issuperset(a) and right.issuperset(b)) or (left.issuperset(b) and right.issuperset(a))
            for a, b in self._settings.hand_placed
        )

    def _by_misfire(self, graph: Graph, geometry: Geometry, new: Node) -> list[str]:
        """Return the workflows that failed at what the new one does."""
        view, own, found = geometry.view(new.id), operators(new.tags), []
        for misfire in list(self.misfires):
            same_task = float(_vector(misfire.content) @ view.content) >= self._settings.likeness
            if misfire.workflow in graph.nodes and same_task and own.intersection(misfire.operators):
                if self._alike(geometry, misfire.workflow, view.content):
                    found.append(misfire.workflow)
                self.misfires.remove(misfire)
        return sorted(dict.fromkeys(found), key=lambda node_id: graph.nodes[node_id].number)

    def observe_failure(
        self, graph: Graph, geometry: Geometry, followed: Sequence[Node], tags: frozenset[str], content: Floats
    ) -> list[tuple[str, str]]:
        """Learn from a failed task in which workflows of other operators were executed; returns the edges added.

        The right side is the workflow nearest to the task by content among those that share an operator with it;
        while there is none, the failure is kept for the day it is made. Only the learned mode does anything.
        """
        edges: list[tuple[str, str]] = []
        if self._mode != "learned":
            return edges
        for wrong in followed:
            if operators(wrong.tags) & operators(tags):
                continue
            right = self._right_side(graph, geometry, wrong, tags, content)
            if right is None:
                grid = tuple(int(x) for x in np.rint(content * np.float32(VECTOR_GRID)))
                self.misfires.append(Misfire(wrong.id, grid, tuple(sorted(operators(tags)))))
            elif right not in graph.targets("contrasts", wrong.id):
                graph.link("contrasts", wrong.id, right)
                edges.append((wrong.id, right))
        return edges

    def _right_side(
        self, graph: Graph, geometry: Geometry, wrong: Node, tags: frozenset[str], content: Floats
    ) -> str | None:
        cosines = geometry.content_cosine(content)
        fitting = [
            node for node in _workflows(graph)
            if node.id != wrong.id and operators(node.tags) & operators(tags)
            and self._alike(geometry, wrong.id, geometry.view(node.id).content)
        ]  # fmt: skip
        if not fitting:
            return None
        return max(fitting, key=lambda node: (cosines[geometry.slot[node.id]], -node.number)).id

    def _alike(self, geometry: Geometry, node_id: str, content: Floats) -> bool:
        return float(geometry.view(node_id).content @ content) >= self._settings.likeness

    def followed(self, workflow: Node, actions: Sequence[str]) -> bool:
        """Return whether a procedure was executed: enough of its steps have their words among one action's."""
        done = [words(action) for action in actions]
        steps = [words(step) for step in workflow.body]
        shared = [any(step and len(step & act) * 2 >= len(step) for act in done) for step in steps]
        return bool(steps) and sum(shared) / len(steps) >= self._settings.followed

    def forget(self, graph: Graph) -> None:
        """Drop the failures of workflows that are gone."""
        self.misfires = [misfire for misfire in self.misfires if misfire.workflow in graph.nodes]

    def warned(
        self, graph: Graph, workflows: Sequence[str], asked: frozenset[str], rank: dict[str, float]
    ) -> dict[str, str]:
        """Return which workflows of a subgraph stand under a warning, each with the side it must not be taken for.

        Of a contrasting pair the side that opposes the query is warned of, even if it was the seed. Where neither or
        both do, it is the side without the query's operators, and where that does not tell either, the lower score.
        """
        found: dict[str, str] = {}
        for left in workflows:
            for right in graph.targets("contrasts", left):
                if right in workflows and graph.nodes[left].number < graph.nodes[right].number:
                    good, bad = sorted(
                        (left, right), key=lambda i: self._fitness(graph.nodes[i], asked, rank[i]), reverse=True
                    )
                    found.setdefault(bad, good)
        return found

    def _fitness(self, node: Node, asked: frozenset[str], score: float) -> tuple[bool, bool, float, int]:
        own = operators(node.tags)
        return (not self.opposite(own, asked), bool(own & asked), score, -node.number)


def _workflows(graph: Graph) -> Iterable[Node]:
    return (node for node in graph.nodes.values() if node.kind == "workflow")


def _vector(grid: Sequence[int]) -> Floats:
    return np.array(grid, dtype=np.float32) / np.float32(VECTOR_GRID)
