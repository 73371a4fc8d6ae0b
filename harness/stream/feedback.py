"""What a memory may see of an episode's outcome: the environment's verdict, a judge's, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from harness.backbones.structured import ask
from harness.errors import ParseError
from harness.protocols import Backbone
from harness.types import Call, Episode, Experience, FeedbackSource, Message

PROMPT = Path(__file__).with_name("judge.md")


class Verdict(BaseModel):
    """A judge's answer."""

    reason: str = Field(description="one sentence on what in the trajectory decides it")
    success: bool = Field(description="whether the task was done")


@dataclass(frozen=True, slots=True)
class Feedback:
    """Turns episodes into experiences."""

    source: FeedbackSource
    judge: Backbone

    def __call__(self, episode: Episode) -> Experience:
        """Return the experience. An unreadable judge leaves the memory without a verdict: source none."""
        if self.source == "env":
            return Experience(episode, "env", episode.outcome.success, episode.outcome.score)
        if self.source == "none":
            return Experience(episode, "none", None, None)
        call = Call(task_id=episode.task.id, trial=episode.trial, phase="judge", role="judge")
        try:
            verdict = ask(self.judge, _messages(episode), Verdict, call=call)
        except ParseError:
            return Experience(episode, "none", None, None)
        return Experience(episode, "judge", verdict.success, None)


def _messages(episode: Episode) -> list[Message]:
    steps = "\n".join(f"Action: {step.action}\nObservation: {step.observation}" for step in episode.steps)
    trajectory = f"Task: {episode.task.text}\nObservation: {episode.observation}\n{steps}"
    return [Message("system", PROMPT.read_text(encoding="utf-8")), Message("user", trajectory)]
