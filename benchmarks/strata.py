"""STRATA's speed: retrieval against one numpy pass, a round of update and maintenance, and a collection.

    python -m benchmarks.strata [--retrieve 1000 10000 100000] [--rounds 1000 3000 10000 30000] [--collect 10000]
                                [--communities leiden] [--repeat 15]

Stores are seeded: families of workflows with vectors around a centre, Zipfian words, an application, an operation and
an object each. A retrieval is the memory's own, from the task to the rendered text, with the embedding at hand; it is
exact: every node is scored. The numpy pass is one float32 product of an n x 512 matrix with a vector, timed in turn
with it. A round is the update of a solved episode that creates a workflow, with answers at hand. Times are medians;
the growth exponent is that of the CPU time, which other work on the machine disturbs less. The goals: retrieve at 1e5
<= 1.5 passes, round at 1e4 <= 1 s, exponent <= 1.2.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from harness.backbones.apprentice.writing import write
from harness.seeds import Draws
from harness.types import (
    Call,
    Completion,
    Episode,
    Experience,
    Message,
    Outcome,
    Step,
    StepKind,
    StopReason,
    StreamInfo,
    Task,
    Usage,
)
from strata.collector import collect
from strata.graph import Node, Origin
from strata.memory import Strata
from strata.similarity import on_grid
from strata.store import Vectors
from tests.unit.strata.building import settings

DIM = 256
APPS, OPERATORS, OBJECTS, WORDS, FAMILY = 20, 12, 400, 5000, 25
"""How many of each there are, and workflows a family."""


class SeededEmbedder:
    """Gives each text a seeded vector near its family's centre; the family is the text's first word. Keeps them."""

    id = "seeded"
    dim = DIM

    def __init__(self) -> None:
        self._known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str], *, call: Call) -> np.ndarray:
        """Return unit rows."""
        for text in texts:
            if text not in self._known:
                self._known[text] = self._row(text)
        return np.stack([self._known[text] for text in texts])

    def _row(self, text: str) -> np.ndarray:
        centre = Draws(0, "centre").at(text.split(" ", 1)[0]).standard_normal(DIM)
        row = (centre + 0.9 * Draws(0, "noise").at(text).standard_normal(DIM)).astype(np.float32)
        return row / np.float32(np.linalg.norm(row))


class RuleBackbone:
    """Answers every writing call by rule, at no cost."""

    id = "rule"
    real = False
    disclosures: Sequence[str] = ()

    def settings(self) -> dict[str, object]:
        """Return nothing: it has none."""
        return {}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Answer from the schema and the prompt."""
        return Completion(write(messages, schema, phase=call.phase), "stop", Usage())


def text_of(number: int) -> str:
    """Return the text of a workflow or task: its family, then 24 Zipfian words."""
    rng = Draws(0, "words").at(number)
    drawn = np.minimum(rng.zipf(1.3, size=24), WORDS)
    return " ".join([f"family{number // FAMILY}", *(f"word{word}" for word in drawn)])


