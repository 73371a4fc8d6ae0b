"""A prefilled store: the workflows of solved episodes as they are given, with all that a workflow has."""

from __future__ import annotations

from typing import Any

from strata.graph import NodeType
from strata.memory import Strata
from strata.similarity import on_grid
from tests.unit.strata.building import TableEmbedder, by_rule, experience, memory, random_unit, task

TEXTS = ("heat some egg.", "cool some egg.", "clean some mug.", "heat some mug.")


def filled(**changes: Any) -> Strata:
    strata = memory(by_rule(), TableEmbedder(), **changes)
    strata.prefill([experience(task(n, text), actions=("look", f"act {n}")) for n, text in enumerate(TEXTS)])
    return strata


def test_a_prefilled_store_has_the_contrast_edges_of_its_workflows() -> None:
    strata = filled()
    joined = [strata.graph.targets("contrasts", f"workflow-{n:05d}") for n in range(4)]
    assert joined == [("workflow-00001",), ("workflow-00000", "workflow-00003"), (), ("workflow-00001",)]
    assert filled(contrast="none").graph.count("contrasts") == 0


def test_the_actions_of_an_episode_are_the_procedure_of_its_workflow() -> None:
    for lines, count in ((40, 2), (1, 1)):
        strata = filled(reflection={"lines": lines})
        bodies = [node.body for node in strata.graph.nodes.values()]
        assert bodies == [("look", f"act {n}")[:count] for n in range(4)]


def test_a_prefilled_workflow_lies_where_its_tasks_text_does_and_comes_from_its_task() -> None:
    strata = filled()
    for number, (node, text) in enumerate(zip(strata.graph.of(NodeType.WORKFLOW), TEXTS, strict=True)):
        view = strata.store.geometry.view(node.id)
        assert view.content.tolist() == on_grid(random_unit(text)).tolist()
        assert view.index.tolist() == on_grid(random_unit(node.index)).tolist()
        assert node.index == f"{text}\n{text}"
        assert strata.store.made_from(f"task-{number:03d}") == {node.id}


def test_a_prefilled_store_may_outgrow_the_cap_and_repeat_itself() -> None:
    strata = filled(forgetting={"cap": 1})
    strata.prefill([experience(task(9, TEXTS[0]))])
    assert len(strata) == 5
