"""The look-alikes: a summary stands in for the task, both labels are stored, one of them is injected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.stream.launch import run_cell
from tests.streams import compose_cell, episodes
from tests.unit.baselines.lookalikes import live, memory, task
from tests.unit.strata.building import TableEmbedder, by_rule

SUMMARIZED, ALL = ("voyager", "memory_bank"), ("voyager", "memory_bank", "generative_agents")


@pytest.mark.parametrize("name", SUMMARIZED)
def test_a_summary_takes_the_place_of_the_task_as_key_and_as_text(name: str) -> None:
    embedder = TableEmbedder()
    made = memory(
        name,
        by_rule(summary={"summary": "the egg\nwas heated."}),
        embedder,
        variant="gmemory",
        recalling={"cosine": -1.0},
    )
    live(made, 0)
    assert embedder.asked == [task(0).text, "the egg was heated."]
    recall = made.retrieve(task(1), "", trial=1)
    assert recall.items[0].text.startswith("Task: the egg was heated.\nOutcome: solved\nAction: go to egg")


@pytest.mark.parametrize("name", SUMMARIZED)
def test_without_a_readable_summary_the_task_stands(name: str) -> None:
    embedder = TableEmbedder()
    made = memory(name, by_rule(summary="prose"), embedder, variant="gmemory")
    _, report = live(made, 0)
    assert embedder.asked == [task(0).text] * 2
    assert report.notes["unreadable"] == {"summary": 1}


@pytest.mark.parametrize("name", ALL)
def test_successes_and_failures_are_stored_and_filtered_by_label(name: str) -> None:
    made = memory(name, variant="gmemory", recalling={"cosine": -1.0})
    live(made, 0, success=False)
    live(made, 1, success=True)
    live(made, 2, success=None)
    assert len(made) == 2
    assert [item.born for item in made.retrieve(task(5), "", trial=1).items] == [("t1",)]
    made = memory(name, variant="gmemory", recalling={"cosine": -1.0, "successes": 0, "failures": 1})
    live(made, 0, success=False)
    live(made, 1, success=True)
    assert [item.born for item in made.retrieve(task(5), "", trial=1).items] == [("t0",)]


def test_the_generative_look_alike_embeds_the_task_and_grades_twice_as_many_as_it_injects() -> None:
    calls: list[str] = []

    class Noting:
        id, real, disclosures = "noting", False, ()

        def settings(self) -> dict[str, object]:
            return {}

        def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Any:
            calls.append(call.role)
            return by_rule(relevance={"score": 5}).complete(messages, call=call, schema=schema)

    embedder = TableEmbedder()
    made = memory("generative_agents", Noting(), embedder, variant="gmemory", recalling={"cosine": -1.0})
    for number in range(4):
        live(made, number)
    assert set(embedder.asked) == {task(number).text for number in range(4)}
    calls.clear()
    assert len(made.retrieve(task(9), "", trial=1).items) == 1
    assert calls == ["relevance", "relevance"]


@pytest.mark.parametrize("name", ALL)
def test_a_look_alike_says_what_it_is(name: str) -> None:
    made, original = memory(name, variant="gmemory"), memory(name)
    assert (made.mode, made.variant, original.variant) == ("repo", "gmemory", "original")
    assert "not the published one" in made.disclosures[0]
    assert made.disclosures != original.disclosures


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("variant", ["original", "gmemory"])
def test_a_stream_of_corridors_runs_to_its_end(tmp_path: Path, name: str, variant: str) -> None:
    result = run_cell(
        compose_cell(tmp_path, "env=corridor", f"memory={name}", "backbone=apprentice", f"memory.variant={variant}")
    )
    assert result.code == 0, result.message
    assert result.folder is not None
    lines = episodes(result.folder)
    assert len(lines) == 6
    assert lines[-1]["recall"]["items"]