def node_of(number: int, node_id: str) -> Node:
    """Return a workflow of the store."""
    rng = Draws(0, "tags").at(number // FAMILY)
    app, op, obj = (int(rng.integers(most)) for most in (APPS, OPERATORS, OBJECTS))
    text = text_of(number)
    return Node(
        id=node_id, kind="workflow", name=text[:40], content=text, applicability=text[:80], goal=text[:40],
        tags=frozenset({f"app:{app}", f"op:{op}", f"obj:{obj}"}), body=("go", "take", "put"),
        origins=(Origin(f"task-{number}", 1, f"family{number // FAMILY}", "t"),), clock=number,
    )  # fmt: skip


def filled(count: int, communities: str, embedder: SeededEmbedder) -> Strata:
    """Return a memory of so many workflows that is under no pressure."""
    numbers: dict[str, Any] = {
        "forgetting": {"cap": 10**9},
        "bands": {"low_prior": 1.0, "high_prior": 1.0, "kappa": 1e9},
    }
    made = Strata(
        backbone=RuleBackbone(),
        embedder=embedder,
        draws=Draws(0, "memory"),
        **settings(communities=communities, **numbers),
    )
    made.begin(StreamInfo("benchmark", "benchmark", 0, False, "env", count))
    centres = np.stack([Draws(0, "centre").at(f"family{n}").standard_normal(DIM) for n in range(count // FAMILY + 1)])
    noise = np.random.default_rng(0).standard_normal((2, count, DIM), dtype=np.float32)
    rows = centres[np.arange(count) // FAMILY] + 0.9 * noise
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    content, index = on_grid(rows.astype(np.float32))
    for number in range(count):
        node = node_of(number, made.store.graph.next_id("workflow"))
        made.store.add(node, Vectors(content[number], index[number]))
    return made


def episode_of(number: int) -> Experience:
    """Return a solved episode of a task that no workflow of the store was made from."""
    task = Task(f"new-{number}", "benchmark", f"{text_of(number)} again", "f", "t")
    steps = tuple(Step(StepKind.ACT, f"do {n}", "done") for n in range(8))
    return Experience(Episode(task, 1, "", steps, Outcome(True, 1.0, StopReason.SOLVED)), "env", True, 1.0)


class Spent(NamedTuple):
    """What an action took, in seconds."""

    wall: float
    cpu: float


def timed(action: Callable[[], object]) -> Spent:
    """Return what an action took."""
    began, used = time.perf_counter(), time.process_time()
    action()
    return Spent(time.perf_counter() - began, time.process_time() - used)


def median(all_spent: Sequence[Spent]) -> Spent:
    """Return the medians."""
    return Spent(statistics.median(s.wall for s in all_spent), statistics.median(s.cpu for s in all_spent))


def retrieve(count: int, repeat: int, communities: str) -> tuple[Spent, Spent]:
    """Return what a retrieval and the numpy pass take, in turn."""
    embedder = SeededEmbedder()
    strata = filled(count, communities, embedder)
    matrix = np.random.default_rng(1).standard_normal((count, 2 * DIM), dtype=np.float32)
    vector = matrix[0].copy()
    ours, passes = [], []
    for number in range(repeat + 2):
        task = episode_of(number * 37 % count).episode.task
        embedder.embed([task.text], call=Call(task.id, 1, "retrieve"))
        passes.append(timed(lambda: matrix @ vector))
        ours.append(timed(lambda task=task: strata.retrieve(task, "", trial=1)))  # type: ignore[misc]
    return median(ours[2:]), median(passes[2:])


def round_of(count: int, repeat: int, communities: str) -> Spent:
    """Return what an update with its round takes, after the first, which makes W and its metas."""
    strata = filled(count, communities, SeededEmbedder())
    spent = []
    for number in range(repeat + 1):
        experience = episode_of(number * 41 % count)
        strata.retrieve(experience.episode.task, "", trial=1)
        spent.append(timed(lambda each=experience: strata.update(each)))  # type: ignore[misc]
    return median(spent[1:])


def main() -> None:
    """Measure what was asked for and print it beside the goals."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--retrieve", type=int, nargs="*", default=[1000, 10_000, 100_000])
    options.add_argument("--rounds", type=int, nargs="*", default=[1000, 3000, 10_000, 30_000])
    options.add_argument("--collect", type=int, nargs="*", default=[10_000])
    options.add_argument("--communities", choices=["leiden", "louvain"], default="leiden")
    options.add_argument("--repeat", type=int, default=15)
    asked = options.parse_args()
    for count in asked.retrieve:
        ours, one_pass = retrieve(count, asked.repeat, asked.communities)
        print(f"retrieve {count:7d}: {ours.wall * 1e3:8.2f} ms   ", end="")
        print(f"numpy pass {one_pass.wall * 1e3:8.2f} ms   ratio {ours.wall / one_pass.wall:.2f}", end="")
        print(f"   (CPU {ours.cpu * 1e3:.2f} and {one_pass.cpu * 1e3:.2f} ms, ratio {ours.cpu / one_pass.cpu:.2f})")
    rounds = [(count, round_of(count, asked.repeat, asked.communities)) for count in asked.rounds]
    for count, spent in rounds:
        print(
            f"round    {count:7d}: {spent.wall * 1e3:8.1f} ms   CPU {spent.cpu * 1e3:8.1f} ms   ({asked.communities})"
        )
    if len(rounds) > 1:
        sizes, seconds = np.log([n for n, _ in rounds]), np.log([s.cpu for _, s in rounds])
        print(f"growth exponent of the round: {np.polyfit(sizes, seconds, 1)[0]:.2f}")
    for count in asked.collect:
        strata = filled(count, asked.communities, SeededEmbedder())
        edges = strata.store.w.build()
        ages = np.random.default_rng(0).random(count)
        doomed = int(0.15 * count)
        forgetting = settings()["forgetting"]
        spent = timed(lambda: list(collect(edges, ages, doomed, forgetting, "protected")))  # noqa: B023
        print(
            f"collect  {count:7d}: {doomed} of them in {spent.wall:.2f} s, CPU {spent.cpu / doomed * 1e3:.2f} ms each"
        )


if __name__ == "__main__":
    main()
