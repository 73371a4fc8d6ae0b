"""What the three methods with a look-alike in G-Memory's repository share in their tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from harness.config.overrides import CONFIGS
from harness.config.signature import check, load_class
from harness.protocols import Memory
from harness.seeds import Draws
from harness.types import Recall, StreamInfo, Task, UpdateReport
from tests.unit.strata.building import TableEmbedder, by_rule, experience


def memory(name: str, backbone: Any = None, embedder: Any = None, **changes: Any) -> Any:
    """Return a memory, as its configuration describes it, that has begun its stream."""
    values = yaml.safe_load((CONFIGS / "memory" / f"{name}.yaml").read_text(encoding="utf-8"))
    target = load_class(values.pop("_target_"), "memory")
    for key, value in changes.items():
        values[key] = {**values[key], **value} if isinstance(value, Mapping) else value
    parts = {
        "backbone": backbone if backbone is not None else by_rule(),
        "embedder": embedder if embedder is not None else TableEmbedder(),
    }
    parts |= {"draws": Draws(0, "memory")} if name == "memory_bank" else {}
    made = target(**parts, **check(target, values, "memory"))
    made.begin(StreamInfo("stream", "house", 0, False, "env", 0))
    return made


def task(number: int) -> Task:
    return Task(f"t{number}", "house", f"heat egg {number} and put it in shelf.", "heat", "heat egg")


def live(of: Memory, number: int, *, success: bool | None = True) -> tuple[Recall, UpdateReport]:
    """Play one task as the runner does."""
    recall = of.retrieve(task(number), "You are in a room.", trial=1)
    return recall, of.update(experience(task(number), success=success))
