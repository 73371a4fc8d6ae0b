"""The columns of STRATA's diagnostics: each figure of a run's graph log, under the name the paper's figures have."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harness.tables.graph_log import GraphLog
from harness.tables.model import Column


class Figure(NamedTuple):
    """One diagnostic of a run."""

    key: str
    """As in results/paper/reported.csv where the paper has it."""
    title: tuple[str, ...]
    unit: str
    places: int
    of: Callable[[GraphLog], float | None]
    adds: bool = False
    """Whether streams are added up; the others are averaged over the streams that have the figure."""

    @property
    def column(self) -> Column:
        """The figure's column; no diagnostic is better high or low by itself."""
        return Column(self.key, self.title, self.unit, self.places, None, self.key)


FIGURES: dict[str, Figure] = {
    figure.key: figure
    for figure in (
        Figure("tasks", ("Tasks",), "tasks", 0, lambda log: float(log.episodes) or None, adds=True),
        Figure("workflows", ("Workflows",), "nodes", 1, lambda log: log.logged("nodes", "workflow"), adds=True),
        Figure("metas", ("Metas",), "nodes", 1, lambda log: log.logged("nodes", "meta"), adds=True),
        Figure(
            "atomics", ("Atomic", "nodes"), "nodes", 1,
            lambda log: log.counted("nodes", "skill", "code", "role"), adds=True,
        ),
        Figure("call_edges", ("Call", "edges"), "edges", 1, lambda log: log.logged("edges", "call"), adds=True),
        Figure(
            "generalizes_edges", ("Generalizes",), "edges", 1,
            lambda log: log.logged("edges", "generalizes"), adds=True,
        ),
        Figure(
            "merged_from_edges", ("Merged", "from"), "edges", 1,
            lambda log: log.logged("edges", "merged_from"), adds=True,
        ),
        Figure(
            "contrast_edges", ("Contrast", "edges"), "edges", 1, lambda log: log.logged("edges", "contrasts"), adds=True
        ),
        Figure(
            "contrasts_added", ("Contrasts", "ever"), "edges", 1,
            lambda log: float(log.contrasted) if log.workflows else None, adds=True,
        ),
        Figure("deletions", ("Deletions",), "nodes", 1, lambda log: log.logged("totals", "deleted"), adds=True),
        Figure(
            "bridges_protected", ("Bridges", "spared"), "nodes", 1,
            lambda log: log.logged("totals", "protected"), adds=True,
        ),
        Figure("memory_lines", ("Lines", "an episode"), "lines", 1, lambda log: log.mean_lines()),
        Figure("regret_pct", ("Regret", "template %"), "%", 1, lambda log: log.regret_percent("template")),
        Figure("regret_family_pct", ("Regret", "family %"), "%", 1, lambda log: log.regret_percent("family")),
        Figure("purity_pct", ("Purity", "%"), "%", 1, lambda log: log.percent("purity")),
        Figure("support", ("Support",), "members", 1, lambda log: log.logged("support")),
        Figure("churn_pct", ("Churn", "%"), "%", 1, lambda log: log.percent("totals", "churn")),
        Figure("injection_pct", ("Injection", "%"), "%", 1, lambda log: log.injection_percent()),
        Figure("tasks_per_workflow", ("Tasks a", "workflow"), "tasks", 1, lambda log: log.ratio("workflow")),
        Figure("workflows_per_meta", ("Workflows", "a meta"), "nodes", 1, lambda log: log.ratio("meta")),
        Figure("growth_first", ("Growth", "1st half"), "workflows an episode", 2, lambda log: log.grown(0)),
        Figure("growth_second", ("Growth", "2nd half"), "workflows an episode", 2, lambda log: log.grown(1)),
        Figure("created", ("Created",), "episodes", 1, lambda log: log.decided("create"), adds=True),
        Figure("bulleted", ("Bullet",), "episodes", 1, lambda log: log.decided("add_bullet"), adds=True),
        Figure("noop", ("No-op",), "episodes", 1, lambda log: log.decided("noop"), adds=True),
        Figure("pitfall", ("Pitfall",), "episodes", 1, lambda log: log.decided("pitfall"), adds=True),
    )
}  # fmt: skip

MEANINGS = (
    "Counts are of live nodes and edges at the end of a stream, and are added up over streams; shares, lines and "
    "support are averaged over the streams that have them. Regret is the share of deleted workflows whose task type "
    "recurs in a later episode, n/a where nothing was deleted: by template (the finer kind; ScienceWorld's templates "
    "are its families) and by family, since with few families recurrence is nearly certain. Purity is the share of a "
    "meta's members from its most frequent family, support their number, churn the share of meta writes that rebuild "
    "a near-duplicate, injection the share of episodes with a meta injected. The paper defines none of them in full: "
    "these definitions are reconstructed."
)
