"""An estimate of token counts that needs no download and no provider."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECES = re.compile(r"[^\W\d_]{1,6}|\d{1,3}|[^\w\s]|_")


@lru_cache(maxsize=4096)
def estimate_tokens(text: str) -> int:
    """Return about how many tokens a byte-pair tokenizer makes of a text.

    Words count one token for each six letters begun, numbers one for three digits, every other mark one. An estimate
    for budgets and injected-token counts only; costs use the provider's own counts. The texts of a growing prompt are
    counted again and again, so counts are kept.
    """
    return len(_PIECES.findall(text))
