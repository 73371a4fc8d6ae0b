"""Opposition learned from failures: who is joined to whom, and every edge of what counts."""

from __future__ import annotations

import pytest

from strata.graph import Node
from strata.mechanisms import Mechanisms
from strata.similarity import on_grid
from tests.unit.strata.building import mechanisms, plant, unit

ALIKE = [0.75, (1 - 0.75**2) ** 0.5]
"""At a cosine of exactly 0.75 to the first axis, on the vector grid too."""
JUST_ABOVE = 0.75 + 2**-12


def learning(likeness: float = 0.75) -> Mechanisms:
    return mechanisms(contrast="learned", opposites={"likeness": likeness})


def add(parts: Mechanisms, operator: str, vector: list[float]) -> Node:
    node = plant(parts.store, "workflow", parts.store.graph.made, tags=[f"op:{operator}"], content_vector=vector)
    parts.contrasts.add(parts.store.graph, parts.store.geometry, node)
    return node


def fail(parts: Mechanisms, followed: Node, operator: str, vector: list[float]) -> list[tuple[str, str]]:
    store, tags = parts.store, frozenset({f"op:{operator}"})
    return parts.contrasts.observe_failure(store.graph, store.geometry, [followed], tags, on_grid(unit(vector)))


def joined(parts: Mechanisms) -> bool:
    return parts.store.graph.count("contrasts") > 0


@pytest.mark.parametrize(("likeness", "learned"), [(0.75, True), (JUST_ABOVE, False)])
def test_two_workflows_of_exactly_the_likeness_are_alike(likeness: float, learned: bool) -> None:
    parts = learning(likeness)
    thaw, _ = add(parts, "thaw", [1.0]), add(parts, "chill", ALIKE)
    fail(parts, thaw, "chill", [1.0])
    assert joined(parts) == learned


@pytest.mark.parametrize(("task", "new"), [(ALIKE, ALIKE), ([1.0], ALIKE), (ALIKE, [1.0])])
@pytest.mark.parametrize(("likeness", "learned"), [(0.75, True), (JUST_ABOVE, False)])
def test_a_workflow_made_later_is_alike_at_exactly_the_likeness_too(
    task: list[float], new: list[float], likeness: float, learned: bool
) -> None:
    parts = learning(likeness)
    thaw = add(parts, "thaw", [1.0])
    assert fail(parts, thaw, "chill", task) == []
    add(parts, "chill", new)
    assert joined(parts) == learned


def test_a_workflow_made_later_that_is_unlike_the_wrong_one_settles_the_failure_without_an_edge() -> None:
    parts = learning()
    thaw = add(parts, "thaw", [1.0])
    fail(parts, thaw, "chill", [0.0, 1.0])
    add(parts, "chill", [0.0, 1.0])
    assert (joined(parts), parts.contrasts.misfires) == (False, [])


def test_a_workflow_made_later_for_an_unlike_task_leaves_the_failure_waiting() -> None:
    parts = learning()
    thaw = add(parts, "thaw", [1.0])
    fail(parts, thaw, "chill", [0.0, 1.0])
    add(parts, "chill", [1.0])
    assert (joined(parts), len(parts.contrasts.misfires)) == (False, 1)


def test_a_failure_at_the_workflows_own_operation_teaches_nothing_now_or_later() -> None:
    parts = learning()
    thaw, _ = add(parts, "thaw", [1.0]), add(parts, "thaw", [1.0])
    assert fail(parts, thaw, "thaw", [1.0]) == []
    add(parts, "thaw", [1.0])
    assert (joined(parts), parts.contrasts.misfires) == (False, [])


@pytest.mark.parametrize(("first", "second", "nearest"), [(0.3, 0.1, 1), (0.1, 0.3, 0), (0.1, 0.1, 0)])
def test_of_several_right_sides_it_is_the_nearest_by_content_and_of_equal_ones_the_oldest(
    first: float, second: float, nearest: int
) -> None:
    parts = learning()
    thaw = add(parts, "thaw", [1.0])
    right = [add(parts, "chill", [1.0, angle]).id for angle in (first, second)]
    assert fail(parts, thaw, "chill", [1.0]) == [(thaw.id, right[nearest])]
    assert parts.store.graph.targets("contrasts", thaw.id) == (right[nearest],)


@pytest.mark.parametrize(("done", "followed"), [(3, True), (2, False)])
def test_a_share_of_executed_steps_of_exactly_the_least_counts(done: int, followed: bool) -> None:
    parts, steps = learning(), ("take egg", "open fridge", "cool mug", "wash plate", "read book")
    node = plant(parts.store, "workflow", 0, body=steps)
    assert parts.contrasts.followed(node, steps[:done]) == followed
