"""Which tasks a stream plays, in which order."""

from __future__ import annotations

from typing import Any

import pytest

from harness.config.schema import TaskSettings
from harness.errors import ConfigError
from harness.seeds import Draws
from harness.stream.plan import plan
from harness.types import Task

FAMILIES = ("boil", "melt", "boil", "find", "melt", "boil")
TASKS = [Task(f"{family}-{n}", "toy", "", family, family) for n, family in enumerate(FAMILIES)]


def ids(tasks: Any = None, order: str = "dataset", seed: int = 0) -> list[str]:
    settings = TaskSettings.model_validate({"tasks": tasks, "order": order})
    return [task.id for task in plan(TASKS, settings, Draws(seed, "order"))]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (None, [0, 1, 2, 3, 4, 5]),
        (2, [0, 1]),
        (99, [0, 1, 2, 3, 4, 5]),
        ("1:3", [1, 2]),
        ("-2:", [4, 5]),
        ("::2", [0, 2, 4]),
        ("find-3", [3]),
        (["melt-4", "boil-0"], [0, 4]),
        ({"families": ["melt", "find"]}, [1, 3, 4]),
        ({"per_family": 1}, [0, 1, 3]),
        ({"families": ["boil"], "count": 2}, [0, 2]),
        ({"slice": "1:", "per_family": 1, "count": 2}, [1, 2]),
    ],
)
def test_a_selection_keeps_dataset_order(wanted: Any, numbers: list[int]) -> None:
    assert ids(wanted) == [TASKS[n].id for n in numbers]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (0, "expected 1 or more"),
        ("9:", "selects none"),
        ("::0", "expected first:last"),
        ("boil-7", "did you mean boil-"),
        ({"families": ["boill"]}, "did you mean boil"),
        ({"familes": ["boil"]}, "unknown key; did you mean families"),
        ({"count": "2"}, "got '2'"),
    ],
)
def test_a_wrong_selection_says_what_was_meant(wanted: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ids(wanted)


def test_a_shuffle_is_the_seeds_own_and_nobody_elses() -> None:
    assert ids(order="shuffled", seed=1) == ids(order="shuffled", seed=1)
    assert ids(order="shuffled", seed=1) != ids(order="shuffled", seed=2)
    assert sorted(ids(order="shuffled", seed=1)) == sorted(ids())


def test_every_seed_plays_the_same_tasks() -> None:
    assert sorted(ids(3, "shuffled", 1)) == sorted(ids(3, "shuffled", 2)) == sorted(ids(3))


def test_grouped_keeps_families_together_in_the_order_they_appear() -> None:
    assert ids(order="grouped") == ["boil-0", "boil-2", "boil-5", "melt-1", "melt-4", "find-3"]


def test_doubled_ids_are_refused() -> None:
    with pytest.raises(ConfigError, match="lists the task 'boil-0' twice"):
        plan([TASKS[0], TASKS[0]], TaskSettings(), Draws(0, "order"))
