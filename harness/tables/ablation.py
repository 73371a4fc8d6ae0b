"""What STRATA's ablation tables share: which runs are which row, on every stream and on average, and the paper's rows.

A run is the row that its switches make it, whatever the row was called that it was started with: the full system of
Table 2 is that of Table 9, and need not be run twice. Runs on a store that was filled beforehand are no row of a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from harness.ledger.reading import Run
from harness.statistics import mean
from harness.tables.graph_figures import FIGURES
from harness.tables.graph_log import GraphLog
from harness.tables.grid import Grid, Method, Stream, sort_runs
from harness.tables.measured import Measured
from harness.tables.model import Cell, Part

MEMORY = "strata"
MAIN, DROP = "main", "drop"
OURS = "x_"
"""How the names of row files begin that no table of the paper has."""
Value = Callable[[Measured], float | None]


@dataclass(frozen=True, slots=True)
class Place:
    """One stream, or a mean over some."""

    title: str
    streams: tuple[tuple[str, ...], ...]
    """Keys of the streams averaged, in groups that count alike: one of one is a stream itself."""


@dataclass(frozen=True)
class Ablation:
    """The runs of one table."""

    grid: Grid
    """Its methods are the table's rows, in the table's order and under the paper's names."""
    keys: Mapping[str, str]
    """Which row each method is, by its label."""
    logs: Mapping[str, GraphLog]
    """By run folder."""
    base: str
    """The row that others are compared with."""

    @classmethod
    def of(cls, runs: Sequence[Run], variants: Mapping[str, str], base: str) -> Ablation:
        """Sort the runs that are rows of a table; ``variants`` are the rows' titles by what the lock calls them."""
        wanted = [_unnamed(run, variants) for run in runs if _key(run, variants) in variants]
        wanted = [run for run in wanted if run.lock.memory.name == MEMORY and not run.lock.settings.get("prefill")]
        grid = sort_runs([Measured.of(run) for run in wanted])
        order, methods, keys = list(variants), [], {}
        for method in grid.methods:
            key = _key(_first(method).run, variants)
            methods.append((method.backbone, order.index(key), key, _titled(method, variants[key])))
        methods.sort(key=lambda found: (found[0], found[1], found[3].title))
        for _, _, key, method in methods:
            keys[method.label] = key
        logs = {str(run.folder): GraphLog.of(run) for run in wanted}
        grid = replace(grid, methods=tuple(found[3] for found in methods), doubled=_told_once(grid.doubled))
        return cls(grid, keys, logs, base)

    @cached_property
    def backbones(self) -> tuple[str, ...]:
        """All backbones, in the grid's order."""
        return tuple(dict.fromkeys(method.backbone for method in self.grid.methods))

    def of_backbone(self, backbone: str) -> tuple[Method, ...]:
        """Return the rows of one backbone."""
        return tuple(method for method in self.grid.methods if method.backbone == backbone)

    def places(self, backbone: str) -> tuple[Place, ...]:
        """Return the streams that a backbone was run on and the mean over the common ones, counted in both ways."""
        keys = {key for method in self.of_backbone(backbone) for key in method.cells}
        found = [Place(stream.label, ((stream.key,),)) for stream in self.grid.streams if stream.key in keys]
        streams = self.common(backbone)
        if len(streams) > 1:
            benchmarks: dict[str, list[str]] = {}
            for stream in streams:
                benchmarks.setdefault(stream.benchmark, []).append(stream.key)
            each = tuple((stream.key,) for stream in streams)
            found.append(Place(f"mean over {len(streams)} streams", each))
            found.append(Place(f"mean over {len(benchmarks)} benchmarks", tuple(map(tuple, benchmarks.values()))))
        return tuple(found)

    def common(self, backbone: str) -> list[Stream]:
        """Return the streams that every row of the paper was run on of which a backbone has any run."""
        rows: dict[str, set[str]] = {}
        for method in self.of_backbone(backbone):
            if not self.keys[method.label].startswith(OURS):
                rows.setdefault(self.keys[method.label], set()).update(method.cells)
        shared = set.intersection(*rows.values()) if rows else set()
        return [stream for stream in self.grid.streams if stream.key in shared]

    def main(self, method: Method, place: Place) -> Cell:
        """Return the streams' main metrics; nothing where one was not run."""
        return self._cell(method, place, _main, adds=False, whole=True)

    def drop(self, method: Method, place: Place) -> Cell:
        """Return a row's main metric less the base's, seed by seed; nothing for the base itself."""
        base = self._base(method)
        if base is None or base is method:
            return Cell()
        own, theirs = self.main(method, place), {part.seed: part for part in self.main(base, place).parts}
        return Cell.of(_minus(part, theirs[part.seed]) for part in own.parts if part.seed in theirs)

    def figure(self, method: Method, place: Place, key: str) -> Cell:
        """Return a diagnostic: added up or averaged over the place's streams."""
        figure = FIGURES[key]
        return self._cell(
            method, place, lambda run: figure.of(self.logs[str(run.run.folder)]), adds=figure.adds, whole=figure.adds
        )

    def _base(self, method: Method) -> Method | None:
        """Return what a row is compared with: the base that differs from it in nothing else, or the only one."""
        bases = [m for m in self.of_backbone(method.backbone) if self.keys[m.label] == self.base]
        alike = [m for m in bases if _suffix(m.title) == _suffix(method.title)]
        return next(iter(alike or bases), None)

    @staticmethod
    def _cell(method: Method, place: Place, value: Value, *, adds: bool, whole: bool) -> Cell:
        runs = [{run.run.lock.seed: run for run in method.cells.get(key, ())} for each in place.streams for key in each]
        seeds = sorted(set.intersection(*map(set, runs))) if runs else []
        sizes = [len(each) for each in place.streams]
        return Cell.of(_part(seed, [found[seed] for found in runs], sizes, value, adds, whole) for seed in seeds)


