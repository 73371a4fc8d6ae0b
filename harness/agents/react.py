"""The ReAct agent: think, act, observe, until the environment ends or a limit is reached."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.agents.history import History
from harness.agents.layout import ACTION, THOUGHT
from harness.agents.parsing import Answer, Unreadable, parse_answer
from harness.agents.play import Play
from harness.agents.prompts import Prompts
from harness.agents.tools import Toolbox
from harness.errors import ConfigError, ContextOverflow
from harness.protocols import Backbone, Memory, RoleMemory, Session, StepMemory, ToolMemory
from harness.types import (
    Call,
    Completion,
    Episode,
    Limits,
    Recall,
    Step,
    StepKind,
    StopReason,
    Task,
    Usage,
    View,
)

ROLE = "solver"
_FORMAT = Path(__file__).with_name("react_format.md")


class ReactAgent:
    """One model that answers with a thought and an action.

    Agents of several roles are its subclasses: they name their roles, what each is told, and who answers a step.

    Args:
        backbone: the model.
        prompts: the environment's instructions and worked examples.
        spent: returns what the running episode has spent so far, the agent's and the memory's calls together; None
            counts the agent's own calls only.
        context_tokens: budget of a prompt, in estimated tokens (harness.tokens), 1 or more.
        block_steps: how many of the oldest steps are dropped at once when a prompt is over budget, 1 or more.
        offer_actions: the longest list of admissible actions that is shown; longer ones are not shown at all, 0 never;
            nor are those of an environment that says they are too many.
        max_format_errors: how many unreadable answers in a row are answered; one more ends the episode.
        max_empty: how often the model is asked again for one step after an empty answer; one more ends the episode.
        max_tool_calls: how many calls of the memory's tools an episode may make.
    """

    name = "react"
    roles: tuple[str, ...] = (ROLE,)
    """Who there is; each role has its own conversation and sees its own part of the memory."""

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
    ) -> None:
        if context_tokens < 1 or block_steps < 1:
            raise ConfigError(f"context_tokens and block_steps must be 1 or more: got {context_tokens}, {block_steps}")
        if min(offer_actions, max_format_errors, max_empty, max_tool_calls) < 0:
            raise ConfigError("offer_actions, max_format_errors, max_empty and max_tool_calls must be 0 or more")
        answer_format = _FORMAT.read_text(encoding="utf-8").strip()
        self._backbone = backbone
        self._system = "\n\n".join(part for part in (prompts.system, answer_format, prompts.fewshots) if part)
        self._spent = spent
        self._context_tokens = context_tokens
        self._block_steps = block_steps
        self._offer_actions = offer_actions if prompts.offers_actions else 0
        self._max_format_errors = max_format_errors
        self._max_empty = max_empty
        self._max_tool_calls = max_tool_calls

    def digest(self) -> str:
        """Return the sha256 of the system messages without tools: the version of all prompts together."""
        return hashlib.sha256("\x1f".join(map(self.system, self.roles)).encode()).hexdigest()

    def system(self, role: str) -> str:
        """Return the system message of a role, without tools."""
        return self._system

    def answer(self, play: Play, histories: Mapping[str, History]) -> Answer | Unreadable | StopReason:
        """Return the answer that decides the coming step."""
        return self.ask(play, histories[ROLE], ROLE)

    def solve(
        self, session: Session, task: Task, trial: int, memory: Memory, recall: Recall, limits: Limits
    ) -> Episode:
        """Play until the end or a limit. Raises InfrastructureError; never turns one into an outcome."""
        task = task if task.text else session.task
        play = Play(session, task, trial, limits, self._spent)
        toolbox = Toolbox(memory.tools() if isinstance(memory, ToolMemory) else (), self._max_tool_calls)
        histories = {role: self._history(play, toolbox, role, _own_part(memory, recall, role)) for role in self.roles}
        while not play.done:
            if (stop := self._must_stop(play)) is not None:
                return play.episode(stop)
            self._take_advice(play, histories, memory)
            answer = self.answer(play, histories)
            if isinstance(answer, StopReason):
                return play.episode(answer)
            step = self._take(play, toolbox, answer)
            play.add(step)
            for history in histories.values():
                history.add(step)
        return play.episode(None)

    def _history(self, play: Play, toolbox: Toolbox, role: str, recall: Recall) -> History:
        return History(
            system="\n\n".join(part for part in (self.system(role), toolbox.text()) if part),
            task=play.task.text,
            observation=play.session.observation,
            recall=recall,
            context_tokens=self._context_tokens,
            block_steps=self._block_steps,
        )

    def _must_stop(self, play: Play) -> StopReason | None:
        return StopReason.FORMAT_LIMIT if play.format_errors > self._max_format_errors else play.limit()

    def _take_advice(self, play: Play, histories: Mapping[str, History], memory: Memory) -> None:
        """Let the memory speak once after every action of the environment, before the next one is asked for."""
        if not isinstance(memory, StepMemory) or not play.steps or play.steps[-1].kind is not StepKind.ACT:
            return
        shown = histories[self.roles[0]].recall
        advice = memory.step(View(play.task, play.trial, play.session.observation, tuple(play.steps), shown))
        if advice is None:
            return
        for role, history in histories.items():
            history.keep_steps = advice.keep_steps
            if advice.recall is not None:
                history.replace_recall(_own_part(memory, advice.recall, role))

    def ask(self, play: Play, history: History, role: str, aside: str = "") -> Answer | Unreadable | StopReason:
        """Return a role's answer; ask again where it is empty, and once where it is cut off before an action.

        ``aside`` is what this prompt says besides the role's conversation, such as what others proposed.
        """
        offered = self._offered(play.session)
        ordinal, empty, was_cut = 0, 0, False
        while True:
            completion = self._complete(play, history, role, offered, aside, ordinal)
            if completion is None:
                return StopReason.CONTEXT_OVERFLOW
            answer = parse_answer(completion.text, cut=completion.finish == "length")
            if isinstance(answer, Answer):
                return answer
            if not answer.text:
                empty += 1
                if empty > self._max_empty:
                    return StopReason.EMPTY_OUTPUT
            elif completion.finish == "length" and not was_cut:
                was_cut = True
            else:
                return answer
            ordinal += 1
            if (stop := play.limit()) is not None:
                return stop

    def _offered(self, session: Session) -> Sequence[str]:
        actions = session.actions if self._offer_actions else None
        return actions if actions is not None and len(actions) <= self._offer_actions else ()

    def _complete(
        self, play: Play, history: History, role: str, offered: Sequence[str], aside: str, ordinal: int
    ) -> Completion | None:
        """Send the prompt, and once more in half the size where the model refuses its length; None if it still does."""
        call = Call(
            task_id=play.task.id,
            trial=play.trial,
            phase="agent",
            step=play.number,
            role=role,
            ordinal=ordinal,
            choices=lambda: play.session.actions,
            grammar=play.session.grammar,
            expert=play.session.expert,
            sample=play.session.sample,
        )
        for _ in range(2):
            messages, dropped = history.fit(offered, aside)
            play.note(dropped)
            try:
                completion = self._backbone.complete(messages, call=call)
            except ContextOverflow:
                history.tighten()
                continue
            play.own += completion.usage
            return completion
        return None

    def _take(self, play: Play, toolbox: Toolbox, answer: Answer | Unreadable) -> Step:
        """Turn an answer into a step: a remark on a format error, a tool call, or an action of the environment."""
        if isinstance(answer, Unreadable):
            return Step(StepKind.FORMAT_ERROR, "", _remark(answer.reason), thought=answer.text)
        if not toolbox.called(answer.action):
            return replace(play.session.step(answer.action), thought=answer.thought)
        if not toolbox.left:
            said = f"{ACTION} {answer.action}"
            return Step(StepKind.FORMAT_ERROR, "", "No tool calls are left: act in the environment.", thought=said)
        return Step(StepKind.TOOL, answer.action, toolbox.use(answer.action), thought=answer.thought)


def _own_part(memory: Memory, recall: Recall, role: str) -> Recall:
    """Return the part of a recall that a role sees."""
    return memory.project(recall, role) if isinstance(memory, RoleMemory) else recall


def _remark(reason: str) -> str:
    return (
        f"Your answer {reason}. Nothing was done. Answer with one line `{THOUGHT} ...` and below it one line "
        f"`{ACTION} ...` with a single action."
    )
