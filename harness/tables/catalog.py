"""Finding a table by its name, and writing it: a new table is one module with a ``build`` function."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import harness.tables
from harness.errors import ConfigError
from harness.ledger.durable import atomic_write
from harness.ledger.reading import Run
from harness.tables.model import Table
from harness.tables.paper import Reported
from harness.tables.to_csv import to_csv
from harness.tables.to_latex import to_latex
from harness.tables.to_markdown import to_markdown

Build = Callable[[Sequence[Run], Sequence[Reported]], Table]

_MODULE = re.compile(r"(?:(?P<paper>[a-z]+)_)?(?P<kind>table|fig)(?P<number>\d+)")


def table_names() -> list[str]:
    """Return the names of all tables there are: ``1``, ``evograph-1``, ``strata-fig3``, ..."""
    found = [_MODULE.fullmatch(module.name) for module in pkgutil.iter_modules(harness.tables.__path__)]
    keys = [(m["paper"] or "", m["kind"] == "fig", int(m["number"])) for m in found if m]
    return [_name(paper, figure, number) for paper, figure, number in sorted(keys)]


def find_table(name: str) -> Build:
    """Return what builds a table. Raises ConfigError, with what was meant, for an unknown name."""
    names = table_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}"
        raise ConfigError(f"got table {name!r}; {hint}")
    paper, _, rest = name.rpartition("-")
    module = rest if rest.startswith("fig") else f"table{rest}"
    found = importlib.import_module(f"harness.tables.{f'{paper}_{module}' if paper else module}")
    return cast(Build, found.build)


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write a table as Markdown, CSV and LaTeX, each replaced whole; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"md": to_markdown(table), "csv": to_csv(table), "tex": to_latex(table)}
    files = [folder / f"{table.name}.{suffix}" for suffix in texts]
    for file, text in zip(files, texts.values(), strict=True):
        atomic_write(file, text)
    return files


def _name(paper: str, figure: bool, number: int) -> str:
    rest = f"fig{number}" if figure else str(number)
    return f"{paper}-{rest}" if paper else rest
