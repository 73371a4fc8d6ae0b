"""Runs sorted into streams and rows, so that only runs differing in their seed alone are averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.tables.measured import Measured, differing, method_facts, stream_facts, telling, told
from harness.tables.names import benchmark_rank, benchmark_title, method_rank, method_title


@dataclass(frozen=True, slots=True)
class Stream:
    """Tasks in an order under limits: what a column of a table stands for."""

    key: str
    benchmark: str
    variant: str
    n_tasks: int
    extra: str
    """What tells it from other streams of the same variant; empty where there is none."""
    metrics: tuple[str, ...]

    @property
    def title(self) -> tuple[str, ...]:
        """Lines of a heading."""
        size = "" if self.extra.startswith(f"{self.n_tasks} tasks") else f"{self.n_tasks} tasks"
        detail = ", ".join(part for part in (size, self.extra) if part)
        return tuple(line for line in (benchmark_title(self.benchmark), self.variant, detail) if line)

    @property
    def label(self) -> str:
        """The stream on one line."""
        return " ".join(self.title)


@dataclass(frozen=True, slots=True)
class Method:
    """A memory method under one backbone and one configuration: what a row of a table stands for."""

    backbone: str
    memory: str
    title: str
    """The papers' name, and whatever else tells it from the other rows."""
    mode: str
    outcome_source: str
    protocol: str
    cells: Mapping[str, tuple[Measured, ...]]
    """By stream key: one run a seed, seeds rising."""

    @property
    def label(self) -> str:
        """The row on one line."""
        return f"{self.backbone} · {self.title}"


@dataclass(frozen=True, slots=True)
class Grid:
    """All runs of a table."""

    streams: tuple[Stream, ...]
    methods: tuple[Method, ...]
    """Backbones by name, methods in the papers' order."""
    doubled: tuple[str, ...]
    """One sentence for each run left out because a later one has the same configuration and seed."""

    @property
    def runs(self) -> list[Measured]:
        """The runs that are in the table."""
        return [run for method in self.methods for runs in method.cells.values() for run in runs]

    @property
    def seeds(self) -> list[int]:
        """Every seed of any cell."""
        return sorted({run.run.lock.seed for run in self.runs})


def sort_runs(runs: Sequence[Measured]) -> Grid:
    """Sort runs into streams (columns) and methods (rows)."""
    streams, stream_of = _streams(runs)
    kept, doubled = _latest(runs, stream_of)
    bases: dict[tuple[str, ...], list[Measured]] = {}
    for run in kept:
        bases.setdefault(_base(run), []).append(run)
    several = len({run.run.lock.agent.name for run in kept}) > 1
    methods = [method for group in bases.values() for method in _split(group, stream_of, several)]
    methods.sort(key=lambda m: (m.backbone, method_rank(m.memory), m.title, m.mode, m.outcome_source))
    return Grid(streams, tuple(methods), doubled)


def _streams(runs: Sequence[Measured]) -> tuple[tuple[Stream, ...], dict[str, str]]:
    """Return the streams, and the stream key of each run folder."""
    found: dict[tuple[str, str], dict[str, list[Measured]]] = {}
    for run in runs:
        env = run.run.lock.env
        same = "\x1f".join(f"{key}={value}" for key, value in sorted(stream_facts(run.run).items()))
        found.setdefault((env.name, env.variant), {}).setdefault(same, []).append(run)
    streams: list[Stream] = []
    stream_of: dict[str, str] = {}
    for (name, variant), groups in found.items():
        facts = [stream_facts(group[0].run) for group in groups.values()]
        keys = differing(facts)
        keys = [key for key in keys if key != "task set"] if _tell_apart(facts, keys) else keys
        for group, fact in zip(groups.values(), facts, strict=True):
            extra = ", ".join(told(key, fact) for key in keys)
            lock = group[0].run.lock
            key = "/".join(part for part in (name, variant, extra) if part)
            streams.append(Stream(key, name, variant, len(lock.tasks), extra, lock.env.metrics))
            stream_of |= {str(run.run.folder): key for run in group}
    streams.sort(key=lambda s: (benchmark_rank(s.benchmark), s.variant, -s.n_tasks, s.extra))
    return tuple(streams), stream_of


