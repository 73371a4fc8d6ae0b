"""STRATA's Table 1: the main metric of every method on every stream, ours above the paper's own figures."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ledger.reading import Run
from harness.metrics import METRICS
from harness.statistics import mean
from harness.tables.compare import compared
from harness.tables.grid import Grid, Method, Stream, sort_runs
from harness.tables.measured import Measured
from harness.tables.model import Cell, Column, Mark, Part, Row, Table
from harness.tables.names import STRATA_STREAMS, PaperStream, benchmark_title, paper_method_rank
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported, figures

TITLE = "Table 1. Main results of the memory methods"
PAPER_NOTE = (
    "Rows headed paper are STRATA's printed figures: its backbones are called Pro and Flash and not named, its table "
    "is known in part, and a figure it does not print is n/a. ± is the standard deviation over seeds (ddof 1)."
)


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs([Measured.of(run) for run in runs])
    ours, places = _columns(grid)
    columns = (*ours, *_mean_columns(grid))
    rows = [Row((m.backbone, m.title, m.mode), _cells(m, grid), section=m.backbone) for m in grid.methods]
    return Table(
        name="1",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Method", "Mode"),
        columns=columns,
        rows=(*compared(rows, columns), *_paper_rows(paper, places)),
        coverage=coverage(grid),
        notes=(*notes(grid), PAPER_NOTE, *_inferred(places)),
    )


def _columns(grid: Grid) -> tuple[list[Column], dict[tuple[str, str], str]]:
    """Return the streams' columns, and which column each figure of the paper goes to."""
    columns: list[Column] = []
    places: dict[tuple[str, str], str] = {}
    placed: set[str] = set()
    for theirs in STRATA_STREAMS:
        stream = _same_stream(theirs, grid)
        title = stream.title if stream else (benchmark_title(theirs.benchmark), theirs.title)
        key = stream.key if stream else f"paper/{theirs.name}"
        columns += [_column(key, title, name) for name in theirs.metrics]
        places |= {(theirs.name, name): f"{key}/{name}" for name in theirs.metrics}
        placed |= {stream.key} if stream else set()
        if theirs.benchmark not in {later.benchmark for later in STRATA_STREAMS[STRATA_STREAMS.index(theirs) + 1 :]}:
            rest = [s for s in grid.streams if s.benchmark == theirs.benchmark and s.key not in placed]
            columns += [_column(s.key, s.title, name) for s in rest for name in _shown_metrics(s)]
            placed |= {s.key for s in rest}
    rest = [s for s in grid.streams if s.key not in placed]
    columns += [_column(s.key, s.title, name) for s in rest for name in _shown_metrics(s)]
    return columns, places


def _same_stream(theirs: PaperStream, grid: Grid) -> Stream | None:
    """Return the first stream of ours that has all of the paper's tasks."""
    for variant, n_tasks in theirs.ours.items():
        for stream in grid.streams:
            if (stream.benchmark, stream.variant, stream.n_tasks) == (theirs.benchmark, variant, n_tasks):
                return stream
    return None


def _shown_metrics(stream: Stream) -> tuple[str, ...]:
    return stream.metrics[:2] if stream.metrics[0] == "tgc" else stream.metrics[:1]


def _column(stream: str, title: Sequence[str], name: str) -> Column:
    metric = METRICS[name]
    head = (*(line for line in title if line), f"{metric.title} {'%' if metric.unit == '%' else ''}".strip())
    return Column(f"{stream}/{name}", head, metric.unit, 1, metric.higher_is_better, stream)


def _cells(method: Method, grid: Grid) -> dict[str, Cell]:
    found = {
        f"{key}/{name}": Cell.of(run.metric_part(name) for run in runs)
        for key, runs in method.cells.items()
        for name in runs[0].run.lock.env.metrics
    }
    for column, weights in zip(_mean_columns(grid), (False, True), strict=False):
        found[column.key] = _mean_cell(method, grid, by_benchmark=weights)
    return found


def _mean_columns(grid: Grid) -> tuple[Column, ...]:
    """Return the means over streams and, where that is another figure, over benchmarks."""
    n_benchmarks = len({stream.benchmark for stream in grid.streams})
    found = []
    if len(grid.streams) > 1:
        found.append(Column("mean/streams", ("Mean", f"{len(grid.streams)} streams"), "", 1, True, "mean"))
    if 1 < n_benchmarks < len(grid.streams):
        found.append(Column("mean/benchmarks", ("Mean", f"{n_benchmarks} benchmarks"), "", 1, True, "mean"))
    return tuple(found)


def _mean_cell(method: Method, grid: Grid, *, by_benchmark: bool) -> Cell:
    """Return the mean of the streams' main metrics, seed by seed; nothing where a stream was not run."""
    if any(stream.key not in method.cells for stream in grid.streams):
        return Cell()
    by_seed = [{run.run.lock.seed: run for run in method.cells[stream.key]} for stream in grid.streams]
    seeds = sorted(set.intersection(*(set(runs) for runs in by_seed)))
    return Cell.of(_mean_part(seed, grid, [runs[seed] for runs in by_seed], by_benchmark) for seed in seeds)


def _mean_part(seed: int, grid: Grid, runs: Sequence[Measured], by_benchmark: bool) -> Part:
    parts = [run.metric_part(run.run.lock.env.metrics[0]) for run in runs]
    groups: dict[str, list[float | None]] = {}
    for stream, part in zip(grid.streams, parts, strict=True):
        groups.setdefault(stream.benchmark if by_benchmark else stream.key, []).append(part.value)
    means = [mean([v for v in group if v is not None]) if None not in group else None for group in groups.values()]
    known = [value for value in means if value is not None]
    return Part(
        seed,
        mean(known) if len(known) == len(means) else None,
        tuple(run for part in parts for run in part.runs),
        sum(part.n_planned for part in parts),
        sum(part.n_scored for part in parts),
        sum(part.n_infrastructure for part in parts),
    )


def _paper_rows(paper: Sequence[Reported], places: dict[tuple[str, str], str]) -> list[Row]:
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    for figure in figures(paper, "strata", "1"):
        stream, _, name = figure.column.partition("/")
        if (stream, name) in places:
            loose = figure.kind == "derived" or "inferred" in figure.note
            cell = Cell(figure.value, figure.sd, marks=(Mark.DERIVED,) if loose else ())
            rows.setdefault((figure.backbone, figure.row), {})[places[stream, name]] = cell
    ordered = sorted(rows.items(), key=lambda item: (item[0][0], paper_method_rank(item[0][1])))
    return [
        Row((f"paper: {backbone.title()}", method, "as printed"), cells, section=f"paper: {backbone}", source="paper")
        for (backbone, method), cells in ordered
    ]


def _inferred(places: dict[tuple[str, str], str]) -> list[str]:
    found = []
    if places["alfworld", "sr"].startswith("alfworld/"):
        found.append("The paper does not name its ALFWorld split; its figures stand in the column of ours.")
    if places["scienceworld", "score"].startswith("scienceworld/"):
        found.append("The paper's 23 ScienceWorld tasks are inferred (AgentGym's exclusions), one variation each.")
    return found
