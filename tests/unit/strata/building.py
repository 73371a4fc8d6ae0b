"""Memories and parts of them as the configuration describes them, with chosen switches and numbers changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from harness.backbones.scripted import ScriptedBackbone
from harness.config.signature import check
from harness.seeds import Draws
from harness.types import (
    Episode,
    Experience,
    Outcome,
    Recall,
    Step,
    StepKind,
    StopReason,
    StreamInfo,
    Task,
)
from strata.graph import Kind, Node, Origin, operators
from strata.mechanisms import Mechanisms, Numbers, Switches
from strata.memory import Strata
from strata.rendering import render
from strata.retrieval import Subgraph
from strata.similarity import View, on_grid
from strata.store import Store, Vectors
from strata.writing import Query

CONFIG = Path(__file__).resolve().parents[3] / "configs" / "memory" / "strata.yaml"
DIM = 16
WORKFLOW = {
    "name": "Heat a thing", "content": "heats", "applicability_condition": "cold thing", "goal": "hot thing",
    "procedure": ["take it", "heat it"],
}  # fmt: skip
SKILL = {
    "decision": "create", "name": "microwave", "content": "heats what is in it", "applicability_condition": "cold",
    "goal": "hot", "lines": ["heat {obj} with microwave"],
}  # fmt: skip


@cache
def _text() -> str:
    return CONFIG.read_text(encoding="utf-8")


def settings(**changes: Any) -> dict[str, Any]:
    """Return the constructor's arguments; a change of a group is a mapping of the keys that differ."""
    values = yaml.safe_load(_text())
    values.pop("_target_")
    for key, value in changes.items():
        values[key] = {**values[key], **value} if isinstance(value, Mapping) else value
    return check(Strata, values, "memory")


def info(clock: int = 0, *, frozen: bool = False, benchmark: str = "house") -> StreamInfo:
    return StreamInfo("stream", benchmark, 0, frozen, "env", clock)


def memory(backbone: Any, embedder: Any, seed: int = 0, **changes: Any) -> Strata:
    """Return a memory that has begun its stream."""
    made = Strata(backbone=backbone, embedder=embedder, draws=Draws(seed, "memory"), **settings(**changes))
    made.begin(info())
    return made


class TableEmbedder:
    """Gives texts the vectors a test chose; other texts get seeded random ones, the same for the same text."""

    id = "table"
    dim = DIM

    def __init__(self, vectors: Mapping[str, Sequence[float]] | None = None) -> None:
        self.vectors = dict(vectors or {})
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, call: Any) -> np.ndarray:
        self.asked += texts
        return np.stack([unit(self.vectors[text]) if text in self.vectors else random_unit(text) for text in texts])


def unit(values: Sequence[float]) -> np.ndarray:
    """Return values, padded with zeros, as a unit vector."""
    row = np.zeros(DIM, np.float32)
    row[: len(values)] = values
    return row / np.float32(np.linalg.norm(row))


def random_unit(*key: object) -> np.ndarray:
    row = Draws(0, "vectors").at(*key).standard_normal(DIM).astype(np.float32)
    return row / np.float32(np.linalg.norm(row))


def view(*key: object, tags: Sequence[str] = (), tokens: Sequence[str] = ()) -> View:
    """Return a seeded random view."""
    content, index = on_grid(random_unit("content", *key)), on_grid(random_unit("index", *key))
    return View(content, index, frozenset(tags), frozenset(tokens))


def task(number: int = 0, text: str = "heat some egg and put it in shelf.", family: str = "heat") -> Task:
    return Task(f"task-{number:03d}", "house", text, family, text)


def experience(
    of: Task, *, success: bool | None = True, actions: Sequence[str] = ("go to egg", "heat egg")
) -> Experience:
    steps = tuple(Step(StepKind.ACT, action, f"You {action}.") for action in actions)
    episode = Episode(of, 1, "You are in a room.", steps, Outcome(bool(success), 1.0, StopReason.SOLVED))
    return Experience(episode, "none" if success is None else "env", success, None if success is None else 1.0)


