"""ALFWorld (Shridhar et al. 2021, arXiv:2010.03768): household tasks in text, on TextWorld."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated

from envs.alfworld import wheel
from envs.alfworld.forkserver import Forkserver
from envs.alfworld.games import Game, load_games, source_name
from envs.alfworld.generator import generate
from envs.alfworld.session import ALFWorldSession
from harness.errors import ConfigError
from harness.types import RUNTIME, ExpertKind, Task

GENERATED = "generated"


class ALFWorld:
    """The six task types of ALFWorld; the family of a task is its type, its template type and object.

    Args:
        games: ``generated``, or a folder or tar archive of games as ALFWorld publishes them (one split).
            ``$ALFWORLD_DATA`` in it is where ``alfworld-download`` puts its data, by default ~/.cache/alfworld.
        per_type: Generated games of each of the six types. Counts only where games are generated.
        generator_seed: Seed of the generated games. Counts only where games are generated.
        start_timeout_s: Seconds until a started game must have answered; importing the engine is included once.
        step_timeout_s: Seconds until a step must have been answered.
    """

    name = "alfworld"
    metrics: tuple[str, ...] = ("sr",)
    expert_kind: ExpertKind = "exact"
    deterministic = True
    offers_actions = True
    prompts = Path(__file__).with_name("prompts")

    def __init__(
        self,
        *,
        games: str = GENERATED,
        per_type: int = 25,
        generator_seed: int = 0,
        start_timeout_s: Annotated[float, RUNTIME] = 120.0,
        step_timeout_s: Annotated[float, RUNTIME] = 60.0,
    ) -> None:
        if per_type < 1 or generator_seed < 0:
            raise ConfigError(
                f"env.per_type={per_type} and env.generator_seed={generator_seed}: expected at least 1 and at least 0"
            )
        if start_timeout_s <= 0 or step_timeout_s <= 0:
            raise ConfigError(
                f"env timeouts must be above 0 s, got start {start_timeout_s:g} and step {step_timeout_s:g}"
            )
        self._source = games
        self._per_type = per_type
        self._seed = generator_seed
        self._start_timeout_s = start_timeout_s
        self._step_timeout_s = step_timeout_s
        self._forkserver: Forkserver | None = None

    @property
    def variant(self) -> str:
        """``generated``, or the name of the folder or archive of games, such as ``valid_unseen``."""
        return GENERATED if self._source == GENERATED else source_name(self._source)

    @property
    def disclosures(self) -> Sequence[str]:
        """Say so where the games are not ALFWorld's own."""
        if self._source != GENERATED:
            return ()
        return (
            f"ALFWorld's games are generated ({self._per_type} of each of the six types, seed {self._seed}), not the "
            "published ones: success rates do not compare with published figures.",
        )

    def tasks(self) -> Sequence[Task]:
        """Return the tasks: files sorted by path; generated ones with the six types taking turns.

        No engine is started. Raises ConfigError where alfworld or the games are missing, or a game is damaged.
        """
        return [self._task(game) for game in self._games.values()]

    def start(self, task: Task) -> ALFWorldSession:
        """Start a game in a process of its own.

        Raises ConfigError for a task that is not in this set, EnvironmentFault where the engine does not come up.
        """
        if task.id not in self._games:
            raise ConfigError(f"ALFWorld's games ({self.variant}) have no task {task.id!r}; take tasks from tasks()")
        game = self._games[task.id]
        if self._forkserver is None or not self._forkserver.alive:
            self.close()
            self._forkserver = Forkserver(timeout_s=self._start_timeout_s)
        player = self._forkserver.start(game.read(), timeout_s=self._start_timeout_s)
        observation = player.receive(timeout_s=self._start_timeout_s)["observation"]
        return ALFWorldSession(self._task(game), player, observation, timeout_s=self._step_timeout_s)

    def digests(self) -> Mapping[str, str]:
        """Return one sha256 over all games (ids and file texts, in order), and the versions of the engine."""
        from importlib.metadata import version

        digest = hashlib.sha256()
        for game in self._games.values():
            digest.update(f"{game.id}\0{game.sha256}\n".encode())
        packages = ("alfworld", "textworld", "fast-downward-textworld")
        return {"games": digest.hexdigest()} | {package: f"version {version(package)}" for package in packages}

    def close(self) -> None:
        """End the engine's processes. May be called twice."""
        if self._forkserver is not None:
            self._forkserver.close()
            self._forkserver = None

    @cached_property
    def _games(self) -> Mapping[str, Game]:
        wheel.locate()
        games = generate(self._seed, self._per_type) if self._source == GENERATED else load_games(self._source)
        return {game.id: game for game in games}

    def _task(self, game: Game) -> Task:
        goal = game.goal
        return Task(game.id, self.name, game.instruction, goal.family, f"{goal.family}-{goal.object}")
