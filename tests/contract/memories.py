"""The memories the contract suite runs on, one entry each; adding a method adds an entry and nothing else.

An entry names a class and its arguments, as a configuration does. Run as a program, it lets one memory learn a stream
and saves it, so that the suite can compare processes: ``python -m tests.contract.memories ID FOLDER``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from harness.backbones.apprentice.backbone import ApprenticeBackbone
from harness.config.overrides import CONFIGS
from harness.config.signature import check
from harness.embedders.wordllama_embedder import WordllamaEmbedder
from harness.protocols import Memory
from harness.seeds import Draws
from harness.types import Experience, Recall, StreamInfo, UpdateReport
from tests.contract.experiences import stream

SEED = 7


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory under the contract."""

    id: str
    """Names the tests; with several entries of one class, what differs (``flat-gated``)."""
    target: str
    """Dotted path of the class."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Its configuration; of a group of settings only what differs."""
    config: str = ""
    """File of ``configs/memory`` that the other arguments are from; empty leaves them to the constructor."""
    remembers: bool = True
    """Whether a stream of experiences leaves anything in it."""
    recalls_own_trials: bool = False
    """Whether it documents that later trials of a task may see what earlier ones taught (such as Reflexion)."""

    def build(self, seed: int = SEED) -> Memory:
        """Construct the memory afresh, with the real embedder and the apprentice for a model."""
        module, _, name = self.target.rpartition(".")
        target = getattr(import_module(module), name)
        parts = {"backbone": apprentice(seed), "embedder": embedder(), "draws": Draws(seed, "memory")}
        wanted = inspect.signature(target).parameters
        memory: Memory = target(**{key: part for key, part in parts.items() if key in wanted}, **self._settings(target))
        return memory

    def _settings(self, target: type[Any]) -> dict[str, Any]:
        if not self.config:
            return dict(self.arguments)
        values = yaml.safe_load((CONFIGS / "memory" / f"{self.config}.yaml").read_text(encoding="utf-8"))
        del values["_target_"]
        for key, value in self.arguments.items():
            values[key] = {**values[key], **value} if isinstance(value, Mapping) else value
        return check(target, values, "memory")


ENTRIES: tuple[Entry, ...] = (
    Entry(id="none", target="baselines.none.NoMemory", remembers=False),
    Entry(id="flat", target="baselines.flat.FlatMemory"),
    Entry(
        id="flat-gated",
        target="baselines.flat.FlatMemory",
        arguments={"k": 1, "min_score": 0.6, "show_observation": True},
    ),
    Entry(id="strata", target="strata.memory.Strata", config="strata", arguments={"forgetting": {"cap": 6}}),
    Entry(
        id="strata-other",
        target="strata.memory.Strata",
        config="strata",
        arguments={
            "tag_parser": "llm",
            "contrast": "learned",
            "novelty": False,
            "meta_tags": "accumulated",
            "collection": "unprotected",
            "forgetting": {"cap": 4},
            "opposites": {"separate": True},
        },
    ),
    Entry(id="g_memory", target="baselines.g_memory.memory.GMemory", config="g_memory"),
    Entry(
        id="g_memory-paper",
        target="baselines.g_memory.memory.GMemory",
        config="g_memory",
        arguments={"mode": "paper", "projector": True, "recalling": {"failures": 2}},
    ),
    Entry(id="evograph", target="evoedit.memory.EvoGraph", config="evograph"),
    Entry(
        id="evograph-finetune",
        target="evoedit.memory.EvoGraph",
        config="evograph",
        arguments={"variant": "gmemory_finetune", "k": 3},
    ),
    Entry(id="voyager", target="baselines.voyager.Voyager", config="voyager"),
    Entry(id="voyager-gmemory", target="baselines.voyager.Voyager", config="voyager", arguments={"variant": "gmemory"}),
    Entry(id="memory_bank", target="baselines.memory_bank.MemoryBank", config="memory_bank"),
    Entry(
        id="memory_bank-repo",
        target="baselines.memory_bank.MemoryBank",
        config="memory_bank",
        arguments={"mode": "repo", "bank": {"forgetting": "probabilistic", "scale": 20.0}},
    ),
    Entry(
        id="memory_bank-gmemory",
        target="baselines.memory_bank.MemoryBank",
        config="memory_bank",
        arguments={"variant": "gmemory"},
    ),
    Entry(
        id="generative_agents",
        target="baselines.generative_agents.GenerativeAgents",
        config="generative_agents",
        arguments={"stream": {"reflect_at": 40}},
    ),
    Entry(
        id="generative_agents-gmemory",
        target="baselines.generative_agents.GenerativeAgents",
        config="generative_agents",
        arguments={"variant": "gmemory", "mode": "repo"},
    ),
)


@cache
def embedder() -> WordllamaEmbedder:
    """Return the default embedder, loaded once."""
    return WordllamaEmbedder()


def apprentice(seed: int) -> ApprenticeBackbone:
    """Return the simulated agent, which writes to memories by rule."""
    return ApprenticeBackbone(draws=Draws(seed, "backbone"))


def info(clock: int = 0, *, frozen: bool = False) -> StreamInfo:
    """Return what a memory is told about the suite's stream."""
    return StreamInfo("contract", "house", SEED, frozen, "env", clock)


def learn(memory: Memory, experiences: Sequence[Experience], clock: int = 0) -> list[tuple[Recall, UpdateReport]]:
    """Live through a stream as the runner does, and return what the memory did."""
    memory.begin(info(clock))
    done = []
    for experience in experiences:
        episode = experience.episode
        recall = memory.retrieve(episode.task, episode.observation, trial=episode.trial)
        done.append((recall, memory.update(experience)))
    return done


def main() -> None:
    """Let a memory learn 25 episodes, and save it."""
    name, folder = sys.argv[1:]
    memory = next(entry for entry in ENTRIES if entry.id == name).build()
    learn(memory, stream(25))
    memory.save(Path(folder))


if __name__ == "__main__":
    main()
