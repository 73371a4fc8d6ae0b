"""Which workflow an episode is compared with and written into, and what it leaves as it was."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from strata.graph import Node
from strata.mechanisms import Mechanisms
from strata.writing import Reflected
from tests.unit.strata.building import SKILL, WORKFLOW, by_rule, experience, mechanisms, plant, query, task

NEAR, MIDDLE, FAR = (1.0,), (1.0, 1.0), (0.0, 1.0)
BULLET, NOOP, CREATE = (0.0, 1.0), (0.0, 0.0), (1.0, 1.0)
"""Bands that decide the same whatever the score of these workflows is."""
TAGS = ("app:house", "op:heat")


def parts(
    band: tuple[float, float] = BULLET, mode: str = "global", route: tuple[str, ...] = ("workflow",), **answers: Any
) -> Mechanisms:
    """Return the parts of a memory with scripted answers, under one band for all groups."""
    written = {"router": {"reflectors": list(route)}, "workflow": WORKFLOW, "skill": SKILL,
               "variant": {"variant": "use the oven"}, "pitfall": {"pitfall": "do not open it"}}  # fmt: skip
    low, high = band
    return mechanisms(by_rule(**{**written, **answers}), thresholds=mode, bands={"low_prior": low, "high_prior": high})


def planted(of: Mechanisms, *directions: tuple[float, ...], tags: tuple[str, ...] = TAGS) -> list[Node]:
    return [plant(of.store, "workflow", content_vector=d, index_vector=d, tags=tags) for d in directions]


def reflect(of: Mechanisms, *, solved: bool = True, tags: tuple[str, ...] = TAGS) -> Reflected:
    return of.writer.reflect(experience(task()).episode, query(*NEAR, tags=tags), solved=solved, clock=0)


@pytest.mark.parametrize("solved", [True, False])
@pytest.mark.parametrize(("directions", "nearest"), [((FAR, MIDDLE, NEAR), 2), ((NEAR, FAR), 0), ((NEAR, NEAR), 0)])
def test_an_episode_is_written_into_the_nearest_workflow_and_of_equal_ones_into_the_oldest(
    directions: tuple[tuple[float, ...], ...], nearest: int, solved: bool
) -> None:
    held = parts()
    workflows = planted(held, *directions)
    done = reflect(held, solved=solved)
    scores = held.store.geometry.scores(query(*NEAR, tags=TAGS).view)
    assert done.nearest == workflows[nearest].id
    assert done.score == scores[held.store.geometry.slot[workflows[nearest].id]] == max(scores)
    assert [len(node.bullets) for node in workflows] == [int(node is workflows[nearest]) for node in workflows]
    assert done.written == [workflows[nearest].id]


def test_a_failure_is_warned_of_only_if_the_router_names_the_workflow_reflector() -> None:
    for route, decision in ((("workflow",), "pitfall"), (("skill",), "none"), ((), "none")):
        held = parts(route=route)
        (node,) = planted(held, NEAR)
        assert reflect(held, solved=False).decision == decision
        assert [bullet.kind for bullet in node.bullets] == (["pitfall"] if decision == "pitfall" else [])


def test_a_failure_confirms_nothing_and_its_score_is_not_recorded() -> None:
    held = parts(mode="shrunk")
    (node,) = planted(held, NEAR)
    done = reflect(held, solved=False)
    assert (done.decision, done.created, node.support) == ("pitfall", None, 1)
    assert held.bands.scores == {}


def test_a_new_workflow_leaves_the_nearest_one_as_it_is() -> None:
    held = parts(CREATE, route=("workflow", "skill"))
    (node,) = planted(held, MIDDLE)
    before = deepcopy(node)
    done = reflect(held)
    assert done.decision == "create"
    assert node == before
    assert held.store.graph.targets("call", node.id) == ()
    assert done.created is not None
    assert len(held.store.graph.targets("call", done.created.id)) == 1


@pytest.mark.parametrize(("band", "bullets"), [(BULLET, ["variant"]), (NOOP, [])])
def test_a_variant_and_a_repetition_confirm_the_nearest_workflow_once(
    band: tuple[float, float], bullets: list[str]
) -> None:
    held = parts(band)
    near, far = planted(held, NEAR, FAR)
    reflect(held)
    assert (near.support, far.support) == (2, 1)
    assert [bullet.kind for bullet in near.bullets] == bullets


def test_a_variant_that_could_not_be_read_confirms_nothing() -> None:
    held = parts(variant="")
    (node,) = planted(held, NEAR)
    assert reflect(held).decision == "none"
    assert (node.support, node.bullets) == (1, [])


@pytest.mark.parametrize("band", [BULLET, NOOP, CREATE])
def test_a_score_is_recorded_where_the_workflow_reflector_ran_and_only_there(band: tuple[float, float]) -> None:
    for route, count in ((("workflow",), 1), (("skill",), 0), ((), 0)):
        held = parts(band, route=route)
        planted(held, MIDDLE)
        done = reflect(held)
        assert held.bands.scores == ({"app:house": [done.score]} if count else {})


def test_without_any_workflow_there_is_no_score_to_record() -> None:
    held = parts()
    assert reflect(held).decision == "create"
    assert held.bands.scores == {}


def test_a_score_goes_into_the_group_of_the_task_and_not_into_that_of_the_nearest_workflow() -> None:
    held = parts(mode="shrunk")
    planted(held, NEAR, tags=("app:gmail", "op:heat"))
    held.bands.record("app:gmail", 0.9)
    done = reflect(held, tags=("app:spotify", "op:heat", "obj:egg"))
    assert done.group == "app:spotify"
    assert done.band is not None
    assert done.band.n == 0
    assert held.bands.scores == {"app:gmail": [0.9], "app:spotify": [done.score]}


def test_the_band_of_the_decision_is_logged_as_it_was() -> None:
    held = parts((0.25, 0.75), mode="shrunk")
    (node,) = planted(held, MIDDLE)
    done = reflect(held)
    assert done.notes() == {
        "decision": done.decision, "routed": ["workflow"], "nearest": node.id, "score": done.score,
        "group": "app:house", "band": {"low": 0.25, "high": 0.75, "n": 0}, "tags": ["app:house", "op:heat"],
    }  # fmt: skip
