"""Accounts and budgets."""

from __future__ import annotations

import pytest

from harness.backbones.meter import Budget, Meter
from harness.errors import BudgetExhausted, ConfigError
from harness.types import Call, Phase, Usage

ONE = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=0.25)


def call(phase: Phase = "agent", role: str = "solver") -> Call:
    return Call(task_id="t", trial=1, phase=phase, role=role)


def test_rows_are_sorted_and_split_by_phase_role_and_kind() -> None:
    meter = Meter()
    meter.add(call("update"), ONE, kind="embedding", latency_s=0.5, fresh=True)
    meter.add(call("update"), ONE, kind="chat", latency_s=1.0, fresh=True)
    meter.add(call("agent", "b"), ONE, kind="chat", latency_s=1.0, fresh=True)
    meter.add(call("agent", "a"), ONE, kind="chat", latency_s=1.0, fresh=False)
    meter.add(call("agent", "a"), ONE, kind="chat", latency_s=1.0, fresh=True)
    assert [(row.phase, row.role, row.kind, row.usage.calls) for row in meter.rows()] == [
        ("agent", "a", "chat", 2),
        ("agent", "b", "chat", 1),
        ("update", "solver", "chat", 1),
        ("update", "solver", "embedding", 1),
    ]
    assert meter.total.tokens == 550
    assert meter.latency_s("update") == 1.5
    assert meter.fresh.calls == 4


def test_a_new_episode_starts_at_zero_and_spending_goes_on() -> None:
    meter = Meter()
    meter.add(call(), ONE, kind="chat", latency_s=1.0, fresh=True)
    meter.begin()
    assert meter.rows() == ()
    assert meter.total == Usage()
    assert meter.latency_s("agent") == 0.0
    assert meter.fresh == ONE


def test_an_unknown_cost_stays_unknown() -> None:
    meter = Meter()
    meter.add(call(), ONE, kind="chat", latency_s=0.0, fresh=True)
    meter.add(call(), Usage(calls=1, cost_usd=None), kind="chat", latency_s=0.0, fresh=True)
    assert meter.total.cost_usd is None
    assert meter.rows()[0].usage.cost_usd is None


def test_the_budget_counts_what_was_spent_before_and_what_is_fresh_but_no_replays() -> None:
    meter = Meter(Budget(max_tokens=300, spent=Usage(prompt_tokens=100)))
    for _ in range(5):
        meter.add(call(), ONE, kind="chat", latency_s=0.0, fresh=False)
    meter.add(call(), ONE, kind="chat", latency_s=0.0, fresh=True)
    meter.check()
    meter.add(call(), ONE, kind="chat", latency_s=0.0, fresh=True)
    with pytest.raises(BudgetExhausted, match="300 tokens"):
        meter.check()


def test_a_cost_budget_stops_at_its_limit_and_where_costs_become_unknown() -> None:
    meter = Meter(Budget(max_cost_usd=0.25))
    meter.check()
    meter.add(call(), ONE, kind="chat", latency_s=0.0, fresh=True)
    with pytest.raises(BudgetExhausted, match=r"0\.25 USD is used up"):
        meter.check()
    blind = Meter(Budget(max_cost_usd=10.0))
    blind.add(call(), Usage(calls=1, cost_usd=None), kind="chat", latency_s=0.0, fresh=True)
    with pytest.raises(BudgetExhausted, match="unknown"):
        blind.check()


def test_a_cost_budget_without_prices_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigError, match="needs prices"):
        Meter(Budget(max_cost_usd=1.0), priced=False)
    Meter(Budget(max_tokens=1), priced=False)
