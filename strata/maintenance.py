"""The rest of a round, after reflection: induction of metas over W, then collection under pressure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.types import Episode
from strata.collector import collect, surplus
from strata.diagnostics import community_rows
from strata.graph import Bullet, Node, NodeType
from strata.meta import Community, Induction, Verdict, is_churn, meta_tags, routing_line
from strata.reflection import Reflectors, call_of
from strata.settings import CollectionMode, Forgetting, Inducing, MetaTags
from strata.similarity_graph import Edges
from strata.store import Store


@dataclass(slots=True)
class Totals:
    """What is counted over the whole stream, and saved with the memory."""

    protected: list[str] = field(default_factory=list)
    """Distinct bridges spared, in order."""
    absorbed: dict[str, list[str]] = field(default_factory=dict)
    """The workflows each meta ever generalized, deleted metas included."""
    meta_writes: int = 0
    """Creates, and updates that added a member."""
    churned: int = 0
    """Creates that rebuilt a near-duplicate."""
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class MetaLayer:
    """Writes what induction finds into the graph."""

    store: Store
    induction: Induction
    reflectors: Reflectors
    tags: MetaTags
    settings: Inducing
    high: float
    """G_high, above which a new meta duplicates a standing one; diagnostic only."""
    totals: Totals

    def round(self, edges: Edges, episode: Episode, clock: int) -> dict[str, Any]:
        """Promote communities one after the other; returns what was done, for the log."""
        found = self.induction.detect(self.store.graph, self.store.geometry, edges)
        rows: list[tuple[Community, Verdict | None]] = []
        created: list[str] = []
        updated: list[str] = []
        asked = 0
        for community in found:
            if community.fate != "promoted":
                rows.append((community, None))
                continue
            verdict = self.induction.judge(self.store.graph, self.store.geometry, community.members)
            rows.append((community, verdict))
            members = [self.store.graph.nodes[member] for member in community.members]
            if verdict.action == "update" and verdict.nearest is not None:
                updated += [verdict.nearest] * self._update(verdict.nearest, members)
            else:
                created += filter(None, [self._create(members, episode, clock, asked)])
                asked += 1
        return {"communities": community_rows(rows), "created": created, "updated": updated}

    def _create(self, members: Sequence[Node], episode: Episode, clock: int, ordinal: int) -> str | None:
        """Make the meta of a community; None where its principle could not be had, and nothing has changed then."""
        tags = meta_tags(members, frozenset(), self.tags)
        draft = self.reflectors.principle(episode, members, tags, ordinal)
        if draft is None:
            return None
        index = f"{draft.applicability}\n{draft.goal}"
        call = call_of(episode.task.id, episode.trial, "update", "memory", ordinal)
        vectors = self.store.embed([(draft.content, index)], call)[0]
        origins = tuple(dict.fromkeys(origin for member in members for origin in member.origins))
        node = Node(
            id=self.store.graph.next_id("meta"), kind="meta", name=draft.name, content=draft.content,
            applicability=draft.applicability, goal=draft.goal, tags=tags,
            body=draft.body, origins=origins, clock=clock, support=0,
        )  # fmt: skip
        standing = [meta.id for meta in self.store.graph.of(NodeType.META)]
        self.store.add(node, vectors)
        self._count_write(node, members, standing)
        self._absorb(node, members)
        return node.id

    def _count_write(self, node: Node, members: Sequence[Node], standing: Sequence[str]) -> None:
        geometry = self.store.geometry
        scores = geometry.scores(geometry.view(node.id))
        nearest = max((float(scores[geometry.slot[meta]]) for meta in standing), default=float("-inf"))
        earlier = (frozenset(ids) for ids in self.totals.absorbed.values())
        ids = [member.id for member in members]
        self.totals.churned += is_churn(ids, earlier, nearest, self.settings.churn_overlap, self.high)
        self.totals.meta_writes += 1

    def _update(self, meta: str, members: Sequence[Node]) -> bool:
        """Let a meta absorb the members it has not; bullets accumulate, tags follow this round's community."""
        node = self.store.graph.nodes[meta]
        linked = self.store.graph.sources("generalizes", meta)
        new = [member for member in members if member.id not in linked]
        if not new:
            return False
        node.tags = meta_tags(members, node.tags, self.tags)
        node.origins = tuple(dict.fromkeys([*node.origins, *(origin for member in new for origin in member.origins)]))
        self._absorb(node, new)
        self.store.changed(node)
        self.totals.meta_writes += 1
        return True

    def _absorb(self, node: Node, members: Sequence[Node]) -> None:
        for member in members:
            self.store.graph.link("generalizes", member.id, node.id)
            node.bullets.append(Bullet("variant", routing_line(member), member.origins[0]))
            node.support += 1
            self.totals.absorbed.setdefault(node.id, []).append(member.id)
        self.induction.moved(self.store.graph, self.store.geometry, node.id)


def collect_round(
    store: Store, edges: Edges, settings: Forgetting, mode: CollectionMode, cap: int, totals: Totals
) -> dict[str, Any]:
    """Delete workflows until the store is under pressure no more; returns what was done, for the log."""
    count = 0 if mode == "none" else surplus(edges.slots.size, cap, settings.hysteresis)
    ids = [str(store.geometry.ids[slot]) for slot in edges.slots.tolist()] if count else []
    deleted: list[dict[str, Any]] = []
    protected: list[str] = []
    for deletion in collect(edges, store.ages.of(edges.slots), count, settings, mode):
        node = store.graph.nodes[ids[deletion.place]]
        first = node.origins[0]
        deleted.append({
            "id": node.id, "quality": deletion.quality, "reason": deletion.reason,
            "family": first.family, "template": first.template,
        })  # fmt: skip
        if deletion.protected is not None:
            protected.append(ids[deletion.protected])
    called = {atomic for row in deleted for atomic in store.graph.targets("call", row["id"])}
    for row in deleted:
        store.remove(row["id"])
    cascaded = [node.id for node in store.cascade(called)] if deleted else []
    totals.protected = list(dict.fromkeys([*totals.protected, *protected]))
    totals.deleted += len(deleted)
    return {"deleted": deleted, "protected": list(dict.fromkeys(protected)), "cascaded": cascaded}
