"""What STRATA logged of itself over a run, added up: the diagnostics that its tables print.

The log is the notes of each episode's update, as JSON: a table needs no method's code to read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

from harness.ledger.reading import Run
from harness.ledger.record import EpisodeRecord


class Round(NamedTuple):
    """What regret needs to know of one episode."""

    family: str
    template: str
    deleted: tuple[Mapping[str, Any], ...]
    """The workflows deleted after it, each with the family and template it was made from."""


def regret(rounds: Sequence[Round], by: Literal["template", "family"]) -> tuple[int, int]:
    """Return how many deleted workflows saw their task type recur in a later episode, and how many were deleted."""
    last = {getattr(each, by): at for at, each in enumerate(rounds)}
    deleted = [(at, row[by]) for at, each in enumerate(rounds) for row in each.deleted]
    return sum(last.get(kind, -1) > at for at, kind in deleted), len(deleted)


def growth(counts: Sequence[int]) -> tuple[float | None, float | None]:
    """Return by how much a count grows an episode, over the first and the second half; None for fewer than 4."""
    if len(counts) < 4:
        return None, None
    middle = len(counts) // 2
    halves = ([0, *counts[:middle]], counts[middle - 1 :])
    first, second = ((half[-1] - half[0]) / (len(half) - 1) for half in halves)
    return first, second


@dataclass(slots=True)
class GraphLog:
    """The log of one run. Figures that nothing was logged for are None."""

    rounds: list[Round] = field(default_factory=list)
    last: Mapping[str, Any] = field(default_factory=dict)
    """Notes of the last round."""
    decisions: Counter[str] = field(default_factory=Counter)
    workflows: list[int] = field(default_factory=list)
    """Live workflows after each round."""
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What was read in each task, by task id."""
    episodes: int = 0
    with_meta: int = 0
    """Episodes before which at least one meta was injected."""
    lines: int = 0
    contrasted: int = 0
    """Contrast edges ever added, those of deleted workflows included."""

    @classmethod
    def of(cls, run: Run) -> Self:
        """Read a run's episodes once. Raises LedgerError for a damaged run."""
        log = cls()
        for record in run.records():
            log._add(record)
        return log

    def _add(self, record: EpisodeRecord) -> None:
        if record.outcome is None:
            return
        self.episodes += 1
        self.lines += record.recall_lines
        self.with_meta += any(item.kind == "meta" for item in record.recall.items)
        notes: Mapping[str, Any] = record.update.notes if record.update else {}
        deleted = tuple(notes.get("collection", {}).get("deleted", ()))
        self.rounds.append(Round(record.task.family, record.task.template, deleted))
        if "nodes" not in notes:
            return
        self.last = notes
        self.decisions[notes["reflection"]["decision"]] += 1
        self.workflows.append(notes["nodes"]["workflow"])
        self.contrasted += notes["contrasts_added"]
        if "tags" in notes["reflection"]:
            self.tags[record.task.id] = tuple(notes["reflection"]["tags"])

    def logged(self, *path: str) -> float | None:
        """Return a number of the last round's notes."""
        below: Any = self.last
        for key in path:
            below = below.get(key) if isinstance(below, Mapping) else None
        return float(below) if isinstance(below, int | float) else None

    def counted(self, kind: str, *path: str) -> float | None:
        """Return the sum of some counts below a key of the last round's notes, such as the atomic nodes."""
        found = [value for key in path if (value := self.logged(kind, key)) is not None]
        return sum(found) if found else None

    def percent(self, *path: str) -> float | None:
        """Return a fraction of the last round's notes as a percentage."""
        value = self.logged(*path)
        return None if value is None else 100.0 * value

    def decided(self, decision: str) -> float | None:
        """Return how many episodes ended in a decision of reflection."""
        return float(self.decisions[decision]) if self.workflows else None

    def regret_percent(self, by: Literal["template", "family"]) -> float | None:
        """Return the share of deleted workflows whose task type recurs later; None where nothing was deleted."""
        regretted, deleted = regret(self.rounds, by)
        return 100.0 * regretted / deleted if deleted else None

    def injection_percent(self) -> float | None:
        """Return the share of episodes with a meta injected."""
        return 100.0 * self.with_meta / self.episodes if self.episodes else None

    def mean_lines(self) -> float | None:
        """Return the injected lines an episode."""
        return self.lines / self.episodes if self.episodes else None

    def grown(self, half: Literal[0, 1]) -> float | None:
        """Return the workflows gained an episode in one half of the stream."""
        return growth(self.workflows)[half]

    def ratio(self, kind: Literal["workflow", "meta"]) -> float | None:
        """Return tasks a workflow, or workflows a meta; None where there is none."""
        over, under = {
            "workflow": (float(len(self.workflows)), self.logged("nodes", "workflow")),
            "meta": (self.logged("nodes", "workflow"), self.logged("nodes", "meta")),
        }[kind]
        return over / under if over is not None and under else None


def tag_coverage(logs: Iterable[GraphLog]) -> tuple[int, int, int]:
    """Return how many tasks had their tags logged, and in how many of them an operator and an object were read."""
    tags: dict[str, tuple[str, ...]] = {}
    for log in logs:
        tags |= log.tags
    named = [sum(any(tag.startswith(space) for tag in found) for found in tags.values()) for space in ("op:", "obj:")]
    return len(tags), named[0], named[1]
