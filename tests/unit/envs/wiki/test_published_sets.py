"""The published questions and claims, played through the text interface by the expert."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from envs.fever import Fever
from envs.hotpotqa import HotpotQA
from envs.wiki.pages import FrozenWiki
from harness.types import Task


@pytest.fixture(scope="module")
def hotpotqa(shared: Path) -> HotpotQA:
    return HotpotQA(data=str(shared / "data" / "hotpotqa"))


@pytest.fixture(scope="module")
def fever(shared: Path) -> Fever:
    return Fever(data=str(shared / "data" / "fever"))


def _play(environment: HotpotQA | Fever, task: Task, wander: int | None = None) -> tuple[float, ...]:
    """Play the expert to the end, after three random searches where a seed is given; return the measures."""
    with environment.start(task) as session:
        for draw in range(0 if wander is None else 3):
            session.step(str(session.sample(np.random.default_rng([wander or 0, draw]))))
        steps = 0
        while (action := session.expert()) is not None:
            said = session.step(action).observation
            assert not said.startswith(("Could not find", "Invalid action")), (task.id, action, said)
            steps += 1
        assert steps <= 7
        assert session.outcome().success is (session.outcome().score == 1.0)
        return tuple(session.measures().values())


def test_gold_titles_and_gold_answer_give_full_marks_on_all_490_questions(hotpotqa: HotpotQA) -> None:
    tasks = hotpotqa.tasks()
    assert len(tasks) == 490
    assert [sum(task.family == family for task in tasks) for family in ("bridge", "comparison")] == [373, 117]
    assert {_play(hotpotqa, task) for task in tasks} == {(1.0, 1.0)}


def test_evidence_titles_and_label_give_full_accuracy_on_the_first_100_claims(fever: Fever) -> None:
    tasks = fever.tasks()
    assert len(tasks) == 9999
    labels = [row.label for row in fever._world.corpus.rows[:100]]
    assert [labels.count(label) for label in ("SUPPORTS", "REFUTES")] == [29, 45]
    assert {_play(fever, task) for task in tasks[:100]} == {(1.0, 1.0)}


def test_the_expert_is_right_after_random_searches_too(hotpotqa: HotpotQA, fever: Fever) -> None:
    assert {_play(hotpotqa, task, wander=at) for at, task in enumerate(hotpotqa.tasks()[:100])} == {(1.0, 1.0)}
    assert {_play(fever, task, wander=at) for at, task in enumerate(fever.tasks()[:100])} == {(1.0, 1.0)}


def test_titles_that_differ_in_case_alone_are_both_found(hotpotqa: HotpotQA) -> None:
    with hotpotqa.start(hotpotqa.tasks()[0]) as session:
        magazine, topic = (
            session.step(f"Search[{title}]").observation for title in ("Popular Science", "Popular science")
        )
    assert magazine != topic
    assert "magazine" in magazine


def test_a_question_leads_to_a_gold_page_among_five_similar_titles_nearly_always(hotpotqa: HotpotQA) -> None:
    world = hotpotqa._world
    wiki: FrozenWiki = world.frozen
    found = [bool(set(wiki.similar(row.question)) & set(row.titles)) for row in world.corpus.rows]
    assert sum(found) / len(found) > 0.95
