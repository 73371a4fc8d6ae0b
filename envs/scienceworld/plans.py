"""Gold paths kept from one run to the next: the simulator searches up to seven seconds for each."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.cache import cache_folder

FORM = 1
"""Version of what a kept file means."""


class KeptPlans:
    """The gold paths of games of a simulator, each in a file of its own in the user's cache.

    A file is named by all that decides the path and is written whole or not at all; one that cannot be read counts as
    absent. Where nothing can be written, nothing is kept.

    Args:
        simulator: What the simulator is: its digests and the options that settle its orders.
        folder: Where the files are; by default ``$HARNESS_CACHE/scienceworld``.
    """

    def __init__(self, simulator: Mapping[str, object], *, folder: Path | None = None) -> None:
        self._simulator = dict(simulator)
        self._folder = folder or cache_folder() / "scienceworld"

    def get(self, task: str, variation: int, simplification: str) -> tuple[str, ...] | None:
        """Return the gold path of a game, or None where it is not kept."""
        with contextlib.suppress(OSError, ValueError):
            kept = json.loads(self._file(task, variation, simplification).read_text(encoding="utf-8"))
            if isinstance(kept, list) and kept and all(isinstance(line, str) for line in kept):
                return tuple(kept)
        return None

    def put(self, task: str, variation: int, simplification: str, plan: Sequence[str]) -> None:
        """Keep the gold path of a game."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._folder, prefix=".new-") as scratch:
                part = Path(scratch) / "plan.json"
                part.write_text(json.dumps(list(plan), indent=0), encoding="utf-8")
                part.replace(self._file(task, variation, simplification))

    def _file(self, task: str, variation: int, simplification: str) -> Path:
        key = json.dumps([FORM, self._simulator, task, variation, simplification], sort_keys=True)
        return self._folder / f"{task}-{variation}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
