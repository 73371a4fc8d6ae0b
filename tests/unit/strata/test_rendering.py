"""Rendering: principles first, warnings for the opposing side, pitfalls as things to avoid."""

from __future__ import annotations

from harness.types import Recall
from strata.graph import Bullet, Node, Origin
from strata.mechanisms import Mechanisms
from tests.unit.strata.building import mechanisms, plant, rendered

HEAT = ("take {obj}", "heat {obj} with microwave", "put {obj}")
COOL = ("take {obj}", "cool {obj} with fridge", "put {obj}")


def pair(parts: Mechanisms) -> tuple[Node, Node]:
    heat = plant(
        parts.store, "workflow", 1, tags=["op:heat", "obj:lead"], name="heat lead", goal="warm lead", body=HEAT
    )
    cool = plant(parts.store, "workflow", 2, tags=["op:cool", "obj:tin"], name="cool tin", goal="cold tin", body=COOL)
    parts.contrasts.add(parts.store.graph, parts.store.geometry, cool)
    return heat, cool


def test_nodes_are_rendered_meta_then_workflow_then_atomic() -> None:
    parts = mechanisms()
    ids = [plant(parts.store, kind, kind).id for kind in ("skill", "workflow", "meta")]
    recall = rendered(parts, frozenset(), dict.fromkeys(ids, 0.5))
    assert [item.kind for item in recall.items] == ["meta", "workflow", "skill"]


def test_the_side_that_opposes_the_query_is_warned_of_even_if_it_was_the_seed() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    recall = rendered(parts, frozenset({"op:cool", "obj:lead"}), {heat.id: 0.9, cool.id: 0.1})
    assert [(item.id, item.kind) for item in recall.items] == [(cool.id, "workflow"), (heat.id, "contrast")]
    warning = recall.items[1].text
    assert warning.startswith("# DO NOT CONFUSE")
    assert "heat, not cool" in warning


def test_a_warning_stands_after_the_workflows_and_before_the_atomics() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    ids = [plant(parts.store, kind, kind).id for kind in ("skill", "meta")]
    recall = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1, **dict.fromkeys(ids, 0.5)})
    assert [item.kind for item in recall.items] == ["meta", "workflow", "contrast", "skill"]


def test_a_warning_names_the_operators_that_the_sides_do_not_share_and_its_own_goal() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    for node in (heat, cool):
        node.tags |= {"op:place"}
    lines = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1}).items[1].text.splitlines()
    assert lines[:2] == [
        "# DO NOT CONFUSE with the opposite experience: heat lead (heat, not cool)",
        "  It is for another goal: warm lead",
    ]


def test_a_warning_names_no_direction_where_one_side_has_no_operator_of_its_own() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    cool.tags |= {"op:heat"}
    warning = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.1, cool.id: 0.9}).items[1].text
    assert warning.splitlines()[0] == "# DO NOT CONFUSE with the opposite experience: heat lead"


def test_a_warning_is_no_flat_procedure_and_names_only_the_steps_that_oppose_the_goal() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    warning = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1}).items[1].text
    assert "Do not do: heat {obj} with microwave" in warning
    assert "take {obj}" not in warning
    assert "1." not in warning


def test_a_warning_forbids_nothing_that_no_opposed_operator_is_named_in() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    for asked in (frozenset[str](), frozenset({"op:find", "op:place"})):
        warning = rendered(parts, asked, {heat.id: 0.4, cool.id: 0.5}).items[1].text
        assert [line for line in warning.splitlines() if "Do not do" in line] == [
            "  Do not do: heat {obj} with microwave"
        ]
    heat.body = ("take {obj}", "open fridge", "put {obj}")
    assert "Do not do" not in rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1}).text


def test_a_step_may_name_an_opposed_operator_by_any_of_its_words() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    heat.body = ("take {obj}", "boil {obj} on stove")
    assert (
        "Do not do: boil {obj} on stove" in rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1}).text
    )


def test_a_workflow_warned_of_warns_of_nothing_and_what_agrees_with_the_procedure_is_one() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    other = plant(parts.store, "workflow", 3, tags=["op:heat", "obj:egg"], name="heat egg", body=HEAT)
    parts.contrasts.add(parts.store.graph, parts.store.geometry, other)
    recall = rendered(parts, frozenset({"obj:lead"}), {heat.id: 0.6, cool.id: 0.5, other.id: 0.4})
    assert [(item.id, item.kind) for item in recall.items] == [
        (heat.id, "workflow"), (other.id, "workflow"), (cool.id, "contrast"),
    ]  # fmt: skip


def test_a_meta_shows_more_bullets_than_a_workflow_since_they_are_its_routing_table() -> None:
    parts = mechanisms()
    meta, workflow = plant(parts.store, "meta", 1), plant(parts.store, "workflow", 2)
    for node in (meta, workflow):
        node.bullets += [Bullet("variant", f"route {n}", origin("x")) for n in range(20)]
    recall = rendered(parts, frozenset(), {meta.id: 0.5, workflow.id: 0.5}, lines=None)
    texts = [item.text for item in recall.items]
    assert [text.count("Note: ") for text in texts] == [12, 5]


def test_if_the_query_has_no_operator_the_higher_score_is_the_procedure() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    recall = rendered(parts, frozenset({"obj:lead"}), {heat.id: 0.4, cool.id: 0.5})
    assert [(item.id, item.kind) for item in recall.items] == [(cool.id, "workflow"), (heat.id, "contrast")]


