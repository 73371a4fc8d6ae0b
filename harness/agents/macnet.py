"""A network of agents, after MacNet: an actor proposes, revisers along the graph improve it, the last one acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from harness.agents.history import History
from harness.agents.parsing import Answer, Unreadable
from harness.agents.play import Play
from harness.agents.prompts import Prompts
from harness.agents.react import ReactAgent
from harness.agents.team import Proposal, instructions, shown
from harness.errors import ConfigError
from harness.protocols import Backbone
from harness.types import StopReason, Usage

ACTOR = "actor"


class MacNet(ReactAgent):
    """Agents in topological order, each of which sees what its predecessors propose.

    A member whose answer cannot be read is passed over; the last readable proposal acts.

    Args:
        backbone: as in ReactAgent, and so are the others but the last two.
        prompts: see there.
        spent: see there.
        context_tokens: see there; of each role's prompt.
        block_steps: see there.
        offer_actions: see there.
        max_format_errors: see there; an answer of the team counts.
        max_empty: see there; of each member.
        max_tool_calls: see there.
        members: how many there are, 2 or more.
        shape: ``chain``, each sees the one before it; ``mesh``, each sees all before it.
    """

    name = "macnet"

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
        members: int = 3,
        shape: Literal["chain", "mesh"] = "chain",
    ) -> None:
        super().__init__(
            backbone=backbone, prompts=prompts, spent=spent, context_tokens=context_tokens, block_steps=block_steps,
            offer_actions=offer_actions, max_format_errors=max_format_errors, max_empty=max_empty,
            max_tool_calls=max_tool_calls,
        )  # fmt: skip
        if members < 2:
            raise ConfigError(f"macnet: members must be 2 or more: got {members}")
        self.roles = (ACTOR, *(f"reviser_{number}" for number in range(1, members)))
        self._shape = shape

    def system(self, role: str) -> str:
        """Return the system message of a role."""
        if role == ACTOR:
            return f"{super().system(role)}\n\n{instructions(ACTOR)}"
        values = {"number": self.roles.index(role) + 1, "count": len(self.roles)}
        return f"{super().system(role)}\n\n{instructions('reviser', values)}"

    def answer(self, play: Play, histories: Mapping[str, History]) -> Answer | Unreadable | StopReason:
        """Return the last readable proposal; where there is none, what the last member said."""
        proposals: list[Proposal] = []
        failed: Unreadable | StopReason = StopReason.EMPTY_OUTPUT
        for role in self.roles:
            seen = proposals[-1:] if self._shape == "chain" else proposals
            answer = self.ask(play, histories[role], role, shown(seen))
            if isinstance(answer, Answer):
                proposals.append(Proposal(role, answer))
            else:
                failed = answer
        return proposals[-1].answer if proposals else failed
