"""The lowest tier: what is kept of one episode, and how it is read again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baselines.g_memory.settings import Keeping
from harness.agents.layout import ACTION, OBSERVATION
from harness.types import Episode, Step, StepKind, Task

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class State:
    """One action and what the environment answered."""

    action: str
    observation: str


def clean(text: str, limit: int) -> str:
    """Return hostile text as one line: no control characters, single spaces, at most ``limit`` characters."""
    sound = text[: 20 * limit].encode("utf-8", "replace").decode("utf-8")
    printable = "".join(mark if mark.isprintable() else " " for mark in sound)
    return " ".join(printable.split())[:limit].rstrip()


def clean_lines(texts: Iterable[str], limit: int, most: int) -> tuple[str, ...]:
    """Return the first texts that are not empty, cleaned."""
    return tuple([line for line in (clean(text, limit) for text in texts) if line][:most])


def query_text(task: Task, observation: str) -> str:
    """Return the instruction; where it is empty, the first observation stands in for it."""
    return task.text if task.text.strip() else observation


def task_text(episode: Episode) -> str:
    """Return the query of a finished episode."""
    return query_text(episode.task, episode.observation)


def states(episode: Episode, keeping: Keeping, *, condensed: bool) -> tuple[State, ...]:
    """Return the executed actions with their observations, the last ones.

    Args:
        episode: where they are from.
        keeping: how much is kept.
        condensed: whether steps that lost reward or had no effect are left out.
    """
    acts = [step for step in episode.steps if step.kind is StepKind.ACT]
    kept = [step for step in acts if not (condensed and _useless(step, keeping))]
    return tuple(
        State(clean(step.action, keeping.action_chars), clean(step.observation, keeping.observation_chars))
        for step in kept[-keeping.steps :]
    )


def _useless(step: Step, keeping: Keeping) -> bool:
    return step.reward < 0 or step.observation.strip().startswith(tuple(keeping.no_effect))


def trajectory_text(kept: Sequence[State]) -> str:
    """Return a trajectory as an agent or a model reads it, two lines a step."""
    return "\n".join(f"{ACTION} {state.action}\n{OBSERVATION} {state.observation}" for state in kept)


def without_digits(text: str) -> str:
    """Return a text without its numbers."""
    return _DIGITS.sub("", text)