def _tell_apart(facts: Sequence[Mapping[str, str]], keys: Sequence[str]) -> bool:
    """Tell whether the keys still distinguish all facts once the digest of the task set is left out."""
    left = {tuple(fact.get(key) for key in keys if key != "task set") for fact in facts}
    return len(left) == len(facts)


def _base(run: Measured) -> tuple[str, ...]:
    lock = run.run.lock
    return (
        lock.backbone.id, lock.agent.name, lock.memory.name, lock.memory.mode, lock.memory.variant, lock.row or "",
        lock.outcome_source, lock.protocol,
    )  # fmt: skip


def _latest(runs: Sequence[Measured], stream_of: Mapping[str, str]) -> tuple[list[Measured], tuple[str, ...]]:
    """Keep the latest of runs that agree in everything, their seed too."""
    kept: dict[str, Measured] = {}
    doubled = []
    for run in sorted(runs, key=lambda r: (r.run.lock.started, str(r.run.folder))):
        lock = run.run.lock
        facts = sorted(method_facts(run.run).items())
        same = repr((stream_of[str(run.run.folder)], _base(run), facts, lock.seed))
        if same in kept:
            stores = {str(each.run.lock.settings.get("store")) for each in (kept[same], run)}
            how = "with one configuration" if len(stores) == 1 else "from two different stores"
            doubled.append(
                f"Seed {lock.seed} was run twice {how}: {run.run.name} is used, "
                f"{kept[same].run.name}, started earlier, is not."
            )
        kept[same] = run
    return sorted(kept.values(), key=lambda r: str(r.run.folder)), tuple(doubled)


def _split(runs: Sequence[Measured], stream_of: Mapping[str, str], name_agent: bool) -> list[Method]:
    """Make one row of runs with the same names, or several where some setting differs within a stream."""
    facts = {str(run.run.folder): method_facts(run.run) for run in runs}
    by_stream: dict[str, list[Measured]] = {}
    for run in runs:
        by_stream.setdefault(stream_of[str(run.run.folder)], []).append(run)
    split = [differing([facts[str(run.run.folder)] for run in group]) for group in by_stream.values()]
    keys = list(dict.fromkeys(key for each in split for key in each))
    rows: dict[tuple[str, ...], dict[str, list[Measured]]] = {}
    for run in runs:
        folder = str(run.run.folder)
        apart = tuple(told(key, facts[folder]) for key in telling(keys, facts[folder]))
        rows.setdefault(apart, {}).setdefault(stream_of[folder], []).append(run)
    return [_method(cells, apart, name_agent) for apart, cells in rows.items()]


def _method(cells: Mapping[str, list[Measured]], apart: Sequence[str], name_agent: bool) -> Method:
    lock = next(iter(cells.values()))[0].run.lock
    title = method_title(lock.memory.name) + (f" [{lock.row}]" if lock.row else "")
    extras = [
        *apart,
        *([lock.protocol] if lock.protocol != "online" else []),
        *([f"feedback: {lock.outcome_source}"] if lock.outcome_source != "env" else []),
        *([f"agent: {lock.agent.name}"] if name_agent else []),
    ]
    variant = lock.memory.variant if lock.memory.variant not in ("", lock.memory.mode) else ""
    return Method(
        backbone=lock.backbone.id,
        memory=lock.memory.name,
        title=f"{title} ({', '.join(extras)})" if extras else title,
        mode="/".join(part for part in (lock.memory.mode, variant) if part),
        outcome_source=lock.outcome_source,
        protocol=lock.protocol,
        cells={key: tuple(sorted(group, key=lambda run: run.run.lock.seed)) for key, group in cells.items()},
    )
