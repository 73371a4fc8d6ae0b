"""EvoGraph-Mem as a memory: retrieve by evidence (1)-(10), act, let the controller edit the graph (11)-(12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from baselines.g_memory.asking import Asker, call_of, embed_one
from baselines.g_memory.condensing import PROMPTS as CONDENSING
from baselines.g_memory.condensing import TEXT_CHARS, Condenser, outcome_text
from baselines.g_memory.files import read_json, write_json
from baselines.g_memory.finetuning import FineTuner
from baselines.g_memory.queries import QueryGraph
from baselines.g_memory.recalling import HEADING, Chooser, insight_item, trajectory_item
from baselines.g_memory.settings import Answering, Finetuning, Keeping, Linking, Recalling
from baselines.g_memory.trajectory import clean, query_text, states, task_text, trajectory_text
from baselines.g_memory.vectors import Row
from evoedit.controller import PROMPTS, Controller, Controlling
from evoedit.insight_graph import Evidence, InsightGraph
from evoedit.maintenance import Applied, apply_decision, apply_operation
from evoedit.retrieval import Ranking, rank
from harness.agents.layout import TASK
from harness.errors import ConfigError
from harness.protocols import Backbone, Embedder
from harness.seeds import Draws
from harness.types import Episode, Experience, Recall, StreamInfo, Task, UpdateReport

TOTALS = "totals.json"
NOTHING = Ranking((), 0, 0, reranked=False)
Variant = Literal["paper", "negatives_on_failure", "gmemory_finetune"]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retrieval leaves for the update after it; never saved."""

    task: str
    trial: int
    vector: Row
    ranking: Ranking = NOTHING


