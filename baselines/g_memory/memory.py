"""G-Memory as a memory: recall from the graph, condense and link the episode, tune and merge the insights."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from baselines.g_memory.asking import Asker, call_of, embed_one
from baselines.g_memory.condensing import PROMPTS, Condenser
from baselines.g_memory.finetuning import FineTuner
from baselines.g_memory.insights import InsightList
from baselines.g_memory.merging import Merger
from baselines.g_memory.projecting import Projector
from baselines.g_memory.queries import QueryGraph
from baselines.g_memory.recalling import HEADING, Chooser, insight_item, supported, trajectory_item
from baselines.g_memory.settings import (
    Answering,
    Counting,
    Fault,
    Finetuning,
    Keeping,
    Linking,
    Merging,
    Recalling,
    faults_of,
)
from baselines.g_memory.trajectory import query_text, task_text
from baselines.g_memory.vectors import Row
from harness.protocols import Backbone, Embedder
from harness.seeds import Draws
from harness.types import Episode, Experience, Recall, StreamInfo, Task, UpdateReport


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retrieval leaves for the update after it; never saved."""

    task: str
    trial: int
    vector: Row
    shown: tuple[str, ...] = ()
    """Ids of the insights injected."""


class GMemory:
    """Three tiers: condensed trajectories, a graph of queries, and scored insights.

    An episode that nobody judged is neither a success nor a failure: nothing is written.

    Args:
        backbone: grades, condenses, and edits the insights.
        embedder: makes the vectors of the task texts.
        draws: choose the episodes that fine-tuning begins from.
        mode: ``repo`` behaves as the published code, its faults included; ``paper`` without them.
        variant: the only one.
        faults: faults of the published code that are on, by name (see ``settings.Fault``); null takes the mode's.
        projector: whether each role of a team gets the insights in its own words, one call a role.
        keeping: what is kept of a trajectory.
        answering: what is taken of answers.
        linking: edges of the query graph.
        recalling: which trajectories are injected.
        counting: which insights are injected.
        finetuning: how insights are made and scored.
        merging: how insights become fewer.
    """

    name = "g_memory"
    prompts: Sequence[Path] = (PROMPTS,)
    """Its prompt templates."""

    def __init__(
        self,
        *,
        backbone: Backbone,
        embedder: Embedder,
        draws: Draws,
        mode: Literal["paper", "repo"],
        variant: Literal["full"],
        faults: list[Fault] | None,
        projector: bool,
        keeping: Keeping,
        answering: Answering,
        linking: Linking,
        recalling: Recalling,
        counting: Counting,
        finetuning: Finetuning,
        merging: Merging,
    ) -> None:
        self.mode, self.variant = mode, variant
        self._faults = faults_of(mode, faults)
        self.disclosures: Sequence[str] = (_disclosure(self._faults), NEVER_OWN)
        self._embedder, self._projecting = embedder, projector
        self._linking, self._counting = linking, counting
        self._recalling, self._full = recalling, finetuning.rules
        self._asker = Asker(backbone, PROMPTS, answering.repairs)
        self._condenser = Condenser(self._asker, keeping, answering, self._faults)
        k = max((recalling.successes + recalling.failures) // 2, 1)
        self._chooser = Chooser(self._asker, recalling, k, self._faults)
        self._tuner = FineTuner(self._asker, draws, finetuning, answering.line_chars, self._faults)
        self._merger = Merger(self._asker, merging, answering.line_chars, self._faults)
        self._projector = Projector(self._asker, answering.line_chars)
        self._become_empty()

    def _become_empty(self) -> None:
        self.queries = QueryGraph(self._embedder.dim, self._linking, collapse="equal_texts_collapse" in self._faults)
        self.insights = InsightList(self._full, by_substring="agree_by_substring" in self._faults)
        self._retrieved: Retrieved | None = None

    def begin(self, info: StreamInfo) -> None:
        """Take note of nothing: what happens when is counted in stored episodes."""

    def __len__(self) -> int:
        return len(self.queries) + len(self.insights)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return like trajectories, then the insights that the nearest queries speak for; nothing of this task."""
        text = query_text(task, observation)
        vector = embed_one(self._embedder, text, task.id, trial, "retrieve")
        ranking = self.queries.ranked(vector, without=task.id)
        call = call_of(task.id, trial, "retrieve", "relevance")
        hits = self._chooser.trajectories(self.queries, ranking, text, call)
        rules = supported(self.insights.rules, ranking, self._counting, task.id)
        items = [trajectory_item(hit, self._recalling.steps) for hit in hits]
        items += [
            insight_item(rule.id, rule.text, float(count), rule.born, number)
            for number, (rule, count) in enumerate(rules, 1)
        ]
        self._retrieved = Retrieved(task.id, trial, vector, tuple(rule.id for rule, _ in rules))
        return Recall(tuple(items), HEADING)

    def project(self, recall: Recall, role: str) -> Recall:
        """Return the part of a recall that a role sees: all of it, its insights reworded where the projector is on."""
        if not self._projecting or self._retrieved is None:
            return recall
        return self._projector.project(recall, role, self._retrieved.task, self._retrieved.trial)

    def update(self, experience: Experience) -> UpdateReport:
        """Condense and link the episode, tune and merge when their turn has come, score the rules shown."""
        episode, resolved = experience.episode, experience.success
        held, self._retrieved = self._retrieved_for(episode), None
        if resolved is None:
            return UpdateReport(items=len(self), notes={"unjudged": True, "unreadable": self._asker.take_unreadable()})
        written = [self._store(episode, held, resolved=resolved)]
        notes: dict[str, Any] = {"shown": len(held.shown)}
        if "backward_after_write" not in self._faults:
            notes["scored"] = self.insights.backward(held.shown, resolved=resolved)
        edits = self._tune(episode)
        merged = self._merge(episode)
        if "backward_after_write" in self._faults:
            notes["scored"] = self.insights.backward(held.shown, resolved=resolved)
        notes |= {
            "edits": {verb: [v for v, _ in edits].count(verb) for verb in dict.fromkeys(v for v, _ in edits)},
            "merged": merged, "queries": len(self.queries), "insights": len(self.insights),
            "unreadable": self._asker.take_unreadable(),
        }  # fmt: skip
        written += dict.fromkeys(rule for _, rule in edits)
        return UpdateReport(items=len(self), written=tuple(written), notes=notes)

    def _store(self, episode: Episode, held: Retrieved, *, resolved: bool) -> str:
        links = self.queries.links_of(held.vector)
        node = self._condenser.node(episode, resolved=resolved, node_id=self.queries.next_id, links=links)
        self.queries.add(node, held.vector)
        return node.id

    def _tune(self, episode: Episode) -> list[tuple[str, str]]:
        """Return the edits of a round as (verb, rule id); empty where it is not due."""
        if not self._tuner.due(len(self.queries)):
            return []
        edits = self._tuner.round(self.queries, episode, lambda: self.insights.rules)
        return [(edit.verb, self.insights.apply(edit, comparison.queries)) for comparison, edit in edits]

    def _merge(self, episode: Episode) -> int | None:
        """Return how many rules a merge made; None where it is not due."""
        if not self._merger.due(len(self.queries)):
            return None
        return self._merger.merge(self.queries, self.insights, episode)

    def _retrieved_for(self, episode: Episode) -> Retrieved:
        """Return what was retrieved for this episode; without a retrieval before it, nothing was shown."""
        held = self._retrieved
        if held is not None and (held.task, held.trial) == (episode.task.id, episode.trial):
            return held
        vector = embed_one(self._embedder, task_text(episode), episode.task.id, episode.trial, "update")
        return Retrieved(episode.task.id, episode.trial, vector)

    def save(self, folder: Path) -> None:
        """Write the whole state into an empty folder; equal memories write equal bytes."""
        self.queries.save(folder)
        self.insights.save(folder)

    def load(self, folder: Path) -> None:
        """Become what was saved. Raises LedgerError where the folder is of another embedder."""
        self._become_empty()
        self.queries.load(folder)
        self.insights.load(folder)


NEVER_OWN = (
    "Episodes of the task at hand, and insights made from them, are never injected; the published code allows it."
)


def _disclosure(faults: Collection[Fault]) -> str:
    if not faults:
        return "G-Memory is rebuilt from its description, without the faults of its published code."
    return f"G-Memory is rebuilt with these faults of its published code: {', '.join(sorted(faults))}."
