"""What STRATA's log adds up to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.ledger.reading import read_run
from harness.tables.graph_figures import FIGURES
from harness.tables.graph_log import GraphLog, Round, growth, regret, tag_coverage
from tests.run_folders import run_folder
from tests.unit.tables.strata_runs import episodes, notes


def of(kind: str, *deleted: str) -> Round:
    rows = tuple({"id": "w", "template": name, "family": name[0]} for name in deleted)
    return Round(kind[0], kind, rows)


def log(folder: Path, *rounds: dict[str, Any], **settings: Any) -> GraphLog:
    return GraphLog.of(read_run(run_folder(folder, "run", episodes(rounds, **settings), memory__name="strata")))


def test_regret_is_the_share_of_deleted_workflows_whose_task_type_recurs_later() -> None:
    rounds = [of("a1"), of("b1", "a1", "b1"), of("a1"), of("a2", "a2")]
    assert regret(rounds, "template") == (1, 3)
    assert regret([of("a1"), of("b1", "a1"), of("a2")], "family") == (1, 1)
    assert regret([of("a1"), of("b1", "a1"), of("a2")], "template") == (0, 1)
    assert regret([], "template") == (0, 0)


def test_a_task_type_that_recurs_only_in_the_deleting_episode_is_no_regret() -> None:
    assert regret([of("a1", "a1")], "template") == (0, 1)


@pytest.mark.parametrize(
    ("counts", "halves"),
    [([1, 2, 3], (None, None)), ([1, 2, 2, 2], (1.0, 0.0)), ([1, 2, 3, 3, 3, 4], (1.0, 1 / 3))],
)
def test_growth_is_told_for_each_half_and_a_short_stream_has_none(
    counts: list[int], halves: tuple[float | None, float | None]
) -> None:
    assert growth(counts) == halves


def test_the_injection_rate_is_the_share_of_scored_episodes_with_a_meta(tmp_path: Path) -> None:
    found = log(tmp_path, notes(), notes(), remembered=["m"], kinds=("meta", "workflow"))
    assert found.injection_percent() == 50.0
    assert GraphLog().injection_percent() is None


def test_figures_are_those_of_the_last_round_and_nothing_deleted_is_no_regret(tmp_path: Path) -> None:
    found = log(tmp_path, notes(workflows=3), notes(workflows=5, metas=2, deleted=1))
    values = {key: figure.of(found) for key, figure in FIGURES.items()}
    assert (values["workflows"], values["metas"], values["deletions"]) == (5.0, 2.0, 1.0)
    assert (values["tasks"], values["tasks_per_workflow"], values["workflows_per_meta"]) == (2.0, 0.4, 2.5)
    assert (values["regret_pct"], values["growth_first"], values["contrasts_added"]) == (None, None, 0.0)
    assert (values["purity_pct"], values["churn_pct"]) == (75.0, None)


def test_a_run_without_such_notes_has_no_figures_and_no_zeros(tmp_path: Path) -> None:
    found = log(tmp_path, {}, {})
    assert all(figure.of(found) is None for key, figure in FIGURES.items() if key not in ("tasks", *OF_THE_LEDGER))


OF_THE_LEDGER = ("memory_lines", "injection_pct")
"""Figures that any run has."""


def test_a_task_counts_once_for_the_coverage_of_tags_however_many_runs_played_it(tmp_path: Path) -> None:
    first = log(tmp_path / "1", notes(tags=["app:a", "op:heat"]), notes(tags=["app:a", "op:cool", "obj:egg"]))
    again = log(tmp_path / "2", notes(tags=["app:a", "op:heat"]), notes(tags=["app:a", "op:cool", "obj:egg"]))
    assert tag_coverage([first, again]) == (2, 2, 1)
