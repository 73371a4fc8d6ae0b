"""What G-Memory's repository ships under other methods' names: whole episodes, found by one embedded text.

Its Voyager and MemoryBank embed a summary by the model in place of the task; its Generative Agents embeds the task and
has the model grade what it finds. All three store successes and failures and filter by that label.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from baselines.g_memory.asking import Asker, call_of, embed_one
from baselines.g_memory.condensing import PROMPTS as CONDENSING
from baselines.g_memory.condensing import TEXT_CHARS, Answer, Text, outcome_text
from baselines.g_memory.queries import QueryGraph, QueryNode
from baselines.g_memory.recalling import HEADING, Chooser, trajectory_item
from baselines.g_memory.settings import Keeping, Linking, Recalling
from baselines.g_memory.trajectory import clean, query_text, states, task_text, trajectory_text
from harness.agents.layout import TASK
from harness.protocols import Backbone, Embedder
from harness.types import Episode, Experience, Recall, StreamInfo, Task, UpdateReport

PROMPTS = Path(__file__).with_name("prompts")
DISCLOSURE = (
    "Variant gmemory is the small method of this name in G-Memory's repository, not the published one: episodes by one "
    "embedded text, filtered by label."
)


def prompts_of(*names: str) -> tuple[Path, ...]:
    """Return the files of the prompts of these names, and of those that every look-alike asks with."""
    return (*(PROMPTS / f"{name}.md" for name in names), PROMPTS / "summary.md", CONDENSING / "relevance.md")


class Summary(Answer):
    """An episode in a few sentences."""

    summary: Text


class Form(Protocol):
    """One of a method's two forms: a memory without a name."""

    def begin(self, info: StreamInfo) -> None:
        """Take note of the stream."""

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return what to inject."""

    def update(self, experience: Experience) -> UpdateReport:
        """Learn from an episode."""

    def save(self, folder: Path) -> None:
        """Write the whole state."""

    def load(self, folder: Path) -> None:
        """Become what was saved."""

    def __len__(self) -> int:
        """Return the number of items."""


class TwoForms:
    """A memory that is the original method or its look-alike, as its variant says; passes everything on."""

    _form: Form

    def begin(self, info: StreamInfo) -> None:
        """Tell the form of the stream."""
        self._form.begin(info)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return what the form recalls; nothing that this task went into."""
        return self._form.retrieve(task, observation, trial=trial)

    def update(self, experience: Experience) -> UpdateReport:
        """Let the form learn from an episode."""
        return self._form.update(experience)

    def save(self, folder: Path) -> None:
        """Write the whole state into an empty folder; equal memories write equal bytes."""
        self._form.save(folder)

    def load(self, folder: Path) -> None:
        """Become what was saved. Raises LedgerError where the folder is of another embedder."""
        self._form.load(folder)

    def __len__(self) -> int:
        return len(self._form)


class LookAlike:
    """Episodes found by an embedded text; an episode that nobody judged has no label and is not stored.

    Args:
        backbone: writes summaries, and grades where ``recalling.rate`` is on.
        embedder: makes the vectors.
        summarize: whether a summary stands in for the task: it is embedded, and shown.
        keeping: what is kept of a trajectory.
        recalling: what is injected; there is no graph to follow.
        repairs: how often an unreadable answer is asked for again.
    """

    def __init__(
        self, backbone: Backbone, embedder: Embedder, *, summarize: bool, keeping: Keeping, recalling: Recalling,
        repairs: int,
    ) -> None:  # fmt: skip
        self._embedder, self._summarize = embedder, summarize
        self._keeping, self._recalling = keeping, recalling
        self._asker = Asker(backbone, PROMPTS, repairs)
        self._grader = Asker(backbone, CONDENSING, repairs)
        self._chooser = Chooser(self._grader, recalling, k=1)
        self._become_empty()

    def _become_empty(self) -> None:
        self.episodes = QueryGraph(self._embedder.dim, Linking(neighbours=1, cosine=1.0))

    def begin(self, info: StreamInfo) -> None:
        """Take note of nothing."""

    def __len__(self) -> int:
        return len(self.episodes)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return the nearest solved episodes of other tasks, then the nearest failed ones."""
        text = query_text(task, observation)
        ranking = self.episodes.ranked(embed_one(self._embedder, text, task.id, trial, "retrieve"), without=task.id)
        call = call_of(task.id, trial, "retrieve", "relevance")
        hits = self._chooser.trajectories(self.episodes, ranking, text, call)
        return Recall(tuple(trajectory_item(hit, self._recalling.steps) for hit in hits), HEADING)

    def update(self, experience: Experience) -> UpdateReport:
        """Store the episode under its label: one call to the model where it is summarized."""
        episode, resolved = experience.episode, experience.success
        if resolved is None:
            return UpdateReport(items=len(self), notes={"unjudged": True})
        node = QueryNode(
            id=self.episodes.next_id, task_id=episode.task.id, trial=episode.trial,
            text=clean(task_text(episode), TEXT_CHARS), resolved=resolved,
            states=states(episode, self._keeping, condensed=False), key_steps=(), fail_reason="",
        )  # fmt: skip
        key = task_text(episode)
        if self._summarize and (summary := self._summary(node, episode)):
            node, key = replace(node, text=summary), summary
        self.episodes.add(node, embed_one(self._embedder, key, episode.task.id, episode.trial, "update"))
        unreadable = self._grader.take_unreadable() | self._asker.take_unreadable()
        return UpdateReport(len(self), (node.id,), {"unreadable": unreadable})

    def _summary(self, node: QueryNode, episode: Episode) -> str:
        """Return the summary; empty where it stays unreadable, and the task stands."""
        values = {
            "task": f"{TASK} {node.text}",
            "trajectory": trajectory_text(node.states),
            "outcome": outcome_text(resolved=node.resolved),
        }
        answer = self._asker.ask(Summary, values, call_of(episode.task.id, episode.trial, "update", "summary"))
        return clean(answer.summary, TEXT_CHARS) if answer else ""

    def save(self, folder: Path) -> None:
        """Write the episodes."""
        self.episodes.save(folder)

    def load(self, folder: Path) -> None:
        """Become what was saved."""
        self._become_empty()
        self.episodes.load(folder)


def record_text(experience: Experience, keeping: Keeping, actions: int) -> str:
    """Return an episode as a piece of memory: task, what the feedback said, and its first actions, numbered."""
    label = {True: "solved", False: "failed", None: "unknown"}[experience.success]
    lines = [f"{TASK} {clean(task_text(experience.episode), TEXT_CHARS)}", f"Outcome: {label}"]
    done = experience.episode.actions[:actions]
    lines += [f"{number}. {clean(action, keeping.action_chars)}" for number, action in enumerate(done, 1)]
    return "\n".join(lines)
