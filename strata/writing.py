"""What reflection decides becomes part of the graph: all drafts are written first, then all edits are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.types import Episode
from strata.answers import Draft
from strata.graph import Bullet, BulletKind, Graph, Kind, Node, NodeType, Origin, leading_tag
from strata.opposition import Opposition
from strata.reflection import ATOMIC, AtomicDraft, Reflectors, WorkflowDraft, atomics_near, call_of
from strata.similarity import View
from strata.store import Store
from strata.tags import LLMTagParser, TagParser, filled
from strata.thresholds import Band, Bands


@dataclass(frozen=True, slots=True)
class Query:
    """A task as the geometry sees it: both of its views embed the task's text."""

    text: str
    view: View


@dataclass(slots=True)
class Reflected:
    """What one episode's reflection came to."""

    decision: str = "none"
    """noop | add_bullet | create | pitfall | none."""
    routed: list[str] = field(default_factory=list)
    nearest: str | None = None
    score: float | None = None
    """Similarity to the nearest workflow."""
    band: Band | None = None
    """The thresholds the decision was made with."""
    group: str = ""
    tags: list[str] = field(default_factory=list)
    """What the parser read in the task."""
    created: Node | None = None
    """The workflow made, if any."""
    written: list[str] = field(default_factory=list)
    """Ids of the nodes made or changed."""

    @property
    def home(self) -> str | None:
        """The standing workflow that the episode belongs to: the nearest one, if the band does not ask for another."""
        belongs = self.band is not None and self.score is not None and self.band.reaches(self.score)
        return self.nearest if belongs else None

    def notes(self) -> dict[str, Any]:
        """Return it for the log."""
        band = {"low": self.band.low, "high": self.band.high, "n": self.band.n} if self.band else None
        return {
            "decision": self.decision, "routed": self.routed, "nearest": self.nearest, "score": self.score,
            "group": self.group, "band": band, "tags": self.tags,
        }  # fmt: skip


