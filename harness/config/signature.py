"""The typed signature of a class is the schema of its configuration; nothing is declared twice."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
import typing
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from harness.errors import ConfigError
from harness.types import RUNTIME

M = TypeVar("M", bound=BaseModel)

INJECTED = frozenset({"backbone", "embedder", "draws", "prompts", "spent"})
"""Constructor arguments that the builder supplies; a configuration never names them."""


CHOSEN = {
    "train": "env@train",
    "memory.backbone": "backbone@memory.backbone",
    "judge.backbone": "backbone@judge.backbone",
}
"""How a member of a group is put under a key that is not the group's own."""


def load_class(dotted: str, where: str) -> type[Any]:
    """Import the class a ``_target_`` names. Raises ConfigError that says which part of it does not exist."""
    module_name, _, name = dotted.rpartition(".")
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"{where}._target_: got {dotted!r}, which cannot be imported ({error})") from error
    if not isinstance(found, type):
        raise ConfigError(f"{where}._target_: got {dotted!r}, which is no class")
    return found


def parameters(target: type[Any]) -> Mapping[str, inspect.Parameter]:
    """Return the constructor's arguments by name, with their annotations resolved."""
    hints = typing.get_type_hints(target.__init__, include_extras=True)
    found = dict(inspect.signature(target).parameters)
    return {name: p.replace(annotation=hints.get(name, Any)) for name, p in found.items()}


def schema_of(target: type[Any]) -> type[BaseModel]:
    """Return a strict pydantic model of a constructor's configurable arguments."""
    fields: dict[str, Any] = {}
    for name, parameter in parameters(target).items():
        if name in INJECTED:
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        loose = "Path" in str(parameter.annotation)
        fields[name] = (parameter.annotation, Field(default, strict=False) if loose else default)
    return create_model(target.__name__, __config__=ConfigDict(extra="forbid", strict=True), **fields)


def check(target: type[Any], values: Mapping[str, Any], where: str, also: Iterable[str] = ()) -> dict[str, Any]:
    """Return the constructor's arguments, defaults filled in. Raises ConfigError naming each wrong key.

    Keys in ``also`` belong to the same group but to somebody else: they are only suggested for a misspelt one.
    """
    checked = validate(schema_of(target), values, where, also)
    return {name: getattr(checked, name) for name in type(checked).model_fields}


def validate(model: type[M], values: Mapping[str, Any], where: str, also: Iterable[str] = ()) -> M:
    """Validate values against a model. Raises ConfigError with one line a problem, and what was meant if it is near."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        known = [*model.model_fields, *also]
        lines = [_explain(problem, known, where) for problem in error.errors(include_url=False)]
        raise ConfigError("\n".join(dict.fromkeys(lines))) from error


def _explain(problem: Any, known: Iterable[str], where: str) -> str:
    path = ".".join(str(part) for part in problem["loc"])
    key = f"{where}.{path}".lstrip(".")
    if problem["type"] == "extra_forbidden":
        return f"{key}: unknown key{meant(path, known)}"
    if problem["type"] == "missing":
        return f"{key}: missing; set it with {key}=..."
    if problem["type"] == "dict_type" and key in CHOSEN:
        return no_member(key, problem["input"])
    return f"{key}: got {problem['input']!r} ({type(problem['input']).__name__}); {_lower_first(problem['msg'])}"


def no_member(where: str, got: object) -> str:
    """Return what to say about a value where a member of a group has to be."""
    return f"{where}: got {got!r}, expected a member of the group: {CHOSEN.get(where, where)}=NAME"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def meant(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean X?`` or the list of what there is."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; known here: {', '.join(names)}" if names else "; nothing can be set here"


def runtime_fields(target: type[Any] | type[BaseModel]) -> Collection[str]:
    """Return the names of the settings that cannot change results."""
    if issubclass(target, BaseModel):
        return {name for name, field in target.model_fields.items() if _is_runtime_field(field)}
    return {name for name, p in parameters(target).items() if _is_runtime(p.annotation)}


def _is_runtime(annotation: Any) -> bool:
    return get_origin(annotation) is Annotated and RUNTIME in get_args(annotation)[1:]


def _is_runtime_field(field: FieldInfo) -> bool:
    return RUNTIME in field.metadata


def plain(value: Any) -> Any:
    """Return a value as JSON would hold it: paths as text, tuples as lists, groups of settings as mappings."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    return value


def slug(text: str, width: int = 60) -> str:
    """Return text safe for a file name on every system: letters, digits, dots, dashes, underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._-")[:width]
