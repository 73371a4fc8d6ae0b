"""The environments the contract suite runs on, one entry each; adding an environment adds an entry and nothing else.

An entry names a class and its arguments, as a configuration does, so that another process can build it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from harness.protocols import Environment


@dataclass(frozen=True, slots=True)
class Entry:
    """One environment under the contract. Its first tasks should be short: the suite plays them several times."""

    id: str
    """Names the tests; with several entries of one class, what differs (``alfworld-generated``)."""
    target: str
    """Dotted path of the class."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Its arguments; they choose few and small tasks, and need no data outside the repository."""
    impatient: tuple[Mapping[str, Any], ...] = ()
    """Arguments put on top, each of which makes a start or a step time out. Empty where nothing can hang."""
    wins: int = 2
    """How many of the first tasks the expert plays to the end; 0 where ``expert_kind`` is ``none``."""
    full_score: float = 1.0
    """The score of a won task, in the benchmark's own unit."""
    max_steps: int = 100
    """Steps the expert may need for one of those tasks."""

    def build(self, **changes: Any) -> Environment:
        """Construct the environment afresh, with some arguments changed."""
        return build(self.target, {**self.arguments, **changes})


def build(target: str, arguments: Mapping[str, Any]) -> Environment:
    """Construct the class at a dotted path; also called by the processes that the suite kills."""
    module, _, name = target.rpartition(".")
    environment: Environment = getattr(import_module(module), name)(**arguments)
    return environment


ENTRIES: tuple[Entry, ...] = (
    Entry(id="corridor", target="tests.worlds.corridor.CorridorWorld", full_score=100.0),
    Entry(
        id="scienceworld",
        target="envs.scienceworld.ScienceWorld",
        arguments={"subset": ["chemistry-mix-paint-secondary-color", "lifespan-longest-lived-then-shortest-lived"]},
        impatient=({"start_timeout_s": 0.05}, {"call_timeout_s": 0.001}),
        full_score=100.0,
    ),
    Entry(
        id="alfworld-generated",
        target="envs.alfworld.ALFWorld",
        arguments={"per_type": 1},
        impatient=({"start_timeout_s": 0.01}, {"step_timeout_s": 1e-6}),
        max_steps=25,
    ),
    Entry(
        id="pddl-generated",
        target="envs.pddl.PDDL",
        arguments={"gripper": 1, "blockworld": 1, "barman": 1, "tyreworld": 1},
        wins=4,
        max_steps=30,
    ),
    Entry(id="hotpotqa-embedded", target="envs.hotpotqa.HotpotQA", max_steps=7),
    Entry(id="fever-embedded", target="envs.fever.Fever", max_steps=7),
)
