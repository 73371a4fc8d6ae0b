"""episodes.jsonl: appended one durable line at a time; only its last line can ever be torn."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from harness.errors import LedgerError
from harness.ledger import durable
from harness.ledger.record import EpisodeRecord, parse_record


@dataclass(frozen=True, slots=True)
class EpisodeLog:
    """The episodes of a run, in stream order."""

    path: Path

    def append(self, record: EpisodeRecord) -> None:
        """Commit an episode."""
        durable.append_line(self.path, record.line())

    def recover(self) -> tuple[EpisodeRecord, ...]:
        """Return the committed episodes; a torn last line is moved to ``orphaned/`` first.

        Raises LedgerError, naming file and line, for damage anywhere else.
        """
        if not self.path.exists():
            return ()
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self._set_aside(data[len(whole) :], keep=len(whole))
        return self._parse(whole)

    def read(self) -> tuple[EpisodeRecord, ...]:
        """Return the committed episodes and change nothing; a torn last line is left out."""
        if not self.path.exists():
            return ()
        data = self.path.read_bytes()
        return self._parse(data[: data.rfind(b"\n") + 1])

    def _parse(self, whole: bytes) -> tuple[EpisodeRecord, ...]:
        records: list[EpisodeRecord] = []
        for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
            where = f"{self.path}:{number}"
            try:
                record = parse_record(line.decode("utf-8"), where)
            except UnicodeDecodeError as error:
                raise LedgerError(f"{where}: not UTF-8 text: {error}") from error
            if record.index != len(records):
                raise LedgerError(f"{where}: got episode {record.index}, expected {len(records)}: lines are missing")
            records.append(record)
        return tuple(records)

    def _set_aside(self, torn: bytes, keep: int) -> None:
        orphaned = self.path.parent / "orphaned"
        orphaned.mkdir(exist_ok=True)
        number = len(list(orphaned.iterdir()))
        (orphaned / f"{number:03d}-{self.path.name}").write_bytes(torn)
        with self.path.open("r+b") as file:
            file.truncate(keep)
            os.fsync(file.fileno())
        durable.on_boundary("truncated")
