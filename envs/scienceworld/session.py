"""One running ScienceWorld episode."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

import numpy as np

from envs.scienceworld.engine import Engine
from harness.errors import EnvironmentFault
from harness.types import Outcome, Step, StepKind, StopReason, Task

FULL_SCORE = 100

_LASTING = ("focus on ", "reset task", "eat ", "mix ", "pour ", "dunk ", "flush ", "wait")
"""Beginnings of actions whose effect no later action takes back; a wrong focus ends the episode at -100."""

_PLACE = re.compile(r"This (?:room|outside location) is called the ([^.]+)\.")
_ARRIVAL = re.compile(r"You (?:move|teleport) (?:through the [^.]+ )?to the ([^.]+)\.")


class ScienceWorldSession:
    """A loaded game. The engine is asked only for what a step reports: observation, score, completion.

    Args:
        task: The task, whose instruction the engine knows.
        engine: A simulator with the game loaded.
        plan: Returns the gold path of the game; called at most once.
        close: Takes the engine back.
        teleports: Whether the game allows teleporting.
    """

    def __init__(
        self,
        task: Task,
        engine: Engine,
        *,
        plan: Callable[[], Sequence[str]],
        close: Callable[[Engine], None],
        teleports: bool,
    ) -> None:
        self._engine = engine
        self._plan = functools.cache(plan)
        self._close = close
        self._teleports = teleports
        look = str(engine.call("step", "look around"))
        self.task = replace(task, text=str(engine.call("getTaskDescription")))
        self.observation = f"{self.task.text}\n{look}"
        self._score = self._read_score()
        self._done = False
        self._played: list[tuple[str, str]] = []
        self._valid: tuple[str, ...] | None = None

    @property
    def actions(self) -> Sequence[str] | None:
        """The valid actions, sorted; some hundreds. Others may work too: a third of the gold lines are not listed."""
        if self._valid is None:
            self._valid = self._engine.lines("getValidActionObjectCombinations")
        return self._valid

    def grammar(self) -> str | None:
        """Return None: the actions can be listed."""
        return None

    def step(self, action: str) -> Step:
        """Play an action verbatim; the reward is the change of the score. Raises EnvironmentFault as the protocol says.

        A lone surrogate, which no encoding can carry, reaches the engine as a question mark.
        """
        if self._done:
            raise EnvironmentFault(f"the episode of {self.task.id} has ended: the action {action!r} cannot be played")
        sendable = action.encode("utf-8", "replace").decode("utf-8")
        self._valid = None
        observation = str(self._engine.call("step", sendable))
        before, self._score = self._score, self._read_score()
        self._done = self._score < 0 or bool(self._engine.call("getCompleted"))
        self._played.append((action, observation))
        return Step(StepKind.ACT, action, observation, reward=float(self._score - before), done=self._done)

    def outcome(self) -> Outcome:
        """Return the score reached, 0 to 100 or -100 after a wrong focus; 100 is success."""
        success = self._score == FULL_SCORE
        return Outcome(success, float(self._score), StopReason.SOLVED if success else StopReason.FAILED)

    def expert(self) -> str | None:
        """Return the first line of the gold path not played yet, or the way back to where that line belongs.

        A line counts as played when an action was exactly it, in its turn. After other actions that led elsewhere,
        and where the game allows teleporting, the next action is the teleport back. None after the last line.
        """
        if self._done:
            return None
        plan = self._plan()
        cursor = 0
        place = home = _found(_PLACE, self.observation)
        for action, observation in self._played:
            place = _found(_ARRIVAL, observation) or place
            if cursor < len(plan) and action == plan[cursor]:
                cursor += 1
                home = place
        if cursor == len(plan):
            return None
        return f"teleport to {home}" if self._teleports and place != home else plan[cursor]

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return a random valid action whose effect can be undone: no focus, nothing eaten, mixed, poured or waited."""
        harmless = [action for action in self.actions or () if not action.startswith(_LASTING)]
        return str(rng.choice(harmless)) if harmless else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(self._engine)

    def _read_score(self) -> int:
        return round(FULL_SCORE * float(self._engine.call("getScore")))


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match.group(1) if match else None
