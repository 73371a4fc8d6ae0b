"""Plays one task of the corridor with given answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from baselines.none import NoMemory
from harness.agents.prompts import Prompts
from harness.agents.react import ReactAgent
from harness.types import Episode, Limits, Recall, RecallItem, StepKind, Usage
from tests.fakes.flaky_backbone import Answer, FlakyBackbone
from tests.worlds.corridor import CorridorWorld

WORLD = CorridorWorld(n_tasks=8, length=5)
PROMPTS = Prompts.load(WORLD.prompts)
TASK = WORLD.tasks()[2]
GENEROUS = Limits(max_steps=50)
RECALL = Recall((RecallItem("m1", "note", 0.5, "open doors first", ("other",)),), "Remember:")


def gold() -> list[str]:
    session = WORLD.start(TASK)
    actions = []
    while (action := session.expert()) is not None:
        session.step(action)
        actions.append(action)
    return actions


def play(
    answers: Sequence[Answer],
    *,
    limits: Limits = GENEROUS,
    memory: NoMemory | None = None,
    recall: Recall | None = None,
    usage: Usage | None = None,
    **settings: Any,
) -> tuple[Episode, FlakyBackbone]:
    backbone = FlakyBackbone(answers, usage)
    agent = ReactAgent(backbone=backbone, prompts=PROMPTS, **settings)
    with WORLD.start(TASK) as session:
        episode = agent.solve(session, TASK, 1, NoMemory() if memory is None else memory, recall or Recall(), limits)
    return episode, backbone


def kinds(episode: Episode) -> list[StepKind]:
    return [step.kind for step in episode.steps]
