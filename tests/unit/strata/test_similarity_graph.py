"""W, kept node by node, is the graph that its definition gives when it is computed from nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from harness.seeds import Draws
from strata.graph import leading_tag
from strata.settings import Linking
from strata.similarity import SCORE_GRID, Geometry
from strata.similarity_graph import Edges, SimilarityGraph
from tests.unit.strata.building import mechanisms, plant, settings, view
from tests.unit.strata.rounds import turned

LINKING = settings()["linking"]


class Bench:
    """A geometry and W in step, and the naive W of the same workflows."""

    def __init__(self, **changes: object) -> None:
        self.linking = Linking.model_validate({**LINKING.model_dump(), **changes})
        self.geometry = Geometry(settings()["weights"])
        self.w = SimilarityGraph(self.linking, "adaptive", self.geometry, Draws(0, "memory"))
        self.made = 0

    def add(self, *tags: str, alike: int | None = None) -> str:
        name = f"workflow-{self.made:05d}"
        own = view(self.made if alike is None else f"alike {alike}", tags=tags, tokens=tags)
        self.w.add(self.geometry.put(name, 1, self.made, own))
        self.made += 1
        return name

    def remove(self, name: str) -> None:
        self.w.remove(self.geometry.slot[name])
        self.geometry.remove(name)

    def built(self) -> set[tuple[str, str, float]]:
        return named(self.geometry, self.w.build())

    def naive(self) -> set[tuple[str, str, float]]:
        """Compare all pairs, rank each node's qualifying neighbours, keep what either endpoint ranks."""
        names = sorted(self.geometry.slot)
        score = {
            (a, b): float(self.geometry.scores(self.geometry.view(a))[self.geometry.slot[b]])
            for a in names
            for b in names
        }
        group = {name: leading_tag(self.geometry.view(name).tags) for name in names}
        limit = {}
        for one in set(group.values()):
            own = [score[a, b] for a in names for b in names if a < b and group[a] == group[b] == one]
            n, kappa = len(own), self.linking.kappa
            limit[one] = (
                (n * float(np.median(own)) + kappa * self.linking.intra) / (n + kappa) if own else self.linking.intra
            )
            limit[one] = round(limit[one] * SCORE_GRID) / SCORE_GRID
        kept = set()
        for a in names:
            cross = round(self.linking.cross * SCORE_GRID) / SCORE_GRID
            limits = {b: limit[group[a]] if group[a] == group[b] else cross for b in names}
            others = [b for b in names if b != a and score[a, b] > limits[b]]
            for b in sorted(others, key=lambda b: (-score[a, b], b))[: self.linking.neighbours]:
                kept.add((min(a, b), max(a, b), score[a, b]))
        return kept


def named(geometry: Geometry, edges: Edges) -> set[tuple[str, str, float]]:
    ids = [str(geometry.ids[slot]) for slot in edges.slots.tolist()]
    ends = zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True)
    return {(ids[a], ids[b], weight) for a, b, weight in ends}


Edit = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(["app:a", "app:b", "op:c"]), st.integers(0, 12)),
    st.tuples(st.just("remove"), st.integers(0, 100), st.just(0)),
    st.tuples(st.just("build"), st.just(0), st.just(0)),
)


@given(st.lists(Edit, max_size=60), st.integers(1, 3))
@budget(max_examples=80, deadline=None)
def test_w_kept_node_by_node_is_the_naive_w(edits: list[tuple[str, object, int]], neighbours: int) -> None:
    bench, alive = Bench(neighbours=neighbours), list[str]()
    for kind, what, alike in edits:
        if kind == "add":
            alive.append(bench.add(str(what), f"obj:{alike % 3}", alike=alike))
        elif kind == "remove" and alive:
            bench.remove(alive.pop(int(str(what)) % len(alive)))
        elif kind == "build":
            assert bench.built() == bench.naive()
    assert bench.built() == bench.naive()


@pytest.mark.parametrize("between", [0, 1, 3])
def test_lists_used_up_by_removals_are_filled_again(between: int) -> None:
    bench = Bench(neighbours=2, intra=-1.0, kappa=1e9)
    names = [bench.add("app:a", "obj:x") for _ in range(80)]
    assert bench.built() == bench.naive()
    for name in names[:60]:
        bench.remove(name)
    for _ in range(between):
        bench.add("app:a", "obj:x")
        bench.built()
    for name in names[60:75]:
        bench.remove(name)
    assert len(bench.naive()) >= 5
    assert bench.built() == bench.naive()


def test_a_list_across_groups_is_filled_again_when_all_that_it_held_have_gone_away() -> None:
    store = mechanisms(linking={"neighbours": 1, "cross": 0.0, "intra": 2.0}, edge_thresholds="fixed").store

    def at(angle: float, group: str) -> str:
        own = {"content_vector": turned(angle), "index_vector": turned(angle)}
        return plant(store, "workflow", store.graph.made, tags=[f"app:{group}"], **own).id

    hub = at(0, "hub")
    pairs = [(at(angle, "a"), at(angle, "b")) for angle in range(5, 45, 5)]
    gone, left = pairs[:6], pairs[6:]
    for alive in (pairs, left):
        found = {(one, other) for one, other, _ in named(store.geometry, store.w.build())}
        assert found == {(hub, alive[0][0]), *alive}, "each of a pair is nearest to the other, and the hub to the first"
        for node_id in (node_id for pair in gone for node_id in pair if node_id in store.graph.nodes):
            store.remove(node_id)


