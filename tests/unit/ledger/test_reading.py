import json
from pathlib import Path

import pytest

from harness.errors import LedgerError
from harness.ledger.episodes import EpisodeLog
from harness.ledger.reading import find_runs, read_records, read_run
from tests.run_folders import record, run_folder, stream


def test_a_torn_last_line_is_left_out_and_said(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", stream([True, False]))
    with (folder / "episodes.jsonl").open("a", encoding="utf-8") as file:
        file.write(record(2).line()[:200])
    run = read_run(folder)
    assert [r.index for r in run.records()] == [0, 1]
    assert run.torn


def test_a_last_line_is_committed_only_by_its_newline(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", stream([True, False]))
    path = folder / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    assert [r.index for r in read_records(path)] == [0]
    assert tuple(read_records(path)) == EpisodeLog(path).read()


@pytest.mark.parametrize("damage", [b"{\n", b"\n", b"\xff\xfe\n", b'{"schema": 1}\n', b"[]\n", b"\x00\x00\n"])
def test_damage_before_the_end_is_an_error_that_names_file_and_line(tmp_path: Path, damage: bytes) -> None:
    folder = run_folder(tmp_path, "run", stream([True, False, True]))
    path = folder / "episodes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + lines[2])
    with pytest.raises(LedgerError, match=r"episodes\.jsonl:2"):
        list(read_run(folder).records())


def test_a_missing_line_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text(f"{record(0).line()}\n{record(2).line()}\n", encoding="utf-8")
    with pytest.raises(LedgerError, match="lines are missing"):
        list(read_records(path))


def test_a_later_schema_is_refused_before_anything_else_is_read(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", stream([True]), schema=2)
    with pytest.raises(LedgerError, match="schema 2"):
        read_run(folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 1}'])
def test_a_damaged_lock_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock.json").write_text(text, encoding="utf-8")
    with pytest.raises(LedgerError, match=r"lock\.json"):
        read_run(tmp_path)


def test_ids_stay_the_text_they_are(tmp_path: Path) -> None:
    names = ["001", "NA", "1e3", "null"]
    folder = run_folder(tmp_path, "run", [record(i, task=name) for i, name in enumerate(names)])
    run = read_run(folder)
    assert [r.task.id for r in run.records()] == names
    assert list(run.lock.tasks) == names


def test_runs_are_found_at_any_depth_but_not_inside_each_other(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "sweep", "b", stream([True]))
    run_folder(folder / "memory", "inner", stream([True]))
    run_folder(tmp_path, "a", stream([True]))
    assert [run.name for run in find_runs(tmp_path)] == ["a", "b"]
    assert [run.name for run in find_runs(folder)] == ["b"]
    assert find_runs(tmp_path / "nowhere") == []


def test_a_run_that_has_not_finished_an_episode_is_read_as_empty(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", stream([True]))
    (folder / "episodes.jsonl").unlink()
    (folder / "progress.json").unlink()
    run = read_run(folder)
    assert list(run.records()) == []
    assert run.state is None
    assert not run.torn


def test_keys_that_a_later_runner_adds_to_the_lock_are_ignored(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", stream([True]), hardware={"cores": 2})
    assert "hardware" in json.loads((folder / "lock.json").read_text(encoding="utf-8"))
    assert read_run(folder).lock.n_planned == 1
