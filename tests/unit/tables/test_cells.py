"""What a table averages, compares and puts where."""

from pathlib import Path
from typing import Any

import pytest

from harness.errors import ConfigError
from harness.tables.catalog import find_table, table_names
from harness.tables.measured import differing, telling, told
from harness.tables.model import Mark
from tests.run_folders import record, run_folder, stream
from tests.unit.tables.building import figures, one, ours, two_seeds


def test_seeds_are_averaged_with_the_sample_standard_deviation(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    assert figures(one(tmp_path)) == {"Flat-Memory": "62.5 ± 17.7"}


def test_one_seed_is_shown_as_one_and_without_deviation(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True, False]), env__metrics=["sr"])
    table = one(tmp_path)
    assert figures(table) == {"Flat-Memory": "50.0 (n=1)"}
    assert any(note.startswith("n=1") for note in table.notes)


@pytest.mark.parametrize(
    "other",
    [
        {"asked__memory": {"_target_": "baselines.flat.Flat", "k": 5}},
        {"backbone__settings": {"temperature": 1}},
        {"backbone__id": "gpt-4o-2024-08-06"},
        {"memory__mode": "repo"},
        {"memory__variant": "wide"},
        {"agent__name": "plan"},
        {"protocol": "frozen"},
        {"outcome_source": "none"},
        {"order": "shuffled"},
        {"limits": {"max_steps": 100}},
        {"embedder__id": "minilm"},
        {"digests": {"scienceworld": "d2"}},
        {"prompts": {"system.md": "p2"}},
        {"row": "no_tags"},
        {"env__variant": "all"},
        {"tasks": ["boil/0", "boil/9"]},
        {"trials": 3},
    ],
)
def test_runs_that_differ_in_anything_but_their_seed_are_never_averaged(tmp_path: Path, other: dict[str, Any]) -> None:
    run_folder(tmp_path, "a", stream([True, True]), seed=0, env__metrics=["sr"])
    run_folder(tmp_path, "b", stream([False, False], says="b"), seed=1, env__metrics=["sr"], **other)
    table = one(tmp_path)
    cells = [row.cell(c) for row in ours(table) for c in table.columns if row.cell(c).parts]
    assert sorted(cell.text(1) for cell in cells) == ["0.0 (n=1)", "100.0 (n=1)"]


def test_rows_that_only_a_setting_tells_apart_say_it(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True]), env__metrics=["sr"])
    run_folder(
        tmp_path, "b", stream([False]), env__metrics=["sr"], asked__memory={"_target_": "baselines.flat.Flat", "k": 5}
    )
    assert list(figures(one(tmp_path))) == ["Flat-Memory (k=3)", "Flat-Memory (k=5)"]


def test_a_setting_that_follows_the_environment_does_not_split_a_row(tmp_path: Path) -> None:
    for env, cap in (("scienceworld", 24), ("alfworld", 32)):
        changes = {"env__name": env, "env__metrics": ["sr"], "asked__memory": {"_target_": "strata.Strata", "cap": cap}}
        run_folder(tmp_path, env, stream([True]), memory__name="strata", **changes)
    rows = ours(one(tmp_path))
    assert [row.labels[1] for row in rows] == ["STRATA"]


def test_streams_of_one_variant_with_other_tasks_or_limits_get_their_own_columns(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True] * 4), env__metrics=["sr"])
    run_folder(tmp_path, "b", stream([True] * 2), env__metrics=["sr"])
    headings = [c.heading for c in one(tmp_path).columns if c.stream.startswith("scienceworld/")]
    assert headings == ["ScienceWorld paper23 4 tasks SR %", "ScienceWorld paper23 2 tasks SR %"]


def test_the_best_of_a_section_is_bold_and_what_cannot_be_told_from_it_marked(tmp_path: Path) -> None:
    two_seeds(tmp_path, "none", (0, 1))
    two_seeds(tmp_path, "flat", (2, 3))
    two_seeds(tmp_path, "strata", (3, 3))
    table = one(tmp_path)
    column = next(c for c in table.columns if c.stream.startswith("scienceworld/"))
    cells = {row.labels[1]: row.cell(column) for row in ours(table)}
    assert cells["STRATA"].best
    assert cells["Flat-Memory"].marks == (Mark.TIE,)
    assert cells["No-Memory"].marks == ()


def test_methods_stand_in_the_papers_order_and_others_after(tmp_path: Path) -> None:
    for memory in ("zebra", "strata", "flat", "awm", "none", "a_mem"):
        run_folder(tmp_path, memory, stream([True]), memory__name=memory)
    assert [row.labels[1] for row in ours(one(tmp_path))] == [
        "No-Memory",
        "Flat-Memory",
        "A-Mem",
        "STRATA",
        "awm",
        "zebra",
    ]


