"""Shared by the tests of ALFWorld: one small generated environment, the published games, and a list of processes."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envs.alfworld import ALFWorld

_PUBLISHED = Path(__file__).resolve().parents[4].parent / "shared" / "data" / "alfworld" / "valid_unseen.tar.xz"


@pytest.fixture(scope="module")
def generated() -> Iterator[ALFWorld]:
    """One game of each of the six types."""
    environment = ALFWorld(per_type=1, generator_seed=11)
    yield environment
    environment.close()


@pytest.fixture(scope="session")
def published() -> Path:
    """The archive of ALFWorld's own 134 unseen games."""
    if not _PUBLISHED.exists():
        pytest.skip("ALFWorld's published games are not beside the repository (shared/data/alfworld)")
    return _PUBLISHED


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Lists the living processes that were started, directly or not, since the test began, oldest first."""
    mark = f"ALFWORLD_TEST_MARK={uuid.uuid4().hex}"
    monkeypatch.setenv(*mark.split("="))

    def living() -> list[int]:
        return sorted(int(folder.name) for folder in Path("/proc").glob("[0-9]*") if _is_marked(folder, mark))

    return living


def _is_marked(folder: Path, mark: str) -> bool:
    try:
        alive = "\nState:\tZ" not in (folder / "status").read_text(encoding="utf-8")
        return alive and mark.encode() in (folder / "environ").read_bytes()
    except OSError:  # It ended while we looked.
        return False