class Writer:
    """Runs the reflectors on an episode and edits the graph."""

    def __init__(
        self, store: Store, reflectors: Reflectors, bands: Bands, tags: TagParser, opposition: Opposition
    ) -> None:
        self._store, self._reflectors, self._bands, self._tags = store, reflectors, bands, tags
        self._opposition = opposition

    def reflect(self, episode: Episode, query: Query, *, solved: bool, clock: int) -> Reflected:
        """Let an episode write back.

        Solved episodes crystallize; a failed one attaches at most a pitfall bullet to the nearest workflow.
        """
        scores = self._store.geometry.scores(query.view)
        leading = leading_tag(query.view.tags)
        ranked, nodes = self._store.nearest(scores, NodeType.WORKFLOW), self._store.graph.nodes
        nearest = next((i for i in ranked if not self._opposition.separates(nodes[i], query.view.tags)), None)
        score = None if nearest is None else float(scores[self._store.geometry.slot[nearest]])
        done = Reflected(nearest=nearest, score=score, band=self._bands.band(leading), group=self._bands.group(leading))
        done.tags = sorted(query.view.tags)
        done.routed = list(self._reflectors.route(episode, solved=solved))
        if solved:
            self._learn(episode, query, done, list(self._store.nearest(scores, NodeType.ATOMIC)), clock)
        elif "workflow" in done.routed:
            self._warn(episode, done)
        return done

    def _warn(self, episode: Episode, done: Reflected) -> None:
        """Attach what a failed episode teaches to avoid, if a workflow is near enough to be the one it is about."""
        if done.home is None:
            return
        line = self._reflectors.pitfall(episode, self._store.graph.nodes[done.home])
        if line:
            self._add_bullet(done, episode, "pitfall", line)
            done.decision = "pitfall"

    def _learn(self, episode: Episode, query: Query, done: Reflected, near: Sequence[str], clock: int) -> None:
        """Write what a solved episode teaches: drafts first, then edits, then the score into its group."""
        atomics = self._atomic_drafts(episode, done.routed, near)
        decision, workflow, variant = "none", None, None
        if "workflow" in done.routed:
            decision = done.band.decide(done.score) if done.band and done.score is not None else "create"
            if decision == "create":
                known = atomics_near(self._store.graph, near, list(ATOMIC), self._reflectors.settings.neighbours)
                workflow = self._reflectors.workflow(episode, known)
            elif decision == "add_bullet":
                variant = self._reflectors.variant(episode, self._store.graph.nodes[str(done.nearest)])
        self._edit(episode, query, done, atomics, workflow, clock)
        if decision == "noop":
            self._store.graph.nodes[str(done.nearest)].support += 1
        if variant:
            self._add_bullet(done, episode, "variant", variant)
            self._store.graph.nodes[str(done.nearest)].support += 1
        if decision == "noop" or variant or workflow:
            done.decision = decision
        if decision != "none" and done.score is not None:
            self._bands.record(leading_tag(query.view.tags), done.score)

    def _atomic_drafts(self, episode: Episode, routed: Sequence[str], near: Sequence[str]) -> list[AtomicDraft]:
        most = self._reflectors.settings.neighbours
        kinds: list[Kind] = [kind for kind in ATOMIC if kind in routed]
        found = (self._reflectors.atomic(k, episode, atomics_near(self._store.graph, near, [k], most)) for k in kinds)
        return [draft for draft in found if draft]

    def _edit(
        self, episode: Episode, query: Query, done: Reflected, atomics: Sequence[AtomicDraft],
        workflow: WorkflowDraft | None, clock: int,
    ) -> None:  # fmt: skip
        """Make the edits of all drafts; the vectors they need are had before the first one."""
        drafts = [atomic.draft for atomic in atomics] + ([workflow.draft] if workflow else [])
        call = call_of(episode.task.id, episode.trial, "update", "memory")
        vectors = self._store.embed([(d.content, f"{d.applicability}\n{d.goal}") for d in drafts], call)
        made = []
        for atomic, own in zip(atomics, vectors, strict=False):
            node = self._atomic_node(atomic, query, episode, clock)
            made.append(node.id)
            if atomic.target:
                self._store.changed(node, own)
                self._fold(atomic.merge, node.id)
            else:
                self._store.add(node, own)
        caller = done.home
        if workflow:
            node = self._workflow_node(workflow, query, episode, clock)
            self._store.add(node, vectors[-1])
            done.created, caller = node, node.id
            self._call(node.id, workflow.calls)
        if caller:
            self._call(caller, made)
        done.written += [*made, *([done.created.id] if done.created else [])]

    def _call(self, workflow: str, atomics: Sequence[str]) -> None:
        """Add call edges in order: to a folded unit's target in its place, and to nothing that is no atomic node."""
        graph = self._store.graph
        for atomic in atomics:
            called = next(iter(graph.targets("merged_from", atomic)), atomic)
            if called in graph.nodes and graph.nodes[called].type is NodeType.ATOMIC:
                graph.link("call", workflow, called)

    def _atomic_node(self, atomic: AtomicDraft, query: Query, episode: Episode, clock: int) -> Node:
        """Return the node of a draft: a new one, or the refined one with its texts replaced.

        Where its tags name no application it has the query's.
        """
        d = atomic.draft
        apps = (tag for tag in query.view.tags if tag.startswith("app:"))
        tags = filled(self._tags.of_unit(atomic.tags, (d.name, d.content)), apps)
        if atomic.target is None:
            return _node(self._store.graph, atomic.kind, d, tags, episode, clock)
        node = self._store.graph.nodes[atomic.target]
        node.name, node.content, node.body = d.name, d.content, d.body
        node.applicability, node.goal = d.applicability, d.goal
        node.tags |= tags
        node.support += 1
        node.origins = tuple(dict.fromkeys([*node.origins, origin_of(episode)]))
        return node

    def _workflow_node(self, workflow: WorkflowDraft, query: Query, episode: Episode, clock: int) -> Node:
        """Return the node of a procedure; by rule, and for each kind of tag that it has none of, it has the query's."""
        own = self._tags.accept(workflow.tags) if isinstance(self._tags, LLMTagParser) else ()
        return _node(self._store.graph, "workflow", workflow.draft, filled(own, query.view.tags), episode, clock)

    def _fold(self, sources: Sequence[str], target: str) -> None:
        """Fold atomic nodes into one: their callers call it in their place, and lineage edges remember them."""
        graph = self._store.graph
        for source in sources:
            for caller in graph.sources("call", source):
                order = [target if i == source else i for i in graph.targets("call", caller)]
                for called in graph.targets("call", caller):
                    graph.unlink("call", caller, called)
                self._call(caller, order)
            graph.nodes[target].origins = tuple(
                dict.fromkeys([*graph.nodes[target].origins, *graph.nodes[source].origins])
            )
            graph.link("merged_from", source, target)
            self._store.remove(source)
        if sources:
            self._store.changed(graph.nodes[target])

    def _add_bullet(self, done: Reflected, episode: Episode, kind: BulletKind, text: str) -> None:
        nearest = str(done.nearest)
        self._store.graph.nodes[nearest].bullets.append(Bullet(kind, text, origin_of(episode)))
        done.written.append(nearest)


def origin_of(episode: Episode) -> Origin:
    """Return where something learned from an episode comes from."""
    task = episode.task
    return Origin(task.id, episode.trial, task.family, task.template)


def _node(graph: Graph, kind: Kind, draft: Draft, tags: frozenset[str], episode: Episode, clock: int) -> Node:
    return Node(
        id=graph.next_id(kind), kind=kind, name=draft.name, content=draft.content, applicability=draft.applicability,
        goal=draft.goal, tags=tags, body=draft.body, origins=(origin_of(episode),), clock=clock,
    )  # fmt: skip
