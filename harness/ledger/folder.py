"""A run's folder: who may use it, and whether it belongs to the configuration that asks for it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from harness.errors import LedgerError
from harness.ledger import durable
from harness.ledger.episodes import EpisodeLog
from harness.ledger.snapshots import Snapshots

WAIT_S = 0.2
"""Between two looks at a folder that another process holds."""
BINDING = ("schema", "identity", "asked", "tasks", "digests", "prompts", "settings")
"""Keys of lock.json that must be equal for a run to go on; the others only tell where and how it was made."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run on disk.

    ::

        config.yaml      what was asked
        lock.json        what was resolved; written last at creation, so a folder without it is empty
        starts.jsonl     one line each time a process took up the run: when, code, versions
        episodes.jsonl   one durable line per (task, trial); each is a commit
        memory/<n>/      the memory after n episodes
        calls.sqlite     every answer of a model and every vector
        progress.json    for the live display; says nothing that the ledger does not say better
        orphaned/        torn lines of killed processes
    """

    path: Path

    @property
    def episodes(self) -> EpisodeLog:
        """The episode log."""
        return EpisodeLog(self.path / "episodes.jsonl")

    @property
    def snapshots(self) -> Snapshots:
        """The memory snapshots."""
        return Snapshots(self.path / "memory")

    @property
    def calls(self) -> Path:
        """The store of answers and vectors."""
        return self.path / "calls.sqlite"

    def final_memory(self) -> tuple[Path, str]:
        """Return the folder and digest of a finished run's memory, to start another stream from.

        Raises LedgerError where there is no run, or it did not finish.
        """
        lock = self.lock()
        if lock is None:
            raise LedgerError(f"{self.path}: expected the folder of a finished run, but no run is there")
        records, planned = self.episodes.read(), int(lock["n_planned"])
        done = len({record.task.id for record in records})
        last = records[-1] if records else None
        tried_again = last is not None and last.is_retried(int(lock["trials"]))
        if last is None or done < planned or tried_again:
            raise LedgerError(
                f"{self.path}: expected a finished run, but {done} of {planned} tasks are done; finish it"
            )
        return self.snapshots.check(last.memory.generation, last.memory.digest), last.memory.digest

    def final_clock(self) -> int:
        """Return how many episodes the memory has learned from, those before this run included."""
        learned = sum(record.update is not None for record in self.episodes.read())
        return int((self.lock() or {}).get("clock", 0)) + learned

    def lock(self) -> dict[str, Any] | None:
        """Return lock.json, or None for a run that was never begun. Raises LedgerError for a damaged one."""
        path = self.path / "lock.json"
        if not path.exists():
            return None
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise LedgerError(f"{path}: not JSON: {error}") from error
        if not isinstance(value, dict):
            raise LedgerError(f"{path}: got {type(value).__name__}, expected an object")
        return value

    @contextmanager
    def held(self, while_waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Hold the folder for this process; the hold ends with the process, however it ends.

        Raises LedgerError where another process holds it; with ``while_waiting`` that is waited for, and called now
        and then.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path / ".held", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            while not durable.locked(handle):
                if while_waiting is None:
                    holder = os.pread(handle, 64, 0).decode("utf-8", "replace").strip() or "unknown"
                    raise LedgerError(
                        f"{self.path}: another process ({holder}) is running this stream; wait for it or stop it first"
                    )
                while_waiting()
                time.sleep(WAIT_S)
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"pid {os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(handle)

    def claim(self, config: Mapping[str, Any], lock: Mapping[str, Any]) -> None:
        """Begin the run, or check that it was begun with the same inputs.

        Raises LedgerError that shows each difference where it was not.
        """
        found = self.lock()
        if found is None:
            durable.atomic_write(self.path / "config.yaml", yaml.safe_dump(dict(config), sort_keys=False))
            durable.atomic_write(self.path / "lock.json", json.dumps(lock, indent=1, sort_keys=True, allow_nan=False))
            return
        differences = [
            line for key in BINDING for line in _differences(found.get(key), json.loads(json.dumps(lock.get(key))), key)
        ]
        if differences:
            shown = "\n  ".join(differences[:12])
            raise LedgerError(
                f"{self.path} was begun with other inputs:\n  {shown}\n"
                "restore them to go on, or start anew under another `out`"
            )


def _differences(old: Any, new: Any, key: str) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        return [line for k in keys for line in _differences(old.get(k), new.get(k), f"{key}.{k}")]
    return [] if old == new else [f"{key}: was {_short(old)}, is now {_short(new)}"]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
