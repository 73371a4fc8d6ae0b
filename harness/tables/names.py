"""What the papers call things, in the papers' order; whatever is not listed keeps its own name and comes after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

METHODS: Mapping[str, str] = {
    "none": "No-Memory",
    "flat": "Flat-Memory",
    "a_mem": "A-Mem",
    "reasoning_bank": "ReasoningBank",
    "memgen_prompt": "MemGen-prompt",
    "mem_evolve": "MemEvolve",
    "hermes": "Hermes",
    "strata": "STRATA",
    "voyager": "Voyager",
    "memory_bank": "MemoryBank",
    "generative_agents": "Generative Agents",
    "g_memory": "G-Memory",
    "evograph": "EvoGraph-Mem",
}
"""Memory name to what tables call it; STRATA's eight rows in the order of its text, then EvoGraph-Mem's."""

PAPER_NAMES: Mapping[str, str] = {"MemGen": "memgen_prompt"}
"""What a paper calls a method for which ours is a stand-in, and the stand-in."""

BENCHMARKS: Mapping[str, str] = {
    "appworld": "AppWorld",
    "webarena": "WebArena",
    "alfworld": "ALFWorld",
    "scienceworld": "ScienceWorld",
    "pddl": "PDDL",
    "hotpotqa": "HotpotQA",
    "fever": "FEVER",
}


class PaperStream(NamedTuple):
    """A stream that STRATA reports on, and which of ours is the same one."""

    name: str
    """As in results/paper/reported.csv, such as ``appworld_test_normal``."""
    benchmark: str
    title: str
    """Below the benchmark's name."""
    metrics: tuple[str, ...]
    ours: Mapping[str, int]
    """Our variants that may stand in the paper's column, with the number of tasks they must have."""


STRATA_STREAMS: tuple[PaperStream, ...] = (
    PaperStream("appworld_test_normal", "appworld", "test_normal", ("tgc", "sgc"), {"test_normal": 168}),
    PaperStream("appworld_test_challenge", "appworld", "test_challenge", ("tgc", "sgc"), {"test_challenge": 417}),
    PaperStream("webarena", "webarena", "", ("sr",), {"addresses": 812}),
    PaperStream("alfworld", "alfworld", "split not named", ("sr",), {"valid_unseen": 134, "valid_seen": 140}),
    PaperStream("scienceworld", "scienceworld", "paper23", ("score",), {"paper23": 23}),
)


def method_rank(memory: str) -> tuple[int, str]:
    """Return a sort key: the papers' order, then by name."""
    order = list(METHODS)
    return (order.index(memory), "") if memory in order else (len(order), memory)


def method_title(memory: str) -> str:
    """Return what tables call a memory method."""
    return METHODS.get(memory, memory)


def paper_method_rank(title: str) -> tuple[int, str]:
    """Return the same sort key for a name as the papers print it."""
    by_title = {shown: name for name, shown in METHODS.items()}
    return method_rank(PAPER_NAMES.get(title, by_title.get(title, title)))


def benchmark_rank(name: str) -> tuple[int, str]:
    """Return a sort key: the papers' order, then by name."""
    order = list(BENCHMARKS)
    return (order.index(name), "") if name in order else (len(order), name)


def benchmark_title(name: str) -> str:
    """Return a benchmark's own name."""
    return BENCHMARKS.get(name, name)
