"""The road of a chat call, against a real server: nothing is asked twice, nothing is accounted twice or lost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from harness.backbones.litellm_client import LitellmBackbone
from harness.backbones.meter import Budget, Meter
from harness.backbones.recorded import RecordedBackbone
from harness.errors import BudgetExhausted, ContextOverflow, FatalBackboneError, ReplayMiss
from harness.ledger.calls import CallStore
from harness.ledger.record import UsageRow
from harness.types import Call, Completion, Message
from tests.fakes.faulty_openai_server import FaultyOpenAIServer, refused, said, serving

CANARY = "sk-canary-0123456789"


def backbone_of(server: FaultyOpenAIServer) -> LitellmBackbone:
    backbone = LitellmBackbone(
        model="openai/some-model", api_base=server.url, api_key_env="SOME_KEY",
        input_usd_per_mtok=0.15, output_usd_per_mtok=0.6, price_date="2026-01-01",
    )  # fmt: skip
    backbone.retry = replace(backbone.retry, sleep=lambda _: None)
    return backbone


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", CANARY)


def play(
    server: FaultyOpenAIServer, store: CallStore, steps: Sequence[int], budget: Budget | None = None
) -> tuple[list[Completion], tuple[UsageRow, ...], Meter]:
    """Ask one question a step, as an episode would; the steps are the numbers of the questions."""
    meter = Meter(budget)
    backbone = RecordedBackbone(backbone_of(server), store, meter)
    store.begin("t1", 1)
    answers = [
        backbone.complete(
            [Message("user", f"question {step}")], call=Call(task_id="t1", trial=1, phase="agent", step=step)
        )
        for step in steps
    ]
    store.flush()
    return answers, meter.rows(), meter


ANSWERS = [
    said("one"),
    said(None),
    refused(429, "slow", Retry_After="0"),
    said("cut", finish="length"),
    said("again one"),
]


def test_the_same_calls_again_send_nothing_and_account_the_same(tmp_path: Path) -> None:
    with serving(*ANSWERS) as server:
        with closing(CallStore(tmp_path / "calls.sqlite", replicate=0)) as store:
            answers, rows, meter = play(server, store, [1, 2, 3, 1])
        assert len(server.requests) == 5
        assert [answer.text for answer in answers] == ["one", "", "cut", "again one"]
        assert meter.fresh.calls == 4
        with closing(CallStore(tmp_path / "calls.sqlite", replicate=0)) as store:
            resumed, rows_again, meter_again = play(server, store, [1, 2, 3, 1])
        assert len(server.requests) == 5
        assert (resumed, rows_again) == (answers, rows)
        assert meter_again.fresh.calls == 0
        with closing(CallStore(tmp_path / "calls.sqlite", replicate=1)) as store:
            play(server, store, [1, 2, 3, 1])
        assert len(server.requests) == 9, "another replicate asks for itself"


def test_a_resumed_episode_asks_only_what_is_missing(tmp_path: Path) -> None:
    with serving(*ANSWERS) as server:
        with closing(CallStore(tmp_path / "calls.sqlite", replicate=0)) as store:
            play(server, store, [1, 2])
        with closing(CallStore(tmp_path / "calls.sqlite", replicate=0)) as store:
            answers, rows, meter = play(server, store, [1, 2, 3, 1])
        assert len(server.requests) == 5
    with serving(*ANSWERS) as fresh, closing(CallStore(tmp_path / "other.sqlite", replicate=0)) as store:
        # The address is part of a request, so this one asks everything: an uninterrupted run to compare with.
        assert (answers, rows) == play(fresh, store, [1, 2, 3, 1])[:2]
    assert meter.fresh.calls == 2


def test_a_replay_needs_no_server_and_a_miss_names_the_call(tmp_path: Path) -> None:
    with serving(*ANSWERS) as server, closing(CallStore(tmp_path / "calls.sqlite", replicate=0)) as store:
        answers, rows, _ = play(server, store, [1, 2, 3])
    with closing(CallStore(tmp_path / "b.sqlite", replicate=0, replay=tmp_path / "calls.sqlite")) as store:
        assert play(server, store, [1, 2, 3])[:2] == (answers, rows)
        with pytest.raises(ReplayMiss, match="step 9"):
            play(server, store, [9])
    assert len(server.requests) == 4


def test_errors_are_not_stored_but_a_context_overflow_is(tmp_path: Path) -> None:
    overflow = refused(400, "maximum context length is 10 tokens", code="context_length_exceeded")
    with serving(refused(400, "bad"), overflow, said("one")) as server:
        store = CallStore(tmp_path / "calls.sqlite", replicate=0)
        with pytest.raises(FatalBackboneError):
            play(server, store, [1])
        for _ in range(2):
            with pytest.raises(ContextOverflow):
                play(server, store, [1])
        assert len(server.requests) == 2
        store.close()


def test_the_budget_is_looked_at_before_each_request_and_hits_are_free(tmp_path: Path) -> None:
    with serving(*ANSWERS) as server:
        store = CallStore(tmp_path / "calls.sqlite", replicate=0)
        with pytest.raises(BudgetExhausted):
            play(server, store, [1, 2, 3, 1], Budget(max_tokens=200))
        assert len(server.requests) == 2
        spent = Budget(max_tokens=300, spent=store.paid())
        with pytest.raises(BudgetExhausted):
            play(server, store, [1, 2, 3, 1], spent)
        assert len(server.requests) == 4, "two hits, then one call (sent twice) that used the budget up"
        store.close()


def test_the_key_is_nowhere_in_the_stores_folder(tmp_path: Path) -> None:
    echo = said(f"your key is {CANARY}", reasoning_content=CANARY)
    with serving(echo, refused(401, f"bad key {CANARY}")) as server:
        store = CallStore(tmp_path / "calls.sqlite", replicate=0)
        with pytest.raises(FatalBackboneError):
            play(server, store, [1, 2])
        for _ in range(2):
            files = [path for path in tmp_path.rglob("*") if path.is_file()]
            assert files
            assert not [path for path in files if CANARY.encode() in path.read_bytes()]
            store.close()
