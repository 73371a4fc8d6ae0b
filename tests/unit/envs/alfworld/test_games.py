"""Game files: found in folders and archives, read without an engine, refused in one clear sentence."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envs.alfworld import ALFWorld
from envs.alfworld.generator import generate
from harness.errors import ConfigError, EnvironmentFault


def _write(folder: Path, *, change: Callable[[dict[str, Any]], object] | None = None, per_type: int = 1) -> list[str]:
    """Write generated games as ALFWorld lays them out; return their ids, sorted."""
    games = generate(3, per_type)
    for game in games:
        content = json.loads(game.read())
        if change is not None:
            change(content)
        file = folder / game.id / "game.tw-pddl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    return sorted(game.id for game in games)


def _pack(folder: Path, archive: Path) -> Path:
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(folder, arcname="json_2.1.1/split")
    return archive


def test_a_folder_and_its_archive_hold_the_same_tasks_in_the_order_of_their_paths(tmp_path: Path) -> None:
    ids = _write(tmp_path / "split")
    folder = ALFWorld(games=str(tmp_path / "split"))
    archive = ALFWorld(games=str(_pack(tmp_path / "split", tmp_path / "split.tar.xz")))
    assert [task.id for task in folder.tasks()] == ids
    assert folder.tasks() == archive.tasks()
    assert folder.digests() == archive.digests()
    assert folder.variant == archive.variant == "split"
    assert folder.disclosures == ()


def test_files_and_generator_agree_about_family_template_and_instruction(tmp_path: Path) -> None:
    _write(tmp_path / "split", per_type=4)
    read = {task.id: task for task in ALFWorld(games=str(tmp_path / "split")).tasks()}
    made = {task.id: task for task in ALFWorld(per_type=4, generator_seed=3).tasks()}
    assert read == made


def test_the_published_games_are_the_known_134(published: Path) -> None:
    tasks = ALFWorld(games=str(published)).tasks()
    assert len(tasks) == len({task.id for task in tasks}) == 134
    count = {family: sum(task.family == family for task in tasks) for family in {task.family for task in tasks}}
    assert count == {
        "look_at_obj_in_light": 18,
        "pick_and_place_simple": 24,
        "pick_clean_then_place_in_recep": 31,
        "pick_heat_then_place_in_recep": 23,
        "pick_cool_then_place_in_recep": 21,
        "pick_two_obj_and_place": 17,
    }
    assert all(task.id.startswith(f"{task.template}-") for task in tasks)
    assert tasks[0].text == "examine the alarmclock with the desklamp"


def test_games_not_marked_solvable_and_sliced_ones_are_left_out(tmp_path: Path) -> None:
    ids = _write(tmp_path / "split")
    first, second = (tmp_path / "split" / name / "game.tw-pddl" for name in ids[:2])
    for file, key, change in ((first, "solvable", False), (second, "pddl_problem", "(:goal (isSliced ?o))")):
        content = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps({**content, key: change}), encoding="utf-8")
    assert [task.id for task in ALFWorld(games=str(tmp_path / "split")).tasks()] == ids[2:]


@pytest.mark.parametrize("key", ["pddl_domain", "grammar", "pddl_problem"])
def test_a_missing_key_names_the_file_and_the_key(tmp_path: Path, key: str) -> None:
    _write(tmp_path / "split", change=lambda content: content.pop(key))
    with pytest.raises(ConfigError, match=rf"game\.tw-pddl has no text under {key}"):
        ALFWorld(games=str(tmp_path / "split")).tasks()


@pytest.mark.parametrize("content", [b'{"grammar": "', b"", b"\xff\xfe\x00", b"[" * 100_000, b"[]", b"null"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    ids = _write(tmp_path / "split")
    (tmp_path / "split" / ids[2] / "game.tw-pddl").write_bytes(content)
    with pytest.raises(ConfigError, match=r"trial_G3_0000.game\.tw-pddl"):
        ALFWorld(games=str(tmp_path / "split")).tasks()


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("grammar", "no instruction here", "0 instructions"),
        ("pddl_problem", "(define (problem empty))", "six task types"),
    ],
)
def test_a_game_that_asks_for_nothing_is_named(tmp_path: Path, key: str, text: str, message: str) -> None:
    _write(tmp_path / "split", change=lambda content: content.update({key: text}))
    with pytest.raises(ConfigError, match=message):
        ALFWorld(games=str(tmp_path / "split")).tasks()


def test_a_truncated_archive_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    _write(tmp_path / "split")
    whole = _pack(tmp_path / "split", tmp_path / "split.tar.xz").read_bytes()
    for name, content in {"half.tar.xz": whole[: len(whole) // 2], "text.tar.xz": b"not an archive"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ConfigError, match="not a readable tar archive"):
            ALFWorld(games=str(tmp_path / name)).tasks()


def test_an_empty_folder_and_a_missing_path_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "empty", tmp_path / "nowhere"):
        with pytest.raises(ConfigError, match="alfworld-download"):
            ALFWorld(games=str(source)).tasks()


def test_two_games_of_one_name_are_refused(tmp_path: Path) -> None:
    for split in ("one", "two"):
        _write(tmp_path / "both" / split)
    with pytest.raises(ConfigError, match="give one split"):
        ALFWorld(games=str(tmp_path / "both")).tasks()


def test_alfworlds_data_folder_may_be_named_by_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path / "json_2.1.1" / "valid_seen")
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    environment = ALFWorld(games="$ALFWORLD_DATA/json_2.1.1/valid_seen")
    assert (len(environment.tasks()), environment.variant) == (6, "valid_seen")


def test_a_game_the_engine_cannot_load_is_a_fault_with_the_engines_words(tmp_path: Path) -> None:
    _write(tmp_path / "split", change=lambda content: content.update(pddl_domain="(define (domain alfred"))
    environment = ALFWorld(games=str(tmp_path / "split"))
    with pytest.raises(EnvironmentFault, match=r"last words: Traceback .*ParseError: Missing"):
        environment.start(environment.tasks()[0])
    environment.close()


def test_wrong_arguments_are_refused() -> None:
    for arguments in ({"per_type": 0}, {"generator_seed": -1}, {"start_timeout_s": 0.0}, {"step_timeout_s": -1.0}):
        with pytest.raises(ConfigError, match=r"expected|above 0"):
            ALFWorld(**arguments)
