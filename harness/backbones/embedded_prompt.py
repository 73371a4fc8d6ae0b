"""Renders a prompt for the small embedded model and cuts it to its token budget."""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.layout import ACTION, MEMORY_CLOSE, MEMORY_OPEN
from harness.backbones.apprentice.prompt import split_choices, split_memory
from harness.errors import ContextOverflow
from harness.tokens import estimate_tokens
from harness.types import Message

_TOKENS_PER_ESTIMATE = 1.35
"""SmolLM2's own count over the estimate, measured on prompts of text games."""
_BLOCK = 0.75
"""Steps are dropped down to this share of the budget, so that the next prompts keep their prefix."""
_LEFT_OUT = "(left out)"


def tokens(texts: Sequence[str]) -> int:
    """Return about how many tokens SmolLM2 makes of texts."""
    return round(_TOKENS_PER_ESTIMATE * sum(map(estimate_tokens, texts)))


def action_segments(messages: Sequence[Message], budget: int) -> list[str]:
    """Return an agent's prompt as one plain transcript that ends with ``Action:``, in segments that stay as they are.

    A transcript, and no list of admissible actions: the grammar holds them, and the model chose twice as well this
    way as through its chat template (0.72 against 0.34 of four, 120 questions). The middle of a system message
    longer than half the budget is always cut, so that an episode's prompts share their beginning. Cut to the budget
    are then, in this order: the oldest steps, in blocks; the memory's last lines; more of the system message.
    Raises ContextOverflow where that is not enough: the task and the last observation are never cut.
    """
    system = [m.content.strip() for m in messages if m.role == "system"]
    rest = [
        split_choices(m.content)[0].strip() if m.role == "user" else m.content.strip()
        for m in messages
        if m.role != "system"
    ]
    first, steps = rest[:1], rest[1:]
    system = [_cut_middle(text, budget // 2) if tokens([text]) > budget // 2 else text for text in system]
    if tokens([*system, *first, *steps]) > budget:
        steps = _drop_steps(steps, round(_BLOCK * budget) - tokens([*system, *first]))
    if over := max(0, tokens([*system, *first, *steps]) - budget):
        first = [_cut_memory(text, tokens([text]) - over) for text in first]
    if over := max(0, tokens([*system, *first, *steps]) - budget):
        system = [_cut_middle(text, tokens([text]) - over) for text in system]
    if (needed := tokens([*system, *first, *steps])) > budget:
        raise ContextOverflow(f"the task and the last observation take about {needed} tokens, the model {budget}")
    return [*(text + "\n\n" for text in system), *(text + "\n" for text in [*first, *steps] if text), ACTION]


def chat_segments(messages: Sequence[Message], budget: int) -> list[str]:
    """Return any other prompt in the model's chat template, the middle of its longest messages cut to the budget."""
    contents = [m.content for m in messages]
    for _ in range(2 * len(contents)):
        over = tokens(contents) - budget
        if over <= 0:
            break
        longest = max(range(len(contents)), key=lambda i: len(contents[i]))
        contents[longest] = _cut_middle(contents[longest], max(16, tokens([contents[longest]]) - over))
    if tokens(contents) > budget:
        raise ContextOverflow(f"the prompt takes about {tokens(contents)} tokens after cutting, the model {budget}")
    turns = [f"<|im_start|>{m.role}\n{_plain(c)}<|im_end|>\n" for m, c in zip(messages, contents, strict=True)]
    return [*turns, "<|im_start|>assistant\n"]


def _plain(text: str) -> str:
    """Take the template's own marks out of a text, so that no text can end its turn."""
    return text.replace("<|im_start|>", "<im_start>").replace("<|im_end|>", "<im_end>")


def _drop_steps(steps: list[str], room: int) -> list[str]:
    """Drop the oldest answer and observation pairs until the rest fits; the last observation stays."""
    kept = list(steps)
    while len(kept) > 1 and tokens(kept) > room:
        kept = kept[2:] if len(kept) > 2 else kept[1:]
    dropped = (len(steps) - len(kept) + 1) // 2
    return [f"({dropped} earlier steps left out)", *kept] if dropped else kept


def _cut_memory(text: str, room: int) -> str:
    """Drop lines of the memory block from its end, where the lowest scores stand."""
    memory, others = split_memory(text)
    lines = memory.splitlines()
    while lines and tokens([others, *lines]) > room:
        lines.pop()
    return "\n".join([MEMORY_OPEN, *lines, MEMORY_CLOSE, others]) if lines else others


def _cut_middle(text: str, room: int) -> str:
    """Keep as much of a text's beginning and end as fits, in equal parts."""
    low, high = 0, len(text) // 2
    while low < high:
        half = (low + high + 1) // 2
        low, high = (half, high) if tokens([text[:half], text[-half:]]) <= room - 12 else (low, half - 1)
    return f"{text[:low]}\n{_LEFT_OUT}\n{text[len(text) - low :]}"
