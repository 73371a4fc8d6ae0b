"""The committed table of tasks and splits, and what a selection may ask of it."""

from __future__ import annotations

import re

import pytest

from envs.scienceworld.catalogue import (
    CATALOGUE,
    EASY,
    PAPER23,
    SIMPLIFICATIONS,
    Split,
    electrical,
    simplifications,
    task_names,
    variations,
)
from harness.errors import ConfigError


def test_the_table_is_what_the_published_package_says() -> None:
    from scienceworld import ScienceWorldEnv

    published = ScienceWorldEnv("")
    try:
        assert set(published.get_task_names()) == set(CATALOGUE)
        assert set(published.get_possible_simplifications()) == set(SIMPLIFICATIONS)
        for name in CATALOGUE:
            published.load(name, 0, "easy")
            assert published.get_variations_train() == list(variations(name, "train", "all")), name
            assert published.get_variations_dev() == list(variations(name, "dev", "all")), name
            assert published.get_variations_test() == list(variations(name, "test", "all")), name
            easy = [part for part in EASY if part != "noElectricalAction" or not electrical(name)]
            assert published.get_simplifications_used().split(", ") == easy, name
    finally:
        published.close()


def test_paper23_leaves_out_growing_planes_and_genetics() -> None:
    assert len(PAPER23) == 23
    assert not any(re.match("grow-|inclined-plane-|mendelian-", name) for name in PAPER23)
    assert len(CATALOGUE) == 30
    assert sum(map(sum, CATALOGUE.values())) == 7207


@pytest.mark.parametrize(
    ("subset", "said"),
    [
        ("paper32", "did you mean 'paper23'?"),
        (["boil", "find-plnat"], "did you mean 'find-plant'?"),
        ("boil,boil", "none twice"),
        ([], "at least one"),
    ],
)
def test_a_wrong_subset_is_named_with_what_was_meant(subset: str | list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        task_names(subset)


def test_subsets_are_names_of_sets_or_of_tasks() -> None:
    assert task_names("all") == tuple(CATALOGUE)
    assert task_names("melt, boil") == task_names(["melt", "boil"]) == ("melt", "boil")


@pytest.mark.parametrize(
    ("split", "wanted", "found"),
    [("train", 2, [0, 1]), ("dev", 2, [14, 15]), ("test", 1, [21]), ("test", [29, 21], [29, 21])],
)
def test_variations_are_taken_from_their_split(split: Split, wanted: int | list[int], found: list[int]) -> None:
    assert list(variations("boil", split, wanted)) == found


@pytest.mark.parametrize("wanted", [0, 10, -1, [20], [21, 21], []])
def test_variations_outside_the_split_are_refused(wanted: int | list[int]) -> None:
    with pytest.raises(ConfigError, match=r"env\.variations"):
        variations("boil", "test", wanted)


def test_simplifications_are_spelt_out_and_checked() -> None:
    assert simplifications("easy") == EASY
    assert simplifications("") == ()
    assert simplifications("openDoors, teleportAction,openDoors") == ("openDoors", "teleportAction")
    with pytest.raises(ConfigError, match="did you mean 'teleportAction'"):
        simplifications("teleport")
