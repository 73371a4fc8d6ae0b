"""Structured answers from hostile models."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from harness.backbones.structured import ask
from harness.errors import ContextOverflow, ParseError, TransientBackboneError
from harness.types import Call, Completion, Message, Usage
from tests.fakes.flaky_backbone import FlakyBackbone

CALL = Call(task_id="t", trial=1, phase="update", role="reflector")
MESSAGES = [Message("user", "Judge it.")]


class Note(BaseModel):
    """What a memory writes."""

    model_config = ConfigDict(allow_inf_nan=False)

    title: str
    score: float
    tags: list[str]


GOOD = json.dumps({"title": "ünïcode 鍋", "score": 0.5, "tags": ["a"]}, ensure_ascii=False)


def test_a_good_answer_is_asked_for_once() -> None:
    backbone = FlakyBackbone([GOOD])
    note = ask(backbone, MESSAGES, Note, call=CALL)
    assert (note.title, note.score, note.tags) == ("ünïcode 鍋", 0.5, ["a"])
    assert len(backbone.calls) == 1


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "I would rather not.",
        "[1, 2]",
        '[{"title": "x", "score": 1, "tags": []}]',
        '{"title": "x", "score": NaN, "tags": []}',
        '{"title": "x", "score": 1e999, "tags": []}',
        '{"title": 5, "score": "high", "tags": "a"}',
        '{"title": "x", "score": {"deep": 1}, "tags": []}',
        '{"title": null}',
        '{"title": "x", "score": ' + "9" * 5000 + ', "tags": []}',
        '{"a":' * 3000,
        "{" * 100_000,
        "x" * 300_000,
    ],
)
def test_a_bad_answer_is_sent_back_with_what_is_wrong_and_the_next_one_counts(bad: str) -> None:
    backbone = FlakyBackbone([bad, GOOD])
    assert ask(backbone, MESSAGES, Note, call=CALL).score == 0.5
    assert [call.ordinal for call in backbone.calls] == [0, 1]
    repair = backbone.prompts[1]
    assert repair[: len(MESSAGES)] == MESSAGES
    assert "cannot be used" in repair[-1].content
    assert sum(len(message.content) for message in repair) < 6000
    assert all(message.content for message in repair)


def test_asking_again_is_bounded_and_ends_in_a_short_parse_error() -> None:
    backbone = FlakyBackbone(['{"title": "' + "x" * 20_000 + '"}'])
    with pytest.raises(ParseError, match=r"Note: no readable answer in 3 attempts: score: Field required") as caught:
        ask(backbone, MESSAGES, Note, call=CALL)
    assert len(backbone.calls) == 3
    assert len(str(caught.value)) < 2000
    with pytest.raises(ParseError):
        ask(backbone, MESSAGES, Note, call=CALL, repairs=0)
    assert len(backbone.calls) == 4


def test_a_cut_off_answer_is_not_completed_but_asked_for_more_briefly() -> None:
    cut = Completion('{"title": "x", "score": 1, "tags": ["a"', "length", Usage(calls=1))
    backbone = FlakyBackbone([cut, GOOD])
    assert ask(backbone, MESSAGES, Note, call=CALL).title == "ünïcode 鍋"
    assert "more briefly" in backbone.prompts[1][-1].content


def test_a_first_prompt_that_is_too_long_is_the_callers_and_a_repair_that_is_too_long_gives_up() -> None:
    with pytest.raises(ContextOverflow):
        ask(FlakyBackbone([ContextOverflow("long")]), MESSAGES, Note, call=CALL)
    backbone = FlakyBackbone(["no", ContextOverflow("long")])
    with pytest.raises(ParseError):
        ask(backbone, MESSAGES, Note, call=CALL)
    assert len(backbone.calls) == 2


def test_infrastructure_errors_pass_through() -> None:
    with pytest.raises(TransientBackboneError):
        ask(FlakyBackbone([TransientBackboneError("down")]), MESSAGES, Note, call=CALL)


def test_a_deep_value_in_a_field_of_any_type_is_refused() -> None:
    class Loose(BaseModel):
        data: Any

    deep = '{"data": ' + "[" * 200 + "]" * 200 + "}"
    with pytest.raises(ParseError, match="deeper"):
        ask(FlakyBackbone([deep]), MESSAGES, Loose, call=CALL, repairs=0)
