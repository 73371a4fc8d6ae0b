"""What a reader finds in an agent's prompt: memory, task, observations, past actions and the listed choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.agents.layout import ACTION, ADMISSIBLE, MEMORY_CLOSE, MEMORY_OPEN, OBSERVATION, TASK
from harness.types import Message

_LEFT_OUT = re.compile(r"\((\d+) earlier steps? left out\)")


@dataclass(frozen=True, slots=True)
class Prompt:
    """An agent's prompt, taken apart."""

    memory: str
    """The injected text; empty where there is none."""
    task: str
    observation: str
    """The latest one."""
    actions: tuple[str, ...]
    """The agent's own past actions, oldest first."""
    choices: tuple[str, ...]
    """The admissible actions that the prompt lists; empty where it lists none."""
    left_out: int
    """How many of the oldest steps the prompt leaves out."""


def split_memory(text: str) -> tuple[str, str]:
    """Return the memory block's inner text and the text without the block; the last closing mark ends it."""
    lines = text.splitlines()
    marks = [line.strip() for line in lines]
    if MEMORY_OPEN not in marks or MEMORY_CLOSE not in marks:
        return "", text
    start, end = marks.index(MEMORY_OPEN), len(marks) - 1 - marks[::-1].index(MEMORY_CLOSE)
    if end < start:
        return "", text
    return "\n".join(lines[start + 1 : end]), "\n".join(lines[:start] + lines[end + 1 :])


def split_choices(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text before the list of admissible actions, and the list."""
    lines = text.splitlines()
    at = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].strip() == ADMISSIBLE), None)
    if at is None:
        return text, ()
    return "\n".join(lines[:at]), tuple(line[2:] for line in lines[at + 1 :] if line.startswith("- ") and line[2:])


def action_of(answer: str) -> str:
    """Return the action of an assistant's message; empty where it names none."""
    found = [line.split(ACTION, 1)[1].strip() for line in answer.splitlines() if line.lstrip().startswith(ACTION)]
    return found[-1] if found else ""


def read_prompt(messages: Sequence[Message]) -> Prompt:
    """Take an agent's prompt apart; what cannot be found is empty."""
    users = [m.content for m in messages if m.role == "user"]
    memory, first = split_memory(users[0]) if users else ("", "")
    last = first if len(users) < 2 else users[-1]
    body, choices = split_choices(last)
    task = _after(TASK, split_choices(first)[0], stop=OBSERVATION) or first.split("\n", 1)[0]
    left_out = sum(int(n) for text in users for n in _LEFT_OUT.findall(text if text is not users[0] else first))
    return Prompt(
        memory=memory,
        task=task.strip(),
        observation=_after(OBSERVATION, body).strip(),
        actions=tuple(filter(None, (action_of(m.content) for m in messages if m.role == "assistant"))),
        choices=choices,
        left_out=left_out,
    )


def _after(mark: str, text: str, stop: str | None = None) -> str:
    """Return the text after the first line that begins with a mark, up to a line that begins with ``stop``."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if not line.startswith(mark):
            continue
        rest = [line[len(mark) :]]
        for later in lines[i + 1 :]:
            if stop is not None and later.startswith(stop):
                break
            rest.append(later)
        return "\n".join(rest)
    return ""
