"""Flat memory: one entry an episode, ranked by the cosine of task texts and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from baselines.flat import FlatMemory
from harness.errors import ConfigError, LedgerError
from harness.types import Call, Experience, Task
from tests.contract.experiences import stream
from tests.contract.memories import embedder, learn

STREAM = stream(20)
NEW = Task("new", "house", "heat some egg and put it in shelf.", "heat", "heat egg")


class CountedEmbedder:
    """The real embedder with a list of who asked for what."""

    def __init__(self) -> None:
        self.id, self.dim = embedder().id, embedder().dim
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []

    def embed(self, texts: Sequence[str], *, call: Call) -> NDArray[np.float32]:
        self.asked.append((call.phase, call.task_id, tuple(texts)))
        return embedder().embed(texts, call=call)


def filled(experiences: Sequence[Experience] = STREAM, **settings: object) -> FlatMemory:
    memory = FlatMemory(embedder=embedder(), **settings)  # type: ignore[arg-type]
    learn(memory, experiences)
    return memory


def named(number: int, text: str) -> Experience:
    task = replace(STREAM[number].episode.task, text=text)
    return replace(STREAM[number], episode=replace(STREAM[number].episode, task=task))


def test_the_store_holds_one_entry_an_episode_solved_or_failed() -> None:
    memory = FlatMemory(embedder=embedder())
    reports = [report for _, report in learn(memory, STREAM)]
    assert {each.success for each in STREAM} == {True, False}
    assert [report.items for report in reports] == list(range(1, len(STREAM) + 1))
    assert reports[6].written == ("e0007",)


def test_the_ranking_is_the_cosine_of_the_task_texts() -> None:
    call = Call("new", 1, "retrieve")
    rows = embedder().embed([each.episode.task.text for each in STREAM], call=call)
    cosines = (rows @ embedder().embed([NEW.text], call=call)[0]).astype(float)
    recall = filled(k=len(STREAM)).retrieve(NEW, "ignored", trial=1)
    found = [int(item.id[1:]) - 1 for item in recall.items]
    assert sorted(found) == list(range(len(STREAM)))
    assert [item.score for item in recall.items] == pytest.approx(sorted(cosines, reverse=True), abs=1e-5)
    assert [item.score for item in recall.items] == pytest.approx([cosines[at] for at in found], abs=1e-5)
    assert [item.born for item in recall.items] == [(STREAM[at].episode.task.id,) for at in found]


def test_of_equally_near_entries_the_older_comes_first() -> None:
    memory = filled([named(number, "cool some mug") for number in range(9)], k=9)
    assert [item.id for item in memory.retrieve(NEW, "", trial=1).items] == [f"e{n:04d}" for n in range(1, 10)]


def test_only_the_task_text_counts_and_the_observation_stands_in_where_there_is_none() -> None:
    memory = filled(k=4)
    assert memory.retrieve(NEW, "a fridge", trial=1) == memory.retrieve(NEW, "a microwave", trial=2)
    silent = replace(NEW, text="")
    assert memory.retrieve(silent, NEW.text, trial=1) == memory.retrieve(NEW, "", trial=1)


def test_k_entries_are_injected_and_those_below_the_gate_are_not() -> None:
    assert len(filled(k=5).retrieve(NEW, "", trial=1).items) == 5
    scores = [item.score for item in filled(k=20).retrieve(NEW, "", trial=1).items]
    gated = filled(k=20, min_score=scores[6]).retrieve(NEW, "", trial=1)
    assert [item.score for item in gated.items] == [score for score in scores if score >= scores[6]]
    closed = filled(min_score=1.0).retrieve(replace(NEW, text="pull the lever"), "", trial=1)
    assert (closed.items, closed.text) == ((), "")


def test_reading_and_writing_cost_one_embedding_each_and_nothing_is_embedded_again() -> None:
    counted = CountedEmbedder()
    memory = FlatMemory(embedder=counted)
    learn(memory, STREAM[:3])
    ids = [each.episode.task.id for each in STREAM[:3]]
    assert [(phase, task) for phase, task, _ in counted.asked] == [
        ("update", ids[0]), ("retrieve", ids[1]), ("update", ids[1]), ("retrieve", ids[2]), ("update", ids[2]),
    ]  # fmt: skip
    assert all(len(texts) == 1 for _, _, texts in counted.asked)


def test_an_entry_reads_as_task_outcome_and_numbered_actions() -> None:
    solved = next(each for each in STREAM if each.success)
    item = filled([solved]).retrieve(NEW, "", trial=1).items[0]
    actions = solved.episode.actions
    assert item.text.splitlines() == [
        f"Task: {solved.episode.task.text}",
        f"Outcome: solved, score 1; {len(actions)} actions",
        *(f"{number}. {action}" for number, action in enumerate(actions, 1)),
    ]
    unknown = replace(solved, source="none", success=None, score=None)
    assert "Outcome: unknown; " in filled([unknown]).retrieve(NEW, "", trial=1).text
    failed = replace(solved, success=False, score=-100.0)
    assert "Outcome: failed, score -100; " in filled([failed]).retrieve(NEW, "", trial=1).text


def test_three_long_entries_inject_about_as_many_lines_as_the_paper_reports() -> None:
    long = [replace(each, episode=replace(each.episode, steps=each.episode.steps * 6)) for each in STREAM]
    recall = filled(long).retrieve(NEW, "", trial=1)
    assert abs(recall.lines - 35.6) < 2
    assert filled(long, max_actions=4, show_observation=True).retrieve(NEW, "", trial=1).lines == 1 + 3 * (2 + 1 + 4)


def test_a_task_of_several_lines_stays_on_one_line_and_long_lines_are_cut() -> None:
    memory = filled([named(0, "take\nthe egg " + "now " * 500)])
    head = memory.retrieve(NEW, "", trial=1).items[0].text.splitlines()[0]
    assert head.startswith("Task: take the egg now")
    assert len(head) < 400


def test_a_store_of_another_embedder_is_refused(tmp_path: Path) -> None:
    filled().save(tmp_path)
    np.save(tmp_path / "vectors.npy", np.zeros((len(STREAM), 3), np.float32))
    with pytest.raises(LedgerError, match=r"shape \(20, 3\) for 20 entries"):
        FlatMemory(embedder=embedder()).load(tmp_path)


@pytest.mark.parametrize("settings", [{"k": 0}, {"max_actions": 0}, {"min_score": 2.0}])
def test_settings_out_of_range_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="flat memory"):
        filled([], **settings)
