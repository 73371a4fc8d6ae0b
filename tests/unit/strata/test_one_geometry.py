"""The same four weights decide what is retrieved, what the band reads, what W weighs and what an activation adds up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from strata.collector import degrees
from strata.memory import Strata
from strata.settings import Dimension
from tests.unit.strata.building import TableEmbedder, by_rule, experience, memory, plant, task

TASK = task(1, "heat the egg.")
SIGNALS: dict[Dimension, float] = {"content": 0.9, "index": 0.6, "tag": 2 / 3, "lexical": 1 / 2}
"""Between the task and the workflow near to it."""
WEIGHTS: dict[Dimension, float] = {"content": 0.40, "index": 0.25, "tag": 0.30, "lexical": 0.05}


@dataclass(frozen=True)
class Roles:
    retrieval: float
    band: float
    edge: float
    activation: float
    median: float
    """Of W's one pair, which its thresholds adapt to."""


def holding(drop: list[Dimension], *, twin: bool) -> Strata:
    """Return a memory with a workflow near to the task, and, as a twin, one that looks as the task itself does."""
    strata = memory(
        by_rule(), TableEmbedder({TASK.text: [1.0]}), drop=drop, edge_thresholds="fixed",
        retrieval={"gate": 0.0}, linking={"intra": 0.0},
    )  # fmt: skip
    plant(
        strata.store, "workflow", 0, tags=["app:house", "op:heat"], content="heat", applicability="pan", goal="pan",
        content_vector=[0.9, 0.19**0.5], index_vector=[0.6, 0.8],
    )  # fmt: skip
    if twin:
        plant(
            strata.store, "workflow", 1, tags=["app:house", "op:heat", "obj:egg"], content="heat egg",
            applicability="egg", goal="heat", content_vector=[1.0], index_vector=[1.0],
        )  # fmt: skip
    return strata


def roles(drop: list[Dimension]) -> Roles:
    """Return the similarity of the task, or of its twin, to the one workflow, as each role has it."""
    alone = holding(drop, twin=False)
    (item,) = alone.retrieve(TASK, "", trial=1).items
    notes = alone.update(experience(TASK)).notes
    store = holding(drop, twin=True).store
    edges = store.w.build()
    (median,) = store.geometry.pair_scores(np.array([0]), np.array([1])).tolist()
    (weight,), (activation, _) = edges.weight.tolist(), degrees(edges).tolist()
    return Roles(item.score - 0.15 / 2, notes["reflection"]["score"], weight, activation, median)


@pytest.mark.parametrize("drop", [None, *SIGNALS])
def test_dropping_a_dimension_changes_all_four_roles_alike(drop: Dimension | None) -> None:
    left = {name: weight for name, weight in WEIGHTS.items() if name != drop}
    expected = sum(weight * SIGNALS[name] for name, weight in left.items()) / sum(left.values())
    found = roles([drop] if drop else [])
    assert found.retrieval == pytest.approx(expected, abs=5e-4)
    assert found.band == pytest.approx(found.retrieval, abs=1e-6)
    assert found.band == found.edge == found.activation == found.median
