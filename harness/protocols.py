"""What environments, sessions, agents, memories, backbones and embedders must be able to do. No base classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from harness.types import (
    Advice,
    Call,
    Completion,
    Episode,
    Experience,
    ExpertKind,
    Limits,
    Message,
    Outcome,
    Recall,
    Step,
    StreamInfo,
    Task,
    Tool,
    UpdateReport,
    View,
)


class Session(Protocol):
    """One running episode of an environment; a context manager that leaves no process behind."""

    @property
    def task(self) -> Task:
        """The task with its instruction filled in."""

    @property
    def observation(self) -> str:
        """The first observation, the instruction included where the engine prints it."""

    @property
    def actions(self) -> Sequence[str] | None:
        """The admissible actions now, asked of the engine lazily: a hint, not a whitelist. None where it has none."""

    def grammar(self) -> str | None:
        """Return a GBNF grammar of the actions where they cannot be listed, else None."""

    def step(self, action: str) -> Step:
        """Execute an action verbatim. Raises EnvironmentFault on an engine failure and after the end."""

    def outcome(self) -> Outcome:
        """Return the environment's own verdict on the state reached so far (stop: solved or failed)."""

    def expert(self) -> str | None:
        """Return the next action of a plan from the present state, or None. Lazy, and changes nothing."""

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return a random admissible action, never an irreversible one."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class MeasuredSession(Protocol):
    """A session whose outcome has more figures than its score."""

    def measures(self) -> Mapping[str, float]:
        """Return further figures of the state reached so far, by metric name, such as ``f1``."""


class Environment(Protocol):
    """A benchmark: its tasks, and sessions of them."""

    @property
    def name(self) -> str:
        """Short and stable, such as ``scienceworld``; the first part of a table's column."""

    @property
    def variant(self) -> str:
        """What distinguishes this set of tasks, such as ``paper23`` or ``valid_unseen``; part of the column."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names out of ``harness.metrics``; the first is the main one."""

    @property
    def expert_kind(self) -> ExpertKind:
        """How far ``Session.expert`` can be trusted."""

    @property
    def deterministic(self) -> bool:
        """Whether equal actions give equal observations in a fresh session."""

    @property
    def offers_actions(self) -> bool:
        """Whether its admissible actions are few enough, and cheap enough to ask for, to be shown to an agent."""

    @property
    def prompts(self) -> Path:
        """The folder of ``system.md`` and ``fewshots.md``."""

    @property
    def disclosures(self) -> Sequence[str]:
        """Sentences that every table with this environment must print."""

    def tasks(self) -> Sequence[Task]:
        """Return all tasks in dataset order. Raises ConfigError where data is missing or wrong."""

    def start(self, task: Task) -> Session:
        """Start a fresh session of a task. Raises EnvironmentFault where the engine cannot be had."""

    def digests(self) -> Mapping[str, str]:
        """Return the sha256 of each data file or engine that decides what the tasks are."""

    def close(self) -> None:
        """Give up whatever was started ahead. May be called twice."""


class Memory(Protocol):
    """A memory method. Constructed with backbone, embedder and draws; fresh means empty."""

    @property
    def name(self) -> str:
        """The method's name, as configurations spell it."""

    @property
    def mode(self) -> str:
        """How faithful it is, paper | repo | standin; printed in every table row."""

    @property
    def variant(self) -> str:
        """Which of a method's own forms this is; empty for the only one."""

    @property
    def disclosures(self) -> Sequence[str]:
        """Sentences that every table with this memory must print."""

    def begin(self, info: StreamInfo) -> None:
        """Take note of the stream; called once before the first episode, and again after load."""

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return what to inject before the first action; never items born from this task."""

    def update(self, experience: Experience) -> UpdateReport:
        """Learn from one scored episode."""

    def save(self, folder: Path) -> None:
        """Write the whole state into an empty folder; equal memories write equal bytes."""

    def load(self, folder: Path) -> None:
        """Become what was saved."""

    def __len__(self) -> int:
        """Return the number of items in the store."""


@runtime_checkable
class PromptedMemory(Protocol):
    """A memory that asks a model of its own accord; its prompts are part of what a run is."""

    @property
    def prompts(self) -> Sequence[Path]:
        """Files, or folders with all their files, whose texts its calls are made from."""


@runtime_checkable
class PrefillableMemory(Protocol):
    """A memory whose store can be filled before a stream begins, for experiments that control its size."""

    def prefill(self, experiences: Sequence[Experience]) -> None:
        """Store each solved episode as an item of its own; no model is asked, nothing is judged, merged or forgotten.

        Called once, after ``begin``. Embedding calls bear the task id ``prefill``.
        """


@runtime_checkable
class StepMemory(Protocol):
    """A memory that also speaks up before later actions."""

    def step(self, view: View) -> Advice | None:
        """Return advice before a later action, or None."""


@runtime_checkable
class ToolMemory(Protocol):
    """A memory that offers tools to the agent."""

    def tools(self) -> Sequence[Tool]:
        """Return the tools; they leave a frozen memory unchanged."""


@runtime_checkable
class RoleMemory(Protocol):
    """A memory that shows each role of a team its own part."""

    def project(self, recall: Recall, role: str) -> Recall:
        """Return the part of a recall that a role sees."""


class Backbone(Protocol):
    """A language model, or something that stands in for one and says so."""

    @property
    def id(self) -> str:
        """The exact model id; printed in every table row."""

    @property
    def real(self) -> bool:
        """Whether a language model answers; False for scripted and simulated ones."""

    @property
    def disclosures(self) -> Sequence[str]:
        """Sentences that every table with this backbone must print."""

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Answer one prompt; with a schema, ask for JSON of it (the text is still to be parsed).

        Raises BackboneError of some kind; see harness.errors for what each one leads to.
        """

    def settings(self) -> Mapping[str, object]:
        """Return what decides its answers besides the messages (model, base URL, sampling); JSON values, no secrets."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def id(self) -> str:
        """The exact model id."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str], *, call: Call) -> NDArray[np.float32]:
        """Return an array of shape (n, dim), float32, rows of length 1 (all zero for a text without content)."""


class Agent(Protocol):
    """Plays an episode."""

    @property
    def name(self) -> str:
        """The agent's name, as configurations spell it."""

    def solve(
        self, session: Session, task: Task, trial: int, memory: Memory, recall: Recall, limits: Limits
    ) -> Episode:
        """Play until the end or a limit. Raises InfrastructureError; never turns one into an outcome."""

    def digest(self) -> str:
        """Return the sha256 of everything it says to a model besides the task, the memory and the history."""
