"""Contrast edges: by rule, by hand, learned from failures."""

from __future__ import annotations

import pytest

from harness.errors import ConfigError
from strata.mechanisms import Mechanisms
from strata.similarity import on_grid
from tests.unit.strata.building import mechanisms, plant, unit


def add(parts: Mechanisms, *tags: str, vector: list[float] | None = None, body: tuple[str, ...] = ("do it",)) -> str:
    node = plant(parts.store, "workflow", parts.store.graph.made, tags=tags, content_vector=vector or [1.0], body=body)
    parts.contrasts.add(parts.store.graph, parts.store.geometry, node)
    return node.id


def edges(parts: Mechanisms) -> set[tuple[str, str]]:
    return {(a, b) for relation, a, b in parts.store.graph.edges() if relation == "contrasts"}


def test_opposite_operators_contrast_symmetrically_and_across_objects_and_apps() -> None:
    parts = mechanisms()
    heat, cool = add(parts, "app:a", "op:heat", "obj:lead"), add(parts, "app:b", "op:cool", "obj:tin")
    assert edges(parts) == {(heat, cool), (cool, heat)}


def test_a_new_workflow_contrasts_with_all_matching_ones() -> None:
    parts = mechanisms()
    heats = [add(parts, "op:heat", f"obj:{n}") for n in range(3)]
    add(parts, "op:clean")
    cool = add(parts, "op:cool")
    assert parts.store.graph.targets("contrasts", cool) == tuple(heats)


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [("heat", "cool", True), ("create", "delete", True), ("heat", "delete", False), ("heat", "heat", False)],
)
def test_only_pairs_of_the_lexicon_are_opposite(left: str, right: str, joined: bool) -> None:
    parts = mechanisms()
    add(parts, f"op:{left}")
    add(parts, f"op:{right}")
    assert bool(edges(parts)) == joined


def test_workflows_of_the_same_operators_do_not_contrast_even_if_these_are_a_pair() -> None:
    parts = mechanisms()
    add(parts, "op:create", "op:delete", "obj:playlist")
    add(parts, "op:create", "op:delete", "obj:playlist")
    add(parts, "op:delete", "obj:playlist")
    assert edges(parts) == set()
    assert not parts.contrasts.opposition.opposite(("create", "delete"), ("create", "delete"))
    assert parts.contrasts.opposition.opposite(("create", "place"), ("delete", "place"))


def test_atomic_and_meta_nodes_never_contrast() -> None:
    parts = mechanisms()
    plant(parts.store, "skill", 1, tags=["op:heat"])
    plant(parts.store, "meta", 1, tags=["op:heat"])
    add(parts, "op:cool")
    assert edges(parts) == set()


def test_without_contrast_there_are_no_edges() -> None:
    parts = mechanisms(contrast="none")
    add(parts, "op:heat")
    add(parts, "op:cool")
    assert edges(parts) == set()


def test_hand_placed_edges_join_the_listed_pairs_and_miss_the_others() -> None:
    listed = [[["op:heat", "obj:egg"], ["op:cool", "obj:egg"]]]
    parts = mechanisms(contrast="hand_placed", opposites={"hand_placed": listed})
    heat = add(parts, "op:heat", "obj:egg", "obj:microwave")
    add(parts, "op:cool", "obj:tin")
    cool = add(parts, "op:cool", "obj:egg")
    assert edges(parts) == {(heat, cool), (cool, heat)}


def test_by_hand_an_episode_is_kept_out_of_the_listed_pairs_only() -> None:
    listed = [[["op:heat", "obj:egg"], ["op:cool", "obj:egg"]]]
    parts = mechanisms(contrast="hand_placed", opposites={"hand_placed": listed})
    egg, lamp = (parts.store.graph.nodes[add(parts, "op:heat", f"obj:{name}")] for name in ("egg", "lamp"))
    assert parts.contrasts.opposition.separates(egg, frozenset({"op:cool", "obj:egg"}))
    assert not parts.contrasts.opposition.separates(lamp, frozenset({"op:cool", "obj:lamp"}))


