"""Merging: tasks are clustered by first neighbours, and the rules of a cluster become fewer.

FINCH is from Sarfraz, Sharma and Stiefelhagen, "Efficient Parameter-free Clustering Using First Neighbor Relations".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from baselines.g_memory.asking import Asker, call_of
from baselines.g_memory.condensing import Answer, Text
from baselines.g_memory.insights import Insight, InsightList
from baselines.g_memory.queries import QueryGraph
from baselines.g_memory.settings import Fault, Merging
from baselines.g_memory.trajectory import clean_lines
from harness.agents.layout import TASK
from harness.types import Episode

ROLE = "merge"
_TASKS_SHOWN = 5


class Merged(Answer):
    """The rules that take the place of a batch."""

    rules: list[Text] = Field(max_length=100)


def finch(rows: NDArray[np.float32]) -> list[int]:
    """Return the cluster of each row, numbered in order of appearance: FINCH's first, finest partition.

    Two rows are joined where one is the other's nearest neighbour by cosine, or both have the same one. Rows have
    length 1; shape (n, dim). Of equally near neighbours the first counts.
    """
    if len(rows) < 2:
        return list(range(len(rows)))
    cosines = (rows.astype(np.float64) @ rows.astype(np.float64).T).round(6)
    np.fill_diagonal(cosines, -np.inf)
    nearest = cosines.argmax(axis=1).tolist()
    root = list(range(len(rows)))

    def find(at: int) -> int:
        while root[at] != at:
            root[at] = root[root[at]]
            at = root[at]
        return at

    for at, other in enumerate(nearest):
        root[max(find(at), find(other))] = min(find(at), find(other))
    order = {label: number for number, label in enumerate(dict.fromkeys(map(find, range(len(rows)))))}
    return [order[find(at)] for at in range(len(rows))]


@dataclass(frozen=True, slots=True)
class Merger:
    """Replaces the rules of each cluster of tasks by fewer ones."""

    asker: Asker
    settings: Merging
    line_chars: int
    faults: Collection[Fault] = ()

    def due(self, stored: int) -> bool:
        """Return whether a merge follows when so many episodes are stored."""
        return stored > 0 and stored % self.settings.every == 0

    def target(self, rules: int) -> int:
        """Return how many rules a batch is to become."""
        return (rules // 3) // 3 if "merge_asks_for_none" in self.faults else max(1, rules // 3)

    def merge(self, graph: QueryGraph, insights: InsightList, episode: Episode) -> int:
        """Replace the whole list, and return how many rules are new.

        A rule belongs to every cluster that a positive of it is in. A new rule has the score of a new one and all
        queries of its cluster for positives; negatives are lost. A batch whose answer cannot be read stays.
        """
        kept: dict[str, Insight] = {}
        made: list[Insight] = []
        number = 0
        for cluster in self._clusters(graph):
            related = [rule for rule in insights.rules if set(rule.positives) & set(cluster)]
            for begin in range(0, len(related), self.settings.batch):
                batch = related[begin : begin + self.settings.batch]
                texts = self._ask(batch, [graph.nodes[query].text for query in cluster[:_TASKS_SHOWN]], episode, number)
                number += 1
                if texts is None:
                    kept.update({rule.id: rule for rule in batch})
                    continue
                born = sorted({task for rule in batch for task in rule.born})
                made += [insights.new(text, cluster, born) for text in texts]
        insights.replace([*kept.values(), *made])
        return len(made)

    def _clusters(self, graph: QueryGraph) -> list[list[str]]:
        labels = finch(graph.vectors().rows)
        ids = list(graph.nodes)
        return [[ids[at] for at, found in enumerate(labels) if found == label] for label in dict.fromkeys(labels)]

    def _ask(
        self, batch: Sequence[Insight], tasks: Sequence[str], episode: Episode, number: int
    ) -> tuple[str, ...] | None:
        """Return the texts of the new rules; None where there is nothing to be read. With the fault none is an answer.

        The published code takes whatever comes; else no more than were asked for are taken.
        """
        target = self.target(len(batch))
        values = {
            "target": str(target),
            "tasks": "\n".join(f"{TASK} {text}" for text in tasks),
            "rules": "\n".join(f"{at}. {rule.text}" for at, rule in enumerate(batch, 1)),
        }
        call = call_of(episode.task.id, episode.trial, "update", ROLE)
        answer = self.asker.ask(Merged, values, call, again=number)
        if answer is None:
            return None
        faulty = "merge_asks_for_none" in self.faults
        texts = clean_lines(answer.rules, self.line_chars, len(answer.rules) if faulty else target)
        return texts if texts or faulty else None
