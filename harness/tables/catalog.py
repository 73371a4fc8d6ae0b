"""Finding a table by its name, and writing it: a new table is one module with ``build``, and maybe ``draw``."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
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

Draw = Callable[[Table, Path], list[Path]]

PAPERS = ("evograph", "strata")
"""Whose tables beyond its own numbers are called ``PAPER_WORD``."""
_NUMBERED = re.compile(r"(?:(?P<paper>[a-z]+)_)?(?P<kind>table|fig)(?P<number>\d+)")
_WORD = re.compile(rf"(?P<paper>{'|'.join(PAPERS)})_(?P<word>[a-z]+)")


def table_names() -> list[str]:
    """Return the names of all tables there are: ``1``, ``evograph-1``, ``strata-fig3``, ``strata-scaling``, ..."""
    modules = [module.name for module in pkgutil.iter_modules(harness.tables.__path__)]
    numbered = [m for module in modules if (m := _NUMBERED.fullmatch(module))]
    keys = sorted((m["paper"] or "", m["kind"] == "fig", int(m["number"])) for m in numbered)
    words = sorted(f"{m['paper']}-{m['word']}" for module in modules if (m := _WORD.fullmatch(module)))
    return [*(_name(paper, figure, number) for paper, figure, number in keys), *words]


def find_table(name: str) -> Build:
    """Return what builds a table. Raises ConfigError, with what was meant, for an unknown name."""
    return cast(Build, _module(name).build)


def find_drawing(name: str) -> Draw | None:
    """Return what draws a table's figure into a folder, or None. Raises ConfigError for an unknown name."""
    return cast(Draw | None, getattr(_module(name), "draw", None))


def needs_runs(name: str) -> bool:
    """Return whether a table is made from runs, as nearly all are. Raises ConfigError for an unknown name."""
    return bool(getattr(_module(name), "NEEDS_RUNS", True))


def _module(name: str) -> ModuleType:
    names = table_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}"
        raise ConfigError(f"got table {name!r}; {hint}")
    paper, _, rest = name.rpartition("-")
    module = f"table{rest}" if rest.isdecimal() else rest
    return importlib.import_module(f"harness.tables.{f'{paper}_{module}' if paper else module}")


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
