"""Reading run folders: what was resolved, how far it is, and its episodes one at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import LedgerError
from harness.ledger.progress import Progress, read_progress
from harness.ledger.record import EpisodeRecord, parse_record

LOCK = "lock.json"
EPISODES = "episodes.jsonl"
LOCK_SCHEMA = 1


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class EnvironmentFacts(_Lenient):
    """The environment as the run resolved it."""

    name: str
    variant: str = ""
    metrics: tuple[str, ...] = ("sr",)
    """The first is the main one."""
    disclosures: tuple[str, ...] = ()
    deterministic: bool = True


class MemoryFacts(_Lenient):
    """The memory method as the run resolved it."""

    name: str
    mode: str = ""
    variant: str = ""
    disclosures: tuple[str, ...] = ()


class BackboneFacts(_Lenient):
    """The backbone as the run resolved it."""

    id: str
    real: bool
    """Whether a language model answered."""
    disclosures: tuple[str, ...] = ()
    settings: dict[str, Any] = {}


class Named(_Lenient):
    """An agent."""

    name: str


class Identified(_Lenient):
    """An embedder."""

    id: str


class Lock(_Lenient):
    """The part of lock.json that tables and summaries read."""

    schema_version: int = Field(alias="schema")
    run: str
    """Name of the folder."""
    env: EnvironmentFacts
    memory: MemoryFacts
    backbone: BackboneFacts
    memory_backbone: BackboneFacts | None = None
    """The memory's own; None where it is the agent's."""
    judge: BackboneFacts | None = None
    """None where nobody judges."""
    embedder: Identified | None = None
    agent: Named
    seed: int
    protocol: str = "online"
    order: str = "dataset"
    outcome_source: str = "env"
    tasks: tuple[str, ...]
    """Ids in stream order."""
    n_planned: int
    trials: int = 1
    """Attempts at a task until it is solved."""
    settings: dict[str, Any] = Field({}, alias="asked")
    """Every setting that decides results, by group, defaults filled in."""
    limits: dict[str, Any] = {}
    """Where an episode is stopped, such as ``max_steps``."""
    versions: dict[str, Any] = {}
    git: dict[str, Any] | None = None
    digests: dict[str, Any] = {}
    prompts: dict[str, Any] = {}
    row: str | None = None
    experiment: str | None = None
    overrides: tuple[str, ...] = ()
    disclosures: tuple[str, ...] = ()
    """Of the stream itself."""
    started: str = ""
    """ISO 8601, UTC."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, complete or not. Episodes are read from disk each time they are asked for."""

    folder: Path
    lock: Lock
    state: Progress | None
    """None where the runner left no progress file."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def torn(self) -> bool:
        """Whether the last episode's line was cut short by a kill; it is not read and its task runs again."""
        return _torn(self.folder / EPISODES)

    def records(self) -> Iterator[EpisodeRecord]:
        """Yield the committed episodes in stream order. Raises LedgerError, naming file and line, for damage."""
        return read_records(self.folder / EPISODES)


def read_run(folder: Path) -> Run:
    """Read what a run resolved and how far it is. Raises LedgerError where the folder is none, or is damaged."""
    path = folder / LOCK
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        version = value.get("schema") if isinstance(value, dict) else None
        if version != LOCK_SCHEMA:
            raise LedgerError(
                f"{path}: got schema {version!r}, this version reads 1 to {LOCK_SCHEMA}: "
                "read it with the version that wrote it"
            )
        lock = Lock.model_validate(value)
    except FileNotFoundError as error:
        raise LedgerError(f"{folder}: not a run folder: it has no {LOCK}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise LedgerError(f"{path}: not a lock file: {error}") from error
    return Run(folder, lock, read_progress(folder))


def find_runs(root: Path) -> list[Run]:
    """Return every run at or below a folder, sorted by path; a run's own subfolders are not searched."""
    found = []
    for folder, below, files in os.walk(root):
        if LOCK in files:
            found.append(Path(folder))
            below.clear()
    return [read_run(folder) for folder in sorted(found)]


def read_records(path: Path) -> Iterator[EpisodeRecord]:
    """Yield the episodes of a file, one line in memory at a time; a torn last line is left out.

    A line is committed by its newline, so a last line without one is torn however well it reads. Raises LedgerError,
    naming file and line, for anything else that is no episode or is out of its order.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file):
            if not line.endswith(b"\n"):
                return
            where = f"{path}:{number + 1}"
            try:
                record = parse_record(line.decode("utf-8"), where)
            except UnicodeDecodeError as error:
                raise LedgerError(f"{where}: not UTF-8 text: {error}") from error
            if record.index != number:
                raise LedgerError(f"{where}: got episode {record.index}, expected {number}: lines are missing")
            yield record


def _torn(path: Path) -> bool:
    if not path.exists() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
