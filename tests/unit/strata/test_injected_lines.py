"""What is injected keeps to a number of lines, however much a store has learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from harness.types import Recall
from strata.graph import Bullet, BulletKind, Node, Origin, operators
from strata.mechanisms import Mechanisms
from strata.rendering import render
from strata.retrieval import Subgraph
from tests.unit.strata.building import mechanisms, plant, rendered, settings

HEADER = 4
"""Lines of a workflow before its steps: name, goal, condition, the word Steps."""
WARNING = 2
"""Lines of a warning without steps."""


def taught(node: Node, *texts: str, kind: BulletKind = "variant") -> Node:
    node.bullets += [Bullet(kind, text, Origin("earlier", 1, "f", "t")) for text in texts]
    return node


def workflow(parts: Mechanisms, steps: int, *key: object, operator: str = "find") -> Node:
    body = [f"step {n}" for n in range(steps)]
    return plant(parts.store, "workflow", *key, tags=[f"op:{operator}"], body=body)


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


def test_of_equal_nodes_the_older_one_comes_first() -> None:
    parts = mechanisms()
    old, new = workflow(parts, 2, 1), workflow(parts, 2, 2)
    assert ids(rendered(parts, frozenset(), {new.id: 0.5, old.id: 0.5}, lines=10)) == [old.id]


def test_the_best_workflow_comes_first_even_where_principles_rank_above_it() -> None:
    parts = mechanisms()
    meta = taught(plant(parts.store, "meta", 1), *(f"route {n}" for n in range(12)))
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
        taught(node, f"also {number}")
        taught(node, f"never {number}", kind="pitfall")

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


def test_the_heading_of_pitfalls_takes_a_line_of_what_comes_next() -> None:
    parts = mechanisms()
    first, second = taught(workflow(parts, 2, 1), "never", kind="pitfall"), workflow(parts, 2, 2)
    rank = {first.id: 0.9, second.id: 0.5}
    need = 1 + (HEADER + 2 + 2) + (HEADER + 2)
    assert ids(rendered(parts, frozenset(), rank, lines=need)) == [first.id, second.id]
    assert ids(rendered(parts, frozenset(), rank, lines=need - 1)) == [first.id]


def test_where_a_bullet_came_from_is_told_only_if_it_is_shown() -> None:
    parts = mechanisms()
    node = workflow(parts, 2, 1)
    node.bullets.append(Bullet("variant", "late", Origin("late", 1, "f", "t")))
    own = node.origins[0].task
    assert rendered(parts, frozenset(), {node.id: 0.5}, lines=8).items[0].born == (own, "late")
    assert rendered(parts, frozenset(), {node.id: 0.5}, lines=7).items[0].born == (own,)


def test_the_most_needed_node_is_shown_whole_less_its_bullets_however_long_it_is() -> None:
    parts = mechanisms()
    long, other = taught(workflow(parts, 40, 1), "also"), workflow(parts, 1, 2)
    recall = rendered(parts, frozenset(), {long.id: 0.9, other.id: 0.8}, lines=30)
    assert ids(recall) == [long.id]
    assert recall.lines == 1 + HEADER + 40
    assert "also" not in recall.text


def test_the_most_needed_node_keeps_its_warning_however_long_they_are() -> None:
    parts = mechanisms()
    heat, cool = opposites(parts, 20)
    rank = {heat.id: 0.9, cool.id: 0.1, workflow(parts, 1, 3).id: 0.8}
    recall = rendered(parts, frozenset({"op:cool"}), rank, lines=10)
    assert [(item.id, item.kind) for item in recall.items] == [(cool.id, "workflow"), (heat.id, "contrast")]


def test_a_warning_comes_before_the_bullets_of_what_to_do_instead_and_before_other_nodes() -> None:
    parts = mechanisms()
    heat, cool = opposites(parts, 4)
    taught(cool, *(f"also {n}" for n in range(5)))
    taught(heat, "of the opposite")
    other = workflow(parts, 1, 3)
    rank = {cool.id: 0.9, other.id: 0.8, heat.id: 0.1}
    recall = rendered(parts, frozenset({"op:cool"}), rank, lines=1 + HEADER + 4 + WARNING + 3)
    assert ids(recall) == [cool.id, heat.id]
    assert [line for line in recall.text.splitlines() if line.startswith("Note")] == [
        "Note: also 2", "Note: also 3", "Note: also 4",
    ]  # fmt: skip


@pytest.mark.parametrize(("lines", "shown"), [(17, "other"), (18, "other cool"), (19, "other cool"), (20, "all")])
def test_a_warning_never_stands_without_what_to_do_instead_which_may_stand_alone(lines: int, shown: str) -> None:
    parts = mechanisms()
    other, (heat, cool) = workflow(parts, 5, 1), opposites(parts, 4)
    rank = {other.id: 0.9, heat.id: 0.8, cool.id: 0.1}
    recall = rendered(parts, frozenset({"op:cool"}), rank, lines=lines)
    expected = {"other": [other], "other cool": [other, cool], "all": [other, cool, heat]}
    assert ids(recall) == [node.id for node in expected[shown]]
    assert recall.lines <= lines


def test_what_to_do_instead_has_the_place_of_a_better_workflow_that_is_warned_of() -> None:
    parts = mechanisms()
    other, (heat, cool) = workflow(parts, 5, 1), opposites(parts, 5)
    recall = rendered(parts, frozenset({"op:cool"}), {other.id: 0.5, heat.id: 0.8, cool.id: 0.1}, lines=14)
    assert ids(recall) == [cool.id, heat.id]


def test_every_item_is_logged_with_its_own_rank_a_warning_too() -> None:
    parts = mechanisms()
    heat, cool = opposites(parts, 2)
    recall = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1})
    assert {item.id: item.score for item in recall.items} == {cool.id: 0.1, heat.id: 0.9}


def test_an_atomic_that_came_with_a_workflow_left_out_is_left_out_with_it_and_a_seed_is_not() -> None:
    parts = mechanisms()
    first, caller = workflow(parts, 10, 1), workflow(parts, 20, 2)
    called, skill = plant(parts.store, "skill", 3, body=["x"]), plant(parts.store, "skill", 4, body=["x"])
    for unit in (called, skill):
        parts.store.graph.link("call", caller.id, unit.id)
    rank = {first.id: 0.9, caller.id: 0.5, called.id: 0.4, skill.id: 0.4}
    workflows, atomics = (first.id, caller.id), (called.id, skill.id)

    def shown(lines: int | None, *seeds: str) -> list[str]:
        found = Subgraph(seeds, (), workflows, atomics, rank, {})
        retrieving = settings()["retrieval"].model_copy(update={"lines": lines})
        return ids(render(parts.store.graph, found, frozenset(), parts.contrasts.opposition, "now", retrieving))

    assert shown(30, first.id, caller.id) == [first.id]
    assert shown(30, first.id, caller.id, skill.id) == [first.id, skill.id]
    assert shown(None, first.id, caller.id) == [first.id, caller.id, called.id, skill.id]
    assert shown(None, first.id) == [first.id, caller.id, called.id, skill.id]


def test_atomics_take_what_room_workflows_leave() -> None:
    parts = mechanisms()
    skill, first, second = plant(parts.store, "skill", 1, body=["x"]), workflow(parts, 10, 2), workflow(parts, 9, 3)
    recall = rendered(parts, frozenset(), {skill.id: 0.8, first.id: 0.9, second.id: 0.5}, lines=30)
    assert ids(recall) == [first.id, second.id]


Kinds = st.sampled_from(("meta", "workflow", "skill"))
Operators = st.sampled_from(("heat", "cool", "find"))


@budget(deadline=None)
@given(
    nodes=st.lists(st.tuples(Kinds, Operators, st.integers(1, 40), st.integers(0, 9)), min_size=1, max_size=8),
    bullets=st.lists(st.sampled_from(("variant", "pitfall")), max_size=12),
    lines=st.integers(1, 60),
    asked=Operators,
)
def test_whatever_was_found_the_text_keeps_to_its_lines_and_no_warning_stands_alone(
    nodes: list[tuple[Any, str, int, int]], bullets: list[BulletKind], lines: int, asked: str
) -> None:
    parts = mechanisms()
    rank: dict[str, float] = {}
    for number, (kind, operator, steps, tenths) in enumerate(nodes):
        node = plant(parts.store, kind, number, tags=[f"op:{operator}"], body=["x"] * steps)
        rank[node.id] = tenths / 10
        if kind == "workflow":
            parts.contrasts.add(parts.store.graph, parts.store.geometry, node)
        for at, bullet in enumerate(bullets):
            taught(node, f"b{at}", kind=bullet)
    recall = rendered(parts, frozenset({f"op:{asked}"}), rank, lines=lines)
    again = rendered(parts, frozenset({f"op:{asked}"}), dict(reversed(rank.items())), lines=lines)
    assert {item.id: item.text for item in recall.items} == {item.id: item.text for item in again.items}
    assert recall.items
    procedures = [item.id for item in recall.items if item.kind == "workflow"]
    warnings = [item.id for item in recall.items if item.kind == "contrast"]
    assert all(_opposes(parts, warning, procedures) for warning in warnings)
    first = [item for item in recall.items if item.kind != "contrast"]
    assert recall.lines <= lines or (len(first) == 1 and not set(recall.text.splitlines()) & {"Note: b0", "- b0"})


def _opposes(parts: Mechanisms, warning: str, procedures: list[str]) -> bool:
    nodes: Mapping[str, Node] = parts.store.graph.nodes
    return any(
        parts.contrasts.opposition.opposite(operators(nodes[warning].tags), operators(nodes[i].tags))
        for i in procedures
    )