def test_the_papers_figures_stand_in_rows_of_their_own(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True] * 23), memory__name="hermes")
    table = one(tmp_path)
    column = next(c for c in table.columns if c.heading == "ScienceWorld paper23 23 tasks score")
    shown = {row.labels[:2]: row.cell(column).text(1) for row in table.rows if row.cell(column).value is not None}
    assert shown == {
        ("gpt-4o-mini-2024-07-18", "Hermes"): "100.0 (n=1)",
        ("paper: Flash", "No-Memory"): "75.7",
        ("paper: Flash", "Hermes"): "48.3",
        ("paper: Pro", "No-Memory"): "80.6",
        ("paper: Pro", "Hermes"): "55.8",
    }


def test_other_tasks_than_the_papers_never_share_its_column(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True] * 5))
    table = one(tmp_path)
    for column in table.columns:
        sources = {row.source for row in table.rows if row.cell(column).value is not None}
        assert len(sources) <= 1, column.heading


def test_what_was_not_run_is_said_to_be_not_run(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    table = one(tmp_path)
    texts = {row.cell(c).text(1) for row in ours(table) for c in table.columns if not row.cell(c).parts}
    assert texts == {"n/a"}


def test_a_mean_over_streams_takes_the_seeds_that_all_have(tmp_path: Path) -> None:
    two_seeds(tmp_path, solved=(2, 4))
    for seed, n in ((0, 4), (1, 4), (2, 0)):
        episodes = stream([i < n for i in range(4)], says=str(seed))
        run_folder(
            tmp_path, f"a{seed}", episodes, seed=seed, env__name="alfworld", env__variant="g", env__metrics=["sr"]
        )
    table = one(tmp_path)
    column = next(c for c in table.columns if c.key == "mean/streams")
    cell = ours(table)[0].cell(column)
    assert cell.seeds == (0, 1)
    assert cell.text(1) == "87.5 ± 17.7"


def test_a_mean_over_benchmarks_pools_the_streams_of_each(tmp_path: Path) -> None:
    for i, (env, variant, n) in enumerate((("appworld", "x", 0), ("appworld", "y", 0), ("pddl", "z", 4))):
        episodes = stream([k < n for k in range(4)])
        run_folder(tmp_path, f"r{i}", episodes, env__name=env, env__variant=variant, env__metrics=["sr"])
    table = one(tmp_path)
    means = {c.key: ours(table)[0].cell(c).value for c in table.columns if c.stream == "mean"}
    assert means == {"mean/streams": pytest.approx(100 / 3), "mean/benchmarks": 50.0}


def test_a_row_that_lacks_a_stream_has_no_mean(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    two_seeds(tmp_path, "none", env__name="alfworld")
    table = one(tmp_path)
    assert {row.cells["mean/streams"].text(1) for row in ours(table)} == {"n/a"}


def test_the_cost_table_tells_the_memorys_share_and_averages_per_episode(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", [record(0, cost_usd=0.5, remembered=("x\ny",)), record(1, cost_usd=0.5)])
    table = one(tmp_path, "3")
    cells = {c.key: ours(table)[0].cell(c).value for c in table.columns}
    assert cells == {
        "latency_s": 4.0, "memory_s": 1.0, "input_tokens": 1000.0, "memory_input_tokens": 100.0, "output_tokens": 50.0,
        "memory_output_tokens": 10.0, "env_steps": 2.0, "memory_lines": 1.0, "memory_tokens": 5.0, "cost_usd": 1.0,
        "memory_cost_usd": 0.5,
    }  # fmt: skip


def test_an_unknown_price_is_no_zero_in_the_cost_table(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", [record(0, cost_usd=None)])
    table = one(tmp_path, "3")
    assert {ours(table)[0].cells[key].text(4) for key in ("cost_usd", "memory_cost_usd")} == {"n/a"}


def test_the_papers_costs_stand_below_ours(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    rows = {row.labels[2]: row for row in one(tmp_path, "3").rows if row.source == "paper"}
    assert rows["STRATA"].cells["env_steps"].value == 11.7
    assert rows["No-Memory"].cells["latency_s"].marks == (Mark.DERIVED,)


def test_tables_are_found_by_name_and_a_wrong_one_is_told_what_there_is() -> None:
    assert {"1", "3"} <= set(table_names())
    with pytest.raises(ConfigError, match=r"got table 'one'.*1"):
        find_table("one")


def test_a_part_that_only_some_runs_have_is_named_and_not_spelt_out_where_it_is_missing() -> None:
    there = {"prefill._target_": "harness.stream.distractors.Distractors", "prefill.n": "50"}
    keys = differing([there, {}])
    assert [told(key, there) for key in telling(keys, there)] == ["prefill=distractors", "n=50"]
    assert [told(key, {}) for key in telling(keys, {})] == ["no prefill"]
    assert telling(["memory.k"], {}) == ["memory.k"]
