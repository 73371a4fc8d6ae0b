"""What every memory promises the stream: fresh means empty, nothing of the own task, equal bytes, exact resume."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.protocols import Memory, StepMemory, ToolMemory
from harness.types import Outcome, Recall, StopReason, View
from tests.contract.experiences import hostile, stream
from tests.contract.memories import ENTRIES, Entry, info, learn

STREAM = stream(25)
Saver = Callable[[Memory], dict[str, bytes]]
TASKS = [experience.episode.task for experience in STREAM]


@pytest.fixture(params=ENTRIES, ids=[entry.id for entry in ENTRIES])
def entry(request: pytest.FixtureRequest) -> Entry:
    chosen: Entry = request.param
    return chosen


@pytest.fixture
def saved(tmp_path: Path) -> Saver:
    """Return a function that gives the files of a memory's save, by name."""
    count = iter(range(1000))

    def files(memory: Memory) -> dict[str, bytes]:
        folder = tmp_path / f"save{next(count)}"
        folder.mkdir()
        memory.save(folder)
        return tree(folder)

    return files


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder with their bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def recalls(memory: Memory, trial: int = 1) -> list[Recall]:
    return [memory.retrieve(task, "You are in a room.", trial=trial) for task in TASKS]


def test_it_says_what_it_is(entry: Entry) -> None:
    memory = entry.build()
    assert memory.name
    assert memory.mode in ("paper", "repo", "standin")
    assert isinstance(memory.variant, str)
    assert all(isinstance(sentence, str) and sentence for sentence in memory.disclosures)
    assert not isinstance(memory.disclosures, str)


def test_a_fresh_memory_is_empty_and_injects_nothing(entry: Entry) -> None:
    memory = entry.build()
    memory.begin(info())
    assert len(memory) == 0
    for recall in recalls(memory):
        assert (recall.items, recall.text, recall.lines) == ((), "", 0)


def test_it_remembers_and_reports_the_size_of_its_store(entry: Entry) -> None:
    memory = entry.build()
    for recall, report in learn(memory, STREAM):
        assert recall.items or recall.text == ""
        assert all(isinstance(written, str) for written in report.written)
        json.dumps(dict(report.notes), allow_nan=False)
    assert report.items == len(memory)
    assert (len(memory) > 0) == entry.remembers
    assert any(recall.items for recall in recalls(memory)) == entry.remembers


def test_every_item_has_an_id_a_finite_score_a_text_and_its_provenance(entry: Entry) -> None:
    memory, seen = entry.build(), set[str]()
    memory.begin(info())
    for experience in STREAM:
        task = experience.episode.task
        recall = memory.retrieve(task, experience.episode.observation, trial=1)
        assert len({item.id for item in recall.items}) == len(recall.items)
        for item in recall.items:
            assert item.id
            assert item.kind
            assert item.text.strip()
            assert math.isfinite(item.score)
            assert item.born
            assert set(item.born) <= seen
        memory.update(experience)
        seen.add(task.id)


def test_nothing_born_from_a_task_is_retrieved_for_it(entry: Entry) -> None:
    memory = entry.build()
    learn(memory, STREAM)
    for trial in (1,) if entry.recalls_own_trials else (1, 2):
        for task, recall in zip(TASKS, recalls(memory, trial), strict=True):
            assert all(task.id not in item.born for item in recall.items)


def test_the_same_stream_leaves_the_same_bytes_and_the_same_recalls(entry: Entry, saved: Saver) -> None:
    first, second = entry.build(), entry.build()
    assert learn(first, STREAM) == learn(second, STREAM)
    assert saved(first) == saved(second)


def test_another_process_with_another_hash_seed_leaves_the_same_bytes(entry: Entry, tmp_path: Path) -> None:
    found = []
    for hash_seed in ("1", "2"):
        folder = tmp_path / hash_seed
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-m", "tests.contract.memories", entry.id, str(folder)],
            check=True,
            timeout=300,
            cwd=Path(__file__).resolve().parents[2],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        found.append(tree(folder))
    assert found[0] == found[1]


def test_saving_changes_nothing_and_a_loaded_memory_saves_the_same_bytes(
    entry: Entry, saved: Saver, tmp_path: Path
) -> None:
    memory, loaded = entry.build(), entry.build()
    learn(memory, STREAM)
    folder = tmp_path / "store"
    folder.mkdir()
    memory.save(folder)
    loaded.load(folder)
    loaded.begin(info(len(STREAM)))
    assert tree(folder) == saved(memory) == saved(loaded)
    assert len(loaded) == len(memory)
    assert recalls(loaded) == recalls(memory)


@pytest.mark.parametrize("at", [0, 1, 11])
def test_a_memory_saved_and_loaded_mid_stream_goes_on_as_if_nothing_had_happened(
    entry: Entry, at: int, saved: Saver, tmp_path: Path
) -> None:
    whole, before, after = entry.build(), entry.build(), entry.build()
    undisturbed = learn(whole, STREAM)
    done = learn(before, STREAM[:at])
    folder = tmp_path / "store"
    folder.mkdir()
    before.save(folder)
    after.load(folder)
    done += learn(after, STREAM[at:], clock=at)
    assert done == undisturbed
    assert saved(after) == saved(whole)


def test_a_frozen_memory_is_read_without_being_changed(entry: Entry, saved: Saver) -> None:
    memory = entry.build()
    learn(memory, STREAM)
    before = saved(memory)
    memory.begin(info(len(STREAM), frozen=True))
    first = recalls(memory)
    for experience, recall in zip(STREAM, first, strict=True):
        episode = experience.episode
        if isinstance(memory, StepMemory):
            memory.step(View(episode.task, 1, episode.observation, episode.steps[:2], recall))
        if isinstance(memory, ToolMemory):
            for tool in memory.tools():
                tool.call(dict.fromkeys(tool.parameters.get("required", ()), "x"))
    assert recalls(memory) == first
    assert saved(memory) == before


def test_the_memory_knows_the_feedback_and_never_the_true_outcome(entry: Entry, saved: Saver) -> None:
    honest, deceived = entry.build(), entry.build()
    lies = Outcome(success=False, score=-1.0, stop=StopReason.TIME_LIMIT)
    learn(honest, STREAM)
    learn(deceived, [replace(each, episode=replace(each.episode, outcome=lies)) for each in STREAM])
    assert saved(honest) == saved(deceived)


def test_no_experience_makes_it_raise_or_breaks_its_store(entry: Entry, saved: Saver, tmp_path: Path) -> None:
    memory, loaded = entry.build(), entry.build()
    learn(memory, STREAM[:3])
    learn(memory, hostile(), clock=3)
    for experience in hostile():
        recall = memory.retrieve(experience.episode.task, experience.episode.observation, trial=2)
        assert all(math.isfinite(item.score) for item in recall.items)
        recall.text.encode("utf-8")
    folder = tmp_path / "store"
    folder.mkdir()
    memory.save(folder)
    loaded.load(folder)
    assert saved(loaded) == tree(folder)


def test_a_memory_that_learned_nothing_solved_or_judged_still_works(entry: Entry) -> None:
    memory = entry.build()
    unjudged = [replace(each, source="none", success=None, score=None) for each in STREAM[:6]]
    learn(memory, unjudged)
    lost = [replace(each, success=False, score=0.0) for each in STREAM[6:12]]
    learn(memory, lost, clock=6)
    for recall in recalls(memory):
        assert recall.items or recall.text == ""
