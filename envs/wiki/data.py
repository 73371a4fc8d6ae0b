"""Reads questions, claims and pages out of files as HotpotQA and FEVER publish them, or as our own corpus has them."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from envs.wiki.pages import Page
from envs.wiki.sentences import split_sentences
from envs.wiki.titles import plain_title
from harness.errors import ConfigError

Label = Literal["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]


class Question(BaseModel):
    """One question of HotpotQA."""

    id: str = Field(validation_alias=AliasChoices("id", "_id"))
    question: str
    answer: str
    type: Literal["bridge", "comparison"]
    supporting_facts: list[tuple[str, int]]
    """Title and sentence number, from 0."""
    context: list[tuple[str, list[str]]] = []
    """Title and sentences of the pages that come with it."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The supporting pages, in the order to read them."""
        return tuple(dict.fromkeys(_title(title) for title, _ in self.supporting_facts))


class Claim(BaseModel):
    """One claim of FEVER."""

    id: int | str
    claim: str
    label: Label
    evidence: list[list[tuple[int | None, int | None, str | None, int | None]]]
    """Sets of (annotation, evidence id, title, sentence number); one set is enough, all of it is needed."""

    @property
    def title_sets(self) -> list[tuple[str, ...]]:
        """The pages of each set of evidence; empty where nothing is evidence."""
        sets = ([_title(row[2]) for row in rows if row[2]] for rows in self.evidence)
        return [tuple(dict.fromkeys(titles)) for titles in sets if titles]


class PageRow(BaseModel):
    """One page, as sentences or as running text."""

    title: str
    sentences: list[str] | None = None
    text: str = ""

    def page(self) -> Page:
        """Return the page, its text split into sentences where that has not been done."""
        sentences = split_sentences(self.text) if self.sentences is None else _stripped(self.sentences)
        return Page(_title(self.title), sentences)


Row = TypeVar("Row", Question, Claim)
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Corpus(Generic[Row]):
    """What one source holds of one benchmark."""

    name: str
    """Name of the file of the tasks, without its ending."""
    rows: list[Row]
    pages: list[Page]
    """Pages of their own files first, then those that come with questions, each in file order."""
    files: tuple[Path, ...]
    """Every file that was used; they decide what the tasks are."""


def load_corpus(source: Path, kind: type[Row], remedy: str) -> Corpus[Row]:
    """Read the tasks of one kind, and all pages, from a folder; or from a file and the page files beside it.

    Files are .json (a list) or .jsonl. What a file holds is told by its first row: question and answer; claim, label
    and evidence; or title with text or sentences. Other files are left alone. Raises ConfigError, ending in the
    remedy, where there are no tasks or no pages, more than one file of tasks, or a damaged row.
    """
    if not source.exists():
        raise ConfigError(f"there is nothing at {source}: {remedy}")
    beside = sorted(path for path in (source if source.is_dir() else source.parent).iterdir() if path.is_file())
    kinds = {path: found for path in beside if (found := _kind(path)) is not None}
    tasks = [path for path, found in kinds.items() if found is kind and (source.is_dir() or path == source)]
    if len(tasks) != 1:
        names = ", ".join(path.name for path in tasks) or "none"
        raise ConfigError(f"{source}: expected one file of {kind.__name__.lower()}s, found {names}: {remedy}")
    page_files: list[Path] = [path for path, found in kinds.items() if found is PageRow]
    rows = list(load_rows(tasks[0], kind))
    pages = [row.page() for path in page_files for row in load_rows(path, PageRow)]
    pages += _context(rows)
    if not rows or not pages:
        raise ConfigError(f"{source} has {len(rows)} tasks and {len(pages)} pages, expected some of both: {remedy}")
    return Corpus(tasks[0].stem, rows, pages, (tasks[0], *page_files))


def load_rows(path: Path, model: type[Model]) -> Iterator[Model]:
    """Return the rows of one file, checked. Raises ConfigError, naming file and row, for a damaged one."""
    for number, row in enumerate(_rows(path), start=1):
        try:
            yield model.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ConfigError(f"{path}, row {number}, {where}: {first['msg'].lower()}: fetch it again") from error


def _context(rows: Iterable[Question | Claim]) -> list[Page]:
    seen: dict[str, Page] = {}
    for row in rows:
        for title, sentences in row.context if isinstance(row, Question) else ():
            if title not in seen:
                seen[title] = Page(_title(title), _stripped(sentences))
    return list(seen.values())


def _title(title: str) -> str:
    return html.unescape(plain_title(title))


def _stripped(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for sentence in sentences if (text := sentence.strip()))


def _kind(path: Path) -> type[BaseModel] | None:
    """Return what a file holds, by its first row."""
    if path.suffix not in (".json", ".jsonl"):
        return None
    row = next(_rows(path), None)
    keys = set(row) if isinstance(row, dict) else set()
    if {"question", "answer"} <= keys:
        return Question
    if {"claim", "label", "evidence"} <= keys:
        return Claim
    return PageRow if "title" in keys and keys & {"text", "sentences"} else None


def _rows(path: Path) -> Iterator[Any]:
    try:
        with path.open(encoding="utf-8") as file:
            if path.suffix == ".jsonl":
                yield from (json.loads(line) for line in file if line.strip())
            else:
                value = json.load(file)
                yield from value if isinstance(value, list) else [value]
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is damaged or unreadable ({error}): fetch it again") from error
