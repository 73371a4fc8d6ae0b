"""STRATA's Table 3: what an episode costs, the memory's share told apart from the agent's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from harness.ledger.reading import Run
from harness.ledger.tally import Tally
from harness.tables.compare import compared
from harness.tables.grid import Grid, sort_runs
from harness.tables.measured import Measured
from harness.tables.model import Cell, Column, Mark, Row, Table
from harness.tables.names import paper_method_rank
from harness.tables.notes import coverage, full_title, notes
from harness.tables.paper import Reported, figures

TITLE = "Table 3. Cost of an episode"
NOTES = (
    "Means over the scored episodes, further trials included. The memory's share is what its retrieve, step and update "
    "phases and the judge took; the rest is the agent's. Tokens are those of chat calls; embedding calls are in the "
    "cost only.",
    "Latency is wall-clock time, engine included: compare it only between runs made side by side on one machine. Token "
    "counts of a backbone that is no language model are estimates. A cost is n/a where a price is unknown.",
    "Rows headed paper are STRATA's printed figures: it does not name their backbone or environment, and a figure it "
    "does not print is n/a.",
)


class Cost(NamedTuple):
    """One figure of an episode."""

    key: str
    """As in results/paper/reported.csv where the paper has it."""
    title: tuple[str, ...]
    unit: str
    places: int
    total: Callable[[Tally], float | None]
    """Sum over a run's episodes; None where it is unknown."""
    lower_is_better: bool = True


COSTS: tuple[Cost, ...] = (
    Cost("latency_s", ("Latency", "s"), "s", 1, lambda t: t.wall_s),
    Cost("memory_s", ("memory's", "s"), "s", 1, lambda t: t.memory_s),
    Cost(
        "input_tokens", ("Input", "tokens"), "tokens", 0,
        lambda t: (t.chat["agent"] + t.chat["memory"]).prompt_tokens,
    ),
    Cost("memory_input_tokens", ("memory's", "input"), "tokens", 0, lambda t: t.chat["memory"].prompt_tokens),
    Cost(
        "output_tokens", ("Output", "tokens"), "tokens", 0,
        lambda t: (t.chat["agent"] + t.chat["memory"]).completion_tokens,
    ),
    Cost("memory_output_tokens", ("memory's", "output"), "tokens", 0, lambda t: t.chat["memory"].completion_tokens),
    Cost("env_steps", ("Env", "steps"), "steps", 1, lambda t: t.steps),
    Cost("memory_lines", ("Memory", "lines"), "lines", 1, lambda t: t.recall_lines, lower_is_better=False),
    Cost("memory_tokens", ("Memory", "tokens"), "tokens", 0, lambda t: t.recall_tokens, lower_is_better=False),
    Cost("cost_usd", ("Cost", "USD"), "USD", 4, lambda t: t.usage.cost_usd),
    Cost("memory_cost_usd", ("memory's", "USD"), "USD", 4, lambda t: (t.chat["memory"] + t.embedding).cost_usd),
)  # fmt: skip
"""The paper calls fewer steps and tokens better; fewer injected lines are neither, so they are not compared."""


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table. Raises LedgerError for a damaged run."""
    grid = sort_runs([Measured.of(run) for run in runs])
    columns = [
        Column(cost.key, cost.title, cost.unit, cost.places, False if cost.lower_is_better else None, cost.key)
        for cost in COSTS
    ]
    return Table(
        name="3",
        title=full_title(TITLE, grid.runs),
        label_titles=("Backbone", "Environment", "Method", "Mode"),
        columns=tuple(columns),
        rows=(*compared(_rows(grid), columns), *_paper_rows(paper)),
        coverage=coverage(grid),
        notes=(*notes(grid), *NOTES),
    )


def _rows(grid: Grid) -> list[Row]:
    backbones = dict.fromkeys(method.backbone for method in grid.methods)
    return [
        Row(
            (backbone, stream.label, method.title, method.mode),
            {cost.key: _cell(method.cells[stream.key], cost) for cost in COSTS},
            section=f"{backbone} · {stream.key}",
        )
        for backbone in backbones
        for stream in grid.streams
        for method in grid.methods
        if method.backbone == backbone and stream.key in method.cells
    ]


def _cell(runs: Sequence[Measured], cost: Cost) -> Cell:
    return Cell.of(run.part(_per_episode(run.costs, cost)) for run in runs)


def _per_episode(tally: Tally, cost: Cost) -> float | None:
    total = cost.total(tally)
    return total / tally.episodes if total is not None and tally.episodes else None


def _paper_rows(paper: Sequence[Reported]) -> list[Row]:
    known = {cost.key for cost in COSTS}
    rows: dict[str, dict[str, Cell]] = {}
    for figure in figures(paper, "strata", "3"):
        if figure.column in known:
            marks = (Mark.DERIVED,) if figure.kind == "derived" else ()
            rows.setdefault(figure.row, {})[figure.column] = Cell(figure.value, figure.sd, marks=marks)
    return [
        Row(("paper: not named", "not named", method, "as printed"), rows[method], section="paper", source="paper")
        for method in sorted(rows, key=paper_method_rank)
    ]
