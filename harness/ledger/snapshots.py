"""Snapshots of a memory: written aside, made durable, renamed; the episode line that names one is the commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.errors import LedgerError
from harness.ledger import durable


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The folder ``memory/`` of a run: one subfolder a generation, named by the number of episodes it holds."""

    folder: Path

    def path(self, generation: int) -> Path:
        """Return where a generation lies."""
        return self.folder / f"{generation:06d}"

    def generations(self) -> list[int]:
        """Return the complete generations, oldest first."""
        if not self.folder.exists():
            return []
        return sorted(int(path.name) for path in self.folder.iterdir() if path.name.isdigit())

    def write(self, generation: int, save: Callable[[Path], None]) -> str:
        """Write a generation through ``save(folder)`` and return its digest; not committed until a line names it."""
        aside, final = self.folder / f".{generation:06d}.aside", self.path(generation)
        durable.remove_tree(aside)
        durable.remove_tree(final)
        aside.mkdir(parents=True)
        durable.on_boundary(f"snapshot:{generation}")
        save(aside)
        digest = durable.tree_digest(aside)
        durable.fsync_tree(aside)
        durable.on_boundary(f"snapshot-rename:{generation}")
        aside.rename(final)
        durable.fsync_folder(self.folder)
        durable.on_boundary(f"snapshot-renamed:{generation}")
        return digest

    def check(self, generation: int, digest: str) -> Path:
        """Return a generation's folder. Raises LedgerError where it is missing or not what was committed."""
        path = self.path(generation)
        if not path.is_dir():
            raise LedgerError(
                f"{path}: the ledger names memory generation {generation}, but it is not there; "
                "restore it, or start the run anew under another `out`"
            )
        found = durable.tree_digest(path)
        if found != digest:
            raise LedgerError(
                f"{path}: its files give digest {found[:12]}, the ledger says {digest[:12]}; "
                "the snapshot was changed after it was committed"
            )
        return path

    def keep_only(self, generation: int) -> None:
        """Remove every other generation: older ones are superseded, newer ones were never committed."""
        if not self.folder.exists():
            return
        for path in sorted(self.folder.iterdir()):
            if path != self.path(generation):
                durable.remove_tree(path)
                durable.on_boundary(f"snapshot-removed:{path.name}")
