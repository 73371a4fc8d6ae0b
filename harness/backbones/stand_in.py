"""What the backbones without a language model share."""

from __future__ import annotations

from collections.abc import Sequence

from harness.tokens import estimate_tokens
from harness.types import Completion, Message, Usage


def answer(model: str, messages: Sequence[Message], text: str, reasoning: str = "") -> Completion:
    """Return a completion of a backbone without a model; its token counts are estimates, its cost is zero."""
    prompt_tokens = sum(estimate_tokens(m.content) for m in messages)
    usage = Usage(calls=1, prompt_tokens=prompt_tokens, completion_tokens=estimate_tokens(text))
    return Completion(text=text, finish="stop", usage=usage, reasoning=reasoning, model=model)
