"""Generative Agents: recency both ways, the weighted score, poignancy, and when and upon what it reflects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from baselines.generative_agents import WEIGHTS, Node, normalised, recency
from tests.unit.baselines.lookalikes import live, memory, task
from tests.unit.strata.building import ByTask, TableEmbedder, by_rule

REFLECTING = {
    "questions": {"questions": ["what is heated?", "where?", "why?", "when?"]},
    "reflection": {"insights": [{"insight": f"eggs {n}.", "evidence": [1, 9, -1, 2]} for n in range(7)]},
}


def node(name: str, accessed: int, poignancy: int = 5) -> Node:
    return Node(name, "observation", name, (name,), poignancy, 0, accessed)


def test_recency_grows_with_the_last_access_in_the_paper_and_falls_in_its_code() -> None:
    nodes = [node("a", 3), node("b", 9), node("c", 0), node("d", 5)]
    order = sorted(range(4), key=lambda at: nodes[at].accessed)
    paper = recency(nodes, 10, 0.99, "paper")[order]
    code = recency(nodes, 10, 0.99, "repo")[order]
    assert (np.diff(paper) > 0).all()
    assert (np.diff(code) < 0).all()
    assert paper[-1] == pytest.approx(0.99)
    assert code.tolist() == pytest.approx([0.99, 0.99**2, 0.99**3, 0.99**4])


def test_scores_are_spread_over_0_to_1_and_equal_ones_are_one_half() -> None:
    assert normalised(np.array([2.0, 4.0, 3.0])).tolist() == [0.0, 1.0, 0.5]
    assert normalised(np.array([2.0, 2.0])).tolist() == [0.5, 0.5]
    assert normalised(np.array([])).tolist() == []


def test_the_weights_are_the_modes_unless_they_are_given() -> None:
    assert WEIGHTS["paper"].model_dump() == {"recency": 1.0, "importance": 1.0, "relevance": 1.0}
    assert WEIGHTS["repo"].model_dump() == {"recency": 0.5, "importance": 2.0, "relevance": 3.0}
    given = {"recency": 0.0, "importance": 1.0, "relevance": 0.0}
    scripts = {f"t{n}": by_rule(poignancy={"rating": rating}) for n, rating in enumerate((2, 9, 5))}
    made = memory("generative_agents", ByTask(by_rule(), scripts), stream={"weights": given, "reflect_at": 999})
    for number in range(3):
        live(made, number)
    items = made.retrieve(task(9), "", trial=1).items
    assert [(item.born, item.score) for item in items] == [
        (("t1",), 1.0), (("t2",), pytest.approx(3 / 7, abs=1e-6)), (("t0",), 0.0),
    ]  # fmt: skip


def test_a_memory_is_accessed_when_the_episode_it_was_recalled_for_ends() -> None:
    made = memory("generative_agents", stream={"reflect_at": 999, "k": 1})
    live(made, 0)
    made.retrieve(task(1), "", trial=1)
    assert made._form.nodes[0].accessed == 0
    live(made, 1)
    live(made, 2)
    assert max(each.accessed for each in made._form.nodes[:1]) >= 1


def test_every_episode_is_an_observation_with_its_poignancy_and_an_unreadable_one_counts_five() -> None:
    made = memory("generative_agents", by_rule(poignancy="very"))
    _, report = live(made, 0, success=None)
    assert (report.notes["poignancy"], report.notes["unreadable"]) == (5, {"poignancy": 1})
    assert made._form.nodes[0].text.splitlines()[:2] == [f"Task: {task(0).text}", "Outcome: unknown"]


def reflected(**writings: Any) -> Any:
    backbone = by_rule(**{**REFLECTING, "poignancy": {"rating": 8}, **writings})
    made = memory("generative_agents", backbone, TableEmbedder(), stream={"reflect_at": 24, "k": 3})
    return made, [live(made, number)[1] for number in range(6)]


def test_it_reflects_once_the_summed_importance_reaches_the_threshold_and_begins_anew() -> None:
    made, reports = reflected()
    assert [report.notes["reflected"] for report in reports] == [False, False, True, False, False, True]
    assert [len(report.written) for report in reports] == [1, 1, 1 + 3 * 5, 1, 1, 1 + 3 * 5]
    assert made._form._since == 0


def test_a_reflection_points_to_its_evidence_and_is_born_from_all_it_was_shown() -> None:
    made, _ = reflected()
    first = next(each for each in made._form.nodes if each.kind == "reflection")
    assert first.text == "eggs 0."
    assert set(first.born) == {"t0", "t1", "t2"}
    assert len(first.evidence) == 2
    assert set(first.evidence) <= {"n00001", "n00002", "n00003"}
    assert all("t0" not in item.born for item in made.retrieve(task(0), "", trial=2).items)


@pytest.mark.parametrize(
    ("writings", "role", "count"),
    [({"questions": "prose"}, "questions", 1), ({"reflection": "prose"}, "reflection", 3)],
)
def test_an_unreadable_reflection_is_counted_and_left_out(writings: Any, role: str, count: int) -> None:
    made, reports = reflected(**writings)
    assert reports[2].notes["unreadable"] == {role: count}
    assert len(made) == 6
