"""One running PDDL problem, as agents play it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Self

import numpy as np

from envs.pddl.problems import Game
from envs.pddl.strips import Action, World
from harness.errors import EnvironmentFault
from harness.types import Outcome, Step, StepKind, StopReason, Task

CHECK = "check valid actions"
LOOK = "look around"
INVALID = (
    f"Nothing happens: this is not possible now, would change nothing, or is not written as an action. `{CHECK}` lists "
    "what is possible."
)
SOLVED = "Everything asked for is true now."


class Board:
    """A problem made ready for playing; sessions share it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.world: World = game.problem.world
        self.commands: Sequence[str] = [game.family.command(action.atom) for action in self.world.actions]
        self.by_text: Mapping[str, Action] = {
            _folded(text): action
            for command, action in zip(self.commands, self.world.actions, strict=True)
            for text in (" ".join(action.atom), command)
        }

    @cached_property
    def introduction(self) -> str:
        """The first observation: things by type, what never changes, what is true now."""
        family, problem = self.game.family, self.game.problem
        kinds: dict[str, list[str]] = {}
        for name, kind in problem.objects.items():
            kinds.setdefault(kind, []).append(name)
        things = [f"{kind}: {', '.join(names)}" for kind, names in sorted(kinds.items()) if kind != "object"]
        fixed = family.statements(self.world.static)
        parts = [("Things here", "; ".join(things)), ("Always", "; ".join(fixed))]
        parts += [("Now", self.now(self.world.initial))]
        return "\n".join(f"{title}: {told}." for title, told in parts if told)

    def now(self, state: int) -> str:
        """Return what is true among what may change, without the last full stop."""
        return "; ".join(self.game.family.statements(self.world.changing(state)))

    def told(self, before: int, after: int) -> str:
        """Return what an action's observation says."""
        shown = after if self.game.family.tells_all else after & ~before
        return f"Now: {self.now(shown)}." if shown else "Done."


class PDDLSession:
    """A problem being played. The score is the progress rate, 0 to 1; an action that changes nothing is invalid."""

    def __init__(self, task: Task, board: Board) -> None:
        self.task = task
        self.observation = board.introduction
        self._board = board
        self._world = board.world
        self._state = board.world.initial
        self._progress = 0.0
        self._solved = False
        self._applicable: list[Action] | None = None

    @property
    def actions(self) -> Sequence[str]:
        """What is possible and changes something, and the two ways of looking; empty after the end."""
        return () if self._solved else (*self._commands(), CHECK, LOOK)

    def grammar(self) -> str | None:
        """Return None: the actions can be listed."""
        return None

    def step(self, action: str) -> Step:
        """Carry out an action written in words, or in PDDL's order (``pick ball1 rooma left``).

        Case, spacing, commas and a full stop do not matter. Raises EnvironmentFault after the end.
        """
        if self._solved:
            raise EnvironmentFault(f"the problem {self.task.id!r} is solved and over; it takes no further action")
        before = self._progress
        observation = self._answer(_folded(action))
        return Step(StepKind.ACT, action, observation, reward=self._progress - before, done=self._solved)

    def outcome(self) -> Outcome:
        """Return whether the goal is reached, and the progress rate."""
        return Outcome(self._solved, self._progress, StopReason.SOLVED if self._solved else StopReason.FAILED)

    def expert(self) -> str | None:
        """Return the policy's next action from the present state.

        None after the end, and where none of the open goals can come true any more; until then it goes on for those
        that can, even where the whole goal is lost.
        """
        if self._solved:
            return None
        game = self._board.game
        atom = game.family.expert(self._world.facts(self._state), game.problem.goal)
        return None if atom is None else game.family.command(atom)

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return a random action that changes something and puts no part of the goal out of reach."""
        if self._solved:
            return None
        possible, lost = self._possible(), self._lost(self._state)
        for place in rng.permutation(len(possible)):
            action = possible[int(place)]
            if self._lost(action.result(self._state)) <= lost:
                return self._board.commands[action.number]
        return None

    def _answer(self, text: str) -> str:
        if text == CHECK:
            return f"Possible now: {'; '.join(self._commands())}."
        if text == LOOK:
            return f"Now: {self._board.now(self._state)}."
        action = self._board.by_text.get(text)
        after = None if action is None else self._world.after(self._state, action)
        if after is None:
            return INVALID
        told = self._board.told(self._state, after)
        self._state, self._applicable = after, None
        goal = self._world.goal
        reached = (after & goal).bit_count()
        self._progress = max(self._progress, reached / goal.bit_count())
        self._solved = after & goal == goal
        return f"{told} {SOLVED}" if self._solved else told

    def _possible(self) -> list[Action]:
        if self._applicable is None:
            self._applicable = self._world.applicable(self._state)
        return self._applicable

    def _commands(self) -> list[str]:
        return [self._board.commands[action.number] for action in self._possible()]

    def _lost(self, state: int) -> frozenset[tuple[str, ...]]:
        out_of_reach = self._board.game.family.out_of_reach
        if out_of_reach is None:
            return frozenset()
        return out_of_reach(self._world.facts(state), self._board.game.problem.goal)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is held outside this process."""


def _folded(text: str) -> str:
    """Return a text as the table of actions spells it."""
    return " ".join(text.lower().replace(",", " ").split()).strip("(). ")
