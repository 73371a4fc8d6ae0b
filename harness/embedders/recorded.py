"""The road of every embedding call: the store first, then only the missing texts are embedded, stored, accounted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.backbones.meter import Meter
from harness.errors import FatalBackboneError
from harness.ledger.call_keys import CallKey
from harness.ledger.calls import CallStore
from harness.protocols import Embedder
from harness.tokens import estimate_tokens
from harness.types import Call, Usage


@runtime_checkable
class RemoteEmbedder(Embedder, Protocol):
    """An embedder that is reached over a network and may cost money; others are local and free."""

    last_usage: Usage
    """What the latest ``embed`` cost."""

    def settings(self) -> Mapping[str, object]:
        """Return what decides its vectors besides the text; JSON values, no secrets."""


class RecordedEmbedder:
    """An embedder whose vectors are unit rows for certain, stored, replayed and accounted.

    Args:
        inner: Who embeds what the store does not hold.
        store: The run's vectors.
        meter: The stream's account.
    """

    def __init__(self, inner: Embedder, store: CallStore, meter: Meter) -> None:
        self._inner = inner
        self._store = store
        self._meter = meter
        self.id = inner.id
        self.dim = inner.dim

    def embed(self, texts: Sequence[str], *, call: Call) -> NDArray[np.float32]:
        """Return unit rows of shape (len(texts), dim); a row without length stays zero.

        Raises:
            BudgetExhausted: Something would have to be embedded, and the budget is used up; nothing is sent.
            ReplayMiss: Replaying, and the recorded run never embedded one of the texts.
            FatalBackboneError: The inner embedder gave an array of another shape, NaN or infinity.
        """
        began = time.perf_counter()
        settings = self._settings()
        keys = [self._store.vector({"settings": settings, "text": text}, call) for text in texts]
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        missing: dict[CallKey, list[int]] = {}
        accounted = Usage()
        for at, (key, held) in enumerate(zip(keys, self._store.vectors(keys), strict=True)):
            if held is None:
                missing.setdefault(key, []).append(at)
            else:
                rows[at] = held[0]
                accounted += held[1]
        self._meter.add(call, accounted, kind="embedding", latency_s=time.perf_counter() - began, fresh=False)
        if missing:
            self._embed_missing(texts, missing, rows, call)
        return rows

    def _embed_missing(
        self, texts: Sequence[str], missing: Mapping[CallKey, list[int]], rows: NDArray[np.float32], call: Call
    ) -> None:
        self._meter.check()
        began = time.perf_counter()
        wanted = [texts[places[0]] for places in missing.values()]
        vectors = unit_rows(self._inner.embed(wanted, call=call), (len(wanted), self.dim), self.id)
        usages = _split(self._usage(wanted), wanted)
        self._store.keep_vectors(list(missing), vectors, usages)
        for vector, places in zip(vectors, missing.values(), strict=True):
            rows[places] = vector
        latency_s = time.perf_counter() - began
        self._meter.add(call, sum(usages, Usage()), kind="embedding", latency_s=latency_s, fresh=True)

    def _settings(self) -> dict[str, object]:
        extra = dict(self._inner.settings()) if isinstance(self._inner, RemoteEmbedder) else {}
        return {"id": self.id, "dim": self.dim, **extra}

    def _usage(self, texts: Sequence[str]) -> Usage:
        if isinstance(self._inner, RemoteEmbedder):
            return self._inner.last_usage
        return Usage(calls=1, prompt_tokens=sum(map(estimate_tokens, texts)), cost_usd=0.0)


def unit_rows(vectors: NDArray[np.float32], shape: tuple[int, int], name: str) -> NDArray[np.float32]:
    """Return the rows scaled to length 1, float32; zero rows stay zero.

    Raises FatalBackboneError for another shape, NaN or infinity: such vectors would make every similarity wrong.
    """
    wide: NDArray[np.float64] = np.array(vectors, dtype=np.float64)
    if wide.shape != shape:
        raise FatalBackboneError(
            f"embedder {name}: got vectors of shape {wide.shape}, expected {shape}: set embedder.dim to what it gives"
        )
    if not np.isfinite(wide).all():
        raise FatalBackboneError(f"embedder {name}: got a vector with NaN or infinity: its model or server is broken")
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    np.divide(wide, lengths, out=wide, where=lengths > 0)
    return wide.astype(np.float32)


def _split(usage: Usage, texts: Sequence[str]) -> list[Usage]:
    """Share a batch's usage out by estimated length, so that each stored row knows its part; sums are exact."""
    sizes = np.array([max(1, estimate_tokens(text)) for text in texts])
    marks = np.concatenate([[0], np.cumsum(sizes)])
    tokens = np.diff(usage.prompt_tokens * marks // marks[-1])
    shares = sizes / marks[-1]
    return [
        Usage(
            calls=usage.calls if at == 0 else 0,
            prompt_tokens=int(tokens[at]),
            cost_usd=None if usage.cost_usd is None else usage.cost_usd * float(shares[at]),
        )
        for at in range(len(texts))
    ]
