"""Scaling and flatness: what a store's size and a stream's length do, read from run folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.ledger.record import EpisodeRecord
from harness.statistics import median_slope, median_slope_interval, slope, slope_interval
from harness.types import Recall, RecallItem
from tests.run_folders import record, run_folder
from tests.unit.tables.building import one

DISTRACTORS = "harness.stream.distractors.Distractors"


def _recalling(at: int, *born: str, memory_s: float = 1.0, lines: int = 3, items: int = 7) -> EpisodeRecord:
    plain = record(at)
    recall = Recall(tuple(RecallItem(f"m{i}", "episode", 0.5, "x", (task,)) for i, task in enumerate(born)))
    time = plain.time.model_copy(update={"memory_s": memory_s})
    memory = plain.memory.model_copy(update={"items": items})
    return plain.model_copy(update={"recall": recall, "recall_lines": lines, "time": time, "memory": memory})


def _filled(root: Path, memory: str, n: int, episodes: list[EpisodeRecord], **changes: Any) -> None:
    run_folder(
        root, f"{memory}-{n}-{len(changes)}", episodes, memory__name=memory, protocol="frozen", env__metrics=["sr"],
        asked__prefill={"_target_": DISTRACTORS, "n": n}, **changes,
    )  # fmt: skip


def test_a_row_is_a_method_at_a_size_and_methods_of_one_size_are_compared(tmp_path: Path) -> None:
    for memory in ("strata", "flat"):
        for n in (1000, 100):
            times = (9.0, 0.002, 0.004)
            born = ("boil/0", "distractor-000001", "distractor-000002", "boil/3")
            _filled(tmp_path, memory, n, [_recalling(at, *born, memory_s=s) for at, s in enumerate(times)])
    run_folder(tmp_path, "unfilled", [record(0)])
    table = one(tmp_path, "strata-scaling")
    assert [row.labels[1:3] for row in table.rows] == [
        ("100", "Flat-Memory"), ("100", "STRATA"), ("1,000", "Flat-Memory"), ("1,000", "STRATA"),
    ]  # fmt: skip
    assert len({row.section for row in table.rows}) == 2
    cells = {column.title[-1]: table.rows[0].cell(column).value for column in table.columns}
    assert cells == {"SR %": 100.0, "lines": 3.0, "%": 50.0, "ms": 4.0, "items": 7.0}


def test_a_filled_stream_that_learned_on_is_warned_of(tmp_path: Path) -> None:
    _filled(tmp_path, "flat", 10, [record(0)])
    assert not [note for note in one(tmp_path, "strata-scaling").notes if "went on learning" in note]
    run_folder(tmp_path, "online", [record(0)], asked__prefill={"_target_": DISTRACTORS, "n": 10})
    assert [note for note in one(tmp_path, "strata-scaling").notes if "WARNING: online went on learning" in note]


def test_slopes_are_for_100_tasks_after_the_stores_have_filled(tmp_path: Path) -> None:
    lines = [0, 0, *range(10, 18)]
    times = [5.0, 5.0, *(0.010 + 0.001 * at for at in range(8))]
    times[6] = 3.0
    episodes = [_recalling(at, memory_s=times[at], lines=lines[at], items=at) for at in range(10)]
    run_folder(tmp_path, "long", episodes, experiment="flatness")
    run_folder(tmp_path, "other", episodes, seed=1)
    table = one(tmp_path, "strata-flatness")
    (row,) = table.rows
    found = {column.key: row.cell(column).value for column in table.columns}
    assert found["lines/slope"] == pytest.approx(100.0)
    assert found["lines/mean"] == pytest.approx(13.5)
    assert found["time/slope"] == pytest.approx(100.0)
    assert found["items/slope"] == pytest.approx(100.0)


def test_slopes_of_the_last_half_tell_what_has_reached_its_bound(tmp_path: Path) -> None:
    lines = [0, 10, 20, 30, 40, 50, 50, 50, 50, 50]
    episodes = [_recalling(at, memory_s=0.1, lines=lines[at], items=at) for at in range(10)]
    run_folder(tmp_path, "long", episodes, experiment="flatness")
    table = one(tmp_path, "strata-flatness")
    found = {column.key: table.rows[0].cell(column).value for column in table.columns}
    assert found["lines/slope"] > 100.0
    assert found["lines/last"] == pytest.approx(0.0)
    assert found["items/last"] == pytest.approx(100.0)


def test_the_last_halfs_slopes_come_with_their_intervals(tmp_path: Path) -> None:
    lines = [0, 10, 20, 30, 40, 50, 51, 49, 51, 50]
    episodes = [_recalling(at, memory_s=0.1, lines=lines[at], items=at) for at in range(10)]
    run_folder(tmp_path, "long", episodes, experiment="flatness", seed=4)
    run_folder(tmp_path, "short", episodes[:4], experiment="flatness", memory__name="flat")
    (note,) = (note for note in one(tmp_path, "strata-flatness").notes if "95 % intervals" in note)
    assert ", seed 4: " in note
    assert "injected lines -97.23 to 97.23, " in note
    assert "memory's ms 0.00 to 0.00, store items 100.00 to 100.00." in note


def test_a_slopes_interval_holds_the_slope_and_needs_three_values() -> None:
    for interval in (slope_interval, median_slope_interval):
        assert interval([1.0, 3.0]) is None
        assert interval([2.0, 4.0, 6.0, 8.0]) == pytest.approx((2.0, 2.0))
    values = [0.0, 2.0, 1.0, 3.0, 2.0, 4.0]
    low, high = slope_interval(values) or (0.0, 0.0)
    assert low < (slope(values) or 0.0) < high
    assert slope_interval(values, level=0.5)[0] > low  # type: ignore[index]
    low, high = median_slope_interval(values) or (0.0, 0.0)
    assert low <= (median_slope(values) or 0.0) <= high


def test_a_slope_needs_two_values_and_one_slow_episode_does_not_tilt_the_median() -> None:
    assert slope([1.0]) is None
    assert median_slope([1.0]) is None
    assert slope([1.0, 3.0, 5.0]) == pytest.approx(2.0)
    assert median_slope([2.0, 2.0, 90.0, 2.0, 2.0, 2.0]) == 0.0
