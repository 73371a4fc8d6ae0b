"""The highest tier: a list of rules with scores and the queries that speak for and against them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from baselines.g_memory.files import read_json, write_json
from baselines.g_memory.queries import QueryNode

INSIGHTS = "insights.json"
NEW_SCORE, AGREE_GAIN, REMOVE_COST, REMOVE_COST_FULL = 2, 1, 1, 3
SOLVED_GAIN, FAILED_COST = 1, 2
"""What the score of a shown rule gains or loses with the episode."""

Verb = Literal["ADD", "AGREE", "EDIT", "REMOVE"]


@dataclass(slots=True)
class Insight:
    """One rule."""

    id: str
    text: str
    score: int
    positives: list[str]
    """Ids of the queries that speak for it."""
    negatives: list[str] = field(default_factory=list)
    """Ids of the queries that speak against it."""
    born: list[str] = field(default_factory=list)
    """Ids of the tasks its text was made from."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One operation on the list, checked."""

    verb: Verb
    text: str
    """Of ADD and EDIT; for AGREE what the answer quoted."""
    target: str | None
    """Id of the rule concerned; None for ADD."""


class InsightList:
    """The rules, oldest first.

    Args:
        full: length from which on REMOVE costs more.
        by_substring: whether AGREE finds its rule by a piece of text (a fault of the published code).
    """

    def __init__(self, full: int, *, by_substring: bool = False) -> None:
        self._full, self._by_substring = full, by_substring
        self._made = 0
        self.rules: list[Insight] = []

    def __len__(self) -> int:
        return len(self.rules)

    def new(self, text: str, positives: Sequence[str], born: Sequence[str]) -> Insight:
        """Return a rule with the score of a new one; it is not in the list yet."""
        self._made += 1
        unique = list(dict.fromkeys(positives))
        return Insight(f"i{self._made:05d}", text, NEW_SCORE, unique, born=list(dict.fromkeys(born)))

    def apply(self, edit: Edit, queries: Sequence[QueryNode]) -> str:
        """Carry out one operation that a comparison of queries led to, and return the id of its rule.

        ADD makes a rule of score 2. AGREE and EDIT add 1 and the queries to the positives, EDIT replaces the text.
        REMOVE takes 1, or 3 of a full list, and adds the queries to the negatives. Rules without score are dropped.
        """
        ids, tasks = [query.id for query in queries], [query.task_id for query in queries]
        if edit.verb == "ADD":
            rule = self.new(edit.text, ids, tasks)
            self.rules.append(rule)
            return rule.id
        rule = self._target(edit)
        if edit.verb == "REMOVE":
            rule.score -= REMOVE_COST_FULL if len(self.rules) >= self._full else REMOVE_COST
            _extend(rule.negatives, ids)
        else:
            rule.score += AGREE_GAIN
            _extend(rule.positives, ids)
        if edit.verb == "EDIT":
            rule.text = edit.text
            _extend(rule.born, tasks)
        self._drop()
        return rule.id

    def backward(self, shown: Collection[str], *, resolved: bool) -> int:
        """Reward or punish the rules shown in an episode; return how many of them are still there."""
        found = [rule for rule in self.rules if rule.id in shown]
        for rule in found:
            rule.score += SOLVED_GAIN if resolved else -FAILED_COST
        self._drop()
        return len(found)

    def replace(self, rules: Iterable[Insight]) -> None:
        """Become another list."""
        self.rules = list(rules)

    def save(self, folder: Path) -> None:
        """Write ``insights.json``."""
        state = {"made": self._made, "rules": [asdict(rule) for rule in self.rules]}
        write_json(folder / INSIGHTS, state)

    def load(self, folder: Path) -> None:
        """Become what was saved."""
        state = read_json(folder / INSIGHTS)
        self._made, self.rules = state["made"], [Insight(**rule) for rule in state["rules"]]

    def _target(self, edit: Edit) -> Insight:
        if edit.verb == "AGREE" and self._by_substring:
            return next((rule for rule in self.rules if edit.text and edit.text in rule.text), self.rules[-1])
        return next(rule for rule in self.rules if rule.id == edit.target)

    def _drop(self) -> None:
        self.rules = [rule for rule in self.rules if rule.score > 0]


def _extend(ids: list[str], more: Iterable[str]) -> None:
    ids += [each for each in dict.fromkeys(more) if each not in ids]
