"""Which tasks a stream plays, and in which order."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.config.schema import TaskSettings
from harness.config.signature import meant, validate
from harness.errors import ConfigError
from harness.seeds import Draws
from harness.types import Task

SLICE = re.compile(r"(-?\d*):(-?\d*)(?::(-?\d+))?")


class _Selection(BaseModel):
    """The mapping form of ``env.tasks``; its conditions apply one after the other, as listed here."""

    model_config = ConfigDict(extra="forbid", strict=True)

    ids: list[str] | None = None
    families: list[str] | None = None
    slice: str | None = None
    per_family: int | None = None
    """At most so many of each family, the first in dataset order."""
    count: int | None = None
    """At most so many in all, the first in dataset order."""


def plan(tasks: Sequence[Task], settings: TaskSettings, draws: Draws) -> tuple[Task, ...]:
    """Return the tasks of a stream: selected in dataset order, so that every seed plays the same ones, then ordered.

    Raises ConfigError for doubled ids, unknown ids or families, and a selection that leaves nothing.
    """
    doubled = sorted(task_id for task_id, n in Counter(task.id for task in tasks).items() if n > 1)
    if doubled:
        raise ConfigError(f"the environment lists the task {doubled[0]!r} twice ({len(doubled)} such ids)")
    chosen = _select(list(tasks), settings.tasks)
    if not chosen:
        raise ConfigError(f"env.tasks: got {settings.tasks!r}, which selects none of the {len(tasks)} tasks")
    return tuple(_ORDERS[settings.order](chosen, draws))


def _select(tasks: list[Task], wanted: Any) -> list[Task]:
    match wanted:
        case None:
            return tasks
        case int():
            return _first(tasks, wanted)
        case str() if SLICE.fullmatch(wanted):
            return _slice(tasks, wanted)
        case str():
            return _by_id(tasks, [wanted])
        case list():
            return _by_id(tasks, wanted)
        case _:
            return _by_conditions(tasks, wanted)


def _by_conditions(tasks: list[Task], wanted: Mapping[str, Any]) -> list[Task]:
    selection = validate(_Selection, wanted, "env.tasks")
    if selection.ids is not None:
        tasks = _by_id(tasks, selection.ids)
    if selection.families is not None:
        tasks = _by_family(tasks, selection.families)
    if selection.slice is not None:
        tasks = _slice(tasks, selection.slice)
    if selection.per_family is not None:
        seen: Counter[str] = Counter()
        tasks = [task for task in tasks if not seen.update([task.family]) and seen[task.family] <= selection.per_family]
    return tasks if selection.count is None else _first(tasks, selection.count)


def _first(tasks: list[Task], count: int) -> list[Task]:
    if count < 1:
        raise ConfigError(f"env.tasks: got {count}, expected 1 or more (null plays all {len(tasks)})")
    return tasks[:count]


def _slice(tasks: list[Task], text: str) -> list[Task]:
    match = SLICE.fullmatch(text)
    if match is None or match.group(3) == "0":
        raise ConfigError(f"env.tasks: got the slice {text!r}, expected first:last or first:last:step")
    return tasks[slice(*(int(part) if part else None for part in match.groups()))]


def _by_id(tasks: list[Task], ids: Sequence[str]) -> list[Task]:
    known = {task.id: task for task in tasks}
    for task_id in ids:
        if task_id not in known:
            told = textwrap.shorten(meant(str(task_id), known), 300, placeholder=" …")
            raise ConfigError(f"env.tasks: no task {task_id!r} among the {len(tasks)}{told}")
    return [task for task in tasks if task.id in set(ids)]


def _by_family(tasks: list[Task], families: Sequence[str]) -> list[Task]:
    known = {task.family for task in tasks}
    for family in families:
        if family not in known:
            raise ConfigError(f"env.tasks.families: no family {family!r}{meant(str(family), known)}")
    return [task for task in tasks if task.family in set(families)]


def _shuffled(tasks: list[Task], draws: Draws) -> list[Task]:
    return [tasks[i] for i in draws.at("shuffled").permutation(len(tasks))]


def _grouped(tasks: list[Task], draws: Draws) -> list[Task]:
    first_seen = {family: n for n, family in reversed(list(enumerate(task.family for task in tasks)))}
    return sorted(tasks, key=lambda task: first_seen[task.family])


_ORDERS: dict[str, Callable[[list[Task], Draws], list[Task]]] = {
    "dataset": lambda tasks, draws: tasks,
    "shuffled": _shuffled,
    "grouped": _grouped,
}
