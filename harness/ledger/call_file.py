"""One calls.sqlite: opening it safely, reading and writing its rows."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from harness.errors import HarnessError
from harness.ledger import durable
from harness.types import Usage

APPLICATION_ID = 0x43414C4C
"""Marks a SQLite file as a call store ("CALL")."""
FILE_VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    key BLOB PRIMARY KEY,      -- CallKey.own
    public BLOB,               -- CallKey.public where the answer may serve another run, else NULL
    kind TEXT NOT NULL,        -- chat | embedding
    task_id TEXT NOT NULL,     -- the episode that asked first
    trial INTEGER NOT NULL,
    phase TEXT NOT NULL,
    role TEXT NOT NULL,
    form TEXT NOT NULL,        -- completion | overflow | vector
    value BLOB NOT NULL,       -- JSON, or little-endian float32
    usage TEXT NOT NULL,       -- JSON: what was paid when it was asked first
    bought INTEGER NOT NULL    -- 1 where this run paid, 0 where the answer came from another run's store
);
CREATE INDEX IF NOT EXISTS calls_public ON calls (public) WHERE public IS NOT NULL;
CREATE TABLE IF NOT EXISTS flushes (id INTEGER PRIMARY KEY CHECK (id = 0), n INTEGER NOT NULL);
INSERT OR IGNORE INTO flushes VALUES (0, 0);
"""
Form = Literal["completion", "overflow", "vector"]
_COLUMNS = "key, public, kind, task_id, trial, phase, role, form, value, usage, bought"


@dataclass(frozen=True, slots=True)
class Row:
    """One stored answer; the columns of the table."""

    key: bytes
    public: bytes | None
    kind: str
    task_id: str
    trial: int
    phase: str
    role: str
    form: Form
    value: bytes
    usage: Usage
    bought: bool


class CallFile:
    """One open call store file. Threads may share it; a forked child must not use its parent's.

    Args:
        path: The file; made where it is missing and may be written.
        write: Whether rows are added. A file that is only read is left as it is.
        blame: The error raised for a file that is damaged or no call store: ConfigError where a user named it.
    """

    def __init__(self, path: Path, *, write: bool, blame: type[HarnessError]) -> None:
        self.path = path
        self._blame = blame
        self._write = write
        self._closed = False
        self._lock = threading.Lock()
        with self._translated():
            self._db = _connect(path, write=write)
            try:
                self._check(write=write)
                if write:
                    self._db.execute("PRAGMA journal_mode=WAL")
                    self._db.execute("PRAGMA synchronous=NORMAL")
                    self._db.executescript(_SCHEMA)
            except BaseException:
                self._db.close()
                raise

    def get(self, key: bytes) -> Row | None:
        """Return the answer under a key."""
        return self._one("SELECT * FROM calls WHERE key = ?", key)

    def get_public(self, key: bytes) -> Row | None:
        """Return the oldest answer under a public key."""
        return self._one("SELECT * FROM calls WHERE public = ? ORDER BY rowid LIMIT 1", key)

    def put(self, rows: Iterable[Row]) -> None:
        """Write rows in one transaction; safe against a killed process at once, against a power cut after flush."""
        values = [
            (
                *(row.key, row.public, row.kind, row.task_id, row.trial, row.phase, row.role, row.form, row.value),
                *(json.dumps(asdict(row.usage), sort_keys=True), int(row.bought)),
            )
            for row in rows
        ]
        marks = ",".join("?" * len(_COLUMNS.split(",")))
        durable.on_boundary(f"put:{self.path.name}")
        with self._translated(), self._lock, self._db:
            self._db.executemany(f"INSERT OR IGNORE INTO calls ({_COLUMNS}) VALUES ({marks})", values)  # noqa: S608
        durable.on_boundary(f"stored:{self.path.name}")

    def flush(self) -> None:
        """Make everything written so far survive a power cut: one commit that syncs the write-ahead log."""
        with self._translated(), self._lock:
            self._db.execute("PRAGMA synchronous=FULL")
            with self._db:
                self._db.execute("UPDATE flushes SET n = n + 1")
            self._db.execute("PRAGMA synchronous=NORMAL")
        durable.on_boundary(f"flushed:{self.path.name}")

    def usages(self) -> list[Usage]:
        """Return what each answer cost that this run paid for, oldest first."""
        with self._translated(), self._lock:
            rows = self._db.execute("SELECT usage FROM calls WHERE bought = 1 ORDER BY rowid").fetchall()
        return [Usage(**json.loads(text)) for (text,) in rows]

    def close(self) -> None:
        """Close the file and fold its write-ahead log into it, so that it can be read alone. May be called twice."""
        if self._write and not self._closed:
            with contextlib.suppress(sqlite3.OperationalError):  # someone is reading it: the log stays, nothing is lost
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._closed = True
        self._db.close()

    def _one(self, query: str, key: bytes) -> Row | None:
        with self._translated(), self._lock:
            found = self._db.execute(query.replace("*", _COLUMNS), (key,)).fetchone()
            if found is None:
                return None
            values: dict[str, Any] = dict(zip(_COLUMNS.split(", "), found, strict=True))
            values |= {"usage": Usage(**json.loads(values["usage"])), "bought": bool(values["bought"])}
            return Row(**values)

    def _check(self, *, write: bool) -> None:
        (mark,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if write and (mark, version, tables) == (0, 0, 0):
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version={FILE_VERSION}")
        elif mark != APPLICATION_ID:
            raise self._blame(f"{self.path}: not a call store of this harness: name the calls.sqlite of a run")
        elif version != FILE_VERSION:
            raise self._blame(
                f"{self.path}: got call store version {version}, this version reads {FILE_VERSION}: "
                "use the version that wrote it"
            )

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._blame(f"{self.path}: the call store cannot be used: {error}") from error


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    if write:
        return sqlite3.connect(path, check_same_thread=False, timeout=30)
    # In a read-only folder SQLite can make no locks; nobody can be writing there either.
    mode = "mode=ro" if os.access(path.parent, os.W_OK) else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, check_same_thread=False, timeout=30)
