"""Voyager: a library of skills, each written from an episode that worked and found by its description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from baselines.g_memory.asking import Asker, call_of, embed_one
from baselines.g_memory.condensing import TEXT_CHARS, Answer, Text, outcome_text
from baselines.g_memory.files import read_json, write_json
from baselines.g_memory.settings import Count, Group, Keeping, Natural, Recalling
from baselines.g_memory.trajectory import clean, clean_lines, query_text, states, task_text, trajectory_text
from baselines.g_memory.vectors import Vectors
from baselines.look_alike import DISCLOSURE, PROMPTS, LookAlike, TwoForms, prompts_of
from harness.agents.layout import TASK
from harness.protocols import Backbone, Embedder
from harness.types import Episode, Experience, Recall, RecallItem, StreamInfo, Task, UpdateReport

HEADING = "Skills learned in earlier tasks:"
SKILLS, VECTORS = "skills.json", "skills.npy"


class Library(Group):
    """The library of the original form."""

    k: Count
    """Skills injected."""
    ask_first: bool
    """Whether the model says how it would do the task, and that is searched for together with the task."""
    lines: Count
    """Most lines of a program."""
    line_chars: Count
    """Longest line or description."""


class SkillAnswer(Answer):
    """A skill as written."""

    name: Text
    description: Text
    program: list[Text] = Field(min_length=1, max_length=200)


class PlanAnswer(Answer):
    """How a task would be done."""

    plan: Text


@dataclass(frozen=True, slots=True)
class Skill:
    """One version of a skill."""

    name: str
    description: str
    program: tuple[str, ...]
    task_id: str
    version: int
    """1, 2, ... of one name; the latest is used, the others are kept and never found."""

    @property
    def id(self) -> str:
        """Name and version."""
        return f"{self.name} V{self.version}"


class SkillLibrary:
    """The original form: skills of solved episodes, embedded by description."""

    def __init__(self, asker: Asker, embedder: Embedder, keeping: Keeping, library: Library) -> None:
        self._asker, self._embedder = asker, embedder
        self._keeping, self._library = keeping, library
        self._become_empty()

    def _become_empty(self) -> None:
        self.skills: dict[str, Skill] = {}
        self.replaced: list[Skill] = []
        self._vectors = Vectors(self._embedder.dim)

    def begin(self, info: StreamInfo) -> None:
        """Take note of nothing."""

    def __len__(self) -> int:
        return len(self.skills)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return the skills of other tasks whose descriptions are nearest to the task and a plan for it."""
        held = list(self.skills.values())
        others = [at for at, skill in enumerate(held) if skill.task_id != task.id]
        if not others:
            return Recall()
        text = query_text(task, observation)
        scores = self._vectors.cosines(
            embed_one(self._embedder, self._query(text, task.id, trial), task.id, trial, "retrieve")
        )
        nearest = [others[at] for at in np.argsort(-scores[others], kind="stable").tolist()[: self._library.k]]
        items = [_item(held[at], float(scores[at])) for at in nearest]
        return Recall(tuple(items), HEADING)

    def _query(self, text: str, task_id: str, trial: int) -> str:
        if not self._library.ask_first:
            return text
        values = {"task": f"{TASK} {clean(text, TEXT_CHARS)}"}
        answer = self._asker.ask(PlanAnswer, values, call_of(task_id, trial, "retrieve", "plan"))
        return f"{text}\n{clean(answer.plan, TEXT_CHARS)}" if answer else text

    def update(self, experience: Experience) -> UpdateReport:
        """Write a skill from a solved episode; the feedback stands in for the critic that verifies programs."""
        notes: dict[str, object] = {"replaced": None}
        written: tuple[str, ...] = ()
        if experience.success and (skill := self._write(experience.episode)) is not None:
            vector = embed_one(self._embedder, skill.description, skill.task_id, experience.episode.trial, "update")
            old = self.skills.get(skill.name)
            skill = replace(skill, version=old.version + 1 if old else 1)
            if old:
                self.replaced.append(old)
                self._vectors.replace(list(self.skills).index(skill.name), vector)
                notes["replaced"] = old.id
            else:
                self._vectors.add(vector)
            self.skills[skill.name] = skill
            written = (skill.id,)
        return UpdateReport(len(self), written, {**notes, "unreadable": self._asker.take_unreadable()})

    def _write(self, episode: Episode) -> Skill | None:
        values = {
            "task": f"{TASK} {clean(task_text(episode), TEXT_CHARS)}",
            "trajectory": trajectory_text(states(episode, self._keeping, condensed=False)),
            "outcome": outcome_text(resolved=True),
        }
        answer = self._asker.ask(SkillAnswer, values, call_of(episode.task.id, episode.trial, "update", "skill"))
        if answer is None:
            return None
        limit = self._library.line_chars
        name, description = clean(answer.name, limit), clean(answer.description, limit)
        program = clean_lines(answer.program, limit, self._library.lines)
        if not (name and description and program):
            self._asker.unreadable["skill"] += 1
            return None
        return Skill(name, description, program, episode.task.id, 1)

    def save(self, folder: Path) -> None:
        """Write ``skills.json`` and ``skills.npy``."""
        state = {"skills": list(map(asdict, self.skills.values())), "replaced": list(map(asdict, self.replaced))}
        write_json(folder / SKILLS, state)
        self._vectors.save(folder / VECTORS)

    def load(self, folder: Path) -> None:
        """Become what was saved."""
        self._become_empty()
        state = read_json(folder / SKILLS)
        skills, self.replaced = ([Skill(**{**row, "program": tuple(row["program"])}) for row in state[key]]
                                 for key in ("skills", "replaced"))  # fmt: skip
        self.skills = {skill.name: skill for skill in skills}
        self._vectors.load(folder / VECTORS, len(self.skills))


class Voyager(TwoForms):
    """A skill library over solved episodes, or its look-alike in G-Memory's repository.

    Args:
        backbone: writes skills, plans and summaries.
        embedder: makes the vectors of descriptions and queries.
        mode: how faithful the original form is; the look-alike is always ``repo``.
        variant: ``original`` or ``gmemory``.
        keeping: what is kept of a trajectory.
        repairs: how often an unreadable answer is asked for again.
        library: read by variant original.
        recalling: read by variant gmemory.
    """

    name = "voyager"
    prompts: Sequence[Path] = prompts_of("plan", "skill")
    """Its prompt templates."""

    def __init__(
        self,
        *,
        backbone: Backbone,
        embedder: Embedder,
        mode: Literal["paper"],
        variant: Literal["original", "gmemory"],
        keeping: Keeping,
        repairs: Natural,
        library: Library,
        recalling: Recalling,
    ) -> None:
        self.variant = variant
        if variant == "gmemory":
            self.mode = "repo"
            self.disclosures: Sequence[str] = (DISCLOSURE,)
            self._form = LookAlike(
                backbone, embedder, summarize=True, keeping=keeping, recalling=recalling, repairs=repairs
            )
        else:
            self.mode = mode
            self.disclosures = (
                "Voyager is carried over from Minecraft: a program is a list of actions with parameters, and the "
                "stream's feedback stands in for the critic; name, program and description come from one call.",
            )
            self._form = SkillLibrary(Asker(backbone, PROMPTS, repairs), embedder, keeping, library)


def _item(skill: Skill, score: float) -> RecallItem:
    lines = [f"Skill: {skill.name}", f"Use: {skill.description}", "Program:"]
    lines += [f"{number}. {line}" for number, line in enumerate(skill.program, 1)]
    return RecallItem(skill.id, "skill", score, "\n".join(lines), (skill.task_id,))
