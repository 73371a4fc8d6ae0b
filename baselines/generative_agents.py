"""Generative Agents: a stream of memories found by recency, importance and relevance, and reflections upon them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from baselines.g_memory.asking import Asker, call_of, embed_one
from baselines.g_memory.condensing import Answer, Text
from baselines.g_memory.files import read_json, write_json
from baselines.g_memory.recalling import HEADING
from baselines.g_memory.settings import Count, Group, Keeping, Natural, Recalling
from baselines.g_memory.trajectory import clean, query_text
from baselines.g_memory.vectors import Row, Vectors
from baselines.look_alike import DISCLOSURE, PROMPTS, LookAlike, TwoForms, prompts_of, record_text
from harness.protocols import Backbone, Embedder
from harness.types import Episode, Experience, Recall, RecallItem, StreamInfo, Task, UpdateReport

NODES, VECTORS = "nodes.json", "nodes.npy"
MIDDLE_POIGNANCY = 5
"""Of a memory whose poignancy cannot be read."""
Mode = Literal["paper", "repo"]
Weight = Annotated[float, Field(ge=0)]
Floats = NDArray[np.float64]


class Weights(Group):
    """Weights of the three scores, each of them min-max normalised."""

    recency: Weight
    importance: Weight
    relevance: Weight


WEIGHTS: dict[Mode, Weights] = {
    "paper": Weights(recency=1.0, importance=1.0, relevance=1.0),
    "repo": Weights(recency=0.5, importance=2.0, relevance=3.0),
}


class MemoryStream(Group):
    """The memory stream of the original form."""

    k: Count
    """Memories injected."""
    weights: Weights | None
    """Null takes the mode's: 1, 1, 1 in the paper, 0.5, 2, 3 in its code."""
    decay: Annotated[float, Field(gt=0, le=1)]
    """What recency is multiplied with, an episode in mode paper, a rank in mode repo."""
    reflect_at: Count
    """Sum of importance since the last reflection at which the next one comes."""
    recent: Count
    """Latest memories that a reflection asks its questions about."""
    questions: Count
    """Questions a reflection asks."""
    insights: Count
    """Insights each question leads to."""
    actions: Count
    """Most actions kept of an episode."""
    line_chars: Count
    """Longest question or reflection."""


class Poignancy(Answer):
    """How much a memory matters."""

    rating: int = Field(ge=1, le=10)


class Questions(Answer):
    """What to reflect upon."""

    questions: list[Text] = Field(max_length=50)


class Insight(Answer):
    """One reflection, with the numbers of the memories it rests on."""

    insight: Text
    evidence: list[int] = Field(default_factory=list, max_length=200)


class Insights(Answer):
    """The reflections that a question leads to."""

    insights: list[Insight] = Field(max_length=50)


@dataclass(slots=True)
class Node:
    """One memory of the stream."""

    id: str
    kind: Literal["observation", "reflection"]
    text: str
    born: tuple[str, ...]
    poignancy: int
    """Importance, 1 to 10."""
    created: int
    accessed: int
    """Number of the episode it was made in or last recalled in."""
    evidence: tuple[str, ...] = ()
    """Of a reflection: ids of the memories it points to."""


def recency(nodes: Sequence[Node], clock: int, decay: float, mode: Mode) -> Floats:
    """Return the recency of each memory, shape (n,): the paper's falls with every episode since the last access.

    The published code ranks by last access, the longest ago first, and gives the first rank the highest value.
    """
    if mode == "paper":
        return np.array([decay ** (clock - node.accessed) for node in nodes], np.float64)
    order = sorted(range(len(nodes)), key=lambda at: nodes[at].accessed)
    found = np.zeros(len(nodes))
    for rank, at in enumerate(order, 1):
        found[at] = decay**rank
    return found


def normalised(values: Floats) -> Floats:
    """Return values spread over 0 to 1; one half for each where all are equal."""
    spread = float(values.max() - values.min()) if len(values) else 0.0
    return (values - values.min()) / spread if spread else np.full(len(values), 0.5)