def test_without_an_edge_an_opposing_workflow_is_a_flat_procedure() -> None:
    parts = mechanisms(contrast="none")
    heat, _ = pair(parts)
    recall = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9})
    assert recall.items[0].kind == "workflow"
    assert "2. heat {obj} with microwave" in recall.text


def test_pitfall_bullets_are_rendered_as_things_to_avoid_and_variants_as_notes() -> None:
    parts = mechanisms()
    node = plant(parts.store, "workflow", 1)
    node.bullets += [Bullet("variant", "use the oven", origin("a")), Bullet("pitfall", "open the door", origin("b"))]
    lines = rendered(parts, frozenset(), {node.id: 0.5}).text.splitlines()
    assert "Note: use the oven" in lines
    assert lines.index("- open the door") > lines.index("Pitfalls, avoid these:")


def test_bullets_learned_from_the_task_itself_are_left_out_of_text_and_provenance() -> None:
    parts = mechanisms()
    node = plant(parts.store, "workflow", 1)
    node.bullets += [Bullet("variant", "use the oven", origin("now")), Bullet("variant", "other", origin("before"))]
    item = rendered(parts, frozenset(), {node.id: 0.5}).items[0]
    assert "oven" not in item.text
    assert "before" in item.born
    assert "now" not in item.born


def test_only_the_latest_different_bullets_of_each_kind_are_shown() -> None:
    parts = mechanisms()
    node = plant(parts.store, "workflow", 1)
    for text in ("a", "b", "a", "c"):
        node.bullets += [Bullet("variant", text, origin("x")), Bullet("pitfall", f"not {text}", origin("y"))]
    text = rendered(parts, frozenset(), {node.id: 0.5}, bullets=2).text
    assert [line for line in text.splitlines() if line.startswith(("Note", "- "))] == [
        "Note: a", "Note: c", "- not a", "- not c",
    ]  # fmt: skip
    assert len(node.bullets) == 8


def test_an_empty_subgraph_is_an_empty_string_without_a_heading() -> None:
    assert Recall().text == ""


def test_bullets_of_one_kind_do_not_take_the_place_of_the_other() -> None:
    parts = mechanisms()
    node = plant(parts.store, "workflow", 1)
    node.bullets += [Bullet("variant", text, origin("x")) for text in ("a", "same")]
    node.bullets += [Bullet("pitfall", text, origin("x")) for text in ("b", "c", "same")]
    text = rendered(parts, frozenset(), {node.id: 0.5}, bullets=2).text
    assert [line for line in text.splitlines() if line.startswith(("Note", "- "))] == [
        "Note: a", "Note: same", "- c", "- same",
    ]  # fmt: skip


def test_of_equal_bullets_the_latest_ones_origin_is_told() -> None:
    parts = mechanisms()
    node = plant(parts.store, "workflow", 1, origins=(origin("made"),))
    node.bullets += [Bullet("variant", "use the oven", origin(task)) for task in ("early", "late")]
    assert rendered(parts, frozenset(), {node.id: 0.5}).items[0].born == ("made", "late")


def test_a_task_is_told_once_however_often_a_node_learned_from_it() -> None:
    parts = mechanisms()
    node = plant(parts.store, "workflow", 1, origins=(origin("made"), origin("made")))
    node.bullets += [Bullet("variant", "use the oven", origin("made"))]
    assert rendered(parts, frozenset(), {node.id: 0.5}).items[0].born == ("made",)


def test_a_node_says_its_goal_or_else_what_it_does_and_when_it_applies_if_that_is_known() -> None:
    parts = mechanisms()
    full = plant(parts.store, "workflow", 1, goal="hot thing", content="heats", applicability="cold thing")
    bare = plant(parts.store, "skill", 2, goal="", content="heats", applicability="", body=("use it",))
    texts = [item.text for item in rendered(parts, frozenset(), {full.id: 0.5, bare.id: 0.4}).items]
    assert texts[0].splitlines()[1:4] == ["Goal: hot thing", "Applies when: cold thing", "Steps:"]
    assert texts[1].splitlines()[1:] == ["Goal: heats", "  use it"]


def test_a_warning_says_what_the_opposite_does_where_it_has_no_goal_and_its_operators_in_order() -> None:
    parts = mechanisms()
    heat, cool = pair(parts)
    heat.goal, heat.content = "", "warms things"
    heat.tags |= {"op:buy", "op:send"}
    warning = rendered(parts, frozenset({"op:cool"}), {heat.id: 0.9, cool.id: 0.1}).items[1].text
    assert warning.splitlines()[:2] == [
        "# DO NOT CONFUSE with the opposite experience: heat lead (buy, heat, send, not cool)",
        "  It is for another goal: warms things",
    ]


def test_a_warning_does_not_forbid_what_the_query_asks_for() -> None:
    parts = mechanisms(contrast="learned")
    wrong = plant(parts.store, "workflow", 1, tags=["op:heat", "op:clean"], body=("clean {obj}", "heat {obj}"))
    right = plant(parts.store, "workflow", 2, tags=["op:cool"])
    parts.store.graph.link("contrasts", wrong.id, right.id)
    for asked, forbidden in (({"op:cool"}, 2), ({"op:cool", "op:clean"}, 1)):
        recall = rendered(parts, frozenset(asked), {wrong.id: 0.1, right.id: 0.9})
        assert recall.text.count("Do not do") == forbidden


def origin(task: str) -> Origin:
    return Origin(task, 1, "f", "t")
