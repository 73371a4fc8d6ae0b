"""Fine-tuning of insights: stored episodes are compared, and the model edits the rules that concern them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from baselines.g_memory.asking import Asker, call_of
from baselines.g_memory.condensing import Answer, Text, outcome_text
from baselines.g_memory.insights import Edit, Verb
from baselines.g_memory.queries import QueryGraph, QueryNode
from baselines.g_memory.settings import Fault, Finetuning
from baselines.g_memory.trajectory import clean, trajectory_text
from baselines.g_memory.vectors import Row
from harness.agents.layout import TASK
from harness.seeds import Draws
from harness.types import Episode

ROLE = "fine_tune"


class Rule(Protocol):
    """What fine-tuning must know of an insight."""

    id: str
    text: str
    positives: list[str]


class Operation(BaseModel):
    """One operation as answered."""

    model_config = ConfigDict(extra="ignore", defer_build=True)
    operation: Verb
    rule: int = 0
    """Number of the rule shown; 0 for ADD."""
    text: Text = ""


class Operations(Answer):
    """What to do with the rules."""

    operations: list[Operation] = Field(max_length=100)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Episodes that are looked at together: a solved and a failed one, or only solved ones."""

    queries: tuple[QueryNode, ...]
    around: tuple[str, ...]
    """Ids of all episodes of the point; they decide which rules are shown."""

    @property
    def prompt(self) -> str:
        """The prompt's name."""
        return "compare" if any(not query.resolved for query in self.queries) else "generalize"


@dataclass(frozen=True, slots=True)
class FineTuner:
    """Draws the points of a round and asks for operations.

    Args:
        draws: where the points come from; a draw is keyed by the number of stored episodes.
        line_chars: longest text of a rule.
    """

    asker: Asker
    draws: Draws
    settings: Finetuning
    line_chars: int
    faults: Collection[Fault] = ()

    def due(self, stored: int) -> bool:
        """Return whether a round follows when so many episodes are stored."""
        return stored >= self.settings.start and stored % self.settings.every == 0

    def round(
        self, graph: QueryGraph, episode: Episode, rules: Callable[[], Sequence[Rule]]
    ) -> Iterator[tuple[Comparison, Edit]]:
        """Yield each edit with the comparison it comes from; ``rules`` gives the list as the last edit left it.

        An operation on a rule that is not shown or that an edit before it dropped, and a text that does not end with
        a full stop, are counted as unreadable and left out.
        """
        for number, comparison in enumerate(self.comparisons(graph)):
            shown = [rule for rule in rules() if self._concerns(rule, comparison)]
            call = call_of(episode.task.id, episode.trial, "update", ROLE)
            values = {"rules": _listed(shown), "episodes": "\n\n".join(map(_shown, comparison.queries))}
            answer = self.asker.ask(Operations, values, call, prompt=comparison.prompt, again=number)
            for operation in answer.operations[: self.settings.operations] if answer else ():
                edit = self._edit(operation, shown, {rule.id for rule in rules()})
                if edit is None:
                    self.asker.unreadable[ROLE] += 1
                else:
                    yield comparison, edit

    def comparisons(self, graph: QueryGraph) -> list[Comparison]:
        """Return the comparisons of a round: for each random point one pair, and its solved episodes in chunks."""
        nodes = list(graph.nodes.values())
        chosen = self.draws.at(ROLE, len(nodes)).permutation(len(nodes))[: self.settings.points].tolist()
        found = []
        for at in chosen:
            solved, failed = self._around(graph, nodes[at], graph.vectors().rows[at])
            around = tuple(dict.fromkeys(query.id for query in (*solved, *failed)))
            pairs = [(solved[0], failed[0])] if solved and failed else []
            chunks = [tuple(solved[n : n + self.settings.chunk]) for n in range(0, len(solved), self.settings.chunk)]
            found += [Comparison(queries, around) for queries in [*pairs, *chunks]]
        return found

    def _around(self, graph: QueryGraph, point: QueryNode, vector: Row) -> tuple[list[QueryNode], list[QueryNode]]:
        """Return the solved and the failed episodes of a point, the point first; twice with the fault."""
        ranking = [hit.node for hit in graph.ranked(vector)]
        if "point_counted_twice" not in self.faults:
            ranking = [node for node in ranking if node.id != point.id]
        solved = [node for node in ranking if node.resolved][: self.settings.successes]
        failed = [node for node in ranking if not node.resolved][: self.settings.failures]
        return ([point, *solved], failed) if point.resolved else (solved, [point, *failed])

    def _concerns(self, rule: Rule, comparison: Comparison) -> bool:
        covered = len(set(rule.positives) & set(comparison.around))
        return covered >= self.settings.coverage * len(comparison.around)

    def _edit(self, operation: Operation, shown: Sequence[Rule], alive: Collection[str]) -> Edit | None:
        text = clean(operation.text, self.line_chars)
        needs_text = operation.operation in ("ADD", "EDIT")
        if needs_text and not text.endswith("."):
            return None
        if operation.operation == "ADD":
            return Edit("ADD", text, None)
        if operation.operation == "AGREE" and "agree_by_substring" in self.faults:
            return Edit("AGREE", text, None) if alive else None
        if not 1 <= operation.rule <= len(shown) or shown[operation.rule - 1].id not in alive:
            return None
        return Edit(operation.operation, text, shown[operation.rule - 1].id)


def _listed(rules: Sequence[Rule]) -> str:
    return "\n".join(f"{number}. {rule.text}" for number, rule in enumerate(rules, 1)) or "(none)"


def _shown(query: QueryNode) -> str:
    parts = [f"{TASK} {query.text}", trajectory_text(query.states)]
    parts += [f"Why it failed: {query.fail_reason}"] if query.fail_reason else []
    return "\n".join([part for part in parts if part] + [outcome_text(resolved=query.resolved)])