def test_w_taken_in_at_once_is_w_taken_in_one_by_one() -> None:
    bench = Bench()
    for number in range(50):
        bench.add(f"app:{number % 3}", f"obj:{number % 5}")
        bench.built()
    again = SimilarityGraph(bench.linking, "adaptive", bench.geometry, Draws(0, "memory"))
    for slot in bench.geometry.layer_slots(1).tolist():
        again.add(slot)
    assert named(bench.geometry, again.build()) == bench.built()


def test_an_edge_survives_if_either_endpoint_ranks_it_among_its_strongest() -> None:
    parts = mechanisms(linking={"neighbours": 1, "cross": 0.0, "intra": 0.0, "kappa": 1e9})
    store = parts.store
    hub = plant(store, "workflow", 0, content_vector=[1, 0], index_vector=[1, 0]).id
    plant(store, "workflow", 1, content_vector=[1, 0.1], index_vector=[1, 0.1])
    far = plant(store, "workflow", 2, content_vector=[1, 2], index_vector=[1, 0])
    edges = store.w.build()
    pairs = set(zip(edges.left.tolist(), edges.right.tolist(), strict=True))
    assert (0, 1) in pairs
    assert len(pairs) == 2
    assert store.geometry.slot[hub] == 0
    assert any(far.number in pair for pair in pairs), "the far node ranks it, though its neighbour does not"


def test_workflows_of_different_groups_need_the_cross_group_threshold() -> None:
    def edges_at(cross: float) -> int:
        store = mechanisms(linking={"cross": cross}).store
        plant(store, "workflow", 0, tags=["app:a"], content_vector=[1], index_vector=[1])
        plant(store, "workflow", 1, tags=["app:b"], content_vector=[1], index_vector=[1])
        return int(store.w.build().weight.size)

    score = 0.40 + 0.25 + 0.05
    assert edges_at(score - 0.01) == 1
    assert edges_at(score + 0.01) == 0


@pytest.mark.parametrize("groups", [("app:a", "app:a"), ("app:a", "app:b")])
@pytest.mark.parametrize("threshold", [0.55, 0.33])
def test_a_similarity_of_just_the_threshold_makes_no_edge(groups: tuple[str, str], threshold: float) -> None:
    def edges_at(score: float) -> int:
        w = mechanisms(
            weights={"content": score, "index": 1 - score, "tag": 0.0, "lexical": 0.0},
            linking={"cross": threshold, "intra": threshold},
            edge_thresholds="fixed",
        )
        for number, (tag, index) in enumerate(zip(groups, ([1], [0, 1]), strict=True)):
            plant(w.store, "workflow", number, tags=[tag], content_vector=[1], index_vector=index)
        return int(w.store.w.build().weight.size)

    assert edges_at(threshold) == 0
    assert edges_at(threshold + 0.00001) == 1


def test_the_intra_group_threshold_is_the_median_shrunk_towards_its_default() -> None:
    bench = Bench()
    for _ in range(4):
        bench.add("app:a")
    slots = bench.geometry.layer_slots(1)
    left, right = np.triu_indices(4, k=1)
    median = float(np.median(bench.geometry.pair_scores(slots[left], slots[right])))
    threshold, n = bench.w.build().thresholds["app:a"]
    assert n == 6
    assert threshold == pytest.approx((6 * median + 6 * 0.40) / 12)


def test_a_fixed_intra_group_threshold_is_the_default() -> None:
    store = mechanisms(edge_thresholds="fixed").store
    for number in range(4):
        plant(store, "workflow", number, tags=["app:a"])
    assert store.w.build().thresholds == {"app:a": (0.40, 0)}


def test_a_large_groups_median_comes_from_a_sample_that_only_its_members_decide() -> None:
    first, second = Bench(pairs=30), Bench(pairs=30)
    for bench in (first, second):
        for _ in range(20):
            bench.add("app:a")
    second.remove(second.add("app:b"))
    assert first.w.build().thresholds["app:a"] == second.w.build().thresholds["app:a"]
    assert first.w.build().thresholds["app:a"][1] == 30


def test_a_sampled_pair_is_never_a_workflow_with_itself() -> None:
    store = mechanisms(linking={"pairs": 1}).store
    for number in range(60):
        axis = [0.0] * (number % 3) + [1.0]
        plant(store, "workflow", number, tags=[f"app:{number // 3}"], content_vector=axis, index_vector=axis)
    thresholds = store.w.build().thresholds
    score = 0.30 + 0.05
    assert [n for _, n in thresholds.values()] == [1] * 20
    assert [value for value, _ in thresholds.values()] == pytest.approx([(score + 6 * 0.40) / 7] * 20, abs=1e-5)


def test_the_only_pair_of_a_group_is_never_above_its_own_median() -> None:
    store = mechanisms(linking={"kappa": 0.0}).store
    for number in range(2):
        plant(store, "workflow", number, tags=["app:a"], content_vector=[1.0], index_vector=[1.0, number])
    edges = store.w.build()
    assert (edges.weight.size, edges.thresholds["app:a"][1]) == (0, 1)


def test_a_single_workflow_makes_w_without_edges() -> None:
    bench = Bench()
    assert bench.built() == set()
    bench.add("app:a")
    edges = bench.w.build()
    assert (edges.slots.size, edges.weight.size) == (1, 0)
