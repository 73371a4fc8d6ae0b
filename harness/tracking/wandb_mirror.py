"""A mirror of a stream in Weights & Biases; the run folder stays the truth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from harness.errors import ConfigError
from harness.ledger.progress import Progress
from harness.ledger.record import EpisodeRecord
from harness.types import RUNTIME


class WandbMirror:
    """Logs each committed episode; its own trouble is told once and never ends a stream.

    Args:
        project: The project to log into.
        entity: The team or user; null takes the account's default.
        mode: ``offline`` writes into the run folder and connects to nothing, ``online`` connects. Decided here and
            never changed on failure.
        tags: Labels of the run.

    Raises:
        ConfigError: The ``wandb`` extra is not installed.
    """

    def __init__(
        self,
        *,
        project: Annotated[str, RUNTIME] = "agent-memory",
        entity: Annotated[str | None, RUNTIME] = None,
        mode: Annotated[Literal["offline", "online"], RUNTIME] = "offline",
        tags: Annotated[list[str] | None, RUNTIME] = None,
    ) -> None:
        if find_spec("wandb") is None:
            raise ConfigError("tracking: wandb is not installed; pip install -e '.[wandb]', or leave tracking out")
        self._settings: dict[str, Any] = {"project": project, "entity": entity, "mode": mode, "tags": tags}
        self._run: Any = None
        self._broken = False

    def begin(self, name: str, config: Mapping[str, Any], folder: Path) -> None:
        """Open the mirror's run; resumed streams go on in the same one."""

        def open_run() -> None:
            import wandb

            self._run = wandb.init(
                name=name, id=name, config=dict(config), dir=str(folder), resume="allow",
                settings=wandb.Settings(console="off", silent=True), **self._settings,
            )  # fmt: skip

        self._safely(open_run)

    def episode(self, record: EpisodeRecord, progress: Progress) -> None:
        """Log one committed episode."""
        if self._run is None:
            return
        values: dict[str, Any] = {
            "episode": record.index,
            "steps": len(record.steps),
            "recall_lines": record.recall_lines,
            "memory_items": record.memory.items,
            "tokens": progress.tokens,
            "cost_usd": progress.cost_usd,
            "n_solved": progress.n_solved,
            "mean_score": progress.mean_score,
        }
        if record.outcome is not None:
            values |= {"success": float(record.outcome.success), "score": record.outcome.score}
        self._safely(lambda: self._run.log(values, step=record.index))

    def finish(self, progress: Progress) -> None:
        """Close the mirror's run."""
        if self._run is not None:
            self._safely(lambda: self._run.finish(exit_code=0 if progress.complete else 1))

    def _safely(self, action: Callable[[], object]) -> None:
        if self._broken:
            return
        try:
            action()
        except Exception as error:
            self._broken = True
            print(f"tracking: wandb failed and is left out from here on: {error}", file=sys.stderr)
