"""The settings of a stream that belong to no environment, memory or model, and how they are checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness.types import RUNTIME, FeedbackSource

Order = Literal["dataset", "shuffled", "grouped"]
Protocol = Literal["online", "frozen", "transfer"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StreamSettings(_Strict):
    """How a stream is run."""

    protocol: Protocol = "online"
    """online learns as it goes; frozen only reads a loaded store; transfer loads another run's store and goes on."""
    store: str | None = None
    """Run folder whose memory a frozen or transfer stream starts from; null with `env@train=...`."""
    outcome_source: FeedbackSource = "env"
    """Whose verdict the memory sees: the environment's, a judge's, or none."""
    trials: Annotated[int, Field(ge=1)] = 1
    """Attempts at a task until it is solved."""
    on_infrastructure: Literal["stop", "skip"] = "stop"
    """After the last attempt: stop, resumable, or record the episode as lost and go on."""
    max_attempts: Annotated[int, Field(ge=1), RUNTIME] = 3
    """Plays of an episode that ends in an infrastructure error."""
    retry_wait_s: Annotated[float, Field(ge=0), RUNTIME] = 2.0
    """Seconds before an episode is played again; doubled each time."""
    save_every: Annotated[int, Field(ge=1), RUNTIME] = 1
    """Episodes between two full snapshots of the memory; the hooks are driven again from the last one at resume."""
    budget_usd: Annotated[float | None, Field(gt=0), RUNTIME] = None
    """Dollars after which the stream stops, resumable."""
    budget_tokens: Annotated[int | None, Field(gt=0), RUNTIME] = None
    """Tokens after which the stream stops, resumable."""


class LimitSettings(_Strict):
    """Where an episode is stopped, besides `env.max_steps`."""

    max_tokens: Annotated[int | None, Field(gt=0)] = None
    """Prompt and completion tokens an episode."""
    max_cost_usd: Annotated[float | None, Field(gt=0)] = None
    """Dollars an episode."""
    max_time_s: Annotated[float | None, Field(gt=0)] = None
    """Wall-clock seconds an episode; disclosed, since it gives up byte-equal repetition."""


class TaskSettings(_Strict):
    """The keys of an `env` group that the stream reads."""

    tasks: int | str | list[str] | dict[str, Any] | None = None
    """null all; N the first N; "a:b[:c]" a slice; [ids]; {families: [..], ids: [..], count: N, per_family: N}."""
    order: Order = "dataset"
    """dataset as the environment lists them; shuffled by the seed; grouped by family, families in dataset order."""
    max_steps: Annotated[int, Field(ge=1)] = 30
    """Environment steps an episode."""


class RootSettings(_Strict):
    """The top level of a configuration."""

    env: dict[str, Any]
    memory: dict[str, Any]
    backbone: dict[str, Any]
    embedder: dict[str, Any]
    agent: dict[str, Any]
    judge: dict[str, Any] = {}
    tracking: dict[str, Any] | None = None
    train: dict[str, Any] | None = None
    """An env group: a stream over it is run first and its memory is then evaluated, frozen."""
    prefill: dict[str, Any] | None = None
    """What fills the memory's store before the first episode: the store's size as an experiment's only difference."""
    stream: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    seed: Annotated[int, Field(ge=0)] = 0
    """Sets order, replicate, memory draws and apprentice noise, each through its own derived generator."""
    out: Annotated[str, RUNTIME] = "results/runs"
    """The root of run folders."""
    replay: Annotated[str | None, RUNTIME] = None
    """calls.sqlite or folder of a finished run: every answer comes from it, a miss is an error."""
    shared: Annotated[list[str], RUNTIME] = []
    """calls.sqlite or folders of other runs whose complete answers may serve this one."""
    junit: Annotated[str | None, RUNTIME] = None
    """File for a JUnit report of the sweep; also ``--junit FILE``."""
    fail_under: Annotated[float | None, Field(ge=0, le=1), RUNTIME] = None
    """Success rate, 0 to 1, that every stream must reach, else exit code 4; also ``--fail-under X``."""
    display: Annotated[Literal["auto", "plain", "off"], RUNTIME] = "auto"
    """How progress is shown."""


class JudgeSettings(_Strict):
    """Who judges where `stream.outcome_source=judge`."""

    backbone: dict[str, Any] | None = None
    """A backbone group; null asks the agent's own."""
