"""Answers memory-writing calls by rule: values from a schema's field names and types and the prompt's text alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from harness.backbones.apprentice.facts import Facts, read_facts
from harness.backbones.apprentice.values import fill, lesson, minimal
from harness.types import Message, Phase

_TEXT_WORDS = 60
_REPAIRS = 20


def write(messages: Sequence[Message], schema: type[BaseModel] | None, *, phase: Phase) -> str:
    """Return JSON of the schema, or without one a short extract of the prompt (a judge's is one word)."""
    facts = read_facts(messages)
    if schema is not None:
        return json.dumps(instance(schema, facts), ensure_ascii=False)
    if phase == "judge":
        return "success" if facts.success else "failure"
    return extract(facts)


def extract(facts: Facts) -> str:
    """Return what a prompt comes to, in at most 60 words: the procedure that worked, or what to avoid."""
    return " ".join(lesson(facts).split()[:_TEXT_WORDS])


def instance(schema: type[BaseModel], facts: Facts) -> Any:
    """Return a value that validates: fields that the schema refuses become the smallest it takes.

    A schema that refuses even that (a validator of its own) gets the smallest value all the same.
    """
    spec = schema.model_json_schema()
    defs = spec.get("$defs", {})
    value = fill("", spec, facts, defs)
    for _ in range(_REPAIRS):
        refused = _refused(schema, value)
        if refused is None:
            return value
        if not (isinstance(value, dict) and refused in value):
            break
        if refused in spec.get("required", ()):
            smallest = minimal(spec["properties"][refused], defs)
            if value[refused] == smallest:
                break
            value[refused] = smallest
        else:
            del value[refused]
    return minimal(spec, defs)


def _refused(schema: type[BaseModel], value: Any) -> str | None:
    """Return the first top-level field that does not validate; None where all is well."""
    try:
        schema.model_validate_json(json.dumps(value))
    except ValidationError as error:
        place: Mapping[str, Any] = dict(error.errors(include_url=False, include_context=False)[0])
        return str(place["loc"][0]) if place["loc"] else ""
    return None
