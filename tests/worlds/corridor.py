"""A corridor of rooms with closed and locked doors: a complete, deterministic text environment in plain Python."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import numpy as np

from harness.errors import ConfigError, EnvironmentFault
from harness.seeds import Draws
from harness.types import ExpertKind, Outcome, Step, StepKind, StopReason, Task

COLOURS = ("brass", "iron", "copper", "silver", "golden", "tin")
LEVERS = ("red", "blue")
PLACES = ("oak", "pine", "elm", "ash")
Door = Literal["open", "closed", "locked"]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a task's corridor looks like at the start."""

    place: str
    """Name of the corridor; the lever aside, corridors of one name are equal."""
    lever: str
    """Colour of the lever to pull, in the last room."""
    doors: tuple[Door, ...]
    """Door ``i`` is to the east of room ``i``, from 0."""
    keys: Mapping[int, int]
    """Room of the key, by the locked door it fits; never east of the door."""

    @property
    def locked(self) -> bool:
        """Whether any door needs a key."""
        return bool(self.keys)


class CorridorWorld:
    """Tasks "pull the red or blue lever" at the end of four corridors; a wrong lever ends the episode.

    Tasks come back to the same corridors, so that a memory of an earlier one helps. The score is the share of doors
    ever passed, 0 to 99, and 100 for the right lever. A family is the lever and whether keys are needed (``red``,
    ``blue``, ``red with keys``, ``blue with keys``); a template is corridor and lever.

    Args:
        n_tasks: how many tasks there are, 1 or more.
        length: rooms of the longest corridors, 2 to 7; others are one or two rooms shorter.
    """

    name = "corridor"
    metrics: tuple[str, ...] = ("sr", "score")
    expert_kind: ExpertKind = "exact"
    deterministic = True
    offers_actions = True
    prompts = Path(__file__).with_name("prompts")
    disclosures: Sequence[str] = ("corridor is a test world and no benchmark.",)

    def __init__(self, *, n_tasks: int = 12, length: int = 5) -> None:
        if n_tasks < 1 or not 2 <= length <= len(COLOURS) + 1:
            raise ConfigError(f"corridor: n_tasks is 1 or more and length 2 to 7: got {n_tasks} and {length}")
        self.variant = f"length{length}"
        self._layouts = {f"corridor-{number:03d}": _layout(number, length) for number in range(n_tasks)}

    def tasks(self) -> Sequence[Task]:
        """Return all tasks."""
        return [self._task(task_id, layout) for task_id, layout in self._layouts.items()]

    def start(self, task: Task) -> CorridorSession:
        """Start a fresh session."""
        if task.id not in self._layouts:
            raise EnvironmentFault(f"corridor has no task {task.id!r}")
        layout = self._layouts[task.id]
        return CorridorSession(self._task(task.id, layout), layout)

    def digests(self) -> Mapping[str, str]:
        """Return the sha256 of this file: it decides what the tasks are."""
        return {"corridor.py": hashlib.sha256(Path(__file__).read_bytes()).hexdigest()}

    def close(self) -> None:
        """Nothing was started ahead."""

    def _task(self, task_id: str, layout: Layout) -> Task:
        family = f"{layout.lever} with keys" if layout.locked else layout.lever
        text = f"pull the {layout.lever} lever in the {layout.place} corridor"
        return Task(task_id, self.name, text, family, f"{layout.place} {layout.lever}")


