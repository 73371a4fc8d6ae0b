"""No memory: the plain agent, its prompt without a memory block."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from harness.types import Experience, Recall, StreamInfo, Task, UpdateReport


class NoMemory:
    """Remembers nothing.

    Args:
        mode: how faithful it is; there is nothing to leave out.
        variant: the only one.
    """

    name = "none"
    disclosures: Sequence[str] = ()

    def __init__(self, *, mode: Literal["paper"] = "paper", variant: Literal["plain"] = "plain") -> None:
        self.mode = mode
        self.variant = variant

    def begin(self, info: StreamInfo) -> None:
        """Take note of nothing."""

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return an empty recall."""
        return Recall()

    def update(self, experience: Experience) -> UpdateReport:
        """Learn nothing."""
        return UpdateReport(items=0)

    def save(self, folder: Path) -> None:
        """Write nothing."""

    def load(self, folder: Path) -> None:
        """Read nothing."""

    def __len__(self) -> int:
        return 0
