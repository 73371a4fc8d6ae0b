"""A composed configuration becomes a cell, or one error that names everything wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel

from harness.config.cell import Cell, Part
from harness.config.rows import unsaid
from harness.config.schema import JudgeSettings, LimitSettings, RootSettings, StreamSettings, TaskSettings
from harness.config.signature import check, load_class, no_member, validate
from harness.errors import ConfigError, HarnessError
from harness.ledger.folder import RunFolder

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


def checked_cell(config: DictConfig, choices: Mapping[str, str | None], overrides: tuple[str, ...] = ()) -> Cell:
    """Check a composed configuration. Raises ConfigError with one line for each thing that is wrong."""
    return _Check(_resolved(config), choices, overrides).cell()


def _resolved(config: DictConfig) -> dict[str, Any]:
    try:
        found = OmegaConf.to_container(config, resolve=True)
        missing = sorted(OmegaConf.missing_keys(config))
    except OmegaConfBaseException as error:
        key = getattr(error, "full_key", None) or "configuration"
        raise ConfigError(f"{key}: broken interpolation: {str(error).splitlines()[0]}") from error
    if missing:
        raise ConfigError("\n".join(f"{key}: missing; set it with {key}=..." for key in missing))
    if not isinstance(found, dict):
        raise ConfigError(f"configuration: got {type(found).__name__}, expected keys and values")
    return {str(key): value for key, value in found.items()}


def _replayed_beside(train: Cell, replay: str | None) -> Cell:
    """Return a train stream that replays its own recorded run: the one that lies beside the run that was named."""
    if replay is None:
        return train
    own = (Path(replay) if Path(replay).is_dir() else Path(replay).parent).parent / train.name
    return replace(train, root=train.root.model_copy(update={"replay": str(own)}))


@dataclass(slots=True)
class _Check:
    """Collects every problem of a configuration before it gives up."""

    asked: dict[str, Any]
    choices: Mapping[str, str | None]
    overrides: tuple[str, ...]
    problems: list[str] = field(default_factory=list)

    def cell(self) -> Cell:
        root = self._settings(RootSettings, self.asked, "")
        if root is None:
            raise ConfigError("\n".join(self.problems))
        env, tasks = self._env(root.env)
        memory, memory_backbone = self._memory(root.memory)
        backbone, embedder, agent = (
            self._part(getattr(root, name), name) for name in ("backbone", "embedder", "agent")
        )
        judge = self._settings(JudgeSettings, root.judge, "judge")
        judge_backbone = self._optional(judge and judge.backbone, "judge.backbone")
        tracking, prefill = self._optional(root.tracking, "tracking"), self._optional(root.prefill, "prefill")
        stream = self._settings(StreamSettings, root.stream, "stream")
        limits = self._settings(LimitSettings, root.limits, "limits")
        train, digest = self._start(root, stream) if stream else (None, None)
        self.problems += unsaid(self.choices.get("row"), self.asked, self.choices)
        if self.problems or not (env and tasks and memory and backbone and embedder and agent and stream and limits):
            raise ConfigError("\n".join(dict.fromkeys(self.problems)))
        if train and stream.protocol == "online":
            stream = stream.model_copy(update={"protocol": "frozen"})
        return Cell(
            env=env, tasks=tasks, memory=memory, backbone=backbone, embedder=embedder, agent=agent,
            memory_backbone=memory_backbone, judge_backbone=judge_backbone, tracking=tracking, stream=stream,
            limits=limits, root=root, asked=self.asked, choices=self.choices, prefill=prefill, train=train,
            store_digest=digest, overrides=self.overrides,
        )  # fmt: skip

    def _start(self, root: RootSettings, stream: StreamSettings) -> tuple[Cell | None, str | None]:
        """Return the stream that makes the starting memory, or the digest of the memory there is."""
        if root.train:
            if stream.store:
                self.problems.append("stream.store: got a store and env@train; give one of them")
            own = {**root.stream, "protocol": "online", "store": None}
            asked = {**self.asked, "env": root.train, "train": None, "prefill": None, "stream": own}
            choices = {**self.choices, "env": self.choices.get("env@train")}
            train = self._try(lambda: _Check(asked, choices, self.overrides).cell())
            return train and _replayed_beside(train, root.replay), None
        if stream.protocol == "online":
            if stream.store:
                self.problems.append("stream.store: an online stream starts empty; stream.protocol=frozen or transfer")
            return None, None
        if not stream.store and root.prefill:
            return None, None
        if not stream.store:
            self.problems.append(
                f"stream.store: missing; stream.protocol={stream.protocol} starts from the memory of a finished run: "
                "stream.store=RUN_FOLDER, or env@train=NAME to make one first"
            )
            return None, None
        store = RunFolder(Path(stream.store))
        return None, self._try(lambda: store.final_memory()[1])

    def _env(self, values: Mapping[str, Any]) -> tuple[Part | None, TaskSettings | None]:
        own = {k: v for k, v in values.items() if k not in TaskSettings.model_fields}
        ours = {k: v for k, v in values.items() if k in TaskSettings.model_fields}
        return self._part(own, "env", also=TaskSettings.model_fields), self._settings(TaskSettings, ours, "env")

    def _memory(self, values: Mapping[str, Any]) -> tuple[Part | None, Part | None]:
        own = {k: v for k, v in values.items() if k != "backbone"}
        return self._part(own, "memory"), self._optional(values.get("backbone"), "memory.backbone")

    def _part(self, values: Any, where: str, also: Mapping[str, Any] | None = None) -> Part | None:
        if not isinstance(values, Mapping) or "_target_" not in values:
            self.problems.append(no_member(where, values))
            return None
        args = {str(k): v for k, v in values.items() if k != "_target_"}

        def made() -> Part:
            target = load_class(str(values["_target_"]), where)
            return Part(target, check(target, args, where, also or {}))

        return self._try(made)

    def _optional(self, values: Any, where: str) -> Part | None:
        return self._part(values, where) if values else None

    def _settings(self, model: type[M], values: Mapping[str, Any], where: str) -> M | None:
        return self._try(lambda: validate(model, values, where))

    def _try(self, action: Callable[[], T]) -> T | None:
        try:
            return action()
        except HarnessError as error:
            self.problems.append(str(error))
            return None
