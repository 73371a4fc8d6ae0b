"""EvoGraph-Mem's tables: what belongs into which, and what stands beside what."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import harness.tables.bars
from harness.ledger.record import EpisodeRecord
from harness.tables.catalog import find_drawing
from harness.tables.evograph import configured_lambda
from harness.tables.model import Row, Table
from harness.types import UpdateReport
from scripts.tables import main
from tests.run_folders import record, run_folder
from tests.unit.tables.building import one, ours

EVOGRAPH: dict[str, Any] = {"variant": "paper", "lambda_": 1.0, "controller": "all"}
METRICS = {"pddl": ["progress"], "hotpotqa": ["em", "f1"], "fever": ["accuracy"]}


def counted(at: int, **totals: int) -> EpisodeRecord:
    """Return an episode whose memory counted so much in all."""
    plain = record(at, metrics={"progress": 0.5, "em": 1.0, "f1": 0.75, "accuracy": 0.0})
    return plain.model_copy(update={"update": UpdateReport(1, ("m",), {"totals": {"episodes": at + 1, **totals}})})


def run(
    root: Path, memory: str, env: str = "pddl", seed: int = 0, row: str | None = None, variant: str = "generated",
    episodes: list[EpisodeRecord] | None = None, **settings: Any,
) -> None:  # fmt: skip
    name = "-".join(map(str, (env, row or memory, seed, variant, *settings.values())))
    run_folder(
        root, name, episodes or [counted(0), counted(1, candidates=4, conflicting=1, KEEP=3, ARCHIVE=1)], seed=seed,
        row=row, env__name=env, env__variant=variant, env__metrics=METRICS[env], memory__name=memory,
        memory__variant=settings.get("controller", ""), asked__memory={**EVOGRAPH, **settings},
    )  # fmt: skip


def texts(row: Row, table: Table) -> dict[str, str]:
    return {column.heading: row.cell(column).text(column.places) for column in table.columns}


def test_the_main_table_has_every_benchmark_even_where_nothing_was_run(tmp_path: Path) -> None:
    run(tmp_path, "none")
    run(tmp_path, "evograph", seed=1)
    table = one(tmp_path, "evograph-1")
    assert [column.heading for column in table.columns] == [
        "PDDL generated 2 tasks progress rate %", "PDDL paper's tasks progress rate %",
        "HotpotQA paper's tasks EM %", "FEVER paper's tasks accuracy %",
    ]  # fmt: skip
    assert [row.labels[1] for row in ours(table)] == ["No-Memory", "EvoGraph-Mem"]
    assert texts(table.rows[0], table) == {
        "PDDL generated 2 tasks progress rate %": "50.0 (n=1)", "PDDL paper's tasks progress rate %": "n/a",
        "HotpotQA paper's tasks EM %": "n/a", "FEVER paper's tasks accuracy %": "n/a",
    }  # fmt: skip


def test_f1_stands_beside_exact_match(tmp_path: Path) -> None:
    run(tmp_path, "g_memory", env="hotpotqa", variant="dev")
    table = one(tmp_path, "evograph-1")
    cells = texts(table.rows[0], table)
    assert (cells["HotpotQA dev 2 tasks EM %"], cells["HotpotQA dev 2 tasks F1 %"]) == ("100.0 (n=1)", "75.0 (n=1)")


def test_rows_of_the_figure_sweeps_and_other_benchmarks_stay_out_of_the_main_table(tmp_path: Path) -> None:
    run(tmp_path, "evograph", row="evo_fig3_all")
    run(tmp_path, "evograph", lambda_=configured_lambda() + 1)
    run_folder(tmp_path, "science", [record(0)])
    assert ours(one(tmp_path, "evograph-1")) == []
    run(tmp_path, "evograph")
    assert [row.labels[1] for row in ours(one(tmp_path, "evograph-1"))] == ["EvoGraph-Mem"]


def test_a_figure_of_the_paper_stands_in_the_column_of_published_tasks_alone(tmp_path: Path) -> None:
    run(tmp_path, "evograph", row="evo_fig3_all")
    run(tmp_path, "evograph", row="evo_fig3_all", variant="agentboard")
    table = one(tmp_path, "evograph-fig3")
    row = next(row for row in table.rows if row.labels[:2] == ("paper: gpt-4o-mini", "add+keep+archive"))
    cells = texts(row, table)
    assert cells["PDDL agentboard 2 tasks progress rate %"] == "34.0"
    assert cells["PDDL generated 2 tasks progress rate %"] == "n/a"
    assert "PDDL paper's tasks progress rate %" not in cells


def test_tokens_are_split_and_compared_with_no_memory_seed_by_seed(tmp_path: Path) -> None:
    run(tmp_path, "none", episodes=[record(0)])
    run(tmp_path, "none", env="fever", variant="embedded", episodes=[record(0)])
    run(tmp_path, "g_memory", episodes=[record(0)])
    table = one(tmp_path, "evograph-2")
    rows = {row.labels[1:3]: texts(row, table) for row in table.rows}
    assert rows["PDDL generated 1 tasks", "No-Memory"] == {
        "Tokens M": "0.001 (n=1)", "agent's M": "0.001 (n=1)", "memory's M": "0.000 (n=1)",
        "over No-Memory %": "0.0 (n=1)",
    }  # fmt: skip
    assert rows["all of them", "No-Memory"]["Tokens M"] == "0.002 (n=1)"
    assert ("all of them", "G-Memory") not in rows
    paper = rows["not named", "EvoGraph-Mem"]
    assert (paper["Tokens M"], paper["over No-Memory %"]) == ("5.700", "72.7")


def test_more_tokens_than_no_memory_are_a_share_of_it(tmp_path: Path) -> None:
    for memory, episodes in (("none", 1), ("g_memory", 3)):
        run(tmp_path, memory, episodes=[record(at, task="boil/0", trial=at + 1) for at in range(episodes)])
    table = one(tmp_path, "evograph-2")
    over = {row.labels[2]: texts(row, table)["over No-Memory %"] for row in ours(table)}
    assert over == {"No-Memory": "0.0 (n=1)", "G-Memory": "200.0 (n=1)"}


def test_the_figure_counts_edits_and_how_often_c_was_above_0(tmp_path: Path) -> None:
    for row in ("evo_fig3_all", "evo_fig3_add_keep", "evo_fig3_add_keep_archive"):
        run(tmp_path, "evograph", row=row)
    run(tmp_path, "evograph")
    table = one(tmp_path, "evograph-fig3")
    assert [row.labels[1] for row in ours(table)] == ["add+keep", "add+keep+archive", "all"]
    cells = texts(table.rows[0], table)
    assert (cells["KEEP an episode"], cells["ARCHIVE an episode"]) == ("1.50 (n=1)", "0.50 (n=1)")
    assert cells["c > 0 %"] == "25.0 (n=1)"
    assert any("c > 0 for 3 of 12 candidate insights" in note for note in table.notes)


def test_lambda_is_swept_by_rules_and_a_run_of_the_main_table_is_one_of_its_values(tmp_path: Path) -> None:
    run(tmp_path, "evograph")
    run(tmp_path, "evograph", lambda_=4.0)
    run(tmp_path, "evograph", lambda_=0.0)
    run(tmp_path, "evograph", controller="add_keep", lambda_=9.0)
    table = one(tmp_path, "evograph-lambda")
    assert [row.labels[1:] for row in table.rows] == [("paper", "0"), ("paper", "1"), ("paper", "4")]
    assert all(not column.key.startswith("paper/") for column in table.columns)


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is an extra: report")
def test_the_figure_is_drawn_with_the_papers_bars_and_equal_tables_give_equal_files(tmp_path: Path) -> None:
    run(tmp_path, "evograph", row="evo_fig3_all")
    draw = find_drawing("evograph-fig3")
    assert draw is not None
    assert find_drawing("evograph-1") is None
    first, second = (draw(one(tmp_path, "evograph-fig3"), tmp_path / name) for name in ("a", "b"))
    assert [file.name for file in first] == ["evograph-fig3.png", "evograph-fig3.pdf"]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    assert first[0].read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_table_is_written_and_the_missing_chart_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path / "runs", "evograph", row="evo_fig3_all")
    monkeypatch.setattr("scripts.tables.can_draw", lambda: False)
    out = tmp_path / "out"
    assert main(["evograph-fig3", "--runs", str(tmp_path / "runs"), "--out", str(out)]) == 0
    assert harness.tables.bars.NO_MATPLOTLIB in capsys.readouterr().out
    assert sorted(path.suffix for path in out.iterdir()) == [".csv", ".md", ".tex"]


def test_rows_whose_agent_acted_alike_whatever_was_injected_are_warned_of(tmp_path: Path) -> None:
    def episodes(text: str, *actions: str) -> list[EpisodeRecord]:
        return [record(0, actions=actions), record(1, actions=actions, remembered=(text,))]

    run(tmp_path, "evograph", row="evo_fig3_add_keep", episodes=episodes("open it", "go", "open"))
    run(tmp_path, "evograph", row="evo_fig3_add_keep_archive", episodes=episodes("leave it", "go", "open"))
    run(tmp_path, "evograph", row="evo_fig3_all", episodes=episodes("leave it", "go", "leave"))
    (warning,) = [note for note in one(tmp_path, "evograph-fig3").notes if "same actions" in note]
    assert "2 rows (EvoGraph-Mem [evo_fig3_add_keep]" in warning
    assert "differed in 1 of 2 episodes" in warning
    assert "evo_fig3_all" not in warning


def test_rows_whose_agent_acted_differently_are_not_warned_of(tmp_path: Path) -> None:
    for row, action in (("evo_fig3_add_keep", "go"), ("evo_fig3_all", "stay")):
        run(tmp_path, "evograph", row=row, episodes=[record(0, actions=(action,))])
    assert not [note for note in one(tmp_path, "evograph-fig3").notes if "same actions" in note]
