"""The prompts speak of this world: the examples were really played, and the actions named exist."""

from __future__ import annotations

import re

from envs.pddl import PDDL
from envs.pddl.session import CHECK, LOOK
from harness.agents.prompts import Prompts

PLAYED = {"generator_seed": 1913, "gripper": 1, "blockworld": 1, "barman": 1, "tyreworld": 1}
"""The set that the examples were taken from; no configuration uses it."""


def test_the_examples_are_episodes_really_played() -> None:
    environment = PDDL(**PLAYED)  # type: ignore[arg-type]
    tasks = {task.text: task for task in environment.tasks()}
    heading, *examples = Prompts.load(PDDL.prompts).fewshots.split("\n\n")
    assert heading.endswith("examples:")
    assert len(examples) == 3
    for example in examples:
        instruction, *turns = re.split(r"\n(?=Observation: |Thought: |Action: )", example)
        with environment.start(tasks[instruction.removeprefix("Task: ")]) as session:
            told = session.observation
            for turn in turns:
                if turn.startswith("Observation: "):
                    assert turn.removeprefix("Observation: ") == told
                elif turn.startswith("Action: "):
                    told = session.step(turn.removeprefix("Action: ")).observation
            assert session.outcome().success


def test_every_action_named_in_the_instructions_exists_and_every_kind_of_action_is_named() -> None:
    named = set(re.findall(r"`([^`]+)`", Prompts.load(PDDL.prompts).system)) - {CHECK, LOOK}
    environment = PDDL(gripper=1, blockworld=1, barman=20, tyreworld=2)
    meaning: dict[str, str] = {}
    kinds: set[str] = set()
    for task in environment.tasks():
        with environment.start(task) as session:
            board = session._board
        meaning |= {text: action.atom[0] for text, action in zip(board.commands, board.world.actions, strict=True)}
        kinds |= board.game.family.actions.keys()
    assert not named - meaning.keys()
    assert {meaning[text] for text in named} == kinds
