"""JSON files of a saved memory: the same bytes for the same contents, everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write one object."""
    path.write_bytes(json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=1).encode("utf-8"))


def read_json(path: Path) -> Any:
    """Return the object in a file."""
    return json.loads(path.read_bytes())


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one object a line."""
    lines = [json.dumps(row, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
    path.write_bytes("".join(lines).encode("utf-8"))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of lines."""
    return [json.loads(line) for line in path.read_bytes().decode("utf-8").split("\n")[:-1]]