class EvoGraph:
    """G-Memory's query graph beneath an insight graph whose nodes can be kept, archived, revised and added.

    An episode that nobody judged is neither Failed nor Resolved: nothing is written.

    Args:
        backbone: Grades trajectories, condenses them, and is the controller.
        embedder: Makes the vectors of the queries.
        draws: Choose the episodes of variant gmemory_finetune.
        mode: How faithful it is.
        controller: Its verbs besides ADD, as in Figure 3: all, add_keep_archive, add_keep.
        variant: paper, or a form of our own: negatives_on_failure, gmemory_finetune.
        lambda_: Strength of the conflict penalty in equation (8), 0 or more.
        k: Nearest queries in equation (2), 1 or more.
        b: Insights retrieved in equation (10), 0 or more.
        keeping: What is kept of a trajectory.
        answering: What is taken of answers.
        linking: Edges of the query graph.
        recalling: Which trajectories are injected beside the insights.
        finetuning: G-Memory's fine-tuning, read by variant gmemory_finetune alone.
    """

    name = "evograph"
    prompts: Sequence[Path] = (PROMPTS, CONDENSING)
    """Its prompt templates."""

    def __init__(
        self,
        *,
        backbone: Backbone,
        embedder: Embedder,
        draws: Draws,
        mode: Literal["paper"],
        controller: Controlling,
        variant: Variant,
        lambda_: float,
        k: int,
        b: int,
        keeping: Keeping,
        answering: Answering,
        linking: Linking,
        recalling: Recalling,
        finetuning: Finetuning,
    ) -> None:
        if not 0 <= lambda_ < float("inf") or k < 1 or b < 0:
            raise ConfigError(f"evograph: lambda_ and b are 0 or more, k 1 or more: got {lambda_}, {b} and {k}")
        self.mode, self._form = mode, variant
        self.variant = controller if variant == "paper" else f"{controller},{variant}"
        self.disclosures: Sequence[str] = _disclosures(variant, lambda_, k, b, linking)
        self._embedder, self._keeping, self._linking, self._recalling = embedder, keeping, linking, recalling
        self._lambda, self._k, self._b = lambda_, k, b
        self._asker = Asker(backbone, CONDENSING, answering.repairs)
        self._editing = Asker(backbone, PROMPTS, answering.repairs)
        self._condenser = Condenser(self._asker, keeping, answering)
        self._chooser = Chooser(self._asker, recalling, k)
        self._controller = Controller(self._editing, controller, answering.line_chars)
        self._tuner = FineTuner(self._asker, draws, finetuning, answering.line_chars)
        self._clock = 0
        self._become_empty()

    def _become_empty(self) -> None:
        self.queries = QueryGraph(self._embedder.dim, self._linking)
        self.insights = InsightGraph()
        self._totals: Counter[str] = Counter()
        self._retrieved: Retrieved | None = None

    def begin(self, info: StreamInfo) -> None:
        """Take note of the clock."""
        self._clock = info.clock

    def __len__(self) -> int:
        return len(self.queries) + len(self.insights)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return like trajectories and the top B insights of the expanded subgraph; nothing made from this task."""
        text = query_text(task, observation)
        vector = embed_one(self._embedder, text, task.id, trial, "retrieve")
        hits = self.queries.ranked(vector, without=task.id)
        subgraph = self.queries.subgraph(hits, self._k, hops=1)
        found = rank(self.insights.nodes.values(), subgraph, lambda_=self._lambda, b=self._b, task_id=task.id)
        call = call_of(task.id, trial, "retrieve", "relevance")
        chosen = self._chooser.trajectories(self.queries, hits, text, call)
        items = [trajectory_item(hit, self._recalling.steps) for hit in chosen]
        items += [
            insight_item(each.node.id, each.node.text, each.score, each.node.born, number)
            for number, each in enumerate(found.retrieved, 1)
        ]
        self._retrieved = Retrieved(task.id, trial, vector, found)
        return Recall(tuple(items), HEADING)

    def update(self, experience: Experience) -> UpdateReport:
        """Ask everything first: key steps, fail reason, the controller's decision; then edit both graphs."""
        episode, resolved = experience.episode, experience.success
        held, self._retrieved = self._retrieved_for(episode), None
        self._clock += 1
        if resolved is None:
            return UpdateReport(items=len(self), notes={"unjudged": True, "unreadable": self._unreadable()})
        links = self.queries.links_of(held.vector)
        node = self._condenser.node(episode, resolved=resolved, node_id=self.queries.next_id, links=links)
        shown = [each.node for each in held.ranking.retrieved]
        decision = self._controller.decide(episode, shown, self._feedback(experience, resolved=resolved))
        self.queries.add(node, held.vector)
        evidence = Evidence((node.id,), (node.task_id,), resolved, self._clock - 1)
        done = apply_decision(
            self.insights, decision, evidence, negatives_on_failure=self._form == "negatives_on_failure"
        )
        if self._form == "gmemory_finetune" and self._tuner.due(len(self.queries)):
            for comparison, operation in self._tuner.round(self.queries, episode, lambda: self.insights.active):
                apply_operation(self.insights, operation, comparison.queries, clock=self._clock - 1, done=done)
        written = tuple(dict.fromkeys([node.id, *done.written]))
        return UpdateReport(items=len(self), written=written, notes=self._notes(held.ranking, done))

    def _feedback(self, experience: Experience, *, resolved: bool) -> dict[str, str]:
        """Return the current task's query, trajectory and final feedback, as the controller reads them."""
        score = "" if experience.score is None else f", score {experience.score:g}"
        kept = states(experience.episode, self._keeping, condensed=False)
        return {
            "task": f"{TASK} {clean(task_text(experience.episode), TEXT_CHARS)}",
            "trajectory": trajectory_text(kept),
            "outcome": f"{outcome_text(resolved=resolved)}{score}",
        }

    def _notes(self, ranking: Ranking, done: Applied) -> dict[str, Any]:
        """Return the edit counts and how often c > 0, of this episode and of the whole stream."""
        seen = {
            "retrieved": len(ranking.retrieved), "candidates": ranking.candidates,
            "conflicting": ranking.conflicting, "reranked": int(ranking.reranked),
        }  # fmt: skip
        unreadable = self._unreadable()
        self._totals.update({**seen, **done.counts, "episodes": 1, "unreadable": sum(unreadable.values())})
        judged = self._totals["candidates"]
        return {
            **seen, "edits": dict(sorted(done.counts.items())), "unreadable": unreadable,
            "queries": len(self.queries), "active": len(self.insights.active),
            "archived": len(self.insights) - len(self.insights.active), "edges": len(self.insights.edges),
            "conflict_rate": round(self._totals["conflicting"] / judged, 6) if judged else None,
            "totals": dict(sorted(self._totals.items())),
        }  # fmt: skip

    def _unreadable(self) -> dict[str, int]:
        return self._asker.take_unreadable() | self._editing.take_unreadable()

    def _retrieved_for(self, episode: Episode) -> Retrieved:
        """Return what was retrieved for this episode; without a retrieval before it, no insight was."""
        held = self._retrieved
        if held is not None and (held.task, held.trial) == (episode.task.id, episode.trial):
            return held
        vector = embed_one(self._embedder, task_text(episode), episode.task.id, episode.trial, "update")
        return Retrieved(episode.task.id, episode.trial, vector)

    def save(self, folder: Path) -> None:
        """Write the whole state into an empty folder; equal memories write equal bytes."""
        self.queries.save(folder)
        self.insights.save(folder)
        write_json(folder / TOTALS, self._totals)

    def load(self, folder: Path) -> None:
        """Become what was saved. Raises LedgerError where the folder is of another embedder."""
        self._become_empty()
        self.queries.load(folder)
        self.insights.load(folder)
        self._totals = Counter(read_json(folder / TOTALS))


def _disclosures(variant: Variant, lambda_: float, k: int, b: int, linking: Linking) -> list[str]:
    found = [
        f"EvoGraph-Mem is rebuilt from its paper's text, which leaves open k = {k} (equation 2), B = {b} (10), lambda "
        f"= {lambda_:g} (8) and the edge rule (cosine >= {linking.cosine:g} among {linking.neighbours} neighbours): "
        "these values are ours or G-Memory's. Its evidence rules follow a third party's reading of the paper.",
        "As the paper's rules are written, an active insight never has negative evidence, so the penalty of equation "
        "(8) is inert: see the rate of c > 0.",
    ]
    own = {
        "negatives_on_failure": "Variant negatives_on_failure is ours: insights kept in a failed task gain negatives.",
        "gmemory_finetune": "Variant gmemory_finetune is ours: G-Memory's fine-tuning edits the insights as well.",
    }
    return [found[0], own[variant]] if variant in own else found
