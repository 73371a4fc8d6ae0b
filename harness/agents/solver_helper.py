"""Solver and helper, after the pair in G-Memory's repository: the helper takes over where the solver repeats itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.agents.history import History
from harness.agents.parsing import Answer, Unreadable
from harness.agents.play import Play
from harness.agents.prompts import Prompts
from harness.agents.react import ROLE, ReactAgent
from harness.agents.team import instructions
from harness.errors import ConfigError
from harness.protocols import Backbone
from harness.types import StepKind, StopReason, Usage

HELPER = "helper"


class SolverHelper(ReactAgent):
    """A solver who plays, and a helper who is asked once whenever the solver's last actions were all the same.

    Args:
        backbone: as in ReactAgent, and so are the others but the last.
        prompts: see there.
        spent: see there.
        context_tokens: see there; of each role's prompt.
        block_steps: see there.
        offer_actions: see there.
        max_format_errors: see there.
        max_empty: see there.
        max_tool_calls: see there.
        repeats: how many equal actions in a row bring in the helper, 2 or more.
    """

    name = "solver_helper"
    roles = (ROLE, HELPER)

    def __init__(
        self,
        *,
        backbone: Backbone,
        prompts: Prompts,
        spent: Callable[[], Usage] | None = None,
        context_tokens: int = 24_000,
        block_steps: int = 5,
        offer_actions: int = 50,
        max_format_errors: int = 3,
        max_empty: int = 3,
        max_tool_calls: int = 20,
        repeats: int = 3,
    ) -> None:
        super().__init__(
            backbone=backbone, prompts=prompts, spent=spent, context_tokens=context_tokens, block_steps=block_steps,
            offer_actions=offer_actions, max_format_errors=max_format_errors, max_empty=max_empty,
            max_tool_calls=max_tool_calls,
        )  # fmt: skip
        if repeats < 2:
            raise ConfigError(f"solver_helper: repeats must be 2 or more: got {repeats}")
        self._repeats = repeats

    def system(self, role: str) -> str:
        """Return the system message of a role; the solver's is that of a single agent."""
        own = super().system(role)
        return f"{own}\n\n{instructions(HELPER)}" if role == HELPER else own

    def answer(self, play: Play, histories: Mapping[str, History]) -> Answer | Unreadable | StopReason:
        """Return the solver's answer, or the helper's where the solver is stuck."""
        role = HELPER if self._stuck(play) else ROLE
        return self.ask(play, histories[role], role)

    def _stuck(self, play: Play) -> bool:
        actions = [step.action for step in play.steps if step.kind is StepKind.ACT][-self._repeats :]
        return len(actions) == self._repeats and len(set(actions)) == 1
