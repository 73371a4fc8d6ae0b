"""What a new query brings back: trajectories of like tasks, and the insights that those tasks speak for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pydantic import Field

from baselines.g_memory.asking import Asker
from baselines.g_memory.condensing import Answer
from baselines.g_memory.insights import Insight
from baselines.g_memory.queries import Hit, QueryGraph, QueryNode
from baselines.g_memory.settings import Counting, Fault, Recalling
from baselines.g_memory.trajectory import State, clean, trajectory_text
from harness.agents.layout import TASK
from harness.types import Call, RecallItem

HEADING = "From earlier tasks:"
INSIGHT, TRAJECTORY = "insight", "trajectory"
"""Kinds of items."""


class Relevance(Answer):
    """How much an episode helps with the new task."""

    score: int = Field(ge=1, le=10)


def grade(asker: Asker, hits: Sequence[Hit], query: str, keep: int, call: Call) -> list[Hit]:
    """Return the hits that the model grades highest, of equal ones the nearer first; one call a hit.

    A grade that cannot be read is below all others.
    """
    graded = []
    for number, hit in enumerate(hits):
        values = {"query": query, "task": hit.node.text, "trajectory": trajectory_text(hit.node.states)}
        answer = asker.ask(Relevance, values, call, again=number)
        graded.append((-(answer.score if answer else 0), number, hit))
    return [hit for _, _, hit in sorted(graded, key=lambda each: each[:2])][:keep]


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses trajectories: from the graph first, then by likeness alone.

    Args:
        k: how many nearest queries the graph is entered by.
    """

    asker: Asker
    settings: Recalling
    k: int
    faults: Collection[Fault] = ()

    def trajectories(self, graph: QueryGraph, ranking: Sequence[Hit], query: str, call: Call) -> list[Hit]:
        """Return solved episodes, then failed ones, as many of each as the settings say or as there are."""
        near = set(graph.subgraph(ranking, self.k, self.settings.hops))
        twice = 2 if self.settings.rate else 1
        solved = self._topped_up(ranking, near, resolved=True, wanted=twice * self.settings.successes)
        failed = self._topped_up(ranking, near, resolved=False, wanted=self.settings.failures)
        if self.settings.rate:
            solved = grade(self.asker, solved, clean(query, 1000), self.settings.successes, call)
        return [*solved, *failed]

    def _topped_up(self, ranking: Sequence[Hit], near: Collection[str], *, resolved: bool, wanted: int) -> list[Hit]:
        """Return so many episodes of one status: those of the subgraph, then the nearest others.

        With the fault the nearest of all take the place of the subgraph's, which then never counts.
        """
        of_status = [hit for hit in ranking if hit.node.resolved is resolved and hit.cosine >= self.settings.cosine]
        inside = [hit for hit in of_status if hit.node.id in near][:wanted]
        if len(inside) == wanted:
            return inside
        if "top_up_replaces" in self.faults:
            return of_status[:wanted]
        outside = [hit for hit in of_status if hit.node.id not in near]
        return [*inside, *outside[: wanted - len(inside)]]


def supported(
    rules: Sequence[Insight], ranking: Sequence[Hit], counting: Counting, task_id: str
) -> list[tuple[Insight, int]]:
    """Return the rules that most of the nearest queries speak for, with how many do; of equal ones the older first.

    The queries are the nearest solved and the nearest failed ones. Rules that a task went into are not for that task.
    """
    solved = [hit.node.id for hit in ranking if hit.node.resolved][: counting.successes]
    failed = [hit.node.id for hit in ranking if not hit.node.resolved][: counting.failures]
    counted = [(rule, len(set(rule.positives) & {*solved, *failed})) for rule in rules if task_id not in rule.born]
    found = [(rule, count) for rule, count in counted if count]
    return sorted(found, key=lambda pair: -pair[1])[: counting.insights]


def trajectory_item(hit: Hit, steps: int) -> RecallItem:
    """Return a past episode as it is injected: task, key steps, and the last of its steps."""
    return RecallItem(hit.node.id, TRAJECTORY, hit.cosine, episode_text(hit.node, steps), (hit.node.task_id,))


def episode_text(node: QueryNode, steps: int) -> str:
    """Return the text of a past episode."""
    lines = [f"{TASK} {node.text}", f"Outcome: {'solved' if node.resolved else 'failed'}"]
    if node.key_steps:
        lines += ["Key steps:", *(f"{number}. {step}" for number, step in enumerate(node.key_steps, 1))]
    if node.fail_reason:
        lines.append(f"Mistake to avoid: {node.fail_reason}")
    shown: tuple[State, ...] = node.states[-steps:]
    return "\n".join([*lines, *([trajectory_text(shown)] if shown else [])])


def insight_item(insight_id: str, text: str, score: float, born: Sequence[str], number: int) -> RecallItem:
    """Return an insight as it is injected, numbered from 1; the first one says what they are."""
    line = f"{number}. {text}"
    return RecallItem(insight_id, INSIGHT, score, f"Insights:\n{line}" if number == 1 else line, tuple(born))
