"""STRATA as a memory: retrieve a subgraph, render it, act, reflect; communities update metas, pressure prunes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from harness.protocols import Backbone, Embedder
from harness.seeds import Draws
from harness.types import Episode, Experience, Phase, Recall, StreamInfo, Task, UpdateReport
from strata.contrast import Misfire
from strata.diagnostics import graph_notes, injection_notes, totals_notes, w_notes
from strata.graph import Graph, NodeType, operators
from strata.maintenance import Totals, collect_round
from strata.mechanisms import Mechanisms, Numbers, Switches, cap_of
from strata.prefilling import prefill
from strata.prompting import FOLDER
from strata.reflection import call_of
from strata.rendering import render
from strata.retrieval import subgraph
from strata.settings import (
    BandMode,
    CollectionMode,
    CommunityMethod,
    ContrastMode,
    Dimension,
    EdgeMode,
    Forgetting,
    Inducing,
    Linking,
    MetaTags,
    Opposing,
    Reflecting,
    Retrieving,
    Shrinking,
    Tagging,
    TagParserName,
    Weights,
)
from strata.similarity import Floats, View
from strata.words import words
from strata.writing import Query, Reflected


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retrieval knows that the update after it needs."""

    task: str
    trial: int
    query: Query
    recall: Recall


class Strata:
    """A self-maintaining graph of atomic, workflow and meta nodes.

    Args:
        backbone: Answers the router, the sub-reflectors, induction, and the LLM tag parser.
        embedder: Embeds content and index views.
        draws: Seeds community detection and the sampling of pairs.
        tag_parser: Who reads tags: rule or llm.
        drop: Similarity dimensions left out; the weights of the others are renormalised.
        thresholds: The reflection band: shrunk (full), raw (no shrinkage), global (one band), pooled (one group).
        edge_thresholds: W's intra-group thresholds: adaptive or fixed.
        contrast: How contrast edges are found: rule, hand_placed, learned, none.
        collection: Forgetting: protected (bridges spared), unprotected, none.
        meta: Whether the meta layer is on.
        novelty: Whether its novelty gate is on.
        meta_tags: A meta's tags after an update: recomputed from the round's community, or accumulated.
        communities: louvain (exact reproduction) or leiden.
        tagging: The tag space.
        weights: Of the four similarity dimensions.
        retrieval: Gate, layer bonus, seeds.
        reflection: What reflectors see and may write.
        bands: Quantiles, priors and their weight.
        opposites: Lexicon, hand-placed pairs, and when opposition is learned.
        forgetting: Quality, ages, cap.
        linking: The workflow similarity graph W.
        induction: Promotion of communities.
    """

    name = "strata"
    mode: Literal["paper"] = "paper"
    prompts: Sequence[Path] = (FOLDER,)
    """Its prompt templates."""
    disclosures: Sequence[str] = (
        "STRATA is rebuilt from its paper's text; configuration lines marked `reconstructed` are ours, and so are the "
        "rules listed in docs/decisions/0014.",
        "Embeddings are rounded to multiples of 2^-11, which moves a cosine by about 0.0002, so that scores are exact.",
    )

    def __init__(
        self,
        *,
        backbone: Backbone,
        embedder: Embedder,
        draws: Draws,
        tag_parser: TagParserName,
        drop: list[Dimension],
        thresholds: BandMode,
        edge_thresholds: EdgeMode,
        contrast: ContrastMode,
        collection: CollectionMode,
        meta: bool,
        novelty: bool,
        meta_tags: MetaTags,
        communities: CommunityMethod,
        tagging: Tagging,
        weights: Weights,
        retrieval: Retrieving,
        reflection: Reflecting,
        bands: Shrinking,
        opposites: Opposing,
        forgetting: Forgetting,
        linking: Linking,
        induction: Inducing,
    ) -> None:
        self._switches = Switches(
            tag_parser, tuple(drop), thresholds, edge_thresholds, contrast, collection, meta, novelty, meta_tags,
            communities,
        )  # fmt: skip
        self._numbers = Numbers(
            tagging, weights, retrieval, reflection, bands, opposites, forgetting, linking, induction
        )
        self.variant = self._switches.variant
        self._around = (backbone, embedder, draws)
        self._clock, self._frozen = 0, False
        self.cap = 0
        """Most live workflows; set when the stream begins."""
        self._become_empty()

    def _become_empty(self) -> None:
        self._parts = Mechanisms(self._switches, self._numbers, *self._around)
        self.store = self._parts.store
        """The graph and what is derived from it."""
        self._retrieved: Retrieved | None = None

    def begin(self, info: StreamInfo) -> None:
        """Take note of the clock and of the stream's cap. Raises ConfigError where no cap is known for it."""
        self._clock, self._frozen = info.clock, info.frozen
        self.cap = cap_of(self._numbers.forgetting, info.name, info.benchmark)

    def __len__(self) -> int:
        return len(self.store)

    @property
    def graph(self) -> Graph:
        """The experience graph, to be read."""
        return self.store.graph

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return the subgraph around the task as text, or nothing at all if nothing clears the gate.

        Unless the stream is frozen, the workflows that competed for it age.
        """
        query = self._query(task, observation, trial, "retrieve")
        excluded = self.store.made_from(task.id)
        scores = self.store.geometry.scores(query.view)
        if not self._frozen:
            self._age(scores, excluded)
        recall = self._subgraph(scores, excluded, query, task)
        self._retrieved = Retrieved(task.id, trial, query, recall)
        return recall

    def _query(self, task: Task, observation: str, trial: int, phase: Phase) -> Query:
        text = task.text if task.text.strip() else observation
        vectors = self.store.embed([(text, text)], call_of(task.id, trial, phase, "memory"))[0]
        tags = self._parts.tags.parse(text, task.benchmark, call_of(task.id, trial, phase, "tags"))
        return Query(text, View(vectors.content, vectors.index, tags, words(text)))

    def _age(self, scores: Floats, excluded: frozenset[str]) -> None:
        geometry = self.store.geometry
        slots = geometry.layer_slots(NodeType.WORKFLOW)
        if excluded:
            slots = slots[~np.isin(slots, [geometry.slot[node_id] for node_id in excluded])]
        self._parts.ages.retrieve(slots, scores[slots], self._numbers.retrieval.gate, geometry.number[slots])

    def _subgraph(self, scores: Floats, excluded: frozenset[str], query: Query, task: Task) -> Recall:
        graph, settings = self.store.graph, self._numbers.retrieval
        opposition, asked = self._parts.contrasts.opposition, operators(query.view.tags)
        found = subgraph(graph, self.store.geometry, scores, settings, excluded, opposition, asked)
        return render(graph, found, asked, opposition, task.id, settings) if found else Recall()

    def update(self, experience: Experience) -> UpdateReport:
        """Go through a round: reflect, contrast, meta, collect.

        Without a verdict there is neither a success to crystallize nor a failure to warn of: nothing is written.
        """
        episode, parts = experience.episode, self._parts
        retrieved = self._retrieved_for(episode)
        done, contrasted = Reflected(), 0
        if experience.success is not None:
            done = parts.writer.reflect(episode, retrieved.query, solved=experience.success, clock=self._clock)
            contrasted = self._contrast(episode, retrieved, done, failed=not experience.success)
        maintained = self._maintain(episode)
        notes = {
            "clock": self._clock, "injected": injection_notes(retrieved.recall), "reflection": done.notes(),
            "bands": parts.bands.notes(), "contrasts_added": contrasted, **maintained, **graph_notes(self.store.graph),
            "unreadable": dict(sorted((+parts.reflectors.unreadable).items())), "totals": totals_notes(parts.totals),
        }  # fmt: skip
        parts.reflectors.unreadable.clear()
        self._clock += 1
        self._retrieved = None
        written = [*done.written, *notes["metas"]["created"], *notes["metas"]["updated"]]
        return UpdateReport(items=len(self), written=tuple(dict.fromkeys(written)), notes=notes)

    def prefill(self, experiences: Sequence[Experience]) -> None:
        """Store each solved episode as a workflow, whatever there is already and whatever the cap."""
        prefill(self.store, self._parts.contrasts, self._numbers, experiences, self._clock)

    def _retrieved_for(self, episode: Episode) -> Retrieved:
        """Return what was retrieved for this episode; without a retrieval before it, the query alone."""
        held, task = self._retrieved, episode.task
        if held is not None and (held.task, held.trial) == (task.id, episode.trial):
            return held
        query = self._query(task, episode.observation, episode.trial, "update")
        return Retrieved(task.id, episode.trial, query, Recall())

    def _contrast(self, episode: Episode, retrieved: Retrieved, done: Reflected, *, failed: bool) -> int:
        """Add the contrast edges of a new workflow, and those that a failure teaches; returns how many."""
        store, contrasts = self.store, self._parts.contrasts
        added = len(contrasts.add(store.graph, store.geometry, done.created)) if done.created else 0
        if failed:
            items = [i for i in retrieved.recall.items if i.kind == "workflow"]
            shown = [store.graph.nodes[item.id] for item in items]
            followed = [node for node in shown if contrasts.followed(node, episode.actions)]
            view = retrieved.query.view
            added += len(contrasts.observe_failure(store.graph, store.geometry, followed, view.tags, view.content))
        return added

    def _maintain(self, episode: Episode) -> dict[str, Any]:
        """Update the meta layer, then collect; both work on this round's W."""
        parts, store = self._parts, self.store
        edges = store.w.build()
        metas: dict[str, Any] = {"communities": None, "created": [], "updated": []}
        if parts.metas is not None:
            metas = parts.metas.round(edges, episode, self._clock)
        collection = collect_round(
            store, edges, self._numbers.forgetting, self._switches.collection, self.cap, parts.totals
        )
        parts.contrasts.forget(store.graph)
        return {"w": w_notes(edges), "metas": metas, "collection": collection}

    def save(self, folder: Path) -> None:
        """Write the whole state into an empty folder; equal memories write equal bytes."""
        state = {
            "bands": self._parts.bands.scores,
            "misfires": [asdict(misfire) for misfire in self._parts.contrasts.misfires],
            "totals": asdict(self._parts.totals),
        }
        self.store.save(folder, state)

    def load(self, folder: Path) -> None:
        """Become what was saved. Raises LedgerError where the folder is damaged or of another embedder."""
        self._become_empty()
        parts = self._parts
        state = self.store.load(folder)
        parts.bands.scores.update(state["bands"])
        parts.contrasts.misfires += [
            Misfire(held["workflow"], tuple(held["content"]), tuple(held["operators"])) for held in state["misfires"]
        ]
        for name, value in asdict(Totals(**state["totals"])).items():
            setattr(parts.totals, name, value)
