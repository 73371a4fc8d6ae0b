"""A provider's answer, read into a Completion: text, reasoning, why it ended, what it cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from harness.backbones.prices import Prices
from harness.backbones.redact import Redactor
from harness.tokens import estimate_tokens
from harness.types import Completion, Message, Usage

_FINISH: dict[str, Literal["stop", "length", "filter"]] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "safety": "filter",
}
_THINK = re.compile(r"</?think(?:ing)?>")


def read_answer(response: Any, messages: Sequence[Message], prices: Prices, redact: Redactor) -> Completion:
    """Return the completion in a litellm response. No content, or reasoning alone, is an empty text, not an error."""
    choice = response.choices[0]
    text, thought = split_reasoning(_clean(choice.message.content))
    told = _clean(getattr(choice.message, "reasoning_content", None))
    usage = _usage(response, messages, f"{text}{thought}{told}", prices)
    return Completion(
        text=redact.exact(text),
        finish=_FINISH.get(str(choice.finish_reason).lower(), "stop"),
        usage=usage,
        reasoning=redact.exact("\n".join(part for part in (told, thought) if part)),
        model=_clean(response.model),
    )


def split_reasoning(text: str) -> tuple[str, str]:
    """Return the text without its think blocks, and what stood in them.

    A block whose opening the chat template had put into the prompt begins at the start; one that was cut off goes on
    to the end.
    """
    said, thoughts = [], []
    inside, begin = False, 0
    for tag in _THINK.finditer(text):
        closing = tag[0].startswith("</")
        if inside and not closing:
            continue
        part = text[begin : tag.start()]
        if inside:
            thoughts.append(part)
        else:
            said.append(part)
        if closing and not inside:
            thoughts += said
            said = []
        inside, begin = not closing, tag.end()
    (thoughts if inside else said).append(text[begin:])
    return "".join(said).strip(), "\n".join(part.strip() for part in thoughts if part.strip())


def _clean(text: object) -> str:
    """Return a text that can be written as UTF-8: lone surrogates are replaced."""
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""


def _usage(response: Any, messages: Sequence[Message], answer: str, prices: Prices) -> Usage:
    told = getattr(response, "usage", None)
    prompt, completion = _count(told, "prompt_tokens"), _count(told, "completion_tokens")
    if prompt == completion == 0:
        return estimated_usage(messages, answer)
    cached = _count(getattr(told, "prompt_tokens_details", None), "cached_tokens")
    if prices.known:
        cost = prices.cost_usd(prompt_tokens=prompt, cached_tokens=cached, completion_tokens=completion)
    else:
        # litellm says 0.0 for models that it lists without a price; a zero in a table would read as free.
        cost = response._hidden_params.get("response_cost") or None
    return Usage(
        calls=1,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=cached,
        reasoning_tokens=_count(getattr(told, "completion_tokens_details", None), "reasoning_tokens"),
        cost_usd=cost,
    )


def estimated_usage(messages: Sequence[Message], answer: str) -> Usage:
    """Return estimated token counts, the cost unknown, for a provider that gave none."""
    prompt = sum(estimate_tokens(message.content) for message in messages)
    return Usage(calls=1, prompt_tokens=prompt, completion_tokens=estimate_tokens(answer), cost_usd=None)


def _count(holder: Any, name: str) -> int:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) and value > 0 else 0
