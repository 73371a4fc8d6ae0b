"""A debate, after DyLAN: all say what to do, hear each other, and say it again; the majority or a judge decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from harness.agents.history import History
from harness.agents.parsing import Answer, Unreadable
from harness.agents.play import Play
from harness.agents.prompts import Prompts
from harness.agents.react import ReactAgent
from harness.agents.team import Proposal, instructions, shown
from harness.errors import ConfigError
from harness.protocols import Backbone
from harness.types import StopReason, Usage

JUDGE = "judge"


class Debate(ReactAgent):
    """Debaters of one model; no agent is dropped or ranked, which DyLAN's optimisation over tasks does.

    A debater whose answer cannot be read is not heard in that round. The debate ends early once all agree.

    Args:
        backbone: as in ReactAgent, and so are the others but the last two.
        prompts: see there.
        spent: see there.
        context_tokens: see there; of each role's prompt.
        block_steps: see there.
        offer_actions: see there.
        max_format_errors: see there; an answer of the team counts.
        max_empty: see there; of each debater.
        max_tool_calls: see there.
        debaters: how many there are, 2 or more.
        rounds: how often each is asked for one step, 1 or more.
    """

    name = "debate"

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
        debaters: int = 3,
        rounds: int = 2,
    ) -> None:
        super().__init__(
            backbone=backbone, prompts=prompts, spent=spent, context_tokens=context_tokens, block_steps=block_steps,
            offer_actions=offer_actions, max_format_errors=max_format_errors, max_empty=max_empty,
            max_tool_calls=max_tool_calls,
        )  # fmt: skip
        if debaters < 2 or rounds < 1:
            raise ConfigError(f"debate: debaters must be 2 or more, rounds 1 or more: got {debaters} and {rounds}")
        self._debaters = tuple(f"debater_{number}" for number in range(1, debaters + 1))
        self._rounds = rounds
        self.roles = (*self._debaters, JUDGE)

    def system(self, role: str) -> str:
        """Return the system message of a role."""
        if role == JUDGE:
            return f"{super().system(role)}\n\n{instructions(JUDGE)}"
        values = {"number": self._debaters.index(role) + 1, "count": len(self._debaters)}
        return f"{super().system(role)}\n\n{instructions('debater', values)}"

    def answer(self, play: Play, histories: Mapping[str, History]) -> Answer | Unreadable | StopReason:
        """Return what the debate comes to; where nobody could be read, what the last one said."""
        proposals: Sequence[Proposal] = ()
        for _ in range(self._rounds):
            heard, failed = self._round(play, histories, proposals)
            if not heard:
                return failed
            proposals = heard
            if len({proposal.answer.action for proposal in proposals}) == 1:
                break
        return self._decide(play, histories, proposals)

    def _round(
        self, play: Play, histories: Mapping[str, History], before: Sequence[Proposal]
    ) -> tuple[list[Proposal], Unreadable | StopReason]:
        """Ask each debater once; return who could be read, and the last answer of somebody who could not."""
        heard: list[Proposal] = []
        failed: Unreadable | StopReason = StopReason.EMPTY_OUTPUT
        for role in self._debaters:
            others = [proposal for proposal in before if proposal.role != role]
            answer = self.ask(play, histories[role], role, shown(others))
            if isinstance(answer, Answer):
                heard.append(Proposal(role, answer))
            else:
                failed = answer
        return heard, failed

    def _decide(
        self, play: Play, histories: Mapping[str, History], proposals: Sequence[Proposal]
    ) -> Answer | Unreadable | StopReason:
        """Return the first answer with the action that more than half propose; without one, the judge's."""
        action, votes = Counter(proposal.answer.action for proposal in proposals).most_common(1)[0]
        if 2 * votes > len(proposals):
            return next(proposal.answer for proposal in proposals if proposal.answer.action == action)
        return self.ask(play, histories[JUDGE], JUDGE, shown(proposals))
