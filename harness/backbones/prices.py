"""What tokens cost: the configuration's dated prices."""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens; None is unknown.

    Raises ConfigError for prices without the date they were looked up.
    """

    input_usd_per_mtok: float | None
    output_usd_per_mtok: float | None
    cached_usd_per_mtok: float | None = None
    """Of the part of a prompt that the provider served from its cache; None charges it in full."""
    price_date: str | None = None

    def __post_init__(self) -> None:
        given = [self.input_usd_per_mtok, self.output_usd_per_mtok]
        if any(price is not None for price in given) and (None in given or not self.price_date):
            raise ConfigError(
                "backbone prices: give input_usd_per_mtok, output_usd_per_mtok and price_date together, or none of them"
            )

    @property
    def known(self) -> bool:
        """Whether costs can be computed."""
        return self.input_usd_per_mtok is not None

    def cost_usd(self, *, prompt_tokens: int, cached_tokens: int, completion_tokens: int) -> float | None:
        """Return the cost of a call, or None where the prices are unknown."""
        if self.input_usd_per_mtok is None or self.output_usd_per_mtok is None:
            return None
        cached_price = self.input_usd_per_mtok if self.cached_usd_per_mtok is None else self.cached_usd_per_mtok
        cached = min(cached_tokens, prompt_tokens)
        return (
            (prompt_tokens - cached) * self.input_usd_per_mtok
            + cached * cached_price
            + completion_tokens * self.output_usd_per_mtok
        ) / 1e6