def mechanisms(backbone: Any = None, embedder: Any = None, **changes: Any) -> Mechanisms:
    """Return the working parts of an empty memory."""
    arguments = settings(**changes)
    switches = Switches(**{field.name: arguments[field.name] for field in fields(Switches)})
    numbers = Numbers(**{field.name: arguments[field.name] for field in fields(Numbers)})
    made = replace(switches, drop=tuple(switches.drop))
    return Mechanisms(made, numbers, backbone or by_rule(), embedder or TableEmbedder(), Draws(0, "memory"))


def by_rule(**writings: Any) -> ScriptedBackbone:
    """Return a backbone that answers by rule, and with the given answers where a role is named."""
    scripts = {role: answer if isinstance(answer, list) else [answer] for role, answer in writings.items()}
    return ScriptedBackbone(
        answers=[""], writings={role: [_json(a) for a in script] for role, script in scripts.items()}
    )


class ByTask:
    """Answers as one scripted backbone, and for some tasks as another."""

    id = "by_task"
    real = False
    disclosures: Sequence[str] = ()

    def __init__(self, first: ScriptedBackbone, later: Mapping[str, ScriptedBackbone]) -> None:
        self._first, self._later = first, later

    def settings(self) -> Mapping[str, object]:
        return {}

    def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Any:
        return self._later.get(call.task_id, self._first).complete(messages, call=call, schema=schema)


class Listening:
    """Answers as another backbone does, and keeps the prompts by role."""

    id = "listening"
    real = False
    disclosures: Sequence[str] = ()

    def __init__(self, to: ScriptedBackbone) -> None:
        self._to = to
        self.prompts: dict[str, list[str]] = {}

    def settings(self) -> Mapping[str, object]:
        return {}

    def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Any:
        self.prompts.setdefault(call.role, []).append(messages[-1].content)
        return self._to.complete(messages, call=call, schema=schema)


def _json(answer: Any) -> Any:
    return answer if answer is None or isinstance(answer, str) else json.dumps(answer)


def query(*direction: float, tags: Sequence[str] = ("app:house", "op:heat")) -> Query:
    """Return a query of which both views point in one direction."""
    vector = on_grid(unit(direction or (1.0,)))
    return Query("heat some egg.", View(vector, vector, frozenset(tags), frozenset()))


def plant(store: Store, kind: Kind, *key: object, tags: Sequence[str] = (), **fields_: Any) -> Node:
    """Add a node with seeded random vectors, or those given as ``content`` and ``index`` arrays."""
    content = fields_.pop("content_vector", None)
    index = fields_.pop("index_vector", None)
    own = view(kind, *key)
    node = Node(
        **{
            "id": store.graph.next_id(kind), "kind": kind, "name": f"{kind} {store.graph.made}", "content": "c",
            "applicability": "a", "goal": "g", "tags": frozenset(tags), "body": ("do it",),
            "origins": (Origin(f"born-{store.graph.made}", 1, "family", "template"),), "clock": 0, **fields_,
        }
    )  # fmt: skip
    vectors = Vectors(
        own.content if content is None else on_grid(unit(content)), own.index if index is None else on_grid(unit(index))
    )
    store.add(node, vectors)
    return node


def rendered(
    parts: Mechanisms, asked: frozenset[str], rank: dict[str, float], task: str = "now", **changes: object
) -> Recall:
    """Render the nodes of ``rank`` as if retrieval had found them; ``changes`` are keys of ``memory.retrieval``."""
    nodes, opposition, query = parts.store.graph.nodes, parts.contrasts.opposition, operators(asked)
    layers = [tuple(i for i in rank if nodes[i].type == layer) for layer in range(3)]
    warned = opposition.warned(parts.store.graph, layers[1], query, rank)
    found = Subgraph(tuple(rank), layers[0], layers[1], layers[2], rank, warned)
    retrieving = settings()["retrieval"].model_copy(update=changes)
    return render(parts.store.graph, found, query, opposition, task, retrieving)
