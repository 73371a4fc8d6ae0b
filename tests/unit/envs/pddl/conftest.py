"""Shared by the tests of PDDL: AgentBoard's problems, where they are beside the repository, and generated ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from envs.pddl import PDDL


@pytest.fixture(scope="session")
def published(shared: Path) -> Path:
    """The folder of AgentBoard's 60 problems."""
    return shared / "data" / "pddl"


@pytest.fixture(scope="session")
def agentboard(published: Path) -> PDDL:
    """AgentBoard's 60 problems."""
    return PDDL(problems=str(published))


@pytest.fixture(scope="session")
def generated() -> PDDL:
    """The embedded default."""
    return PDDL()
