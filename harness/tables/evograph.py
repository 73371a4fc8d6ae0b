"""What EvoGraph-Mem's tables share: its three benchmarks, their columns, the paper's rows, and the edits of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import yaml

from harness.config.overrides import CONFIGS
from harness.ledger.reading import Run
from harness.metrics import METRICS
from harness.tables.grid import Grid, Method, Stream
from harness.tables.measured import Measured
from harness.tables.model import Cell, Column, Mark, Part, Row
from harness.tables.names import benchmark_title, paper_method_rank
from harness.tables.paper import Reported, figures


class Benchmark(NamedTuple):
    """One of the paper's benchmarks."""

    name: str
    metrics: tuple[str, ...]
    """The paper's metric first."""
    paper: str
    """Its column in results/paper/reported.csv."""


BENCHMARKS = (
    Benchmark("pddl", ("progress",), "pddl/progress_rate"),
    Benchmark("hotpotqa", ("em", "f1"), "hotpotqa/em"),
    Benchmark("fever", ("accuracy",), "fever/accuracy"),
)
OURS = ("generated", "embedded")
"""How the variants begin whose tasks were made for this project, so that no figure of the paper is theirs."""
PAPER_NOTE = (
    "Rows headed paper are EvoGraph-Mem's printed figures, as far as they are known; the others are n/a. They stand in "
    "the column of the published tasks, and in one of their own where those were not run: tasks generated or embedded "
    "here are not the paper's. It names neither its numbers of tasks nor FEVER's metric; ours is accuracy."
)


def of_its_benchmarks(runs: Iterable[Run], wanted: Callable[[Run], bool]) -> list[Measured]:
    """Measure the runs on the paper's benchmarks that a table is about."""
    names = {benchmark.name for benchmark in BENCHMARKS}
    return [Measured.of(run) for run in runs if run.lock.env.name in names and wanted(run)]


def metric_columns(grid: Grid) -> tuple[list[Column], dict[str, str]]:
    """Return the columns of all streams, and which of them each column of the paper goes to."""
    columns: list[Column] = []
    places: dict[str, str] = {}
    for benchmark in BENCHMARKS:
        streams = [stream for stream in grid.streams if stream.benchmark == benchmark.name]
        published = next((stream for stream in streams if not stream.variant.startswith(OURS)), None)
        columns += [_column(stream.key, stream.title, name) for stream in streams for name in benchmark.metrics]
        if published is None:
            columns.append(
                _column(_paper_key(benchmark), (benchmark_title(benchmark.name), "paper's tasks"), benchmark.metrics[0])
            )
        places[benchmark.paper] = f"{published.key if published else _paper_key(benchmark)}/{benchmark.metrics[0]}"
    return columns, places


def metric_cells(method: Method) -> dict[str, Cell]:
    """Return the cells of a row in the columns of ``metric_columns``."""
    names = {benchmark.name: benchmark.metrics for benchmark in BENCHMARKS}
    return {
        f"{key}/{name}": Cell.of(run.metric_part(name) for run in runs)
        for key, runs in method.cells.items()
        for name in names[runs[0].run.lock.env.name]
    }


def paper_rows(paper: Sequence[Reported], table: str, places: Mapping[str, str], wide: int = 3) -> list[Row]:
    """Return the paper's rows of a table, backbone by backbone, with ``wide`` labels each."""
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    for figure in figures(paper, "evograph-mem", table):
        if figure.column in places:
            marks = (Mark.DERIVED,) if figure.kind == "derived" else ()
            cell = Cell(figure.value, figure.sd, marks=marks)
            rows.setdefault((figure.backbone, figure.row), {})[places[figure.column]] = cell
    ordered = sorted(rows.items(), key=lambda item: (item[0][0], paper_method_rank(item[0][1])))
    return [
        Row((f"paper: {backbone}", name, *["as printed"] * (wide - 2)), cells, f"paper: {backbone}", source="paper")
        for (backbone, name), cells in ordered
    ]


@cache
def configured_lambda() -> float:
    """Return lambda of equation (8) as the configuration of the method has it."""
    settings = yaml.safe_load((CONFIGS / "memory" / "evograph.yaml").read_text(encoding="utf-8"))
    return float(settings["lambda_"])


def edit_totals(run: Run) -> Counter[str]:
    """Return what an EvoGraph-Mem counted over a whole run: edits by operation, candidates, those with c > 0, ..."""
    totals: Counter[str] = Counter()
    for record in run.records():
        if record.update is not None:
            totals = Counter(record.update.notes.get("totals", {}))
    return totals


def share_cell(method: Method, part: str, whole: str, scale: float = 100.0) -> Cell:
    """Return one total over another, all streams of a seed together; nothing where the whole is 0."""
    seeds: dict[int, list[Measured]] = {}
    for runs in method.cells.values():
        for run in runs:
            seeds.setdefault(run.run.lock.seed, []).append(run)
    return Cell.of(_share(runs, part, whole, scale) for runs in seeds.values())


def _share(runs: Sequence[Measured], part: str, whole: str, scale: float) -> Part:
    totals: Counter[str] = sum((edit_totals(run.run) for run in runs), Counter())
    return joined(runs, scale * totals[part] / totals[whole] if totals[whole] else None)


def joined(runs: Sequence[Measured], value: float | None) -> Part:
    """Return what several runs of one seed give to a cell together."""
    parts = [run.part(None) for run in runs]
    return Part(
        parts[0].seed, value, tuple(folder for part in parts for folder in part.runs),
        sum(part.n_planned for part in parts), sum(part.n_scored for part in parts),
        sum(part.n_infrastructure for part in parts), parts[0].date,
    )  # fmt: skip


def conflict_note(grid: Grid) -> list[str]:
    """Say how often the penalty of equation (8) could have acted at all."""
    totals: Counter[str] = sum((edit_totals(run.run) for run in grid.runs), Counter())
    if not totals["candidates"]:
        return []
    return [
        f"Equation (8): c > 0 for {totals['conflicting']:,} of {totals['candidates']:,} candidate insights, all rows "
        f"together; in {totals['reranked']:,} of {totals['episodes']:,} episodes lambda changed what was retrieved."
    ]


def streams_of(grid: Grid, method: Method) -> list[Stream]:
    """Return the streams a row was run on, in the table's order."""
    return [stream for stream in grid.streams if stream.key in method.cells]


def _paper_key(benchmark: Benchmark) -> str:
    return f"paper/{benchmark.name}"


def _column(stream: str, title: Sequence[str], name: str) -> Column:
    metric = METRICS[name]
    return Column(f"{stream}/{name}", (*title, f"{metric.title} %"), "%", 1, metric.higher_is_better, stream)
