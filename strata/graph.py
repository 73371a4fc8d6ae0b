"""The graph G = (V, E): typed nodes with views and bullets, and four typed edge relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

Kind = Literal["meta", "workflow", "skill", "code", "role"]
Relation = Literal["call", "generalizes", "merged_from", "contrasts"]
BulletKind = Literal["variant", "pitfall"]

RELATIONS: tuple[Relation, ...] = ("call", "generalizes", "merged_from", "contrasts")


class NodeType(IntEnum):
    """tau(n), with its order: general nodes first."""

    META = 0
    WORKFLOW = 1
    ATOMIC = 2


TYPES: dict[Kind, NodeType] = {
    "meta": NodeType.META,
    "workflow": NodeType.WORKFLOW,
    "skill": NodeType.ATOMIC,
    "code": NodeType.ATOMIC,
    "role": NodeType.ATOMIC,
}

_ENDS: dict[Relation, tuple[NodeType, NodeType]] = {
    "call": (NodeType.WORKFLOW, NodeType.ATOMIC),
    "generalizes": (NodeType.WORKFLOW, NodeType.META),
    "merged_from": (NodeType.ATOMIC, NodeType.ATOMIC),
    "contrasts": (NodeType.WORKFLOW, NodeType.WORKFLOW),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The episode something was learned from. Family and template are for diagnostics; no mechanism reads them."""

    task: str
    trial: int
    family: str
    template: str


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line added to a node after it was made."""

    kind: BulletKind
    """variant: a difference that also works; pitfall: something to avoid, learned from a failure."""
    text: str
    origin: Origin


@dataclass(slots=True)
class Node:
    """A unit of experience. Its views are texts; the vectors made of them live in the geometry."""

    id: str
    """``kind-number``; numbers are never given twice."""
    kind: Kind
    name: str
    content: str
    """The content view: what it does."""
    applicability: str
    """First half of the index view: when it applies."""
    goal: str
    """Second half of the index view: what it reaches."""
    tags: frozenset[str]
    """``app:*``, ``op:*`` and ``obj:*``: attributes, not nodes."""
    body: tuple[str, ...]
    """Procedure of a workflow, principle of a meta, usage or code of an atomic node; one line each."""
    origins: tuple[Origin, ...]
    """Episodes that what stands above was made from."""
    clock: int
    """Number of the episode it was made in."""
    support: int = 1
    """Episodes that confirmed a workflow or atomic node; members that a meta ever generalized."""
    bullets: list[Bullet] = field(default_factory=list)

    @property
    def type(self) -> NodeType:
        """The layer."""
        return TYPES[self.kind]

    @property
    def index(self) -> str:
        """The index view: applicability and goal."""
        return f"{self.applicability}\n{self.goal}"

    @property
    def number(self) -> int:
        """Its place in the order of making; older nodes have lower ones."""
        return int(self.id.rpartition("-")[2])


class Graph:
    """Nodes by id, and edges by relation, stored in both directions."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.made = 0
        """How many nodes were ever made; the next one gets this number."""
        self._out: dict[Relation, dict[str, dict[str, None]]] = {relation: {} for relation in RELATIONS}
        self._into: dict[Relation, dict[str, dict[str, None]]] = {relation: {} for relation in RELATIONS}

    def __len__(self) -> int:
        return len(self.nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return (self.nodes, self.made, list(self.edges())) == (other.nodes, other.made, list(other.edges()))

    def next_id(self, kind: Kind) -> str:
        """Return the id that the next node of a kind gets."""
        return f"{kind}-{self.made:05d}"

    def add(self, node: Node) -> None:
        """Add a node under the id that ``next_id`` gave."""
        if node.number != self.made:
            raise ValueError(f"got node {node.id}, expected number {self.made}: ids come from next_id")
        self.nodes[node.id] = node
        self.made += 1

    def remove(self, node_id: str) -> None:
        """Remove a node with its edges; a lineage edge from it stays as long as its target lives."""
        del self.nodes[node_id]
        for relation in RELATIONS:
            for target in self._out[relation].pop(node_id, {}) if relation != "merged_from" else ():
                self._drop(self._into[relation], target, node_id)
            for source in self._into[relation].pop(node_id, {}):
                self._drop(self._out[relation], source, node_id)

    @staticmethod
    def _drop(side: dict[str, dict[str, None]], key: str, value: str) -> None:
        side[key].pop(value)
        if not side[key]:
            del side[key]

    def link(self, relation: Relation, source: str, target: str) -> None:
        """Add an edge; a contrast is written in both directions. An edge that is there keeps its place.

        Raises ValueError where the ends are not of the relation's types, or are one node.
        """
        ends = (self.nodes[source].type, self.nodes[target].type)
        if ends != _ENDS[relation] or source == target:
            raise ValueError(f"got {relation} from {source} to {target}; expected {_ENDS[relation]}, two nodes")
        self._put(relation, source, target)
        if relation == "contrasts":
            self._put(relation, target, source)

    def restore(self, relation: Relation, source: str, target: str) -> None:
        """Put back a stored edge as it was; the source of a lineage edge may be gone."""
        self._put(relation, source, target)

    def _put(self, relation: Relation, source: str, target: str) -> None:
        self._out[relation].setdefault(source, {})[target] = None
        self._into[relation].setdefault(target, {})[source] = None

    def unlink(self, relation: Relation, source: str, target: str) -> None:
        """Remove one direction of an edge."""
        self._drop(self._out[relation], source, target)
        self._drop(self._into[relation], target, source)

    def targets(self, relation: Relation, source: str) -> Sequence[str]:
        """Return where a node's edges lead: calls in call order, others with the oldest node first."""
        found = self._out[relation].get(source, ())
        return tuple(found if relation == "call" else sorted(found, key=number_of))

    def sources(self, relation: Relation, target: str) -> Sequence[str]:
        """Return where edges to a node come from, the oldest node first."""
        return tuple(sorted(self._into[relation].get(target, ()), key=number_of))

    def edges(self) -> Iterator[tuple[Relation, str, str]]:
        """Yield every edge: by relation, then by the age of its source, then in the order of ``targets``."""
        for relation in RELATIONS:
            for source in sorted(self._out[relation], key=number_of):
                for target in self.targets(relation, source):
                    yield relation, source, target

    def count(self, relation: Relation) -> int:
        """Return how many edges of a relation there are; a contrast is one edge, though written in both directions."""
        directed = sum(map(len, self._out[relation].values()))
        return directed // 2 if relation == "contrasts" else directed

    def of(self, *types: NodeType) -> list[Node]:
        """Return the nodes of some types, oldest first."""
        return [node for node in self.nodes.values() if node.type in types]


def number_of(node_id: str) -> int:
    """Return the number in a node's id, which says when it was made."""
    return int(node_id.rpartition("-")[2])


def leading_tag(tags: frozenset[str]) -> str:
    """Return the tag that names a node's group: its first app, else its first op, else its first obj, else nothing."""
    for space in ("app:", "op:", "obj:"):
        found = [tag for tag in tags if tag.startswith(space)]
        if found:
            return min(found)
    return ""


def operators(tags: frozenset[str]) -> frozenset[str]:
    """Return the operators among tags, without their prefix."""
    return frozenset(tag[3:] for tag in tags if tag.startswith("op:"))
