"""The meter: what the calls of an episode cost by phase and role, and whether the stream may spend more."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from harness.errors import BudgetExhausted, ConfigError
from harness.ledger.call_keys import Kind
from harness.ledger.record import UsageRow
from harness.types import Call, Phase, Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """What a stream may spend. Reaching a limit stops it before the next call is sent; the last call may exceed it."""

    max_cost_usd: float | None = None
    max_tokens: int | None = None
    """Prompt and completion tokens, embeddings included."""
    spent: Usage = field(default_factory=Usage)
    """What the run had paid before this process, such as ``CallStore.paid()``."""


class Meter:
    """Accounts every call, twice over.

    An episode's account (``rows``, ``total``) counts an answer from the store like the call that bought it, so that
    a resumed run writes the same figures. ``fresh`` counts only what this process really sent; budgets look at that.

    Args:
        budget: The stream's budget.
        priced: Whether the costs of all calls will be known.

    Raises:
        ConfigError: A cost budget over calls of unknown price.
    """

    def __init__(self, budget: Budget | None = None, *, priced: bool = True) -> None:
        self._budget = budget or Budget()
        if self._budget.max_cost_usd is not None and not priced:
            raise ConfigError(
                "a budget in US dollars needs prices, and those of this model are unknown: "
                "set backbone.input_usd_per_mtok and backbone.output_usd_per_mtok, or give the budget in tokens"
            )
        self.fresh = Usage()
        """What this process has sent, all episodes and discarded plays together."""
        self.begin()

    def begin(self) -> None:
        """Start an episode's account at zero; also when it is played again."""
        self._usage: defaultdict[tuple[Phase, str, Kind], Usage] = defaultdict(Usage)
        self._latency_s: defaultdict[Phase, float] = defaultdict(float)

    def check(self) -> None:
        """Call before anything is sent. Raises BudgetExhausted once the budget is used up, or can no longer be kept."""
        used = self._budget.spent + self.fresh
        max_tokens, max_cost_usd = self._budget.max_tokens, self._budget.max_cost_usd
        if max_tokens is not None and used.tokens >= max_tokens:
            raise BudgetExhausted(f"the budget of {max_tokens} tokens is used up ({used.tokens}): raise it to go on")
        if max_cost_usd is None:
            return
        if used.cost_usd is None:
            raise BudgetExhausted(
                f"the budget of {max_cost_usd} USD cannot be kept: a call's cost is unknown (no price or no usage "
                "came with the answer); give the budget in tokens to go on"
            )
        if used.cost_usd >= max_cost_usd:
            raise BudgetExhausted(
                f"the budget of {max_cost_usd} USD is used up ({used.cost_usd:.4f}): raise it to go on"
            )

    def add(self, call: Call, usage: Usage, *, kind: Kind, latency_s: float, fresh: bool) -> None:
        """Account one answer; ``fresh`` says whether it was sent just now or came from the store."""
        self._latency_s[call.phase] += latency_s
        if usage == Usage():
            return
        self._usage[call.phase, call.role, kind] += usage
        if fresh:
            self.fresh += usage

    def rows(self) -> tuple[UsageRow, ...]:
        """Return the episode's account, one row a phase, role and kind, sorted."""
        return tuple(
            UsageRow(phase=phase, role=role, kind=kind, usage=usage)
            for (phase, role, kind), usage in sorted(self._usage.items())
        )

    @property
    def total(self) -> Usage:
        """The episode's usage, all phases together."""
        return sum((usage for _, usage in sorted(self._usage.items())), Usage())

    def latency_s(self, phase: Phase) -> float:
        """Return the seconds that the episode's calls of a phase were waited for."""
        return self._latency_s[phase]
