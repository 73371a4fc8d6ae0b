"""The graph and what is derived from it node by node (geometry, W's lists, ages), kept in step; and on disk."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.errors import LedgerError
from harness.protocols import Embedder
from harness.types import Call
from strata.collector import Ages
from strata.graph import Graph, Node, NodeType
from strata.serialization import read_graph, write_graph
from strata.similarity import VECTOR_GRID, Floats, Geometry, View, on_grid
from strata.similarity_graph import SimilarityGraph
from strata.words import words

STATE = "state.json"
VECTORS = "vectors.npy"


@dataclass(frozen=True, slots=True)
class Vectors:
    """The two embedded views of a text pair, on the vector grid."""

    content: Floats
    index: Floats


class Store:
    """All nodes, and all that must change when one of them does."""

    def __init__(self, embedder: Embedder, geometry: Geometry, w: SimilarityGraph, ages: Ages) -> None:
        self.graph, self.geometry, self.w, self.ages = Graph(), geometry, w, ages
        self._embedder = embedder
        self._made_from: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self.graph)

    def embed(self, texts: Sequence[tuple[str, str]], call: Call) -> list[Vectors]:
        """Return the vectors of pairs of a content and an index view; equal texts are embedded once."""
        flat = list(dict.fromkeys(text for pair in texts for text in pair))
        if not flat:
            return []
        at = dict(zip(flat, on_grid(self._embedder.embed(flat, call=call)), strict=True))
        return [Vectors(at[content], at[index]) for content, index in texts]

    def add(self, node: Node, vectors: Vectors) -> None:
        """Add a node under its next id, with its views."""
        self.graph.add(node)
        self._place(node, vectors)

    def _place(self, node: Node, vectors: Vectors, age: float = 0.0) -> None:
        view = View(vectors.content, vectors.index, node.tags, words(f"{node.content}\n{node.index}"))
        slot = self.geometry.put(node.id, node.type, node.number, view)
        self.ages.set(slot, age)
        if node.type is NodeType.WORKFLOW:
            self.w.add(slot)
        for origin in node.origins:
            self._made_from.setdefault(origin.task, set()).add(node.id)

    def changed(self, node: Node, vectors: Vectors | None = None) -> None:
        """Take note that an atomic or meta node has other views or tags; without vectors its texts are as before."""
        if vectors is None:
            view = self.geometry.view(node.id)
            vectors = Vectors(view.content, view.index)
        self._place(node, vectors)

    def remove(self, node_id: str) -> Node:
        """Remove a node with its edges."""
        node = self.graph.nodes[node_id]
        if node.type is NodeType.WORKFLOW:
            self.w.remove(self.geometry.slot[node_id])
        self.geometry.remove(node_id)
        self.graph.remove(node_id)
        for origin in node.origins:
            self._made_from.get(origin.task, set()).discard(node_id)
        return node

    def cascade(self, once_called: Collection[str]) -> list[Node]:
        """Remove atomic nodes that nobody calls any more and metas that no workflow supports.

        ``once_called`` are the atomic nodes that workflows removed just now called; one that never had a caller is no
        orphan. Returns what was removed, atomic nodes first, then by age.
        """
        atomics = (node.id for node in self.graph.of(NodeType.ATOMIC) if node.id in once_called)
        orphans = [node_id for node_id in atomics if not self.graph.sources("call", node_id)]
        orphans += [n.id for n in self.graph.of(NodeType.META) if not self.graph.sources("generalizes", n.id)]
        return [self.remove(node_id) for node_id in orphans]

    def made_from(self, task: str) -> frozenset[str]:
        """Return the ids of nodes that a task went into; its bullets aside."""
        return frozenset(self._made_from.get(task, ()))

    def nearest(self, scores: Floats, layer: NodeType) -> Iterator[str]:
        """Yield the nodes of a layer, nearest first; of equally near ones the oldest first."""
        slots = self.geometry.layer_slots(layer)
        order = np.lexsort((self.geometry.number[slots], -scores[slots]))
        return (str(self.geometry.ids[slot]) for slot in slots[order].tolist())

    def save(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Write everything into an empty folder: typed Markdown, vectors as int16 of the vector grid, state as JSON."""
        graph, geometry = self.graph, self.geometry
        slots = np.array([geometry.slot[node_id] for node_id in graph.nodes], dtype=np.int64)
        ages = dict(zip(graph.nodes, self.ages.of(slots).tolist(), strict=True))
        write_graph(graph, folder, {n.id: ages[n.id] for n in graph.of(NodeType.WORKFLOW)})
        views = [geometry.view(node_id) for node_id in graph.nodes]
        rows = [np.concatenate([view.content, view.index]) for view in views] or [np.zeros(2 * self._embedder.dim)]
        grid = np.rint(np.stack(rows)[: len(views)] * VECTOR_GRID).astype(np.int16)
        with (folder / VECTORS).open("wb") as file:
            np.save(file, grid, allow_pickle=False)
        text = json.dumps(state, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
        (folder / STATE).write_bytes(text.encode("utf-8"))

    def load(self, folder: Path) -> dict[str, Any]:
        """Fill a fresh store with what was saved, and return the state. Raises LedgerError where parts do not fit."""
        self.graph, ages = read_graph(folder)
        grid = np.load(folder / VECTORS, allow_pickle=False)
        if grid.shape != (len(self.graph), 2 * self._embedder.dim):
            raise LedgerError(
                f"{folder}: got vectors of shape {grid.shape} for {len(self.graph)} nodes and an embedder of "
                f"{self._embedder.dim} dimensions: load the memory with the embedder that wrote it"
            )
        vectors = grid.astype(np.float32) / np.float32(VECTOR_GRID)
        for node, row in zip(self.graph.nodes.values(), vectors, strict=True):
            self._place(node, Vectors(*np.split(row, 2)), ages.get(node.id, 0.0))
        state: dict[str, Any] = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return state
