"""What a run adds up to: counts, costs by side and times, taken episode by episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Self

from harness.ledger.record import EpisodeRecord
from harness.statistics import mean
from harness.types import Phase, StepKind, Usage

Side = Literal["agent", "memory"]
_SIDE: dict[Phase, Side] = {
    "agent": "agent", "retrieve": "memory", "step": "memory", "update": "memory", "judge": "memory",
}  # fmt: skip


@dataclass(slots=True)
class Verdicts:
    """Verdicts of a set of tasks, each by its last trial."""

    n_scored: int = 0
    n_solved: int = 0
    n_infrastructure: int = 0
    """Tasks without a verdict; they are in neither of the others."""
    scores: list[float] = field(default_factory=list)
    """In the benchmark's own unit."""

    @property
    def success_rate(self) -> float | None:
        """Solved over scored, 0 to 1; None without a scored task."""
        return self.n_solved / self.n_scored if self.n_scored else None

    @property
    def mean_score(self) -> float | None:
        """Mean over the scored tasks; None without one."""
        return mean(self.scores)


@dataclass(slots=True)
class Tally:
    """Sums over the episodes of one run. Trials and episodes lost to infrastructure cost too, and are in the sums."""

    episodes: int = 0
    trials: int = 0
    """Highest trial seen."""
    steps: int = 0
    """Environment steps."""
    tool_steps: int = 0
    format_errors: int = 0
    chat: dict[Side, Usage] = field(default_factory=lambda: {"agent": Usage(), "memory": Usage()})
    """Calls to language models by whom they served; a judge serves the memory."""
    embedding: Usage = field(default_factory=Usage)
    recall_lines: int = 0
    recall_tokens: int = 0
    wall_s: float = 0.0
    agent_s: float = 0.0
    memory_s: float = 0.0
    engine_s: float = 0.0
    replays: int = 0
    """Further plays of episodes after infrastructure errors."""
    memory_items: int = 0
    """Items in the store after the last episode."""
    _last: dict[str, EpisodeRecord] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[EpisodeRecord]) -> Self:
        """Add up a run."""
        tally = cls()
        for record in records:
            tally.add(record)
        return tally

    def add(self, record: EpisodeRecord) -> None:
        """Add the next episode, in stream order."""
        kinds = Counter(step.kind for step in record.steps)
        self.episodes += 1
        self.trials = max(self.trials, record.trial)
        self.steps += kinds[StepKind.ACT]
        self.tool_steps += kinds[StepKind.TOOL]
        self.format_errors += kinds[StepKind.FORMAT_ERROR]
        for row in record.usage:
            if row.kind == "embedding":
                self.embedding += row.usage
            else:
                self.chat[_SIDE[row.phase]] += row.usage
        self.recall_lines += record.recall_lines
        self.recall_tokens += record.recall_tokens
        self.wall_s += record.time.wall_s
        self.agent_s += record.time.agent_s
        self.memory_s += record.time.memory_s
        self.engine_s += record.time.engine_s
        self.replays += record.time.attempts - 1
        self.memory_items = record.memory.items
        self._last[record.task.id] = record.model_copy(update={"steps": (), "observation": "", "update": None})

    @property
    def usage(self) -> Usage:
        """All calls, embeddings included."""
        return self.chat["agent"] + self.chat["memory"] + self.embedding

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts of all tasks."""
        return _verdicts(self._last.values())

    @property
    def families(self) -> dict[str, Verdicts]:
        """Verdicts by family, families sorted."""
        groups: dict[str, list[EpisodeRecord]] = {}
        for record in self._last.values():
            groups.setdefault(record.task.family, []).append(record)
        return {family: _verdicts(groups[family]) for family in sorted(groups)}

    @property
    def stops(self) -> Counter[str]:
        """How many tasks ended for each stop reason, or ``infrastructure: ERROR``; by the last trial."""
        return Counter(_stop(record) for record in self._last.values())


def _verdicts(records: Iterable[EpisodeRecord]) -> Verdicts:
    found = Verdicts()
    for record in records:
        if record.outcome is None:
            found.n_infrastructure += 1
            continue
        found.n_scored += 1
        found.n_solved += record.outcome.success
        found.scores.append(record.outcome.score)
    return found


def _stop(record: EpisodeRecord) -> str:
    if record.outcome is not None:
        return record.outcome.stop.value
    return f"infrastructure: {record.infrastructure.error if record.infrastructure else 'unknown'}"
