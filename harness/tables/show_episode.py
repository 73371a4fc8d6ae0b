"""One episode as a person would read it: what was remembered, thought, done and seen, and what was learned."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from harness.ledger.reading import Run
from harness.ledger.record import EpisodeRecord
from harness.statistics import round_half_up
from harness.tables.plain import plain
from harness.tables.show_run import dollars
from harness.types import RecallItem, Step, StepKind, Usage

_KINDS = {StepKind.ACT: ">", StepKind.TOOL: "tool>", StepKind.FORMAT_ERROR: "unreadable>"}


def print_episode(record: EpisodeRecord, run: Run, console: Console) -> None:
    """Print an episode. Whatever a model or an engine said is shown as it is, and does nothing to the terminal."""
    _Page(record, run, console).print()


class _Page:
    """The parts of the page, in reading order."""

    def __init__(self, record: EpisodeRecord, run: Run, console: Console) -> None:
        self._record = record
        self._run = run
        self._console = console

    def print(self) -> None:
        record = self._record
        trial = f" · trial {record.trial}" if record.trial > 1 else ""
        place = f"{record.index + 1} of {self._run.lock.n_planned}"
        self._line(f"{record.task.id} · episode {place}{trial} · family {record.task.family}", "bold")
        self._line(self._run.name, "dim")
        self._section("Task")
        self._line(record.task.text, indent=2)
        self._recall()
        self._section("First observation")
        self._line(record.observation, "dim", indent=2)
        self._section(f"Steps ({len(record.steps)})")
        for number, step in enumerate(record.steps, start=1):
            self._step(number, step)
        self._dropped()
        self._outcome()
        self._learned()
        self._cost()

    def _line(self, text: str, style: str = "", indent: int = 0) -> None:
        self._console.print(Padding(Text(plain(text), style=style), (0, 0, 0, indent), expand=False))

    def _section(self, title: str) -> None:
        self._console.print()
        self._line(title, "bold cyan")

    def _recall(self) -> None:
        record = self._record
        n = len(record.recall.items)
        size = f"{n} item{'s' if n != 1 else ''}, {record.recall_lines} lines, about {record.recall_tokens} tokens"
        self._section(f"Memory injected: {size if n else 'nothing'}")
        if record.recall.heading:
            self._line(record.recall.heading, "italic", indent=2)
        for item in record.recall.items:
            self._line(_provenance(item), "yellow", indent=2)
            self._line(item.text, indent=4)

    def _step(self, number: int, step: Step) -> None:
        if step.thought:
            self._line(step.thought, "italic dim", indent=5)
        head = Text(f"{number:>3}  ", style="dim").append(f"{_KINDS[step.kind]} ", style="green")
        head.append(plain(step.action), style="bold")
        if step.reward:
            head.append(f"  {'+' if step.reward > 0 else ''}{round_half_up(step.reward, 2)}", style="magenta")
        self._console.print(head)
        self._line(step.observation, "dim", indent=7)
        if step.done:
            self._line("the environment ended the episode", "dim italic", indent=7)

    def _dropped(self) -> None:
        for dropped in self._record.dropped:
            items = f"memory items {', '.join(dropped.items)}" if dropped.items else ""
            steps = f"the {dropped.steps} oldest steps" if dropped.steps else ""
            what = " and ".join(part for part in (items, steps) if part)
            self._line(f"The prompt of step {dropped.step} left out {what}: over the token budget.", "yellow", indent=2)

    def _outcome(self) -> None:
        record = self._record
        self._section("Outcome")
        if record.infrastructure:
            lost = f"lost to infrastructure, not scored: {record.infrastructure.error}: {record.infrastructure.message}"
            self._line(lost, "red", indent=2)
        if record.outcome:
            verdict = "solved" if record.outcome.success else "not solved"
            stop = record.outcome.stop.value
            told = f"{verdict} · score {round_half_up(record.outcome.score, 2)} · ended by {stop}"
            self._line(told, "green" if record.outcome.success else "red", indent=2)
        if record.metrics:
            shown = " · ".join(f"{name} {round_half_up(value, 3)}" for name, value in sorted(record.metrics.items()))
            self._line(shown, "dim", indent=2)

    def _learned(self) -> None:
        record = self._record
        self._section("What the memory learned")
        if record.update is None:
            self._line("nothing: it was not asked to", "dim", indent=2)
            return
        saw = {None: "no verdict", True: "a success", False: "a failure"}[record.feedback.success]
        written = ", ".join(record.update.written) or "nothing"
        self._line(
            f"It was shown {saw} (source: {record.feedback.source}), wrote {written}, and holds "
            f"{record.update.items} items.", indent=2,
        )  # fmt: skip
        if record.update.notes:
            self._line(json.dumps(dict(record.update.notes), indent=2, ensure_ascii=False), "dim", indent=2)

    def _cost(self) -> None:
        record = self._record
        self._section("Cost")
        for phase in dict.fromkeys(row.phase for row in record.usage):
            rows = [row for row in record.usage if row.phase == phase]
            for kind in dict.fromkeys(row.kind for row in rows):
                usage = _sum(row.usage for row in rows if row.kind == kind)
                calls = f"{usage.calls:>4} call{' ' if usage.calls == 1 else 's'}"
                self._line(
                    f"{phase:<9}{kind:<10}{calls} {usage.prompt_tokens:>8,} tokens in "
                    f"{usage.completion_tokens:>6,} out  {dollars(usage.cost_usd)}", indent=2,
                )  # fmt: skip
        time = record.time
        seconds = [time.wall_s, time.agent_s, time.memory_s, time.engine_s]
        wall, agent, memory, engine = (round_half_up(value, 1) for value in seconds)
        plays = f" · played {time.attempts} times" if time.attempts > 1 else ""
        self._line(f"{wall} s: agent's model {agent}, memory {memory}, engine {engine}{plays}", "dim", indent=2)


def _provenance(item: RecallItem) -> str:
    born = f", from {', '.join(item.born)}" if item.born else ""
    return f"{item.id} · {item.kind} · score {round_half_up(item.score, 3)}{born}"


def _sum(usages: Iterable[Usage]) -> Usage:
    total = Usage()
    for usage in usages:
        total += usage
    return total