def _part(
    seed: int, runs: Sequence[Measured], sizes: Sequence[int], value: Value, adds: bool, whole: bool
) -> Part:  # fmt: skip
    """Return one seed's share; ``whole`` leaves no figure where one stream has none."""
    parts, values = [run.part(value(run)) for run in runs], iter([value(run) for run in runs])
    groups = [[next(values) for _ in range(size)] for size in sizes]
    flat = [found for group in groups for found in group]
    known = [found for found in flat if found is not None]
    means = [mean([found for found in group if found is not None]) for group in groups]
    figure: float | None = None
    if known and not (whole and len(known) < len(flat)):
        figure = sum(known) if adds else mean([found for found in means if found is not None])
    single = parts[0] if len(parts) == 1 else None
    return Part(
        seed, figure, tuple(folder for part in parts for folder in part.runs),
        sum(part.n_planned for part in parts), sum(part.n_scored for part in parts),
        sum(part.n_infrastructure for part in parts), single.date if single else "", _units(runs, value),
    )  # fmt: skip


def _units(runs: Sequence[Measured], value: Value) -> Mapping[str, float]:
    """Return the tasks behind the main metric of one stream, for paired comparison."""
    if value is not _main or len(runs) != 1:
        return {}
    return runs[0].metric_part(runs[0].run.lock.env.metrics[0]).units


def _main(run: Measured) -> float | None:
    return run.metric_part(run.run.lock.env.metrics[0]).value


def _minus(own: Part, base: Part) -> Part:
    gap = None if own.value is None or base.value is None else own.value - base.value
    units = {task: own.units[task] - base.units[task] for task in own.units.keys() & base.units.keys()}
    return replace(own, value=gap, runs=(*own.runs, *base.runs), units=units)


def _key(run: Run, variants: Mapping[str, str]) -> str:
    """Return what a table calls a run's row: a row of ours by its name, one of the paper's by its switches."""
    row = run.lock.row
    return row if row is not None and row in variants else run.lock.memory.variant


def _unnamed(run: Run, variants: Mapping[str, str]) -> Run:
    """Return a run without the name of the paper's row it was started as, so that equal ones come together."""
    return run if run.lock.row in variants else replace(run, lock=run.lock.model_copy(update={"row": None}))


def _told_once(doubled: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for many: one row that was run for several tables is the common case, and no fault."""
    if len(doubled) < 2:
        return tuple(doubled)
    return (
        f"{len(doubled)} runs have configuration and seed of a later one, as rows do that tables share; it is used.",
    )


def _first(method: Method) -> Measured:
    return next(iter(method.cells.values()))[0]


def _titled(method: Method, title: str) -> Method:
    return replace(method, title=f"{title}{_suffix(method.title)}")


def _suffix(title: str) -> str:
    """Return what a title says in its last brackets, of settings that tell it from others."""
    return f" ({title.rpartition(' (')[2]}" if title.endswith(")") and " (" in title else ""
