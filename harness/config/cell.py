"""One cell of a sweep: a checked configuration, with its identity and its name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.config.schema import LimitSettings, RootSettings, StreamSettings, TaskSettings
from harness.config.signature import parameters, plain, runtime_fields, slug


@dataclass(frozen=True, slots=True)
class Part:
    """A class and the arguments its configuration gives it."""

    target: type[Any]
    args: Mapping[str, Any]

    def identity(self) -> dict[str, Any]:
        """Return what decides results: the class and its arguments, runtime settings left out."""
        runtime = runtime_fields(self.target)
        args = {name: plain(value) for name, value in sorted(self.args.items()) if name not in runtime}
        return {"_target_": f"{self.target.__module__}.{self.target.__qualname__}", **args}

    def build(self, **injected: Any) -> Any:
        """Construct the object; of what is injected it gets what its signature names."""
        wanted = {name: value for name, value in injected.items() if name in parameters(self.target)}
        return self.target(**self.args, **wanted)


@dataclass(frozen=True, slots=True)
class Cell:
    """A stream that can be run: every key known, typed and present."""

    env: Part
    tasks: TaskSettings
    memory: Part
    backbone: Part
    embedder: Part
    agent: Part
    memory_backbone: Part | None
    judge_backbone: Part | None
    tracking: Part | None
    stream: StreamSettings
    limits: LimitSettings
    root: RootSettings
    asked: Mapping[str, Any]
    """The resolved configuration as composed."""
    choices: Mapping[str, str | None]
    """Which member of each group was chosen."""
    prefill: Part | None = None
    train: Cell | None = None
    store_digest: str | None = None
    """Of the memory a frozen or transfer stream starts from; None where a train stream makes it first."""
    overrides: tuple[str, ...] = field(default=(), compare=False)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides results, defaults filled in."""
        parts = ("env", "memory", "backbone", "embedder", "agent", "memory_backbone", "judge_backbone", "prefill")
        found = {name: getattr(self, name).identity() for name in parts if getattr(self, name) is not None}
        for name, settings in (("tasks", self.tasks), ("stream", self.stream), ("limits", self.limits)):
            runtime = runtime_fields(type(settings))
            found[name] = {k: plain(v) for k, v in settings.model_dump().items() if k not in runtime}
        found["stream"].pop("store")
        found |= {"seed": self.root.seed, "store": self.store_digest}
        return found | ({"train": self.train.identity} if self.train else {})

    @property
    def identity_hash(self) -> str:
        """Return sha256 of the identity."""
        return hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()

    @property
    def name(self) -> str:
        """Return the run folder's name: what a person looks for, then 8 hex of the identity hash."""
        words = [self.choices.get("env"), self.choices.get("row") or self.choices.get("memory")]
        words += [self.choices.get("backbone"), f"s{self.root.seed}"]
        return f"{slug('-'.join(word or 'custom' for word in words), 51)}-{self.identity_hash[:8]}"

    @property
    def folder(self) -> Path:
        """Return the run folder."""
        return Path(self.root.out) / self.name
