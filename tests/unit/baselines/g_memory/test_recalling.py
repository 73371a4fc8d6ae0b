"""What a query brings back: the graph first, then likeness; grades; insights that the nearest queries speak for."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from baselines.g_memory.asking import Asker, call_of
from baselines.g_memory.condensing import PROMPTS
from baselines.g_memory.insights import Insight
from baselines.g_memory.recalling import Chooser, grade, supported
from harness.types import Completion, Usage
from tests.unit.baselines.g_memory.building import graph, settings
from tests.unit.strata.building import by_rule, unit

CALL = call_of("new", 1, "retrieve", "relevance")
QUERY = unit([1.0, 0.0])


class Grading:
    """Grades an episode by the number in its action."""

    id, real, disclosures = "grading", False, ()

    def __init__(self, grades: dict[int, Any]) -> None:
        self._grades = grades
        self.calls = 0

    def settings(self) -> dict[str, object]:
        return {}

    def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Completion:
        self.calls += 1
        number = int(messages[0].content.split("Action: act ")[1].split()[0])
        return Completion(json.dumps({"score": self._grades[number]}), "stop", Usage(calls=1))


def chosen(of: Any, *, faults: Sequence[Any] = (), backbone: Any = None, k: int = 1, **recalling: Any) -> list[str]:
    numbers = settings(recalling={"rate": False, **recalling})["recalling"]
    made = Chooser(Asker(backbone or by_rule(), PROMPTS, 0), numbers, k, frozenset(faults))
    return [hit.node.id for hit in made.trajectories(of, of.ranked(QUERY), "heat", CALL)]


CHAIN = ([1.0, 0.0], [1.0, 0.3], [1.0, 0.8], [0.2, 1.0])
"""1 is nearest and joined to 2; 2 to 3; 4 is alone."""


def fan() -> Any:
    """Return four queries by their angle to the new one: 1 failed and is nearest, 2 is joined to 1, 3 and 4 are not."""
    angles = [math.radians(degrees) for degrees in (40, 80, -50, -55)]
    of = graph(*([math.cos(angle), math.sin(angle)] for angle in angles), failed=[1], cosine=0.7)
    assert of.neighbours("q00001") == ["q00002"]
    return of


def test_what_the_graph_gives_comes_before_what_is_only_near() -> None:
    assert chosen(fan(), successes=1) == ["q00002"]
    assert chosen(fan(), successes=1, hops=0) == ["q00003"]


def test_too_few_from_the_graph_are_topped_up_and_with_the_fault_replaced() -> None:
    assert chosen(fan(), successes=2) == ["q00002", "q00003"]
    assert chosen(fan(), successes=2, faults=["top_up_replaces"]) == ["q00003", "q00004"]
    assert chosen(fan(), successes=1, faults=["top_up_replaces"]) == ["q00002"]


def test_failures_are_taken_as_they_come_after_the_successes() -> None:
    assert chosen(graph(*CHAIN, failed=[2, 3]), successes=1, failures=1) == ["q00001", "q00002"]


def test_what_is_too_far_away_is_not_injected() -> None:
    assert chosen(graph([1.0, 0.0], [-1.0, 0.1]), successes=2, cosine=0.0) == ["q00001"]


def test_twice_as_many_are_graded_and_the_best_are_injected() -> None:
    backbone = Grading({1: 2, 2: 9, 3: 10, 4: 10})
    assert chosen(graph(*CHAIN), backbone=backbone, successes=1, rate=True) == ["q00002"]
    assert backbone.calls == 2


def test_equal_grades_leave_the_nearer_first_and_an_unreadable_one_is_last() -> None:
    asker = Asker(Grading({1: "high", 2: 3, 3: 3, 4: 11}), PROMPTS, 0)
    hits = graph(*CHAIN).ranked(QUERY)
    assert [hit.node.id for hit in grade(asker, hits, "heat", 4, CALL)] == ["q00002", "q00003", "q00001", "q00004"]
    assert asker.unreadable["relevance"] == 2


def test_insights_are_counted_over_the_nearest_solved_and_failed_queries() -> None:
    of = graph(*CHAIN, failed=[3, 4])
    counting = settings(counting={"insights": 2, "successes": 1, "failures": 1})["counting"]
    rules = [
        Insight("far", "far.", 9, ["q00002", "q00004"]), Insight("one", "one.", 2, ["q00003"]),
        Insight("own", "own.", 2, ["q00001", "q00003"], born=["new"]), Insight("two", "two.", 2, ["q00001", "q00003"]),
        Insight("late", "late.", 2, ["q00001"]),
    ]  # fmt: skip
    found = supported(rules, of.ranked(QUERY), counting, "new")
    assert [(rule.id, count) for rule, count in found] == [("two", 2), ("one", 1)]


@pytest.mark.parametrize("repairs", [0, 2])
def test_a_call_asked_again_has_an_ordinal_of_its_own(repairs: int) -> None:
    seen = []

    class Noting(Grading):
        def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Completion:
            seen.append(call.ordinal)
            return super().complete(messages, call=call, schema=schema)

    grade(Asker(Noting(dict.fromkeys(range(1, 5), "x")), PROMPTS, repairs), graph(*CHAIN).ranked(QUERY), "q", 1, CALL)
    assert seen == list(range(4 * (repairs + 1)))
