"""G-Memory and its parts as the configuration describes them, with chosen switches and numbers changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from baselines.g_memory.memory import GMemory
from baselines.g_memory.queries import QueryGraph, QueryNode
from baselines.g_memory.settings import Linking
from baselines.g_memory.trajectory import State
from harness.config.overrides import CONFIGS
from harness.config.signature import check
from harness.seeds import Draws
from harness.types import Recall, StreamInfo, Task, UpdateReport
from tests.unit.strata.building import DIM, TableEmbedder, by_rule, experience, unit

CONFIG = CONFIGS / "memory" / "g_memory.yaml"
SAME = [1.0, 0.0]


def settings(**changes: Any) -> dict[str, Any]:
    """Return the constructor's arguments; a change of a group is a mapping of the keys that differ."""
    values = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    del values["_target_"]
    for key, value in changes.items():
        values[key] = {**values[key], **value} if isinstance(value, Mapping) else value
    return check(GMemory, values, "memory")


def memory(backbone: Any = None, embedder: Any = None, **changes: Any) -> GMemory:
    """Return a memory that has begun its stream; without an embedder all tasks are alike."""
    made = GMemory(
        backbone=backbone if backbone is not None else by_rule(),
        embedder=embedder if embedder is not None else TableEmbedder({text(n): SAME for n in range(100)}),
        draws=Draws(0, "memory"),
        **settings(**changes),
    )
    made.begin(StreamInfo("stream", "house", 0, False, "env", 0))
    return made


def text(number: int) -> str:
    return f"heat egg {number} and put it in shelf."


def task(number: int) -> Task:
    return Task(f"t{number}", "house", text(number), "heat", "heat egg")


def live(of: GMemory, number: int, *, success: bool | None = True) -> tuple[Recall, UpdateReport]:
    """Play one task as the runner does."""
    recall = of.retrieve(task(number), "You are in a room.", trial=1)
    return recall, of.update(experience(task(number), success=success))


def graph(
    *vectors: Sequence[float], failed: Sequence[int] = (), texts: Mapping[int, str] | None = None, **linking: Any
) -> QueryGraph:
    """Return a graph of queries with the vectors given, numbered from 1; those in ``failed`` were not resolved."""
    collapse = linking.pop("collapse", False)
    made = QueryGraph(DIM, Linking(**{"neighbours": 10, "cosine": 0.85, **linking}), collapse=collapse)
    for number, vector in enumerate(vectors, 1):
        node = QueryNode(
            id=made.next_id, task_id=f"t{number}", trial=1, text=(texts or {}).get(number, text(number)),
            resolved=number not in failed, states=(State(f"act {number}", "done"),), key_steps=(),
            fail_reason="slipped." if number in failed else "", links=made.links_of(unit(vector)),
        )  # fmt: skip
        made.add(node, unit(vector))
    return made
