"""Structured answers: ask for JSON of a pydantic model, and ask again, a bounded number of times, when it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from harness.backbones.extract import extract_json
from harness.errors import ContextOverflow, ParseError
from harness.protocols import Backbone
from harness.types import Call, Completion, Message

M = TypeVar("M", bound=BaseModel)

_SHOWN_CHARS = 4000
"""How much of a wrong answer is shown to the model again."""
_SHOWN_PROBLEMS = 5


@cache
def json_schema(schema: type[BaseModel]) -> dict[str, object]:
    """Return the JSON schema of a model; made once a class."""
    return schema.model_json_schema()


def ask(backbone: Backbone, messages: Sequence[Message], schema: type[M], *, call: Call, repairs: int = 2) -> M:
    """Return the model's answer as an object of the schema.

    A wrong answer is sent back with what is wrong with it, up to ``repairs`` times, each with a higher
    ``call.ordinal``. The messages should say what the fields mean: not every server enforces a schema.

    Raises:
        ParseError: No answer was of the schema; the text says why, and holds no more than the start of the answer.
        ContextOverflow: Already the first prompt is too long.
        BackboneError, BudgetExhausted: From the backbone.
    """
    problem, shown = "", list(messages)
    for attempt in range(repairs + 1):
        try:
            completion = backbone.complete(shown, call=replace(call, ordinal=call.ordinal + attempt), schema=schema)
        except ContextOverflow:
            if attempt == 0:
                raise
            break
        try:
            return parse_answer(completion, schema)
        except ParseError as error:
            problem = str(error)
            shown = [*messages, *_repair(completion, problem)]
    raise ParseError(f"{schema.__name__}: no readable answer in {attempt + 1} attempts: {problem}")


def parse_answer(completion: Completion, schema: type[M]) -> M:
    """Return the object in an answer. Raises ParseError saying in a few lines what is wrong with it."""
    value = extract_json(completion.text, truncated=completion.finish != "stop")
    try:
        return schema.model_validate(value)
    except (ValidationError, RecursionError) as error:
        raise ParseError(_explain(error)) from None


def _explain(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "the answer is nested too deep"
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{'.'.join(map(str, found['loc'])) or 'answer'}: {found['msg']}" for found in problems]
    return "; ".join(line[:200] for line in lines[:_SHOWN_PROBLEMS])


def _repair(completion: Completion, problem: str) -> list[Message]:
    hint = " It was cut off at the length limit: answer more briefly." if completion.finish == "length" else ""
    request = Message(
        "user",
        f"That answer cannot be used: {problem}.{hint} Answer again, with the whole JSON object and nothing else.",
    )
    # Providers refuse an empty assistant message.
    said = completion.text[:_SHOWN_CHARS]
    return [Message("assistant", said), request] if said.strip() else [request]
