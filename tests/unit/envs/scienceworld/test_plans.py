"""Gold paths kept between runs: the same ones, found once, and never a wrong one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from envs.scienceworld import ScienceWorld
from envs.scienceworld.engine import Engine
from envs.scienceworld.plans import KeptPlans

PLAN = ("look around", "open door to hallway")


def kept(folder: Path, **simulator: object) -> KeptPlans:
    return KeptPlans({"scienceworld.jar": "abc"} | simulator, folder=folder)


def test_a_kept_path_comes_back_for_the_same_game_only(tmp_path: Path) -> None:
    kept(tmp_path).put("boil", 21, "teleportAction", PLAN)
    assert kept(tmp_path).get("boil", 21, "teleportAction") == PLAN
    assert kept(tmp_path).get("boil", 22, "teleportAction") is None
    assert kept(tmp_path).get("melt", 21, "teleportAction") is None
    assert kept(tmp_path).get("boil", 21, "") is None
    assert kept(tmp_path, options=["-XX:hashCode=3"]).get("boil", 21, "teleportAction") is None


@pytest.mark.parametrize("content", [b"", b"[", b"\xff\xfe", b"[]", b"{}", b"null", b"[1]", b'["look around", null]'])
def test_a_file_that_is_no_path_counts_as_absent_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    plans = kept(tmp_path)
    plans.put("boil", 21, "", PLAN)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert plans.get("boil", 21, "") is None
    plans.put("boil", 21, "", PLAN)
    assert plans.get("boil", 21, "") == PLAN


def test_where_nothing_can_be_written_nothing_is_kept_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    plans = kept(tmp_path / "file" / "folder")
    plans.put("boil", 21, "", PLAN)
    assert plans.get("boil", 21, "") is None


def played(loads: list[bool], monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """Play two games by the gold path; ``loads`` grows by whether each load had the simulator search it."""
    call = Engine.call

    def watched(engine: Engine, method: str, *arguments: str | int | bool) -> object:
        if method == "load":
            loads.append(bool(arguments[-1]))
        return call(engine, method, *arguments)

    lines = []
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "call", watched)
        environment = ScienceWorld(subset=["lifespan-longest-lived", "find-animal"])
        for task in environment.tasks():
            with environment.start(task) as session:
                lines += [session.observation, *(session.actions or ())]
                while (action := session.expert()) is not None:
                    lines += [action, session.step(action).observation]
                lines.append(str(session.outcome()))
        environment.close()
    return lines


def test_games_go_the_same_way_with_kept_paths_which_are_not_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path))
    cold: list[bool] = []
    warm: list[bool] = []
    first, second = played(cold, monkeypatch), played(warm, monkeypatch)
    assert cold.count(True) == 2
    assert warm == [False, False]
    assert first == second
