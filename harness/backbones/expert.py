"""The ceiling control: plays the environment's own plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from harness.agents.layout import ACTION
from harness.backbones.apprentice.writing import write
from harness.backbones.stand_in import answer
from harness.seeds import Draws
from harness.types import Call, Completion, Message


class ExpertBackbone:
    """Plays ``Call.expert``; where that knows nothing, a seeded random admissible action. No language model.

    It reads no memory. Calls that write to a memory are answered by rule, as the apprentice answers them.

    Args:
        draws: The source of the draws where the expert knows nothing.
    """

    id = "expert"
    real = False
    disclosures: Sequence[str] = (
        "EXPERT control, not a language model: plays the environment's own plan, and a random admissible action where "
        "that plan ends; it reads no memory.",
    )

    def __init__(self, *, draws: Draws) -> None:
        self._draws = draws

    def settings(self) -> Mapping[str, object]:
        """Return the seed."""
        return {"seed": self._draws.seed}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Return the expert's action, a random one without it, or an empty answer where there is neither."""
        if schema is not None or call.phase != "agent":
            return answer(self.id, messages, write(messages, schema, phase=call.phase))
        action, why = call.expert() if call.expert is not None else None, "the environment's plan"
        if action is None and call.sample is not None:
            key = (call.task_id, call.trial, call.phase, call.role, call.step, call.ordinal)
            action, why = call.sample(self._draws.at(*key)), "no plan from here: a random action"
        return answer(self.id, messages, f"{ACTION} {action}" if action else "", why)
