"""The vocabulary: one frozen type for each word that environments, memories and agents share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

import numpy as np

Role = Literal["system", "user", "assistant"]
Phase = Literal["agent", "retrieve", "step", "update", "judge"]
FeedbackSource = Literal["env", "judge", "none"]
ExpertKind = Literal["exact", "path", "none"]

RUNTIME = "runtime"
"""Marks a configuration field that cannot change results: ``timeout_s: Annotated[float, RUNTIME] = 60``."""


class StepKind(StrEnum):
    """What a step was: an action in the environment, a memory tool call, or an unreadable answer."""

    ACT = "act"
    TOOL = "tool"
    FORMAT_ERROR = "format_error"


class StopReason(StrEnum):
    """Why an episode ended; every one of these is scored. Infrastructure stops are errors, never one of these."""

    SOLVED = "solved"
    FAILED = "failed"
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - a stop reason, not a secret
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    FORMAT_LIMIT = "format_limit"
    CONTEXT_OVERFLOW = "context_overflow"
    EMPTY_OUTPUT = "empty_output"


@dataclass(frozen=True, slots=True)
class Task:
    """One task as agents and memories may see it; ground truth stays inside the environment."""

    id: str
    """Unique within its benchmark; the environment finds everything else by it."""
    benchmark: str
    """The environment's name, such as ``alfworld``."""
    text: str
    """The instruction. Empty where only a started session knows it: read ``Session.task`` then."""
    family: str
    """The task's category, for per-category tables and purity."""
    template: str
    """The finer kind the task is an instance of, for regret and leave-template-out."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thought, action and observation of an episode."""

    kind: StepKind
    action: str
    observation: str
    thought: str = ""
    reward: float = 0.0
    """Change of the score, in the benchmark's own unit."""
    done: bool = False
    """Whether the environment ended with this step; final once true."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An episode's verdict."""

    success: bool
    score: float
    """In the benchmark's own unit and range, finite."""
    stop: StopReason


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls to a model cost. Token counts are the provider's own, or estimates where it gives none."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Reasoning included."""
    cached_tokens: int = 0
    """The part of the prompt that the provider served from its cache."""
    reasoning_tokens: int = 0
    cost_usd: float | None = 0.0
    """US dollars; None once any part of it is unknown."""

    def __add__(self, other: Usage) -> Usage:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            (self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the token budget took out of a prompt before one call."""

    step: int
    """Number of the step the prompt was for, from 1."""
    items: tuple[str, ...]
    """Ids of the memory items dropped, lowest score first."""
    steps: int
    """How many of the oldest steps were left out."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One attempt at one task."""

    task: Task
    trial: int
    """1, 2, ... where a method retries a task."""
    observation: str
    """The first observation."""
    steps: tuple[Step, ...]
    outcome: Outcome
    dropped: tuple[Dropped, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions the environment executed, in order."""
        return tuple(step.action for step in self.steps if step.kind is StepKind.ACT)


@dataclass(frozen=True, slots=True)
class Experience:
    """An episode with the feedback a memory may see; a memory never reads ``episode.outcome``."""

    episode: Episode
    source: FeedbackSource
    success: bool | None
    """None if and only if the source is ``none``."""
    score: float | None
    """In the benchmark's own unit; None where the source gives no score."""


@dataclass(frozen=True, slots=True)
class RecallItem:
    """One memory item that retrieval injected."""

    id: str
    kind: str
    """The method's own word for it, such as ``episode``, ``workflow`` or ``insight``."""
    score: float
    """Retrieval score, higher is nearer; in the method's own range, finite."""
    text: str
    """What the agent reads."""
    born: tuple[str, ...]
    """Provenance: ids of the tasks it was made from."""


@dataclass(frozen=True, slots=True)
class Recall:
    """What retrieval injected. Without items its text is empty, heading and all."""

    items: tuple[RecallItem, ...] = ()
    heading: str = ""
    """The line above the items."""

    @property
    def text(self) -> str:
        """The text put into the prompt: heading and items, one below the other."""
        if not self.items:
            return ""
        return "\n".join([self.heading] * bool(self.heading) + [item.text for item in self.items])

    @property
    def lines(self) -> int:
        """Lines of ``text``, blank ones not counted."""
        return sum(1 for line in self.text.splitlines() if line.strip())

    def without(self, ids: Sequence[str]) -> Recall:
        """Return the recall less the items named."""
        return replace(self, items=tuple(item for item in self.items if item.id not in set(ids)))


@dataclass(frozen=True, slots=True)
class View:
    """What a memory sees before a later action of a running episode."""

    task: Task
    trial: int
    observation: str
    """The first observation."""
    steps: tuple[Step, ...]
    recall: Recall
    """What is injected at present."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a memory asks for in the middle of an episode."""

    recall: Recall | None = None
    """Replaces the present recall; None leaves it."""
    keep_steps: int | None = None
    """How many of the latest steps the prompt keeps; None keeps all that fit."""


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What a memory did with an experience."""

    items: int
    """Items in the store afterwards."""
    written: tuple[str, ...] = ()
    """Ids of the items made or changed."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """The method's diagnostics: JSON values only, no wall-clock times."""


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """What a memory is told about its stream."""

    name: str
    benchmark: str
    seed: int
    frozen: bool
    """Whether update is never called."""
    outcome_source: FeedbackSource
    clock: int
    """Episodes learned from so far, those of a loaded memory included: the number of the next one, from 0. Memories
    never read the wall clock."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where an episode is stopped. The step that reaches a limit is executed and scored; no further one is sent."""

    max_steps: int
    """Environment steps."""
    max_tokens: int | None = None
    """Prompt and completion tokens of the whole episode, memory's calls included."""
    max_cost_usd: float | None = None
    max_time_s: float | None = None
    """Wall-clock seconds. Gives up byte-equal repetition, so it is disclosed."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """Whose call this is, and what an offline backbone may use to answer it. The callables are never serialised."""

    task_id: str
    trial: int
    phase: Phase
    step: int = 0
    """Number of the step the call serves, from 1; 0 outside the steps."""
    role: str = "solver"
    """The agent's role; methods name their own, such as ``router``."""
    ordinal: int = 0
    """0, 1, ... for repeated asking of the same thing, such as a repair."""
    choices: Callable[[], Sequence[str] | None] | None = field(default=None, compare=False, repr=False)
    """The admissible actions, lazily."""
    grammar: Callable[[], str | None] | None = field(default=None, compare=False, repr=False)
    """A GBNF grammar of the actions where they cannot be listed, lazily."""
    expert: Callable[[], str | None] | None = field(default=None, compare=False, repr=False)
    """``Session.expert``; only the expert and apprentice backbones read it."""
    sample: Callable[[np.random.Generator], str | None] | None = field(default=None, compare=False, repr=False)
    """``Session.sample``; only the random and apprentice backbones read it."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    """Empty where the model said nothing."""
    finish: Literal["stop", "length", "filter"]
    usage: Usage
    reasoning: str = ""
    """Kept for reading; never parsed, never stored in a memory."""
    model: str = ""
    """The model id as the provider reported it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a memory offers to the agent."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments."""
    call: Callable[[Mapping[str, Any]], str]
