"""A row of a paper's table is what its file says; an override that unsays it would make its name a lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from harness.config.overrides import CONFIGS

MISSING = object()


def unsaid(row: str | None, asked: Mapping[str, Any], choices: Mapping[str, str | None]) -> list[str]:
    """Return a sentence for each thing that a row sets and the configuration has otherwise.

    What a row takes from elsewhere (``${...}``) cannot be unsaid.
    """
    file = CONFIGS / "row" / f"{row}.yaml"
    if row is None or not file.is_file():
        return []
    said = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    found = []
    for entry in said.pop("defaults", []):
        for group, member in entry.items() if isinstance(entry, Mapping) else ():
            name = str(group).removeprefix("override").strip().lstrip("/")
            if choices.get(name) != member:
                found.append(f"row={row} is a row of {name}={member}, but {name}={choices.get(name)} was asked for")
    for path, value in _leaves(said):
        got = _at(asked, path)
        if got != value and "${" not in str(value):
            shown = "nothing" if got is MISSING else repr(got)
            found.append(f"row={row} sets {'.'.join(path)} to {value!r}, but it is {shown}; leave one of the two out")
    return found


def _leaves(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, (*path, str(key)))
        else:
            yield (*path, str(key)), value


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return MISSING
        values = values[key]
    return values