class NodeStream:
    """The original form. Episodes are stored whatever their outcome."""

    def __init__(self, asker: Asker, embedder: Embedder, mode: Mode, keeping: Keeping, settings: MemoryStream) -> None:
        self._asker, self._embedder, self._keeping, self._settings = asker, embedder, keeping, settings
        self._mode: Mode = mode
        self._weights = settings.weights or WEIGHTS[mode]
        self._clock = 0
        self._become_empty()

    def _become_empty(self) -> None:
        self.nodes: list[Node] = []
        self._vectors = Vectors(self._embedder.dim)
        self._since = 0
        self._recalled: tuple[str, int, tuple[str, ...]] = ("", 0, ())

    def begin(self, info: StreamInfo) -> None:
        """Take note of the clock."""
        self._clock = info.clock

    def __len__(self) -> int:
        return len(self.nodes)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return the k memories of highest score that this task did not go into."""
        text = query_text(task, observation)
        found = self._best(embed_one(self._embedder, text, task.id, trial, "retrieve"), without=task.id)
        self._recalled = (task.id, trial, tuple(node.id for node, _ in found))
        items = [RecallItem(node.id, node.kind, score, node.text, node.born) for node, score in found]
        return Recall(tuple(items), HEADING)

    def _best(self, query: Row, without: str | None = None) -> list[tuple[Node, float]]:
        """Return the memories of highest weighted sum, of equal ones the older first."""
        at = [place for place, node in enumerate(self.nodes) if without not in node.born]
        nodes = [self.nodes[place] for place in at]
        weights = self._weights
        scores = weights.recency * normalised(recency(nodes, self._clock, self._settings.decay, self._mode))
        scores += weights.importance * normalised(np.array([node.poignancy for node in nodes], np.float64))
        scores += weights.relevance * normalised(self._vectors.cosines(query)[at])
        order = np.argsort(-scores.round(6), kind="stable").tolist()[: self._settings.k]
        return [(nodes[place], float(scores[place])) for place in order]

    def update(self, experience: Experience) -> UpdateReport:
        """Note what was recalled, store the episode with its poignancy, and reflect once enough has happened."""
        episode = experience.episode
        self._access(episode)
        text = record_text(experience, self._keeping, self._settings.actions)
        rated = self._poignancy(text, episode, 0)
        written = [self._store("observation", text, (episode.task.id,), rated, episode)]
        self._since += rated
        reflected = self._since >= self._settings.reflect_at
        if reflected:
            self._since, written = 0, [*written, *self._reflect(episode)]
        self._clock += 1
        notes = {"poignancy": rated, "reflected": reflected, "unreadable": self._asker.take_unreadable()}
        return UpdateReport(len(self), tuple(written), notes)

    def _access(self, episode: Episode) -> None:
        task_id, trial, ids = self._recalled
        self._recalled = ("", 0, ())
        for node in self.nodes:
            if node.id in ids and (task_id, trial) == (episode.task.id, episode.trial):
                node.accessed = self._clock

    def _poignancy(self, text: str, episode: Episode, number: int) -> int:
        call = call_of(episode.task.id, episode.trial, "update", "poignancy")
        answer = self._asker.ask(Poignancy, {"memory": text}, call, again=number)
        return answer.rating if answer else MIDDLE_POIGNANCY

    def _store(
        self, kind: Literal["observation", "reflection"], text: str, born: Collection[str], rated: int,
        episode: Episode, evidence: Sequence[str] = (),
    ) -> str:  # fmt: skip
        vector = embed_one(self._embedder, text, episode.task.id, episode.trial, "update")
        node_id = f"n{len(self.nodes) + 1:05d}"
        self.nodes.append(Node(node_id, kind, text, tuple(born), rated, self._clock, self._clock, tuple(evidence)))
        self._vectors.add(vector)
        return node_id

    def _reflect(self, episode: Episode) -> list[str]:
        """Ask questions about the latest memories, and store what the memories found for each lead to.

        A reflection is born from all memories that were shown for it; its evidence are those it points to.
        """
        call = call_of(episode.task.id, episode.trial, "update", "questions")
        recent = "\n\n".join(node.text for node in self.nodes[-self._settings.recent :])
        asked = self._asker.ask(Questions, {"number": str(self._settings.questions), "memories": recent}, call)
        written: list[str] = []
        for number, text in enumerate(asked.questions[: self._settings.questions] if asked else ()):
            question = clean(text, self._settings.line_chars)
            vector = embed_one(self._embedder, question, call.task_id, call.trial, "update")
            shown = [node for node, _ in self._best(vector)]
            born = tuple(dict.fromkeys(task for node in shown for task in node.born))
            for insight in self._insights(question, shown, episode, number):
                said = clean(insight.insight, self._settings.line_chars)
                if said:
                    rated = self._poignancy(said, episode, len(written) + 1)
                    evidence = [shown[at - 1].id for at in insight.evidence if 1 <= at <= len(shown)]
                    written.append(self._store("reflection", said, born, rated, episode, evidence))
        return written

    def _insights(self, question: str, shown: Sequence[Node], episode: Episode, number: int) -> Sequence[Insight]:
        listed = "\n\n".join(f"[{at}] {node.text}" for at, node in enumerate(shown, 1))
        values = {"question": question, "memories": listed, "number": str(self._settings.insights)}
        call = call_of(episode.task.id, episode.trial, "update", "reflection")
        answer = self._asker.ask(Insights, values, call, again=number)
        return answer.insights[: self._settings.insights] if answer else ()

    def save(self, folder: Path) -> None:
        """Write ``nodes.json`` and ``nodes.npy``."""
        write_json(folder / NODES, {"since": self._since, "nodes": list(map(asdict, self.nodes))})
        self._vectors.save(folder / VECTORS)

    def load(self, folder: Path) -> None:
        """Become what was saved."""
        self._become_empty()
        state = read_json(folder / NODES)
        self._since = state["since"]
        rows = state["nodes"]
        self.nodes = [Node(**{**row, "born": tuple(row["born"]), "evidence": tuple(row["evidence"])}) for row in rows]
        self._vectors.load(folder / VECTORS, len(self.nodes))


class GenerativeAgents(TwoForms):
    """A memory stream with reflections, or its look-alike in G-Memory's repository.

    Args:
        backbone: rates, asks, reflects; or grades.
        embedder: makes the vectors of the memories.
        mode: of the original form, ``paper`` or ``repo``, which favours what was recalled longest ago; the look-alike
            is ``repo``.
        variant: ``original`` or ``gmemory``, which has neither recency nor importance nor reflection.
        keeping: what is kept of a trajectory.
        repairs: how often an unreadable answer is asked for again.
        stream: read by variant original.
        recalling: read by variant gmemory.
    """

    name = "generative_agents"
    prompts: Sequence[Path] = prompts_of("poignancy", "questions", "reflection")
    """Its prompt templates."""

    def __init__(
        self,
        *,
        backbone: Backbone,
        embedder: Embedder,
        mode: Mode,
        variant: Literal["original", "gmemory"],
        keeping: Keeping,
        repairs: Natural,
        stream: MemoryStream,
        recalling: Recalling,
    ) -> None:
        self.variant = variant
        self.mode: Mode = mode
        if variant == "gmemory":
            self.mode = "repo"
            self.disclosures: Sequence[str] = (DISCLOSURE,)
            self._form = LookAlike(
                backbone, embedder, summarize=False, keeping=keeping, recalling=recalling, repairs=repairs
            )
        else:
            self.disclosures = (
                "Generative Agents is carried over from a simulated town: an episode is one observation, time counts "
                f"episodes, and {stream.k} memories are injected, not the 30 short ones of its code.",
            )
            self._form = NodeStream(Asker(backbone, PROMPTS, repairs), embedder, mode, keeping, stream)
