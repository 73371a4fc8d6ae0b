"""Driving a memory's hooks again asks of it exactly what the running episode had asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from baselines.none import NoMemory
from harness.ledger.calls import CallStore
from harness.ledger.folder import RunFolder
from harness.stream.launch import run_cell
from harness.stream.redrive import redrive
from harness.types import Advice, Experience, Recall, Task, Tool, UpdateReport, View
from tests.streams import compose_cell

HEARD: list[tuple[Any, ...]] = []


class ListeningMemory(NoMemory):
    """Writes down what it is asked, speaks at every step and offers a tool."""

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        HEARD.append(("retrieve", task.id, trial))
        return Recall()

    def step(self, view: View) -> Advice | None:
        HEARD.append(("step", len(view.steps), view.steps[-1].action))
        return None

    def tools(self) -> Sequence[Tool]:
        def note(arguments: Mapping[str, Any]) -> str:
            HEARD.append(("tool", dict(arguments)))
            return "noted"

        return [Tool("note", "Note something.", {"properties": {"text": {"type": "string"}}}, note)]

    def update(self, experience: Experience) -> UpdateReport:
        HEARD.append(("update", experience.episode.task.id))
        return UpdateReport(items=0)


SCRIPTS = {
    "acts": ["Action: look", "Action: look"],
    "format errors and tool calls": ["Action: look", "what?", 'Action: note {"text": "a"}', "Action: look", "hm"],
    "silence at the end": ["Action: look", None],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_hook_is_driven_as_it_was(name: str, tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(str({"answers": SCRIPTS[name]}).replace("None", "null"), encoding="utf-8")
    cell = compose_cell(
        tmp_path / "runs", "env=corridor", "env.n_tasks=1", "env.max_steps=4", "memory=none", "backbone=scripted",
        f"memory._target_={__name__}.ListeningMemory", f"backbone.file={script}", "stream.trials=2",
    )  # fmt: skip
    HEARD.clear()
    result = run_cell(cell)
    assert result.code == 0, result.message
    assert result.folder is not None
    live, folder = list(HEARD), RunFolder(result.folder)
    assert ("update", "corridor-000") in live
    HEARD.clear()
    store = CallStore(folder.calls, replicate=0)
    memory = ListeningMemory(mode="paper", variant="plain")
    for record in folder.episodes.read():
        redrive(memory, record, store)
    store.close()
    assert live == HEARD