@pytest.mark.parametrize(
    ("opposites", "message"),
    [
        ({"lexicon": [["melt", "freeze"]]}, "got the operator 'melt', expected write 'heat'"),
        ({"lexicon": [["heat", "colour"]]}, "got the operator 'colour', expected one of"),
        ({"hand_placed": [[["op:melt"], ["op:cool"]]]}, "hand_placed: got the operator 'melt'"),
        ({"hand_placed": [[["obj:egg"], ["op:cool"]]]}, "at least one op"),
        ({"lexicon": [["heat"]]}, "lexicon"),
        ({"hand_placed": [[["op:heat"]]]}, "hand_placed"),
    ],
)
def test_opposites_that_no_tag_can_match_are_refused(opposites: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        mechanisms(opposites=opposites)


def test_an_episode_may_be_kept_out_of_workflows_that_oppose_it() -> None:
    for separate, mode, kept_out in (
        (True, "rule", True),
        (False, "rule", False),
        (True, "none", False),
        (True, "learned", False),
    ):
        parts = mechanisms(contrast=mode, opposites={"separate": separate})
        heat = parts.store.graph.nodes[add(parts, "op:heat")]
        assert parts.contrasts.opposition.separates(heat, frozenset({"op:cool"})) == kept_out


def fail(parts: Mechanisms, followed: str, *tags: str, vector: list[float]) -> list[tuple[str, str]]:
    store = parts.store
    return parts.contrasts.observe_failure(
        store.graph, store.geometry, [store.graph.nodes[followed]], frozenset(tags), on_grid(unit(vector))
    )


def test_opposition_is_learned_where_executing_one_procedure_failed_at_the_others_task() -> None:
    parts = mechanisms(contrast="learned", opposites={"lexicon": []})
    thaw, chill = add(parts, "op:thaw"), add(parts, "op:chill", vector=[1.0, 0.2])
    assert edges(parts) == set()
    assert fail(parts, thaw, "op:chill", vector=[1.0, 0.1]) == [(thaw, chill)]
    assert edges(parts) == {(thaw, chill), (chill, thaw)}
    assert fail(parts, thaw, "op:chill", vector=[1.0, 0.1]) == []


def test_a_failure_waits_for_the_workflow_that_does_its_task() -> None:
    parts = mechanisms(contrast="learned")
    thaw = add(parts, "op:thaw")
    assert fail(parts, thaw, "op:chill", vector=[1.0, 0.1]) == []
    assert len(parts.contrasts.misfires) == 1
    add(parts, "op:other", vector=[1.0, 0.1])
    chill = add(parts, "op:chill", vector=[1.0, 0.1])
    assert edges(parts) == {(thaw, chill), (chill, thaw)}
    assert parts.contrasts.misfires == []


def test_nothing_is_learned_from_a_failure_at_the_workflows_own_operation_or_from_unlike_ones() -> None:
    parts = mechanisms(contrast="learned")
    thaw = add(parts, "op:thaw")
    add(parts, "op:chill", vector=[0.0, 1.0])
    assert fail(parts, thaw, "op:thaw", vector=[1.0]) == []
    assert fail(parts, thaw, "op:chill", vector=[1.0]) == []
    assert edges(parts) == set()


def test_the_right_side_of_a_failure_is_a_workflow_that_shares_an_operator_with_the_task() -> None:
    parts = mechanisms(contrast="learned")
    thaw = add(parts, "op:thaw")
    plant(parts.store, "skill", 9, tags=["op:chill"], content_vector=[1.0])
    add(parts, "op:other", vector=[1.0, 0.1])
    assert fail(parts, thaw, "op:chill", vector=[1.0]) == []
    assert edges(parts) == set()


def test_failures_of_workflows_that_are_gone_are_forgotten() -> None:
    parts = mechanisms(contrast="learned")
    thaw = add(parts, "op:thaw")
    fail(parts, thaw, "op:chill", vector=[1.0])
    parts.store.remove(thaw)
    parts.contrasts.forget(parts.store.graph)
    assert parts.contrasts.misfires == []


def test_a_procedure_counts_as_executed_when_enough_of_its_steps_are_among_the_actions() -> None:
    parts = mechanisms()
    node = parts.store.graph.nodes[add(parts, body=("take {obj}", "heat {obj} with microwave", "put {obj} in fridge"))]
    assert parts.contrasts.followed(node, ["take egg 1", "heat egg 1 with microwave 1", "look"])
    assert not parts.contrasts.followed(node, ["take egg 1", "look"])
    assert not parts.contrasts.followed(node, [])
