"""What an agent reads that has to freeze tin and has melted lead before, from the task's text to the injected one."""

from __future__ import annotations

import pytest

from harness.types import Recall
from strata.settings import ContrastMode
from tests.unit.strata.building import TableEmbedder, by_rule, mechanisms, memory, plant, task

FREEZE = task(9, "freeze the tin.", "freeze")
MELTING = ("pick up lead", "melt lead on the stove", "wait")
FREEZING = ("pick up water", "freeze water in the freezer", "wait")


def read(mode: ContrastMode) -> tuple[Recall, str, str]:
    """Return what is injected for freezing tin, and the ids of a procedure near to that text and of one that is far."""
    strata = memory(by_rule(), TableEmbedder({FREEZE.text: [1.0]}), contrast=mode)
    contrasts = mechanisms(contrast=mode).contrasts
    melt = plant(
        strata.store, "workflow", 0, tags=["app:house", "op:heat", "obj:lead"], body=MELTING, name="melt lead",
        content_vector=[1.0], index_vector=[1.0],
    )  # fmt: skip
    freeze = plant(
        strata.store, "workflow", 1, tags=["app:house", "op:cool", "obj:water"], body=FREEZING, name="freeze water",
        content_vector=[0.0, 1.0], index_vector=[0.0, 1.0],
    )  # fmt: skip
    for node in (melt, freeze):
        contrasts.add(strata.store.graph, strata.store.geometry, node)
    return strata.retrieve(FREEZE, "", trial=1), melt.id, freeze.id


@pytest.mark.parametrize("mode", ["none", "learned", "hand_placed"])
def test_without_an_edge_the_opposite_procedure_is_injected_flat_and_the_right_one_not_at_all(
    mode: ContrastMode,
) -> None:
    recall, melt, _ = read(mode)
    assert [(item.id, item.kind) for item in recall.items] == [(melt, "workflow")]
    assert "2. melt lead on the stove" in recall.text
    assert "DO NOT" not in recall.text


def test_with_an_edge_the_opposite_procedure_is_a_warning_and_the_right_one_comes_in_across_objects() -> None:
    recall, melt, freeze = read("rule")
    assert [(item.id, item.kind) for item in recall.items] == [(freeze, "workflow"), (melt, "contrast")]
    procedure, warning = (item.text for item in recall.items)
    assert "2. freeze water in the freezer" in procedure
    assert warning.splitlines() == [
        "# DO NOT CONFUSE with the opposite experience: melt lead (heat, not cool)",
        "  It is for another goal: g",
        "  Do not do: melt lead on the stove",
    ]
