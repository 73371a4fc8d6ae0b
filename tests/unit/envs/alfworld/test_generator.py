"""Generated games: the same for the same seed everywhere, different otherwise, and never won at the start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from envs.alfworld import ALFWorld
from envs.alfworld.generator import generate
from envs.alfworld.goal import FAMILIES

_ROOT = Path(__file__).resolve().parents[4]


def test_equal_seeds_make_equal_bytes_in_every_process() -> None:
    program = "from envs.alfworld import ALFWorld; print(ALFWorld(per_type=5, generator_seed=7).digests()['games'])"
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=_ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert digests == {ALFWorld(per_type=5, generator_seed=7).digests()["games"]}


def test_another_seed_makes_other_games_and_more_games_leave_the_first_alone() -> None:
    few, many, other = generate(1, 2), generate(1, 4), generate(2, 2)
    assert [game.read() for game in few] == [game.read() for game in many[: len(few)]]
    assert not {game.read() for game in few} & {game.read() for game in other}


def test_the_six_types_take_turns_and_five_hundred_tasks_have_five_hundred_ids() -> None:
    tasks = ALFWorld(per_type=84).tasks()
    assert [task.family for task in tasks[:12]] == [*FAMILIES, *FAMILIES]
    assert len({task.id for task in tasks}) == len(tasks) == 504


def test_games_vary_in_room_object_and_place() -> None:
    games = generate(0, 84)
    assert len({game.id.split("/")[0].rsplit("-", 1)[1] for game in games}) > 90, "of 120 rooms"
    assert len({game.goal.object for game in games}) > 40
    assert len({game.goal.receptacle for game in games}) > 20


def test_no_thing_asked_for_lies_where_it_should_go_or_in_the_appliance() -> None:
    for game in generate(5, 10):
        problem = json.loads(game.read())["pddl_problem"]
        target = game.goal.receptacle.lower() or "nowhere"
        inside = [line.split() for line in problem.splitlines() if line.strip().startswith("(inReceptacle ")]
        asked = [words for words in inside if words[1].startswith(f"{game.goal.object}_bar_")]
        assert len(asked) >= (2 if game.goal.family == "pick_two_obj_and_place" else 1)
        assert not [words for words in asked if words[2].lower().startswith(f"{target.removesuffix('basin')}_bar_")]


def test_a_table_is_told_that_games_are_generated() -> None:
    (sentence,) = ALFWorld(per_type=3, generator_seed=8).disclosures
    assert "generated" in sentence
    assert "3 of each" in sentence
    assert "seed 8" in sentence
