"""Vectors: unit rows for certain, stored once, accounted the same after a resume; and the client for remote ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.backbones.meter import Budget, Meter
from harness.embedders.litellm_embedder import LitellmEmbedder
from harness.embedders.recorded import RecordedEmbedder
from harness.errors import BudgetExhausted, ConfigError, FatalBackboneError, ReplayMiss, TransientBackboneError
from harness.ledger.calls import CallStore
from harness.types import Call, Usage
from tests.fakes.faulty_openai_server import FaultyOpenAIServer, Reply, refused, serving

CALL = Call(task_id="t1", trial=1, phase="retrieve")


class OddEmbedder:
    """Gives the rows it was told to give, for the texts it is asked."""

    id = "odd"
    dim = 2

    def __init__(self, rows: dict[str, Sequence[float]]) -> None:
        self.rows = rows
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str], *, call: Call) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return np.array([self.rows[text] for text in texts], dtype=np.float32)


def test_rows_are_scaled_to_length_one_and_zero_rows_stay(tmp_path: Path) -> None:
    inner = OddEmbedder({"a": [3, 4], "": [0, 0], "tiny": [1e-30, 0], "huge": [3e38, 3e38]})
    embedder = RecordedEmbedder(inner, CallStore(tmp_path / "c.sqlite", replicate=0), Meter())
    rows = embedder.embed(["a", "", "tiny", "huge"], call=CALL)
    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0, 0], [1, 0], [0.70710678, 0.70710678]]))
    assert embedder.embed([], call=CALL).shape == (0, 2)


@pytest.mark.parametrize("row", [[np.nan, 1.0], [np.inf, 1.0], [1.0, 2.0, 3.0]])
def test_rows_that_would_spoil_every_similarity_are_refused_and_not_stored(tmp_path: Path, row: list[float]) -> None:
    inner = OddEmbedder({"a": row})
    embedder = RecordedEmbedder(inner, CallStore(tmp_path / "c.sqlite", replicate=0), Meter())
    for _ in range(2):
        with pytest.raises(FatalBackboneError, match="odd"):
            embedder.embed(["a"], call=CALL)
    assert len(inner.asked) == 2


def test_only_missing_texts_are_sent_each_once_and_the_order_is_kept(tmp_path: Path) -> None:
    inner = OddEmbedder({"a": [1, 0], "b": [0, 1], "c": [3, 4]})
    embedder = RecordedEmbedder(inner, CallStore(tmp_path / "c.sqlite", replicate=0), Meter())
    embedder.embed(["a"], call=CALL)
    rows = embedder.embed(["c", "a", "b", "c"], call=replace(CALL, task_id="t2", phase="update"))
    assert inner.asked == [["a"], ["c", "b"]]
    assert rows == pytest.approx(np.array([[0.6, 0.8], [1, 0], [0, 1], [0.6, 0.8]]))


def embedder_of(server: FaultyOpenAIServer, **changes: Any) -> LitellmEmbedder:
    options = {"model": "openai/embed", "dim": 3, "api_base": server.url, "input_usd_per_mtok": 0.13,
               "price_date": "2026-01-01", **changes}  # fmt: skip
    embedder = LitellmEmbedder(**options)
    embedder.retry = replace(embedder.retry, sleep=lambda _: None)
    return embedder


TEXTS = (["find the mug", "mug"], ["mug", "heat it in the oven", ""], ["oven"])


def accounts(server: FaultyOpenAIServer, store: CallStore, batches: Sequence[Sequence[str]]) -> tuple[Any, Usage]:
    meter = Meter()
    embedder = RecordedEmbedder(embedder_of(server), store, meter)
    rows = []
    for number, texts in enumerate(batches):
        call = replace(CALL, task_id=f"t{number}")
        store.begin(call.task_id, 1)
        meter.begin()
        embedder.embed(texts, call=call)
        rows.append(meter.rows())
    return rows, meter.fresh


def test_accounts_are_byte_equal_after_a_resume_and_real_spending_is_known(tmp_path: Path) -> None:
    with serving() as server:
        store = CallStore(tmp_path / "c.sqlite", replicate=0)
        whole, fresh = accounts(server, store, TEXTS)
        store.close()
        assert [request["input"] for request in server.requests] == [
            ["find the mug", "mug"],
            ["heat it in the oven"],
            ["oven"],
        ]
        assert fresh.calls == 3
        assert fresh.prompt_tokens == 40
        resumed, fresh_again = accounts(server, CallStore(tmp_path / "c.sqlite", replicate=0), TEXTS)
        assert resumed == whole
        assert fresh_again == Usage()
        assert len(server.requests) == 3


def test_a_replay_needs_no_server(tmp_path: Path) -> None:
    with serving() as server:
        store = CallStore(tmp_path / "c.sqlite", replicate=0)
        whole, _ = accounts(server, store, TEXTS)
        store.close()
    store = CallStore(tmp_path / "d.sqlite", replicate=0, replay=tmp_path / "c.sqlite")
    assert accounts(server, store, TEXTS)[0] == whole
    with pytest.raises(ReplayMiss):
        accounts(server, store, [["never seen"]])


def test_a_used_up_budget_sends_no_embedding_either(tmp_path: Path) -> None:
    with serving() as server:
        meter = Meter(Budget(max_tokens=5))
        embedder = RecordedEmbedder(embedder_of(server), CallStore(tmp_path / "c.sqlite", replicate=0), meter)
        embedder.embed(["a"], call=CALL)
        embedder.embed(["a"], call=CALL)
        with pytest.raises(BudgetExhausted):
            embedder.embed(["b"], call=CALL)
        assert len(server.requests) == 1


def test_batches_are_cut_to_size_retried_once_a_layer_and_put_in_order() -> None:
    with serving(refused(429, "slow"), Reply(drop=True)) as server:
        embedder = embedder_of(server, batch=2)
        rows = embedder.embed(["a", "bb", "", "ccc"], call=CALL)
        assert rows.tolist() == [[1, 1, 2], [2, 1, 2], [0, 0, 0], [3, 1, 2]]
        assert [request["input"] for request in server.requests] == [["a", "bb"]] * 3 + [["ccc"]]
        assert replace(embedder.last_usage, cost_usd=0.0) == Usage(calls=2, prompt_tokens=30)
        assert embedder.last_usage.cost_usd == pytest.approx(30 * 0.13 / 1e6)
    with serving(default=refused(500, "boom")) as server:
        pass
    with pytest.raises(TransientBackboneError):
        embedder_of(server, max_attempts=2).embed(["a"], call=CALL)


def test_vectors_of_another_length_and_missing_keys_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with serving() as server:
        with pytest.raises(FatalBackboneError, match=r"embedder\.dim"):
            embedder_of(server, dim=4).embed(["a"], call=CALL)
        with pytest.raises(ConfigError, match="SOME_KEY"):
            embedder_of(server, api_key_env="SOME_KEY").check()
    with pytest.raises(ConfigError, match="price_date"):
        LitellmEmbedder(model="openai/embed", dim=3, input_usd_per_mtok=1.0)


def test_an_embedding_key_is_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-canary-0123456789")
    with serving(default=refused(401, "bad key sk-canary-0123456789")) as server:
        with pytest.raises(FatalBackboneError) as caught:
            embedder_of(server, api_key_env="SOME_KEY").embed(["a"], call=CALL)
        assert "sk-canary-0123456789" not in f"{caught.value!r} {caught.value.__context__!r}"
