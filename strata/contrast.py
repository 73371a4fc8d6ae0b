"""Contrast edges join experiences that look alike and lead in opposite directions: by rule, by hand, or learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from strata.graph import Graph, Node, operators
from strata.opposition import Opposition
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
    """Finds and adds contrast edges.

    Args:
        mode: rule: opposite operators of the lexicon, whatever the objects. hand_placed: listed pairs of tags.
            learned: opposition shown by failures, no lexicon. none: no edges.
        names: Operator -> the words that name it.
    """

    def __init__(self, settings: Opposing, mode: ContrastMode, names: Mapping[str, Sequence[str]]) -> None:
        self._settings, self._mode = settings, mode
        self.opposition = Opposition(settings, mode, names)
        """What is opposite to what."""
        self.misfires: list[Misfire] = []
        """Failures whose right workflow has not been made yet; only the learned mode keeps any."""

    def add(self, graph: Graph, geometry: Geometry, new: Node) -> list[str]:
        """Link a workflow just made to every workflow that contrasts with it; returns their ids."""
        if self._mode == "learned":
            found = self._by_misfire(graph, geometry, new)
        else:
            found = self._by_words(graph, geometry, new)
        for other in found:
            graph.link("contrasts", new.id, other)
        return found

    def _by_words(self, graph: Graph, geometry: Geometry, new: Node) -> list[str]:
        partners = self.opposition.partners(operators(new.tags))
        slots = {int(slot) for op in partners for slot in geometry.tags.slots_with(f"op:{op}")}
        nodes = [graph.nodes[node_id] for slot in slots if (node_id := geometry.ids[slot])]
        return [
            node.id for node in sorted(nodes, key=lambda n: n.number)
            if node.kind == "workflow" and node.id != new.id and self.opposition.contrast(node.tags, new.tags)
        ]  # fmt: skip

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
        alike = geometry.content_cosine(geometry.view(wrong.id).content) >= self._settings.likeness
        slots = {int(slot) for op in operators(tags) for slot in geometry.tags.slots_with(f"op:{op}")}
        nodes = [graph.nodes[node_id] for slot in slots if alike[slot] and (node_id := geometry.ids[slot])]
        fitting = [node for node in nodes if node.kind == "workflow" and node.id != wrong.id]
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


def _vector(grid: Sequence[int]) -> Floats:
    return np.array(grid, dtype=np.float32) / np.float32(VECTOR_GRID)
