"""One running ALFWorld game, as agents play it."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from envs.alfworld.forkserver import Player
from harness.errors import EnvironmentFault
from harness.types import Outcome, Step, StepKind, StopReason, Task


class ALFWorldSession:
    """A game in a process of its own. Success is the engine's ``won``; score and reward are 1 for it, else 0."""

    def __init__(self, task: Task, player: Player, observation: str, *, timeout_s: float) -> None:
        self.task = task
        self.observation = observation
        self._player = player
        self._timeout_s = timeout_s
        self._won = False
        self._actions: tuple[str, ...] | None = None

    @property
    def actions(self) -> Sequence[str]:
        """The engine's admissible commands, sorted; empty after the end."""
        if self._actions is None:
            self._actions = () if self._won else tuple(self._ask("commands")["commands"])
        return self._actions

    def grammar(self) -> str | None:
        """Return None: the admissible commands can be listed."""
        return None

    def step(self, action: str) -> Step:
        """Execute a command; anything the engine does not know gets "Nothing happens.".

        Raises EnvironmentFault after the end, and where the engine hangs or dies.
        """
        if self._won:
            raise EnvironmentFault(f"the game {self.task.id!r} is won and over; it takes no further action")
        answer = self._ask("step", action=action)
        self._won = answer["won"]
        self._actions = None
        return Step(StepKind.ACT, action, answer["observation"], reward=float(self._won), done=self._won)

    def outcome(self) -> Outcome:
        """Return whether the game is won."""
        return Outcome(self._won, float(self._won), StopReason.SOLVED if self._won else StopReason.FAILED)

    def expert(self) -> str | None:
        """Return the expert's next command from the present state, whatever came before.

        None after the end, and where the player holds something that no receptacle of the room takes back (a teddy
        bear, a roll of paper towel): from there the game cannot be won.
        """
        command: str | None = None if self._won else self._ask("expert")["command"]
        return command

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return a random admissible command, never one that takes what nothing takes back; None after the end."""
        commands: list[str] = [] if self._won else self._ask("safe_commands")["commands"]
        return commands[int(rng.integers(len(commands)))] if commands else None

    def close(self) -> None:
        """End the engine's process. May be called twice."""
        self._player.close()

    def _ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        return self._player.ask({"do": what, **arguments}, timeout_s=self._timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
