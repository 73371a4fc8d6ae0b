"""Condensing an episode: useless steps are dropped, the model names key steps, and why a failure failed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from baselines.g_memory.asking import Asker, call_of
from baselines.g_memory.queries import QueryNode
from baselines.g_memory.settings import Answering, Fault, Keeping
from baselines.g_memory.trajectory import State, clean, clean_lines, states, task_text, trajectory_text, without_digits
from harness.agents.layout import TASK
from harness.types import Episode

PROMPTS = Path(__file__).with_name("prompts")
TEXT_CHARS = 1000
"""Characters kept of a task's text."""
Text = Annotated[str, Field(max_length=20_000)]


class Answer(BaseModel):
    """What a model answers; fields nobody asked for are ignored."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


class KeySteps(Answer):
    """The steps that mattered, in order."""

    key_steps: list[Text] = Field(max_length=200)


class FailReason(Answer):
    """Why an episode failed."""

    reason: Text


@dataclass(frozen=True, slots=True)
class Condenser:
    """Makes the parts of a query node that come from the trajectory."""

    asker: Asker
    keeping: Keeping
    answering: Answering
    faults: Collection[Fault] = ()

    def node(self, episode: Episode, *, resolved: bool, node_id: str, links: tuple[str, ...]) -> QueryNode:
        """Return the query node of an episode: one call to the model, two where it failed.

        An answer that stays unreadable leaves its part empty.
        """
        kept = states(episode, self.keeping, condensed=resolved)
        values = self._values(episode, kept, resolved=resolved)
        call = call_of(episode.task.id, episode.trial, "update", "key_steps")
        as_success = resolved or "one_key_step_prompt" in self.faults
        steps = self.asker.ask(KeySteps, values, call, prompt="key_steps" if as_success else "key_steps_failed")
        reason = None
        if not resolved:
            reason = self.asker.ask(
                FailReason, values, call_of(episode.task.id, episode.trial, "update", "fail_reason")
            )
        limit = self.answering.line_chars
        return QueryNode(
            id=node_id, task_id=episode.task.id, trial=episode.trial, text=clean(task_text(episode), TEXT_CHARS),
            resolved=resolved, states=kept, links=links,
            key_steps=clean_lines(steps.key_steps, limit, self.answering.key_steps) if steps else (),
            fail_reason=clean(reason.reason, limit) if reason else "",
        )  # fmt: skip

    def _values(self, episode: Episode, kept: tuple[State, ...], *, resolved: bool) -> dict[str, str]:
        text = trajectory_text(kept)
        return {
            "task": f"{TASK} {clean(task_text(episode), TEXT_CHARS)}",
            "trajectory": without_digits(text) if "digits_stripped" in self.faults else text,
            "outcome": outcome_text(resolved=resolved),
        }


def outcome_text(*, resolved: bool) -> str:
    """Return the line that states a verdict."""
    return f"Outcome: {'solved' if resolved else 'failed'}"
