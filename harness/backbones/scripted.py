"""Replays a given script, faults and all: for tests and fault injection."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel

from harness import errors
from harness.backbones.apprentice.writing import write
from harness.backbones.stand_in import answer
from harness.errors import ConfigError, HarnessError, TransientBackboneError
from harness.types import Call, Completion, Message

_FINISH = ("stop", "length", "filter")
_EVERY = "*"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One answer of a script."""

    text: str = ""
    reasoning: str = ""
    finish: Literal["stop", "length", "filter"] = "stop"
    error: str | None = None
    """Name of a class of ``harness.errors``, raised in place of the answer."""
    times: int | None = None
    """How often the error comes before the answer does, in this process; None is always."""
    retry_after_s: float | None = None
    delay_s: float = 0.0


class ScriptedBackbone:
    """Replays answers that are a function of the call alone, so that a resumed or repeated run replays the same.

    An agent's call at step n gets the n-th answer of its task's list; where the script ends, its last answer
    repeats. A call that asks again for the same thing (ordinal 1, 2, ...) gets the same answer, unless the answer is
    a list: that is indexed by the ordinal, its last one repeating. Other calls (other phases, or with a schema) are
    looked up in ``writings`` by role and indexed by the ordinal; without an entry they are answered by rule.

    An answer is a text; null (the model said nothing); or a mapping with any of ``text``, ``reasoning``, ``finish``
    (stop, length, filter), ``delay_s``, ``error`` (a class of ``harness.errors``, such as TransientBackboneError),
    ``times`` (the error comes so often, then the answer; counted for each call in this process) and
    ``retry_after_s``.

    Args:
        answers: The agent's answers: one list for all tasks, or a mapping from task id (``*`` for all others) to one.
        writings: A mapping from role (``*`` for all others) to the list of answers of its calls; None is by rule.
        file: A YAML or JSON file with the keys ``answers`` and ``writings``, in place of the two.
    """

    id = "scripted"
    real = False
    disclosures: Sequence[str] = ("SCRIPTED answers, not a language model: for tests and fault injection only.",)

    def __init__(
        self,
        *,
        answers: list[Any] | dict[str, list[Any]] | None = None,
        writings: dict[str, list[Any]] | None = None,
        file: Path | None = None,
    ) -> None:
        if (answers is None) == (file is None):
            raise ConfigError("backbone=scripted takes backbone.answers or backbone.file: give exactly one of them.")
        if file is not None:
            answers, writings = _load(file)
        self._answers = _scripts("answers", {_EVERY: answers} if isinstance(answers, list) else answers)
        self._writings = _scripts("writings", writings or {})
        self._digest = hashlib.sha256(json.dumps([answers, writings], sort_keys=True).encode()).hexdigest()
        self._raised: Counter[tuple[object, ...]] = Counter()

    def settings(self) -> Mapping[str, object]:
        """Return the script's sha256."""
        return {"script_sha256": self._digest}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Return the script's answer to this call, or raise the error that it names."""
        agent = schema is None and call.phase == "agent"
        script = _script(self._answers, call.task_id) if agent else _script(self._writings, call.role)
        if script is None:
            text = "" if agent else write(messages, schema, phase=call.phase)
            return answer(self.id, messages, text)
        at, again = (max(call.step, 1) - 1, call.ordinal) if agent else (call.ordinal, 0)
        entries = script[min(at, len(script) - 1)]
        entry = entries[min(again, len(entries) - 1)]
        time.sleep(entry.delay_s)
        key = (call.task_id, call.trial, call.phase, call.role, call.step, call.ordinal)
        if entry.error is not None and (entry.times is None or self._raised[key] < entry.times):
            self._raised[key] += 1
            raise _error(entry)
        return replace(answer(self.id, messages, entry.text, entry.reasoning), finish=entry.finish)


def _script(scripts: Mapping[str, list[list[_Entry]]], name: str) -> list[list[_Entry]] | None:
    return scripts.get(name, scripts.get(_EVERY))


def _load(file: Path) -> tuple[Any, Any]:
    """Read a script file; JSON is YAML, so one reader does."""
    import yaml

    try:
        script = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"backbone.file: cannot read the script {file}: {error}") from error
    if not isinstance(script, dict) or "answers" not in script or not set(script) <= {"answers", "writings"}:
        raise ConfigError(f"backbone.file: {file} must be a mapping with the key answers and, if wanted, writings.")
    return script["answers"], script.get("writings")


def _scripts(name: str, given: object) -> dict[str, list[list[_Entry]]]:
    """Check a script as configured; each answer becomes the list of its entries by ordinal."""
    if not isinstance(given, Mapping) or not all(isinstance(v, list) and v for v in given.values()):
        raise ConfigError(f"backbone.{name}: expected a list with at least one answer, or a mapping to such lists.")
    return {
        str(key): [
            [_entry(name, one) for one in (value if isinstance(value, list) and value else [value])] for value in values
        ]
        for key, values in given.items()
    }


def _entry(name: str, given: object) -> _Entry:
    if given is None or isinstance(given, str):
        return _Entry(text=given or "")
    fields = set(_Entry.__dataclass_fields__)
    if not isinstance(given, Mapping) or not set(given) <= fields:
        raise ConfigError(
            f"backbone.{name}: an answer is a text, null, or a mapping of {sorted(fields)}; got {given!r}."
        )
    entry = _Entry(**cast("dict[str, Any]", {**given, "text": given.get("text") or ""}))
    if entry.finish not in _FINISH:
        raise ConfigError(f"backbone.{name}: finish is one of {', '.join(_FINISH)}; got {entry.finish!r}.")
    if entry.error is not None:
        _error(entry)
    return entry


def _error(entry: _Entry) -> HarnessError:
    kind = getattr(errors, str(entry.error), None)
    if not (isinstance(kind, type) and issubclass(kind, HarnessError)):
        raise ConfigError(f"backbone.answers: no error {entry.error!r}; the names are the classes of harness.errors.")
    if issubclass(kind, TransientBackboneError):
        return kind("scripted fault", retry_after_s=entry.retry_after_s)
    return kind("scripted fault")
