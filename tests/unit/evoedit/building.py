"""EvoGraph memories as the configuration describes them, and controllers that answer what a test wants."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from evoedit.memory import EvoGraph
from harness.config.overrides import CONFIGS
from harness.config.signature import check
from harness.seeds import Draws
from harness.types import Call, Completion, Experience, Message, Recall, StreamInfo, Task, UpdateReport, Usage
from tests.unit.strata.building import TableEmbedder, by_rule, experience

CONFIG = CONFIGS / "memory" / "evograph.yaml"
SAME = [1.0, 0.0]
"""The direction of tasks that are all alike."""


class Controlled:
    """Answers the controller's calls from a list, one an episode, and all other calls by rule."""

    id = "controlled"
    real = False
    disclosures: Sequence[str] = ()

    def __init__(self, *answers: Any) -> None:
        self._answers = {f"t{at}": answer for at, answer in enumerate(answers)}
        self._rest = by_rule()
        self.prompts: list[str] = []
        """What the controller was asked, repairs included."""
        self.calls: list[Call] = []

    def settings(self) -> Mapping[str, object]:
        return {}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: Any = None) -> Completion:
        self.calls.append(call)
        if call.role != "controller" or call.task_id not in self._answers:
            return self._rest.complete(messages, call=call, schema=schema)
        self.prompts.append(messages[0].content)
        answer = self._answers[call.task_id]
        return Completion(answer if isinstance(answer, str) else json.dumps(answer), "stop", Usage(calls=1))


def settings(**changes: Any) -> dict[str, Any]:
    """Return the constructor's arguments; a change of a group is a mapping of the keys that differ."""
    values = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    del values["_target_"]
    for key, value in changes.items():
        values[key] = {**values[key], **value} if isinstance(value, Mapping) else value
    return check(EvoGraph, values, "memory")


def memory(backbone: Any = None, embedder: Any = None, **changes: Any) -> EvoGraph:
    """Return a memory that has begun its stream; without an embedder all tasks are alike."""
    made = EvoGraph(
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


def episode(number: int, *, success: bool | None = True) -> Experience:
    return experience(task(number), success=success)


def live(of: EvoGraph, number: int, *, success: bool | None = True) -> tuple[Recall, UpdateReport]:
    """Play one task as the runner does."""
    recall = of.retrieve(task(number), "You are in a room.", trial=1)
    return recall, of.update(episode(number, success=success))


def add(words: str = "look first.") -> dict[str, Any]:
    """Return an answer that adds an insight where none was retrieved."""
    return {"add": 1, "new_insight": words}


def rule(*verbs: str, words: str = "look twice.", add: int = 0) -> dict[str, Any]:
    """Return an answer with one ruling for each retrieved insight."""
    edits = {f"insight_{n}": {"operation": verb, "text": words if verb == "REVISE" else ""}
             for n, verb in enumerate(verbs, 1)}  # fmt: skip
    return {"edits": edits, "add": add, "new_insight": "new one." if add else ""}
