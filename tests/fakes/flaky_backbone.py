"""A backbone that gives the answers and the errors it was told to give, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import BaseModel

from harness.types import Call, Completion, Message, Usage

Answer = str | Completion | BaseException | Callable[[Sequence[Message], Call], str]


class FlakyBackbone:
    """Answers one call after another from a list; the last entry goes on for ever."""

    id = "flaky"
    real = False
    disclosures: Sequence[str] = ("a fake for fault injection",)

    def __init__(self, answers: Iterable[Answer], usage: Usage | None = None) -> None:
        self._answers = list(answers)
        self._usage = usage or Usage(calls=1, prompt_tokens=90, completion_tokens=10, cost_usd=0.01)
        self.prompts: list[list[Message]] = []
        self.calls: list[Call] = []

    def settings(self) -> Mapping[str, object]:
        return {}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        self.prompts.append(list(messages))
        self.calls.append(call)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Completion):
            return answer
        text = answer if isinstance(answer, str) else answer(messages, call)
        return Completion(text, "stop", self._usage)


def play_expert(messages: Sequence[Message], call: Call) -> str:
    """Answer with the expert's next action."""
    action = call.expert() if call.expert else None
    return f"Thought: the next step of the plan.\nAction: {action}"
