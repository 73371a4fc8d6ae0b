"""What is logged of the graph and of what was injected."""

from __future__ import annotations

from harness.types import Recall, RecallItem
from strata.diagnostics import graph_notes, injection_notes
from strata.graph import Origin
from tests.unit.strata.building import mechanisms, plant


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
