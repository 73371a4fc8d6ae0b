"""Flat memory: one entry an episode, found again by the cosine of the task texts and by nothing else.

STRATA names it as a baseline without publishing its details; what is reconstructed is marked in the configuration.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.errors import ConfigError, LedgerError
from harness.protocols import Embedder
from harness.types import Call, Experience, Phase, Recall, RecallItem, StreamInfo, Task, UpdateReport

ROLE = "memory"
HEADING = "Earlier episodes with the most similar tasks:"
OBSERVATION_CHARS = 1000
"""Characters kept of a first observation."""
LINE_CHARS = 300
"""Characters shown of one line."""
PREFILL_BATCH = 1000
"""Texts embedded at once when the store is filled beforehand."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One episode as it is kept."""

    id: str
    task_id: str
    task: str
    """The instruction; where it is empty, the first observation stands in for it."""
    observation: str
    """The first observation, its beginning."""
    actions: tuple[str, ...]
    """What the environment executed, in order."""
    outcome: str
    """What the feedback said: ``solved``, ``failed`` or ``unknown``, and the score where there is one."""


class FlatMemory:
    """An unstructured store of all episodes, solved or failed, indexed by embeddings.

    Writing and reading cost one embedding each and no call to a language model. Nothing is merged or forgotten.

    Args:
        embedder: makes the vectors of the task texts.
        mode: how faithful it is.
        variant: what an entry holds: ``actions``, the actions themselves without a summary.
        k: how many entries are injected, 1 or more.
        max_actions: how many lines of actions are shown of an entry, from its beginning; 1 or more.
        show_observation: whether the entry's first observation is injected too.
        min_score: the least cosine an entry must have, -1 to 1; None for no gate.
    """

    name = "flat"
    disclosures: Sequence[str] = (
        "Flat-Memory is reconstructed: the paper says one embedding-indexed entry per episode and content-only cosine "
        "retrieval; k, the embedded text (the task's) and the injected text (task, outcome, first actions) are ours.",
    )

    def __init__(
        self,
        *,
        embedder: Embedder,
        mode: Literal["paper"] = "paper",
        variant: Literal["actions"] = "actions",
        k: int = 3,
        max_actions: int = 10,
        show_observation: bool = False,
        min_score: float | None = None,
    ) -> None:
        if k < 1 or max_actions < 1:
            raise ConfigError(f"flat memory: k and max_actions must be 1 or more: got {k} and {max_actions}")
        if min_score is not None and not -1 <= min_score <= 1:
            raise ConfigError(f"flat memory: min_score is a cosine, -1 to 1, or null: got {min_score}")
        self.mode = mode
        self.variant = variant
        self._embedder = embedder
        self._k = k
        self._max_actions = max_actions
        self._show_observation = show_observation
        self._min_score = min_score
        self._entries: list[Entry] = []
        self._vectors: NDArray[np.float32] = np.zeros((0, embedder.dim), np.float32)

    def begin(self, info: StreamInfo) -> None:
        """Take note of nothing: neither seed nor clock plays a part."""

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return the k entries of other tasks whose task text is nearest; of equally near ones the older first."""
        others = [at for at, entry in enumerate(self._entries) if entry.task_id != task.id]
        if not others:
            return Recall()
        query = self._embed(task.text or observation, task.id, trial, "retrieve")
        scores = _cosines(self._vectors[others], query)
        nearest = np.argsort(-scores, kind="stable")[: self._k]
        items = [
            self._item(self._entries[others[at]], float(scores[at]))
            for at in nearest
            if self._min_score is None or scores[at] >= self._min_score
        ]
        return Recall(tuple(items), HEADING)

    def update(self, experience: Experience) -> UpdateReport:
        """Add the episode as one entry, whatever its outcome."""
        episode, entry = experience.episode, self._entry(experience, len(self._entries) + 1)
        vector = self._embed(episode.task.text or episode.observation, entry.task_id, episode.trial, "update")
        self._entries.append(entry)
        self._vectors = np.concatenate([self._vectors, vector[None]])
        return UpdateReport(items=len(self), written=(entry.id,))

    def prefill(self, experiences: Sequence[Experience]) -> None:
        """Add each episode as one entry, embedded in batches."""
        call, rows = Call("prefill", 1, "update", role=ROLE), [self._vectors]
        for start in range(0, len(experiences), PREFILL_BATCH):
            batch = experiences[start : start + PREFILL_BATCH]
            entries = [self._entry(each, len(self._entries) + at) for at, each in enumerate(batch, 1)]
            rows.append(self._embedder.embed([entry.task for entry in entries], call=call))
            self._entries += entries
        self._vectors = np.concatenate(rows)

    def _entry(self, experience: Experience, number: int) -> Entry:
        episode = experience.episode
        return Entry(
            id=f"e{number:04d}",
            task_id=episode.task.id,
            task=episode.task.text or episode.observation[:OBSERVATION_CHARS],
            observation=episode.observation[:OBSERVATION_CHARS],
            actions=episode.actions,
            outcome=_outcome(experience),
        )

    def save(self, folder: Path) -> None:
        """Write ``entries.jsonl`` and ``vectors.npy``: float32 of shape (entries, dim)."""
        lines = [json.dumps(asdict(entry), sort_keys=True) + "\n" for entry in self._entries]
        (folder / "entries.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
        with (folder / "vectors.npy").open("wb") as file:
            np.save(file, self._vectors, allow_pickle=False)

    def load(self, folder: Path) -> None:
        """Become what was saved. Raises LedgerError where entries and vectors do not belong together."""
        with (folder / "entries.jsonl").open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        vectors: NDArray[np.float32] = np.load(folder / "vectors.npy", allow_pickle=False)
        if vectors.shape != (len(rows), self._embedder.dim):
            raise LedgerError(
                f"{folder}: got vectors of shape {vectors.shape} for {len(rows)} entries and an embedder of "
                f"{self._embedder.dim} dimensions: load the memory with the embedder that wrote it"
            )
        self._entries = [Entry(**{**row, "actions": tuple(row["actions"])}) for row in rows]
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self._entries)

    def _embed(self, text: str, task_id: str, trial: int, phase: Phase) -> NDArray[np.float32]:
        vectors = self._embedder.embed([text], call=Call(task_id, trial, phase, role=ROLE))
        return vectors.reshape(self._embedder.dim)

    def _item(self, entry: Entry, score: float) -> RecallItem:
        head = [f"Task: {_line(entry.task)}", f"Outcome: {entry.outcome}; {len(entry.actions)} actions"]
        if self._show_observation:
            head.append(f"First observation: {_line(entry.observation)}")
        numbered = [f"{number}. {action}" for number, action in enumerate(entry.actions, 1)]
        lines = [line[:LINE_CHARS] for text in numbered for line in text.splitlines() if line.strip()]
        text = "\n".join([*head, *lines[: self._max_actions]])
        return RecallItem(entry.id, "episode", score, text, (entry.task_id,))


def _cosines(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosine of each unit row with a unit query, shape (n,), to six digits.

    Row by row in float64 and rounded: equal rows score equally wherever they stand, which a matrix product does not
    promise, and ties are broken by age on every machine alike.
    """
    products: NDArray[np.float64] = (rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    return products.round(6)


def _outcome(experience: Experience) -> str:
    label = {True: "solved", False: "failed", None: "unknown"}[experience.success]
    return label if experience.score is None else f"{label}, score {experience.score:g}"


def _line(text: str) -> str:
    return " ".join(text.split())[:LINE_CHARS]
