"""The one geometry: its formula, its exactness, and that it never depends on where a node stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.flat import FlatMemory
from harness.errors import ConfigError
from strata.settings import Dimension, Weights
from strata.similarity import SCORE_GRID, VECTOR_GRID, Geometry, View, on_grid, on_score_grid, renormalised
from tests.unit.strata.building import DIM, TableEmbedder, experience, mechanisms, random_unit, task, unit, view

WEIGHTS = Weights(content=0.40, index=0.25, tag=0.30, lexical=0.05)
WORDS = ("app:x", "op:heat", "op:cool", "obj:egg", "obj:mug")
Words = st.frozensets(st.sampled_from(WORDS))


def filled(count: int, drop: tuple[Dimension, ...] = ()) -> Geometry:
    geometry = Geometry(WEIGHTS, drop)
    for number in range(count):
        tags = [word for at, word in enumerate(WORDS) if (number >> at) & 1]
        geometry.put(f"n-{number}", number % 3, number, view(number, tags=tags, tokens=tags[:2]))
    return geometry


def by_hand(left: View, right: View, weights: dict[str, float]) -> float:
    union, shared = left.tags | right.tags, left.tags & right.tags
    smaller = min(len(left.tokens), len(right.tokens))
    return (
        weights["content"] * float(left.content.astype(float) @ right.content.astype(float))
        + weights["index"] * float(left.index.astype(float) @ right.index.astype(float))
        + weights["tag"] * (len(shared) / len(union) if union else 0.0)
        + weights["lexical"] * (len(left.tokens & right.tokens) / smaller if smaller else 0.0)
    )


@pytest.mark.parametrize("drop", [(), ("tag",), ("index", "tag", "lexical"), ("content",)])
def test_the_score_is_the_weighted_sum_of_the_four_signals(drop: tuple[Dimension, ...]) -> None:
    geometry, query = filled(40, drop), view("query", tags=WORDS[:3], tokens=WORDS[1:4])
    weights = {str(name): weight for name, weight in renormalised(WEIGHTS, drop).items()}
    expected = [by_hand(query, geometry.view(f"n-{number}"), weights) for number in range(40)]
    assert geometry.scores(query) == pytest.approx(expected, abs=2e-6)


def test_dropping_a_dimension_renormalises_the_others_to_sum_one() -> None:
    left = renormalised(WEIGHTS, ("tag",))
    assert left == pytest.approx({"content": 0.40 / 0.70, "index": 0.25 / 0.70, "tag": 0.0, "lexical": 0.05 / 0.70})
    assert sum(renormalised(WEIGHTS, ("content", "lexical")).values()) == pytest.approx(1.0)
    assert renormalised(WEIGHTS, ("index", "tag", "lexical"))["content"] == 1.0


def test_dropping_every_dimension_is_a_wrong_configuration() -> None:
    with pytest.raises(ConfigError, match="keep at least one"):
        mechanisms(drop=["content", "index", "tag", "lexical"])


def test_content_only_ranks_as_a_flat_memory_of_the_same_texts_does() -> None:
    embedder = TableEmbedder()
    flat, geometry = FlatMemory(embedder=embedder, k=30), Geometry(WEIGHTS, ("index", "tag", "lexical"))
    for number in range(30):
        flat.update(experience(task(number, f"text {number}")))
        vector = on_grid(random_unit(f"text {number}"))
        geometry.put(f"n-{number}", 1, number, View(vector, vector, frozenset(), frozenset()))
    ranked = [item.born[0] for item in flat.retrieve(task(99, "query"), "", trial=1).items]
    vector = on_grid(random_unit("query"))
    scores = geometry.scores(View(vector, vector, frozenset(), frozenset()))
    assert ranked == [f"task-{number:03d}" for number in np.argsort(-scores, kind="stable")]


def test_the_jaccard_of_two_empty_tag_sets_is_zero() -> None:
    geometry = Geometry(Weights(content=0, index=0, tag=1, lexical=0))
    geometry.put("n-0", 1, 0, view(0))
    assert geometry.scores(view("q")).tolist() == [0.0]


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=60), st.randoms())
@settings(max_examples=100)
def test_a_dot_product_of_grid_vectors_is_exact_in_float32_whatever_the_order(seeds: list[int], random: object) -> None:
    left, right = on_grid(random_unit("l", *seeds)), on_grid(random_unit("r", *seeds))
    exact = float(left.astype(np.float64) @ right.astype(np.float64))
    order = np.array(sorted(range(DIM), key=lambda _: random.random()))  # type: ignore[attr-defined]
    one_by_one = np.float32(0)
    for product in (left * right)[order]:
        one_by_one = np.float32(one_by_one + product)
    assert float(one_by_one) == exact == float(left @ right)


def test_rounding_to_the_grid_moves_a_cosine_by_less_than_a_thousandth() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.abs(on_grid(rows) @ on_grid(rows).T - rows @ rows.T).max() < 1e-3
    assert np.all(on_grid(rows) * VECTOR_GRID == np.rint(on_grid(rows) * VECTOR_GRID))


def test_scores_lie_on_a_grid_so_that_their_sums_are_exact() -> None:
    scores = filled(40).scores(view("q", tags=WORDS)).astype(np.float64) * SCORE_GRID
    assert np.all(scores == np.rint(scores))


@pytest.mark.parametrize("edge", [0.33, 0.35, 0.40, 0.55, 0.62, 0.70])
def test_a_threshold_on_the_score_grid_is_the_score_that_equals_it(edge: float) -> None:
    geometry = Geometry(Weights(content=edge, index=1 - edge, tag=0, lexical=0))
    along, across = on_grid(unit([1])), on_grid(unit([0, 1]))
    geometry.put("n-0", 1, 0, View(along, across, frozenset(), frozenset()))
    assert geometry.scores(View(along, along, frozenset(), frozenset())).tolist() == [on_score_grid(edge)]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30), Words, Words), max_size=60))
@settings(max_examples=60, deadline=None)
def test_scores_do_not_depend_on_slots_or_on_how_many_are_asked_at_once(
    edits: list[tuple[bool, int, frozenset[str], frozenset[str]]],
) -> None:
    lived, views = Geometry(WEIGHTS), dict[str, tuple[int, View]]()
    for put, number, tags, tokens in edits:
        name = f"n-{number}"
        if put:
            views[name] = (number, view(number, len(tags), tags=sorted(tags), tokens=sorted(tokens)))
            lived.put(name, 1, *views[name])
        elif name in views:
            lived.remove(name)
            del views[name]
    fresh = Geometry(WEIGHTS)
    for name in sorted(views):
        fresh.put(name, 1, *views[name])
    for name, (_, own) in views.items():
        at_once = dict(lived.scores_of(lived.layer_slots(1)))[lived.slot[name]]
        for other in views:
            expected = fresh.scores(own)[fresh.slot[other]]
            pair = lived.pair_scores(np.array([lived.slot[name]]), np.array([lived.slot[other]]))
            assert lived.scores(own)[lived.slot[other]] == expected == at_once[lived.slot[other]] == pair[0]
