"""PDDL (AgentBoard, Ma et al. 2024, arXiv:2401.13178): gripper, blockworld, barman and tyreworld, in text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from envs.pddl.generator import generate
from envs.pddl.problems import Game, Source, folder_sources, read
from envs.pddl.session import Board, PDDLSession
from harness.errors import ConfigError
from harness.types import ExpertKind, Task

GENERATED = "generated"


class PDDL:
    """Problems of four planning domains; a task's family is its domain, its template domain and size.

    The score is AgentBoard's progress rate: the greatest share of goal literals that was true after any action that
    changed something, from 0 at the start.

    Args:
        problems: ``generated``, or a folder laid out as AgentBoard's data: ``<domain>.pddl`` and beside it a folder
            ``<domain>`` of problems, for one or more of the four domains.
        gripper: Generated problems of gripper. This and the next four count only where problems are generated.
        blockworld: Generated problems of blockworld.
        barman: Generated problems of barman.
        tyreworld: Generated problems of tyreworld.
        generator_seed: Seed of the generated problems.
    """

    name = "pddl"
    metrics: tuple[str, ...] = ("progress", "sr")
    expert_kind: ExpertKind = "exact"
    deterministic = True
    offers_actions = True
    prompts = Path(__file__).with_name("prompts")

    def __init__(
        self,
        *,
        problems: str = GENERATED,
        gripper: int = 20,
        blockworld: int = 10,
        barman: int = 20,
        tyreworld: int = 10,
        generator_seed: int = 0,
    ) -> None:
        self._counts = {"gripper": gripper, "blockworld": blockworld, "barman": barman, "tyreworld": tyreworld}
        if min(self._counts.values()) < 0 or not any(self._counts.values()) or generator_seed < 0:
            told = ", ".join(f"env.{name}={count}" for name, count in self._counts.items())
            raise ConfigError(
                f"{told} and env.generator_seed={generator_seed}: expected no negative number and at least one problem"
            )
        self._source = problems
        self._seed = generator_seed
        self._boards: dict[str, Board] = {}

    @property
    def variant(self) -> str:
        """``generated``, or the name of the folder of problems."""
        return GENERATED if self._source == GENERATED else self._folder.resolve().name

    @property
    def disclosures(self) -> Sequence[str]:
        """Say whose texts these are and, where they are not AgentBoard's, whose problems."""
        texts = "PDDL's actions, observations and prompts are in this project's own words, not AgentBoard's."
        if self._source != GENERATED:
            return (texts,)
        counts = ", ".join(f"{count} {name}" for name, count in self._counts.items())
        return (
            texts,
            f"PDDL's problems are generated ({counts}; seed {self._seed}), not AgentBoard's 60: progress rates do not "
            "compare with published figures.",
        )

    def tasks(self) -> Sequence[Task]:
        """Return the tasks: a folder's by domain, in AgentBoard's order; of generated ones the domains take turns.

        Raises ConfigError where the package pddl or the problems are missing, or one cannot be played.
        """
        return [self._task(game) for game in self._games.values()]

    def start(self, task: Task) -> PDDLSession:
        """Start a problem. Raises ConfigError for a task that is not in this set."""
        if task.id not in self._games:
            raise ConfigError(f"PDDL's problems ({self.variant}) have no task {task.id!r}; take tasks from tasks()")
        game = self._games[task.id]
        if task.id not in self._boards:
            self._boards[task.id] = Board(game)
        return PDDLSession(self._task(game), self._boards[task.id])

    def digests(self) -> Mapping[str, str]:
        """Return one sha256 over all problems (ids, domains and problems, in order), and the parser's version."""
        from importlib.metadata import version

        digest = hashlib.sha256()
        for source in self._sources:
            for part in (source.id, source.domain, source.problem):
                digest.update(hashlib.sha256(part.encode()).digest())
        return {"problems": digest.hexdigest(), "pddl": f"version {version('pddl')}"}

    def close(self) -> None:
        """Forget the problems made ready. May be called twice."""
        self._boards.clear()

    @property
    def _folder(self) -> Path:
        return Path(self._source).expanduser()

    @cached_property
    def _sources(self) -> Sequence[Source]:
        return generate(self._seed, self._counts) if self._source == GENERATED else folder_sources(self._folder)

    @cached_property
    def _games(self) -> Mapping[str, Game]:
        return read(self._sources)

    def _task(self, game: Game) -> Task:
        return Task(game.id, self.name, game.instruction, game.family.name, game.template)
