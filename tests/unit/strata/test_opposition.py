"""Which side of a contrasting pair is the wrong one, and which of its steps say so."""

from __future__ import annotations

import pytest

from strata.graph import Node
from strata.mechanisms import Mechanisms
from tests.unit.strata.building import mechanisms, plant

BODY = ("take {obj}", "clean {obj}", "heat {obj}", "cool {obj}", "put {obj}")


def two(parts: Mechanisms, left: str, right: str) -> tuple[Node, Node]:
    """Return two workflows of the operators named, joined by a contrast edge; both have every step."""
    nodes = [
        plant(parts.store, "workflow", number, tags=[f"op:{op}" for op in ops.split()], body=BODY)
        for number, ops in enumerate((left, right))
    ]
    parts.store.graph.link("contrasts", nodes[0].id, nodes[1].id)
    return nodes[0], nodes[1]


@pytest.mark.parametrize(
    ("left", "right", "asked", "rule"),
    [
        ("heat delete place", "create", "cool place", "it opposes the query, though it shares an operator with it"),
        ("heat", "cool find", "find", "it has none of the query's operators"),
        ("heat", "cool", "find", "its score is lower"),
    ],
)
def test_the_side_that_opposes_comes_before_the_side_that_shares_and_the_score_last(
    left: str, right: str, asked: str, rule: str
) -> None:
    parts = mechanisms()
    wrong, good = two(parts, left, right)
    rank = {wrong.id: 0.9, good.id: 0.1} if "score" not in rule else {wrong.id: 0.1, good.id: 0.9}
    opposition = parts.contrasts.opposition
    warned = opposition.warned(parts.store.graph, [wrong.id, good.id], frozenset(asked.split()), rank)
    assert warned == {wrong.id: good.id}, rule


def test_of_equal_sides_the_older_one_is_the_procedure() -> None:
    parts = mechanisms()
    older, newer = two(parts, "heat", "cool")
    rank = {older.id: 0.5, newer.id: 0.5}
    opposition = parts.contrasts.opposition
    assert opposition.warned(parts.store.graph, [newer.id, older.id], frozenset(), rank) == {newer.id: older.id}


@pytest.mark.parametrize(
    ("mode", "left", "right", "asked", "steps"),
    [
        ("rule", "heat clean", "cool clean", "cool", ["heat {obj}"]),
        ("rule", "heat clean", "cool", "cool", ["heat {obj}"]),
        ("rule", "heat clean", "cool clean", "place", ["heat {obj}"]),
        ("rule", "heat", "cool", "heat cool", []),
        ("learned", "heat clean", "cool", "cool", ["clean {obj}", "heat {obj}"]),
        ("learned", "heat clean", "cool", "clean", ["heat {obj}"]),
        ("learned", "heat clean", "cool clean", "place", ["heat {obj}"]),
    ],
)
def test_forbidden_are_the_steps_of_opposed_operators_or_where_no_pair_is_known_of_those_that_neither_has(
    mode: str, left: str, right: str, asked: str, steps: list[str]
) -> None:
    parts = mechanisms(contrast=mode)
    wrong, instead = two(parts, left, right)
    assert parts.contrasts.opposition.wrong_steps(wrong, instead, frozenset(asked.split())) == steps


def test_hand_placed_pairs_contrast_in_both_orders() -> None:
    listed = [[["op:heat", "obj:egg"], ["op:cool", "obj:egg"]]]
    opposition = mechanisms(contrast="hand_placed", opposites={"hand_placed": listed}).contrasts.opposition
    heat, cool = frozenset({"op:heat", "obj:egg", "app:a"}), frozenset({"op:cool", "obj:egg"})
    assert opposition.contrast(heat, cool)
    assert opposition.contrast(cool, heat)
    assert not opposition.contrast(heat, heat)