class CorridorSession:
    """One walk through a corridor."""

    def __init__(self, task: Task, layout: Layout) -> None:
        self.task = task
        self._layout = layout
        self._doors = list(layout.doors)
        self._room = 0
        self._furthest = 0
        self._keys: set[int] = set()
        self._pulled: str | None = None
        self.observation = self._room_text()

    @property
    def actions(self) -> Sequence[str]:
        """Everything that does something in the present state."""
        if self._pulled is not None:
            return []
        return [*self._reversible(), *(f"pull {lever} lever" for lever in LEVERS if self._at_end())]

    def grammar(self) -> str | None:
        """Return None: the actions can be listed."""
        return None

    def step(self, action: str) -> Step:
        """Execute an action; one that is not possible changes nothing. Raises EnvironmentFault after the end."""
        if self._pulled is not None:
            raise EnvironmentFault("corridor: the episode is over")
        before = self._score()
        observation = self._do(action) if action in self.actions else "Nothing happens."
        return Step(StepKind.ACT, action, observation, reward=self._score() - before, done=self._pulled is not None)

    def outcome(self) -> Outcome:
        """Return the verdict on the present state."""
        success = self._pulled == self._layout.lever
        return Outcome(success, self._score(), StopReason.SOLVED if success else StopReason.FAILED)

    def expert(self) -> str | None:
        """Return the next action: deal with the first door that is not open, and fetch its key before; then pull."""
        if self._pulled is not None:
            return None
        blocked = next((at for at, door in enumerate(self._doors) if door != "open"), len(self._doors))
        if blocked == len(self._doors):
            return f"pull {self._layout.lever} lever" if self._at_end() else "go east"
        wanted = self._layout.keys[blocked] if self._needs_key(blocked) else blocked
        if self._room != wanted:
            return "go east" if self._room < wanted else "go west"
        if self._needs_key(blocked):
            return f"take {COLOURS[blocked]} key"
        return "open door" if self._doors[blocked] == "closed" else f"unlock door with {COLOURS[blocked]} key"

    def sample(self, rng: np.random.Generator) -> str | None:
        """Return a random action that can be made good again: never a lever."""
        choices = self._reversible() if self._pulled is None else []
        return choices[int(rng.integers(len(choices)))] if choices else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing behind."""

    def _at_end(self) -> bool:
        return self._room == len(self._doors)

    def _needs_key(self, door: int) -> bool:
        return self._doors[door] == "locked" and door not in self._keys

    def _score(self) -> float:
        if self._pulled == self._layout.lever:
            return 100.0
        return float(99 * self._furthest // len(self._doors))

    def _reversible(self) -> list[str]:
        door = None if self._at_end() else self._doors[self._room]
        choices = ["go east"] if door == "open" else []
        choices += ["go west"] if self._room else []
        choices += ["open door"] if door == "closed" else []
        choices += [f"take {COLOURS[key]} key" for key in self._keys_here()]
        choices += (
            [f"unlock door with {COLOURS[self._room]} key"] if door == "locked" and self._room in self._keys else []
        )
        return [*choices, "look"]

    def _keys_here(self) -> list[int]:
        return [door for door, room in self._layout.keys.items() if room == self._room and door not in self._keys]

    def _do(self, action: str) -> str:
        verb, *rest = action.split()
        if verb == "pull":
            self._pulled = rest[0]
            right = self._pulled == self._layout.lever
            return f"The lever clicks: that was the {'right' if right else 'wrong'} one."
        if verb == "take":
            self._keys.add(COLOURS.index(rest[0]))
            return f"You take the {rest[0]} key."
        if verb in ("open", "unlock"):
            self._doors[self._room] = "open" if verb == "open" else "closed"
            return f"You {verb} the door."
        if verb == "go":
            self._room += 1 if rest == ["east"] else -1
            self._furthest = max(self._furthest, self._room)
        return self._room_text()

    def _room_text(self) -> str:
        parts = [f"You are in room {self._room + 1} of {len(self._doors) + 1}."]
        if self._at_end():
            parts.append("There are a red lever and a blue lever here.")
        elif self._doors[self._room] == "locked":
            parts.append(f"The door to the east is locked; its lock is {COLOURS[self._room]}.")
        else:
            parts.append(f"The door to the east is {self._doors[self._room]}.")
        keys = [f"a {COLOURS[key]} key" for key in self._keys_here()]
        parts.append(f"Here lies {' and '.join(keys)}." if keys else "There is nothing else here.")
        return " ".join(parts)


class FlakyCorridor(CorridorWorld):
    """The same world with an engine that breaks down on purpose.

    Args:
        n_tasks: as in CorridorWorld.
        length: as in CorridorWorld.
        fault_steps: numbers, from 1, of the step() calls in this object's life that raise EnvironmentFault.
        broken_tasks: ids of tasks whose sessions never start.
        kill_step: number of the step() call at which this process is killed with SIGKILL; 0 for none.
    """

    def __init__(
        self,
        *,
        n_tasks: int = 12,
        length: int = 5,
        fault_steps: Sequence[int] = (),
        broken_tasks: Sequence[str] = (),
        kill_step: int = 0,
    ) -> None:
        super().__init__(n_tasks=n_tasks, length=length)
        self._fault_steps = frozenset(fault_steps)
        self._broken_tasks = frozenset(broken_tasks)
        self._kill_step = kill_step
        self._calls = 0

    def start(self, task: Task) -> CorridorSession:
        """Start a session whose steps are counted. Raises EnvironmentFault for a broken task."""
        if task.id in self._broken_tasks:
            raise EnvironmentFault(f"corridor: the engine of {task.id} does not start")
        return FlakyCorridorSession(super().start(task).task, self._layouts[task.id], self)

    def count_step(self) -> None:
        """Count a step. Raises EnvironmentFault, or kills the process, when its number has come."""
        self._calls += 1
        if self._calls == self._kill_step:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._calls in self._fault_steps:
            raise EnvironmentFault(f"corridor: the engine broke down at step call {self._calls}")


class FlakyCorridorSession(CorridorSession):
    """A session that tells its world about each step before it is taken."""

    def __init__(self, task: Task, layout: Layout, world: FlakyCorridor) -> None:
        super().__init__(task, layout)
        self._world = world

    def step(self, action: str) -> Step:
        """Execute an action unless the world breaks down first."""
        self._world.count_step()
        return super().step(action)


def _layout(number: int, length: int) -> Layout:
    """Return the corridor of a task; equal numbers and lengths give equal corridors on every machine."""
    at = number // len(LEVERS) % len(PLACES)
    rng = Draws(0, "corridor").at(PLACES[at], length)
    rooms = max(2, length - int(rng.integers(3)))
    kinds: tuple[Door, ...] = ("open", "closed", "locked") if at % 2 else ("open", "closed")
    doors = [kinds[int(rng.integers(len(kinds)))] for _ in range(rooms - 1)]
    doors[-1] = "locked" if at % 2 else "closed"
    keys = {door: int(rng.integers(door + 1)) for door, kind in enumerate(doors) if kind == "locked"}
    return Layout(PLACES[at], LEVERS[number % len(LEVERS)], tuple(doors), keys)
