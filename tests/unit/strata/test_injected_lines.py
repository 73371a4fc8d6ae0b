"""What is injected keeps to a number of lines, however much a store has learned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.types import Recall
from strata.graph import Bullet, Node, Origin
from strata.mechanisms import Mechanisms
from tests.unit.strata.building import mechanisms, plant, rendered

HEADER = 4
"""Lines of a workflow before its steps: name, goal, condition, the word Steps."""


def learned(node: Node, *texts: str, kind: str = "variant") -> Node:
    node.bullets += [Bullet(kind, text, Origin("earlier", 1, "f", "t")) for text in texts]  # type: ignore[arg-type]
    return node


def workflow(parts: Mechanisms, steps: int, *key: object, operator: str = "find") -> Node:
    return plant(
        parts.store, "workflow", *key, tags=[f"op:{operator}"], body=[f"step {operator} {n}" for n in range(steps)]
    )


def opposites(parts: Mechanisms, steps: int) -> tuple[Node, Node]:
    """Return a heating and a cooling workflow, joined by a contrast edge."""
    heat, cool = workflow(parts, steps, "heat", operator="heat"), workflow(parts, steps, "cool", operator="cool")
    parts.store.graph.link("contrasts", heat.id, cool.id)
    return heat, cool


def ids(recall: Recall) -> list[str]:
    return [item.id for item in recall.items]


def test_a_node_whose_body_finds_no_room_is_left_out_and_a_shorter_one_after_it_is_not() -> None:
    parts = mechanisms()
    first, long, short = workflow(parts, 10, 1), workflow(parts, 13, 2), workflow(parts, 3, 3)
    rank = {first.id: 0.9, long.id: 0.8, short.id: 0.7}
    recall = rendered(parts, frozenset(), rank, lines=30)
    assert ids(recall) == [first.id, short.id]
    assert recall.lines == 1 + (HEADER + 10) + (HEADER + 3)
    assert ids(rendered(parts, frozenset(), rank, lines=1 + 3 * HEADER + 26)) == [first.id, long.id, short.id]


@pytest.mark.parametrize(("lines", "shown"), [(18, 2), (19, 3), (None, 3)])
def test_a_node_that_fits_to_the_line_is_shown(lines: int | None, shown: int) -> None:
    parts = mechanisms()
    rank = {workflow(parts, 2, n).id: 0.5 for n in range(3)}
    assert len(ids(rendered(parts, frozenset(), rank, lines=lines))) == shown


def test_the_best_workflow_comes_first_even_where_principles_rank_above_it() -> None:
    parts = mechanisms()
    meta = learned(plant(parts.store, "meta", 1), *(f"route {n}" for n in range(12)))
    worse, best = workflow(parts, 4, 2), workflow(parts, 16, 3)
    recall = rendered(parts, frozenset(), {meta.id: 0.9, worse.id: 0.4, best.id: 0.5}, lines=30)
    assert ids(recall) == [meta.id, best.id]
    assert recall.lines == 30
    assert "Note: route 11" in recall.items[0].text
    assert "route 6" not in recall.items[0].text


def test_bullets_take_the_room_that_is_left_the_latest_of_both_kinds_first() -> None:
    parts = mechanisms()
    node = workflow(parts, 2, 1)
    for number in range(3):
        learned(node, f"also {number}")
        learned(node, f"never {number}", kind="pitfall")

    def shown(lines: int) -> list[str]:
        recall = rendered(parts, frozenset(), {node.id: 0.5}, lines=lines)
        assert recall.lines <= max(lines, 1 + HEADER + 2)
        return recall.items[0].text.splitlines()[HEADER + 2 :]

    heading = "Pitfalls, avoid these:"
    assert shown(14) == ["Note: also 0", "Note: also 1", "Note: also 2", heading, "- never 0", "- never 1", "- never 2"]
    assert shown(13) == ["Note: also 1", "Note: also 2", heading, "- never 0", "- never 1", "- never 2"]
    assert shown(11) == ["Note: also 2", heading, "- never 1", "- never 2"]
    assert shown(9) == [heading, "- never 2"]
    assert shown(8) == []


def test_where_a_bullet_came_from_is_told_only_if_it_is_shown() -> None:
    parts = mechanisms()
    node = workflow(parts, 2, 1)
    node.bullets.append(Bullet("variant", "late", Origin("late", 1, "f", "t")))
    assert "late" in rendered(parts, frozenset(), {node.id: 0.5}, lines=8).items[0].born
    assert "late" not in rendered(parts, frozenset(), {node.id: 0.5}, lines=7).items[0].born


def test_the_most_needed_node_is_shown_whole_less_its_bullets_however_long_it_is() -> None:
    parts = mechanisms()
    long, other = learned(workflow(parts, 40, 1), "also"), workflow(parts, 1, 2)
    recall = rendered(parts, frozenset(), {long.id: 0.9, other.id: 0.8}, lines=30)
    assert ids(recall) == [long.id]
    assert recall.lines == 1 + HEADER + 40
    assert "also" not in recall.text


def test_an_opposing_workflow_that_is_needed_most_brings_what_to_do_instead_whatever_their_length() -> None:
    parts = mechanisms()
    heat, cool = opposites(parts, 20)
    rank = {heat.id: 0.9, cool.id: 0.1, workflow(parts, 1, 3).id: 0.8}
    recall = rendered(parts, frozenset({"op:cool"}), rank, lines=10)
    assert [(item.id, item.kind) for item in recall.items] == [(cool.id, "workflow"), (heat.id, "contrast")]


@pytest.mark.parametrize(("lines", "shown"), [(17, "other"), (18, "other cool"), (23, "other cool"), (24, "all")])
def test_a_warning_never_stands_without_what_to_do_instead_which_may_stand_alone(lines: int, shown: str) -> None:
    parts = mechanisms()
    other, (heat, cool) = workflow(parts, 5, 1), opposites(parts, 4)
    rank = {other.id: 0.9, heat.id: 0.8, cool.id: 0.1}
    recall = rendered(parts, frozenset({"op:cool"}), rank, lines=lines)
    assert ids(recall) == {"other": [other.id], "other cool": [other.id, cool.id]}.get(
        shown, [other.id, cool.id, heat.id]
    )
    assert recall.lines <= lines


def test_a_warning_of_what_is_shown_already_needs_room_for_itself_alone() -> None:
    parts = mechanisms()
    heat, cool = opposites(parts, 4)
    rank = {cool.id: 0.9, heat.id: 0.8}
    assert ids(rendered(parts, frozenset({"op:cool"}), rank, lines=15)) == [cool.id, heat.id]
    assert ids(rendered(parts, frozenset({"op:cool"}), rank, lines=14)) == [cool.id]


@given(
    sizes=st.lists(
        st.tuples(st.sampled_from(("meta", "workflow", "skill")), st.integers(1, 40)), min_size=1, max_size=8
    ),
    bullets=st.integers(0, 20),
    lines=st.integers(1, 60),
)
def test_no_store_injects_more_than_the_bound_or_the_body_of_one_node(
    sizes: list[tuple[str, int]], bullets: int, lines: int
) -> None:
    parts = mechanisms()
    nodes = [
        learned(
            plant(parts.store, kind, number, body=["x"] * steps),  # type: ignore[arg-type]
            *(f"b{n}" for n in range(bullets)),
        )
        for number, (kind, steps) in enumerate(sizes)
    ]
    rank = {node.id: (number * 7 % 10) / 10 for number, node in enumerate(nodes)}
    recall = rendered(parts, frozenset(), rank, lines=lines)
    assert recall.items
    assert recall.lines <= lines or len(recall.items) == 1
    longest = 1 + HEADER + max(steps for _, steps in sizes)
    assert recall.lines <= max(lines, longest)
