"""What is logged, and what is computed from the log of a whole stream."""

from __future__ import annotations

from typing import Any

from harness.types import Recall, RecallItem
from strata.diagnostics import Round, flat_row, graph_notes, injection_notes, injection_rate, regret
from strata.graph import Origin
from tests.unit.strata.building import mechanisms, plant


def of(kind: str, *deleted: str) -> Round:
    rows = [{"id": "w", "template": name, "family": name[0]} for name in deleted]
    return Round(kind[0], kind, {"collection": {"deleted": rows}})


def test_regret_is_the_share_of_deleted_workflows_whose_task_type_recurs_later() -> None:
    rounds = [of("a1"), of("b1", "a1", "b1"), of("a1"), of("a2", "a2")]
    assert regret(rounds, "template") == (1, 3)
    assert regret([of("a1"), of("b1", "a1"), of("a2")], "family") == (1, 1)
    assert regret([of("a1"), of("b1", "a1"), of("a2")], "template") == (0, 1)
    assert regret([], "template") == (0, 0)


def test_a_task_type_that_recurs_only_in_the_deleting_episode_is_no_regret() -> None:
    assert regret([of("a1", "a1")], "template") == (0, 1)


def test_the_injection_rate_is_the_share_of_episodes_with_a_meta() -> None:
    notes: list[dict[str, Any]] = [{"injected": {"meta": True}}, {"injected": {"meta": False}}, {}]
    assert injection_rate(notes) == 0.5
    assert injection_rate([]) is None


def test_purity_and_support_are_means_over_the_metas() -> None:
    store = mechanisms().store
    heat, cool = Origin("t", 1, "heat", "x"), Origin("t", 1, "cool", "x")
    metas = [plant(store, "meta", n).id for n in range(2)]
    for origin, meta in ((heat, 0), (heat, 0), (cool, 0), (cool, 1)):
        workflow = plant(store, "workflow", len(store), origins=(origin,)).id
        store.graph.link("generalizes", workflow, metas[meta])
    notes = graph_notes(store.graph)
    assert notes["purity"] == (2 / 3 + 1) / 2
    assert notes["support"] == 2.0
    assert notes["nodes"] == {"meta": 2, "workflow": 4, "skill": 0, "code": 0, "role": 0}


def test_a_contrast_edge_is_counted_once_for_both_directions() -> None:
    store = mechanisms().store
    ids = [plant(store, "workflow", n).id for n in range(2)]
    store.graph.link("contrasts", *ids)
    assert graph_notes(store.graph)["edges"]["contrasts"] == 1


def test_injection_counts_lines_tokens_and_kinds() -> None:
    items = tuple(
        RecallItem(str(n), kind, 0.5, "a line\nanother", ("t",)) for n, kind in enumerate(["meta", "workflow"])
    )
    notes = injection_notes(Recall(items, "Head:"))
    assert (notes["lines"], notes["meta"], notes["items"]) == (5, True, {"meta": 1, "workflow": 1})
    assert injection_notes(Recall()) == {"lines": 0, "tokens": 0, "meta": False, "items": {}}


def test_a_round_becomes_one_flat_row() -> None:
    assert flat_row({"a": {"b": 1, "c": {"d": None}}, "e": [1, 2]}) == {"a.b": 1, "a.c.d": None, "e": 2}
