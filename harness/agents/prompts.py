"""What an environment tells an agent: two versioned files, the same for every method; and what a memory asks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Prompts:
    """The instructions and the worked examples of one environment."""

    system: str
    """The environment's rules and its actions."""
    fewshots: str
    """Worked examples in the answer format, equal for all methods; empty where there are none."""
    offers_actions: bool = True
    """Whether the admissible actions may be shown with an observation."""

    @classmethod
    def load(cls, folder: Path, *, offers_actions: bool = True) -> Prompts:
        """Read ``system.md`` and ``fewshots.md``. Raises ConfigError where one is missing; an empty file is fine."""
        return cls(_read(folder / "system.md"), _read(folder / "fewshots.md"), offers_actions)

    def digest(self) -> str:
        """Return the sha256 over all of it: the version of these prompts."""
        return hashlib.sha256(f"{self.system}\x1f{self.fewshots}\x1f{self.offers_actions}".encode()).hexdigest()


def prompts_digest(paths: Sequence[Path]) -> str:
    """Return the sha256 over the names and texts of prompt files; a folder stands for all files in it."""
    files = sorted(
        {file for path in paths for file in ([path] if path.is_file() else path.iterdir()) if file.is_file()}
    )
    texts = [f"{file.name}\x1f{_read(file)}" for file in files]
    return hashlib.sha256("\x1e".join(texts).encode()).hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise ConfigError(f"the prompt file {path} is missing: every environment brings {path.name}") from error
