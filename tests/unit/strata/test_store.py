"""The store: which nodes are nearest, what a node's views are made of, and what is left of a removed one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from strata.graph import Kind, NodeType, Origin
from strata.reflection import call_of
from strata.store import Store
from tests.unit.strata.building import TableEmbedder, by_rule, experience, mechanisms, memory, plant, query, task

NEAR, MIDDLE, FAR = (1.0,), (1.0, 1.0), (0.0, 1.0)


def store() -> Store:
    return mechanisms().store


def planted(of: Store, direction: tuple[float, ...], **fields: Any) -> str:
    return plant(of, "workflow", content_vector=direction, index_vector=direction, **fields).id


def nearest(of: Store, layer: NodeType = NodeType.WORKFLOW) -> list[str]:
    return list(of.nearest(of.geometry.scores(query(*NEAR).view), layer))


def test_the_nodes_of_a_layer_come_nearest_first() -> None:
    held = store()
    middle, near, far = (planted(held, direction) for direction in (MIDDLE, NEAR, FAR))
    skill = plant(held, "skill", content_vector=NEAR, index_vector=NEAR).id
    assert nearest(held) == [near, middle, far]
    assert nearest(held, NodeType.ATOMIC) == [skill]
    assert nearest(held, NodeType.META) == []


def test_of_equally_near_nodes_the_oldest_comes_first_wherever_it_lies() -> None:
    held = store()
    first, second = planted(held, FAR), planted(held, NEAR)
    held.remove(first)
    third = planted(held, NEAR)
    assert held.geometry.slot[third] < held.geometry.slot[second]
    assert nearest(held) == [second, third]


def test_a_removed_node_is_no_longer_made_from_its_task() -> None:
    held = store()
    origins = (Origin("a", 1, "family", "template"), Origin("b", 1, "family", "template"))
    gone, stays = planted(held, NEAR, origins=origins), planted(held, NEAR, origins=origins[:1])
    assert [set(held.made_from(task_id)) for task_id in "ab"] == [{gone, stays}, {gone}]
    held.remove(gone)
    assert [set(held.made_from(task_id)) for task_id in "abc"] == [{stays}, set(), set()]


def test_a_task_whose_workflow_was_deleted_can_be_tried_again() -> None:
    strata = memory(by_rule(), TableEmbedder(), thresholds="global", bands={"low_prior": 1.0, "high_prior": 1.0},
                    forgetting={"cap": 1}, meta=False)  # fmt: skip
    for number in range(3):
        strata.retrieve(task(number), "", trial=1)
        strata.update(experience(task(number)))
    (left,) = strata.graph.nodes.values()
    for number in {0, 1, 2} - {int(left.origins[0].task[-3:])}:
        assert [item.id for item in strata.retrieve(task(number), "", trial=2).items] == [left.id]


def test_a_new_workflow_starts_at_age_zero_even_in_the_slot_of_an_old_one() -> None:
    held = store()
    slot = held.geometry.slot[planted(held, NEAR)]
    assert held.ages.of(np.array([slot])) == [0.0]
    held.ages.set(slot, 7.0)
    held.remove("workflow-00000")
    assert held.geometry.slot[planted(held, NEAR)] == slot
    assert held.ages.of(np.array([slot])) == [0.0]


@pytest.mark.parametrize("kind", ["workflow", "skill", "meta"])
def test_the_words_of_a_node_are_those_of_its_content_and_its_index_view(kind: Kind) -> None:
    held = store()
    views = {"content": "heats the water", "applicability": "cold kettle", "goal": "hot tea"}
    node = plant(held, kind, name="boiler", body=("turn it on",), **views)
    assert held.geometry.view(node.id).tokens == {"heats", "water", "cold", "kettle", "hot", "tea"}


def test_equal_texts_are_embedded_once_and_each_view_gets_its_own_vector() -> None:
    embedder = TableEmbedder({"a": NEAR, "b": FAR})
    call = call_of("a", 1, "retrieve", "memory")
    parts = mechanisms(embedder=embedder)
    assert parts.store.embed([], call) == []
    first, second = parts.store.embed([("a", "b"), ("b", "b")], call)
    assert embedder.asked == ["a", "b"]
    assert [int(np.argmax(v)) for v in (first.content, first.index, second.content, second.index)] == [0, 1, 1, 1]
