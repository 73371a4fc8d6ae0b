"""How memory-writing calls are answered by rule, with schemas the rules have never seen."""

from __future__ import annotations

import json
from datetime import date
from enum import Enum
from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from harness.backbones.apprentice.facts import read_facts
from harness.backbones.apprentice.writing import instance, write
from harness.types import Message

SOLVED = """Task: put a clean mug in cabinet
Thought: first the mug
Action: go to fridge 1
Observation: Nothing happens.
Action: take mug 2 from desk 1
Observation: You take the mug.
Action: clean mug 2 with sinkbasin 1
Observation: Clean.
Action: put mug 2 in cabinet 4
Observation: Done.
Outcome: success"""
FAILED = """Task: boil water
Action: focus on oven
Observation: ok
Action: heat water
Observation: Invalid action.
Result: failure"""


class Kind(Enum):
    EPISODE_OK = "success_case"
    EPISODE_BAD = "failure_case"


class Stage(BaseModel):
    action: str
    reason: str | None = None


class Recipe(BaseModel):
    """A schema of a kitchen, not of any memory."""

    title: Annotated[str, Field(max_length=20)]
    kind: Kind
    tags: list[str]
    workflow: list[str]
    stages: Annotated[list[Stage], Field(max_length=2)]
    pitfalls: list[str]
    importance: Annotated[int, Field(ge=1, le=10)]
    confidence: Annotated[float, Field(gt=0, lt=1)]
    solved: bool
    step_count: int
    invented_on: date


class Verdict(BaseModel):
    """Another one."""

    decision: Literal["create", "merge", "discard"]
    target_index: Annotated[int, Field(ge=0)]
    neighbour_ids: list[int]
    ops: list[str]
    objects: Annotated[list[str], Field(min_length=3)]
    explanation: str
    child: Verdict | None = None


def test_a_solved_trajectory_becomes_an_abstract_procedure() -> None:
    got = Recipe.model_validate_json(write([Message("user", SOLVED)], Recipe, phase="update"))
    assert got.workflow == ["go to fridge", "take {obj} from desk", "clean {obj} with sinkbasin", "put {obj} in {obj2}"]
    assert got.pitfalls == ["go to fridge 1"]
    assert got.kind is Kind.EPISODE_OK
    assert {"op:clean", "op:put", "obj:mug", "obj:cabinet"} <= set(got.tags)
    assert [stage.action for stage in got.stages] == ["go to fridge", "take {obj} from desk"]
    assert (got.solved, got.step_count, got.importance) == (True, 4, 8)


def test_a_failed_one_becomes_a_pitfall_and_no_procedure() -> None:
    got = Recipe.model_validate_json(write([Message("user", FAILED)], Recipe, phase="update"))
    assert got.workflow == []
    assert got.pitfalls == ["heat water"]
    assert got.kind is Kind.EPISODE_BAD
    assert not got.solved


def test_listed_candidates_about_the_task_are_merged_with_and_others_are_not() -> None:
    near = SOLVED + "\nExisting notes:\n[4] heat an egg\n[7] put a clean mug in a cabinet"
    got = Verdict.model_validate_json(write([Message("user", near)], Verdict, phase="update"))
    assert (got.decision, got.target_index, got.neighbour_ids) == ("merge", 7, [7])
    assert got.ops == ["op:put", "op:clean"]
    assert len(got.objects) == 3
    far = SOLVED + "\nExisting notes:\n[4] heat an egg"
    assert Verdict.model_validate_json(write([Message("user", far)], Verdict, phase="update")).decision == "create"


def test_a_schema_that_refuses_a_value_gets_the_smallest_one() -> None:
    class Picky(BaseModel):
        title: str
        note: str = "n"

        @field_validator("title")
        @classmethod
        def short(cls, value: str) -> str:
            if len(value) > 3:
                raise ValueError("too long")
            return value

    assert Picky.model_validate_json(write([Message("user", SOLVED)], Picky, phase="update")).title == ""


def test_without_a_schema_the_answer_is_a_short_extract() -> None:
    text = write([Message("user", SOLVED)], None, phase="update")
    assert "clean {obj} with sinkbasin" in text
    assert len(text.split()) <= 60
    assert write([Message("user", FAILED)], None, phase="judge") == "failure"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.sampled_from([Recipe, Verdict]))
def test_whatever_the_prompt_the_answer_validates(text: str, schema: type[BaseModel]) -> None:
    value = instance(schema, read_facts([Message("user", text)]))
    assert schema.model_validate_json(json.dumps(value))


@pytest.mark.parametrize(
    "text", ["", "word " * 10_000, "Action: " * 5_000, "1. a\n" * 5_000, "(" * 50_000, "a: " * 15_000]
)
def test_a_hostile_prompt_takes_no_long_time(text: str) -> None:
    assert Recipe.model_validate_json(write([Message("user", text)], Recipe, phase="update"))
