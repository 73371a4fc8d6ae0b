"""How drafts become nodes: what is embedded of them, what refining changes, and which calls there are afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from strata.graph import Kind, NodeType
from strata.mechanisms import Mechanisms
from strata.memory import Strata
from strata.similarity import on_grid
from strata.writing import Reflected
from tests.unit.strata.building import (
    SKILL,
    WORKFLOW,
    TableEmbedder,
    by_rule,
    experience,
    mechanisms,
    memory,
    plant,
    query,
    random_unit,
    task,
)

REFINE = {**SKILL, "decision": "refine", "target": "skill-00000"}


def parts(route: tuple[str, ...], **answers: Any) -> Mechanisms:
    """Return the parts of a memory with scripted answers, where every episode gets a workflow of its own."""
    written = {"router": {"reflectors": list(route)}, "workflow": WORKFLOW, "skill": SKILL, **answers}
    return mechanisms(by_rule(**written), thresholds="global", bands={"low_prior": 1.0, "high_prior": 1.0})


def reflect(of: Mechanisms) -> Reflected:
    return of.writer.reflect(experience(task()).episode, query(), solved=True, clock=0)


def seen_as(of: Mechanisms, node_id: str, answer: Mapping[str, Any]) -> bool:
    """Return whether a node lies where the two views of an answer do."""
    view = of.store.geometry.view(node_id)
    content = on_grid(random_unit(answer["content"]))
    index = on_grid(random_unit(f"{answer['applicability_condition']}\n{answer['goal']}"))
    return bool((view.content == content).all() and (view.index == index).all())


def test_embedded_are_the_content_view_and_both_halves_of_the_index_view_of_every_node() -> None:
    code = {**SKILL, "content": "loops over all", "applicability_condition": "many", "goal": "none left"}
    held = parts(("workflow", "code", "skill"), code=code)
    reflect(held)
    kinds: dict[str, Mapping[str, Any]] = {"skill": SKILL, "code": code, "workflow": WORKFLOW}
    assert {node.kind for node in held.store.graph.nodes.values()} == set(kinds)
    for node in held.store.graph.nodes.values():
        assert seen_as(held, node.id, kinds[node.kind])


def test_both_views_of_a_query_are_the_tasks_text_or_without_one_the_first_observation() -> None:
    embedder = TableEmbedder({"heat some egg.": (1.0,), "You are in a room.": (0.0, 1.0)})
    for text, asked in (("heat some egg.", "heat some egg."), (" ", "You are in a room.")):
        strata: Strata = memory(by_rule(), embedder, drop=["tag", "lexical"])
        alike = embedder.vectors[asked]
        plant(strata.store, "workflow", content_vector=alike, index_vector=alike)
        embedder.asked.clear()
        (item,) = strata.retrieve(task(0, text), "You are in a room.", trial=1).items
        assert embedder.asked == [asked]
        assert item.score == pytest.approx(1.0 + 0.075, abs=1e-3)


def test_a_refined_unit_gets_the_vectors_and_words_of_its_new_texts() -> None:
    held = parts(("skill",), skill=REFINE)
    plant(held.store, "skill", content="beeps", applicability="old", goal="dusty")
    reflect(held)
    assert seen_as(held, "skill-00000", REFINE)
    assert held.store.geometry.view("skill-00000").tokens == {"heats", "cold", "hot"}


def test_a_refined_unit_keeps_its_tags_beside_the_new_ones() -> None:
    held = parts(("skill",), skill={**REFINE, "name": "oven", "content": "boil water"})
    plant(held.store, "skill", tags=("app:kitchen", "op:clean", "obj:oven"))
    reflect(held)
    tags = {"app:kitchen", "op:clean", "obj:oven", "app:house", "op:heat", "obj:water"}
    assert held.store.graph.nodes["skill-00000"].tags == tags
    assert held.store.geometry.view("skill-00000").tags == tags


@pytest.mark.parametrize("kind", ["code", "role", "workflow", "meta"])
def test_only_a_unit_of_the_same_kind_is_refined_or_folded(kind: Kind) -> None:
    wrong = {**REFINE, "target": f"{kind}-00000"}
    held = parts(("skill",), skill=wrong)
    other = plant(held.store, kind, name="as it was")
    assert reflect(held).written == []
    assert (other.name, len(held.store)) == ("as it was", 1)
    held = parts(("skill",), skill={**REFINE, "merge": ["code-00001"]})
    plant(held.store, "skill")
    plant(held.store, "code")
    reflect(held)
    assert set(held.store.graph.nodes) == {"skill-00000", "code-00001"}


def test_a_workflow_calls_only_what_is_an_atomic_node() -> None:
    calls = ["workflow-00000", "skill-00002", "meta-00001", "skill-09999", "", "code-00003"]
    held = parts(("workflow",), workflow={**WORKFLOW, "calls": calls})
    kinds: tuple[Kind, ...] = ("workflow", "meta", "skill", "code")
    for kind in kinds:
        plant(held.store, kind)
    created = reflect(held).created
    assert created is not None
    assert held.store.graph.targets("call", created.id) == ("skill-00002", "code-00003")


@pytest.mark.parametrize(
    ("called", "after"),
    [
        ([1, 2, 3], ["skill-00001", "skill-00000", "skill-00003"]),
        ([2, 3, 1], ["skill-00000", "skill-00003", "skill-00001"]),
        ([2, 3, 0], ["skill-00000", "skill-00003"]),
        ([3, 0, 2], ["skill-00003", "skill-00000"]),
        ([3, 1], ["skill-00003", "skill-00001"]),
    ],
)
def test_a_call_of_a_folded_unit_goes_to_its_target_and_keeps_its_place(called: list[int], after: list[str]) -> None:
    held = parts(("skill",), skill={**REFINE, "merge": ["skill-00002"]})
    for _ in range(4):
        plant(held.store, "skill")
    caller = plant(held.store, "workflow")
    for number in called:
        held.store.graph.link("call", caller.id, f"skill-{number:05d}")
    reflect(held)
    assert list(held.store.graph.targets("call", caller.id)) == after
    assert [node.id for node in held.store.graph.of(NodeType.ATOMIC)] == ["skill-00000", "skill-00001", "skill-00003"]
