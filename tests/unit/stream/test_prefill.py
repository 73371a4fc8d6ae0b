"""Stores filled before their streams: nested, seeded, on the normal road, and refused where they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ConfigError
from harness.ledger.durable import tree_digest
from harness.ledger.folder import RunFolder
from harness.stream.distractors import FAMILY, MOST, Distractors
from harness.stream.launch import run_cell
from tests.streams import compose_cell, episodes, final_state

FILLED = ("env=corridor", "env.tasks=3", "backbone=apprentice", "stream.protocol=frozen", "prefill=distractors")


def _run(out: Path, *overrides: str) -> RunFolder:
    result = run_cell(compose_cell(out, *FILLED, *overrides))
    assert result.code == 0, result.message
    assert result.folder is not None
    return RunFolder(result.folder)


def test_chores_are_all_different_solved_seeded_and_the_first_are_the_same_whatever_their_number() -> None:
    many = Distractors(n=2000).experiences("alfworld")
    assert len({each.episode.task.text for each in many}) == len({each.episode.task.id for each in many}) == 2000
    assert many[:50] == Distractors(n=50).experiences("alfworld")
    assert many[:50] != Distractors(n=50, generator_seed=1).experiences("alfworld")
    for each in many[:200]:
        assert each.success
        assert each.episode.task.family == FAMILY
        assert each.episode.task.benchmark == "alfworld"
        assert 5 <= len(each.episode.actions) <= 6
    verbs = {each.episode.task.text.split()[0] for each in many}
    assert len(verbs) == 24


def test_more_chores_than_there_are_is_bad_input() -> None:
    with pytest.raises(ConfigError, match=f"0 to {MOST}"):
        Distractors(n=MOST + 1)


@pytest.mark.parametrize("memory", ["flat", "strata"])
def test_a_filled_store_holds_n_items_more_and_asks_no_model(tmp_path: Path, memory: str) -> None:
    folder = _run(tmp_path, f"memory={memory}", "prefill.n=40", "backbone@memory.backbone=expert")
    lines = episodes(folder.path)
    assert [line["memory"]["items"] for line in lines] == [40, 40, 40]
    assert all(line["update"] is None for line in lines)
    assert (folder.lock() or {})["asked"]["prefill"]["n"] == 40
    assert all(row["phase"] != "update" for line in lines for row in line["usage"])


@pytest.mark.parametrize("memory", ["flat", "strata"])
def test_equal_fillings_are_equal_to_the_byte_and_another_size_is_another_run(tmp_path: Path, memory: str) -> None:
    first, second = (_run(tmp_path / name, f"memory={memory}", "prefill.n=25") for name in "ab")
    assert final_state(first.path) == final_state(second.path)
    assert _run(tmp_path / "a", f"memory={memory}", "prefill.n=26").path.name != first.path.name


def test_what_was_trained_is_kept_below_the_filling_and_the_train_stream_itself_is_not_filled(tmp_path: Path) -> None:
    trained = ("env@train=corridor", "train.tasks=4", "env.length=5", "memory=flat")
    for n in (0, 5):
        folder = _run(tmp_path, *trained, f"prefill.n={n}")
        assert {line["memory"]["items"] for line in episodes(folder.path)} == {4 + n}
    names = [path.name for path in tmp_path.iterdir()]
    assert len(names) == 3
    alone = next(path for path in tmp_path.iterdir() if not (RunFolder(path).lock() or {})["asked"].get("prefill"))
    assert {line["memory"]["items"] for line in episodes(alone)} == {1, 2, 3, 4}


def test_a_filled_run_goes_on_from_its_snapshot_and_is_not_filled_twice(tmp_path: Path) -> None:
    whole = _run(tmp_path / "whole", "memory=strata", "prefill.n=20")
    cut = _run(tmp_path / "cut", "memory=strata", "prefill.n=20")
    log = cut.path / "episodes.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:1]))
    assert final_state(_run(tmp_path / "cut", "memory=strata", "prefill.n=20").path) == final_state(whole.path)


def test_an_online_stream_learns_on_top_of_its_filling(tmp_path: Path) -> None:
    folder = _run(tmp_path, "memory=flat", "stream.protocol=online", "prefill.n=10")
    assert [line["memory"]["items"] for line in episodes(folder.path)] == [11, 12, 13]
    assert tree_digest(folder.path / "memory")


def test_a_memory_that_cannot_be_filled_is_refused_before_anything_runs(tmp_path: Path) -> None:
    result = run_cell(compose_cell(tmp_path, *FILLED, "memory=g_memory"))
    assert result.code == 2
    assert "g_memory cannot be filled beforehand" in result.message
    assert not list(tmp_path.iterdir())


def test_a_misspelt_key_of_the_filling_is_answered_with_what_was_meant(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"prefill\.generator_sed: unknown key; did you mean generator_seed"):
        compose_cell(tmp_path, *FILLED, "prefill.generator_sed=3")
