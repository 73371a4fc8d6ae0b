"""Fits the conversation of one episode into a token budget, so that its beginning stays the same for long stretches."""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.layout import ACTION, ADMISSIBLE, MEMORY_CLOSE, MEMORY_OPEN, OBSERVATION, TASK, THOUGHT
from harness.tokens import estimate_tokens
from harness.types import Dropped, Message, Recall, Step, StepKind

MESSAGE_TOKENS = 4
"""What a chat template puts around one message."""
THOUGHT_TOKENS = 500
"""As much of one thought, or of one unreadable answer, is shown to the model again; the step itself keeps all of it."""


class History:
    """What has been said in an episode, and how much of it the next prompt still holds.

    Over budget, these give way, in this order: memory items, lowest score first (of equals the later one); the oldest
    steps, `block_steps` at a time, so that a provider's prompt cache survives between two such cuts; the latest step;
    the admissible actions; the middle of the first observation; the middle of the environment's last observation.
    Items and steps stay dropped. Where the latest steps go too, what they showed moves up into the first user message.
    The system message, the task, and a remark on what was cut never give way: a budget smaller than these is exceeded.

    Args:
        system: the system message.
        task: the instruction; empty where only the first observation has it.
        observation: the first observation.
        recall: what the memory injects.
        context_tokens: the budget of a prompt in estimated tokens, see harness.tokens.
        block_steps: how many steps are dropped at once, 1 or more.
    """

    def __init__(
        self, *, system: str, task: str, observation: str, recall: Recall, context_tokens: int, block_steps: int
    ) -> None:
        self.recall = recall
        self.keep_steps: int | None = None
        self._system = Message("system", system)
        self._task = task
        self._observation = observation
        self._steps: list[Step] = []
        self._said: list[tuple[Message, Message]] = []
        self._budget = context_tokens
        self._block = block_steps
        self._cut = 0
        self._gone: tuple[str, ...] = ()
        self._size = 0
        self._aside = ""
        self._counts: dict[str, int] = {}

    def add(self, step: Step) -> None:
        """Take in one more step."""
        self._steps.append(step)
        self._said.append((Message("assistant", _said(step)), Message("user", f"{OBSERVATION} {step.observation}")))

    def replace_recall(self, recall: Recall) -> None:
        """Inject something else from now on."""
        self.recall, self._gone = recall, ()

    def tighten(self) -> None:
        """Halve the size of the next prompt, after a model refused the last one as too long."""
        self._budget = min(self._budget, self._size) // 2

    def fit(self, actions: Sequence[str] = (), aside: str = "") -> tuple[list[Message], Dropped | None]:
        """Return the next prompt, and everything left out of it if that has changed.

        Args:
            actions: the admissible actions to offer with the latest observation; none for no list.
            aside: what this prompt alone says besides, between the latest observation and the actions.
        """
        self._aside = aside
        before = self._gone, self._cut
        messages = self._messages(actions)
        while self._excess(messages) > 0 and self._give_way():
            messages = self._messages(actions)
        if self._excess(messages) > 0:
            messages = self._shortened()
        self._size = self._tokens(messages)
        if (self._gone, self._cut) == before:
            return messages, None
        return messages, Dropped(len(self._steps) + 1, self._gone, self._left_out())

    def _give_way(self) -> bool:
        """Drop the next thing in line; return whether there was one."""
        if self.recall.items:
            lowest = min(reversed(self.recall.items), key=lambda item: item.score)
            self.recall = self.recall.without([lowest.id])
            self._gone += (lowest.id,)
        elif self._left_out() < len(self._steps):
            cut = self._left_out()
            self._cut = min(cut + self._block, max(cut + 1, len(self._steps) - 1))
        else:
            return False
        return True

    def _left_out(self) -> int:
        """Return how many of the oldest steps the prompt leaves out, by budget or by the memory's advice."""
        return max(self._cut, 0 if self.keep_steps is None else len(self._steps) - self.keep_steps)

    def _shortened(self) -> list[Message]:
        """Return the prompt without steps and actions, its observations cut only as far as they must be."""
        texts = [self._observation, *self._shown_last(len(self._steps))]
        for at in (0, 2, 1) if texts[1] else (2, 0):
            if (excess := self._excess(self._messages((), texts))) > 0:
                texts[at] = shorten(texts[at], self._count(texts[at]) - excess)
        return self._messages((), texts)

    def _shown_last(self, cut: int) -> tuple[str, str]:
        """Return what the steps left out showed last and no later step shows: the environment's state, a newer remark.

        Remarks are answers of tools and about unreadable answers. Each is empty where there is none.
        """
        acts = [at for at, step in enumerate(self._steps) if step.kind is StepKind.ACT]
        state = self._steps[acts[-1]].observation if acts and acts[-1] < cut else ""
        newer = cut == len(self._steps) > 0 and self._steps[-1].kind is not StepKind.ACT
        return state, self._steps[-1].observation if newer else ""

    def _messages(self, actions: Sequence[str], texts: Sequence[str] = ()) -> list[Message]:
        """Return the prompt as it is now; `texts` stand in for the first observation and what was shown last."""
        cut = self._left_out()
        first, *last = texts or (self._observation, *self._shown_last(cut))
        opening = [MEMORY_OPEN, _inside(self.recall.text), MEMORY_CLOSE] if self.recall.text else []
        opening += [f"{TASK} {self._task}"] if self._task else []
        opening.append(f"{OBSERVATION} {first}")
        if cut:
            opening += [f"({cut} earlier steps left out)", *(f"{OBSERVATION} {text}" for text in last if text)]
        messages = [self._system, Message("user", "\n".join(opening))]
        messages += [message for pair in self._said[cut:] for message in pair]
        if self._aside:
            messages[-1] = Message("user", f"{messages[-1].content}\n{self._aside}")
        if actions:
            listed = "\n".join([messages[-1].content, ADMISSIBLE, *(f"- {action}" for action in actions)])
            messages[-1] = Message("user", listed)
        return messages

    def _excess(self, messages: Sequence[Message]) -> int:
        return self._tokens(messages) - self._budget

    def _tokens(self, messages: Sequence[Message]) -> int:
        return sum(self._count(message.content) + MESSAGE_TOKENS for message in messages)

    def _count(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = estimate_tokens(text)
        return self._counts[text]


def shorten(text: str, tokens: int) -> str:
    """Cut out the middle of a text so that it has at most so many tokens, the remark about the cut included.

    The remark alone is left where even that is too long, and the text where the remark would be longer.
    """
    if estimate_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(_ends(text, middle)) <= tokens else (low, middle - 1)
    return min(_ends(text, low), text, key=estimate_tokens)


def _ends(text: str, kept: int) -> str:
    """Return a text's beginning and end, ``kept`` characters together, around a remark about what is missing."""
    head, tail = text[: kept - kept // 2], text[len(text) - kept // 2 :]
    return f"{head}\n[... {len(text) - kept} characters left out ...]\n{tail}"


def _said(step: Step) -> str:
    """Return what the model said in a step, in the answer format; an unreadable answer as it was."""
    thought = shorten(step.thought, THOUGHT_TOKENS)
    if step.kind is StepKind.FORMAT_ERROR:
        return thought
    action = f"{ACTION}\n```\n{step.action}\n```" if "\n" in step.action else f"{ACTION} {step.action}"
    return f"{THOUGHT} {thought}\n{action}" if thought else action


def _inside(text: str) -> str:
    """Return injected text that cannot close its own block."""
    return text.replace(MEMORY_OPEN, "").replace(MEMORY_CLOSE, "")
