"""The floor control: plays random admissible actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from harness.agents.layout import ACTION
from harness.backbones.apprentice.writing import write
from harness.backbones.stand_in import answer
from harness.seeds import Draws
from harness.types import Call, Completion, Message


class RandomBackbone:
    """Plays ``Call.sample``, or one of ``Call.choices`` where that gives nothing. No language model.

    Draws are keyed by task, trial, phase, role, step and ordinal. It reads no memory. Calls that write to a memory
    are answered by rule, as the apprentice answers them.

    Args:
        draws: The source of its draws.
    """

    id = "random"
    real = False
    disclosures: Sequence[str] = (
        "RANDOM control, not a language model: plays seeded random admissible actions; it reads no memory.",
    )

    def __init__(self, *, draws: Draws) -> None:
        self._draws = draws

    def settings(self) -> Mapping[str, object]:
        """Return the seed."""
        return {"seed": self._draws.seed}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Return a random action, or an empty answer where the environment offers none."""
        if schema is not None or call.phase != "agent":
            return answer(self.id, messages, write(messages, schema, phase=call.phase))
        generator = self._draws.at(call.task_id, call.trial, call.phase, call.role, call.step, call.ordinal)
        action = call.sample(generator) if call.sample is not None else None
        if action is None and (choices := call.choices() if call.choices is not None else None):
            action = choices[int(generator.integers(len(choices)))]
        return answer(self.id, messages, f"{ACTION} {action}" if action else "")
