"""The paper's trap on the real engines: a procedure that looks right and leads the wrong way, with and without edges.

The store holds a workflow that heats and one that cools. To the words of the task, which is to cool, the heating one is
the nearer, and with one seed the only one. The agent knows nothing of its own (skill 0) and does what it reads
(obedience 1), so that what becomes of the task is the memory's doing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.config.cell import Cell
from harness.stream.launch import run_cell
from tests.streams import compose_cell, episodes

WARNING = "# DO NOT CONFUSE with the opposite experience: "


@dataclass(frozen=True)
class Trap:
    """Two tasks to learn from, and the one that is played."""

    engine: tuple[str, ...]
    heat: str
    cool: str
    task: str
    wrong_deed: str
    """What the heating procedure does, and the cooling one does not end with."""
    right_deed: str
    texts: tuple[dict[str, Any], dict[str, Any]] | None = None
    """What the workflow reflector writes of the two; by rule where None."""


_TOMATO, _POTATO = "{}-Tomato-None-{}/trial_G0_{}", "{}-Potato-None-{}/trial_G0_{}"
_HEAT, _COOL = "pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep"
ALFWORLD = Trap(
    engine=("env=alfworld",),
    heat=_TOMATO.format(_HEAT, "DiningTable-11", "0006"),
    cool=_POTATO.format(_COOL, "GarbageCan-19", "0011"),
    task=_TOMATO.format(_COOL, "SideTable-21", "0024"),
    wrong_deed="heat tomato 1 with microwave 1",
    right_deed="cool tomato 1 with fridge 1",
)

_FETCH = [
    "open door to kitchen", "go to kitchen", "look around", "pick up thermometer", "open cupboard", "pick up metal pot",
    "open freezer", "focus on {obj}", "move {obj} to metal pot", "pick up metal pot", "move metal pot to stove",
    "activate stove", "wait",
]  # fmt: skip


def _text(name: str, content: str, goal: str, procedure: list[str]) -> dict[str, Any]:
    return {"name": name, "content": content, "applicability_condition": goal, "goal": goal, "procedure": procedure}


SCIENCEWORLD = Trap(
    engine=(
        "env=scienceworld", "env.subset=[melt,freeze]", "env.split=train", "env.variations=[4,10]",
    ),
    heat="melt-4",
    cool="freeze-10",
    task="freeze-4",
    wrong_deed="move metal pot to stove",
    right_deed="move metal pot to freezer",
    texts=(
        _text("melt ice", "melt ice", "melt a substance such as ice", _FETCH),
        _text(
            "freeze chocolate", "first liquefy it on the stove, then leave it in the freezer",
            "freeze a substance such as chocolate",
            [*_FETCH, "pick up metal pot", "open freezer", "move metal pot to freezer", *["wait"] * 7],
        ),
    ),
)  # fmt: skip
"""The workflows are written as a language model would. By rule they repeat the whole instruction of ScienceWorld, and
with it the warning says "melt ice. First, focus on the substance", which a plain reader takes for advice against
focusing on the ice: the very thing that the task needs first."""


@pytest.fixture(params=[ALFWORLD, SCIENCEWORLD], ids=["alfworld", "scienceworld"])
def trap(request: pytest.FixtureRequest) -> Trap:
    found: Trap = request.param
    return found


@pytest.mark.usefixtures("no_process_left")
def test_with_contrast_edges_the_opposite_is_a_warning_and_the_right_procedure_comes_in_and_solves_the_task(
    trap: Trap, tmp_path: Path
) -> None:
    learned, played = learned_and_played(trap, tmp_path, contrast="rule")
    assert learned["edges"]["contrasts"] == 1
    right, wrong = played["recall"]["items"]
    assert (right["kind"], right["born"]) == ("workflow", [trap.cool])
    assert (wrong["kind"], wrong["born"]) == ("contrast", [trap.heat])
    assert wrong["score"] > right["score"]
    assert wrong["text"].startswith(WARNING)
    assert "(heat, not cool)" in wrong["text"]
    assert "Steps:" in right["text"]
    assert "Steps:" not in wrong["text"]
    assert trap.right_deed in done(played)
    assert played["outcome"]["success"]


@pytest.mark.usefixtures("no_process_left")
def test_without_contrast_edges_the_look_alike_is_followed_and_the_task_fails(trap: Trap, tmp_path: Path) -> None:
    learned, played = learned_and_played(trap, tmp_path, contrast="none")
    assert (learned["nodes"]["workflow"], learned["edges"]["contrasts"]) == (2, 0)
    [only] = played["recall"]["items"]
    assert (only["kind"], only["born"]) == ("workflow", [trap.heat])
    assert WARNING not in only["text"]
    assert trap.wrong_deed in done(played)
    assert trap.right_deed not in done(played)
    assert not played["outcome"]["success"]


def learned_and_played(trap: Trap, out: Path, contrast: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Learn both workflows from solved episodes, play the task with that store, frozen; return notes and episode.

    Every new episode makes a workflow of its own (the band is set so), so that both stores hold the same two.
    """
    memory = (
        "memory=strata", f"memory.contrast={contrast}", "memory.meta=false", "memory.retrieval.seeds=1",
        "memory.bands.low_prior=0.98", "memory.bands.high_prior=0.99", "display=off",
    )  # fmt: skip
    store: Path | None = None
    for number, task in enumerate((trap.heat, trap.cool)):
        more = [f"env.tasks='{task}'", "backbone=expert", *_writer(trap, number, out)]
        more += ["stream.protocol=transfer", f"stream.store={store}"] if store else []
        store = ran(compose_cell(out, *trap.engine, *memory, *more))
    frozen = ("stream.protocol=frozen", f"stream.store={store}", f"env.tasks='{trap.task}'", "env.max_steps=30")
    agent = ("backbone=apprentice", "backbone.skill=0", "backbone.obedience=1")
    folder = ran(compose_cell(out, *trap.engine, *memory, *frozen, *agent))
    assert store is not None
    return episodes(store)[-1]["update"]["notes"], episodes(folder)[0]


def _writer(trap: Trap, number: int, out: Path) -> tuple[str, ...]:
    if trap.texts is None:
        return ()
    file = out / f"reflector-{number}.json"
    file.write_text(
        json.dumps({"answers": [""], "writings": {"workflow": [json.dumps(trap.texts[number])]}}), encoding="utf-8"
    )
    return ("backbone@memory.backbone=scripted", f"memory.backbone.file={file}")


def ran(cell: Cell) -> Path:
    result = run_cell(cell)
    assert result.code == 0, result.message
    assert result.folder is not None
    return result.folder


def done(played: dict[str, Any]) -> list[str]:
    return [step["action"] for step in played["steps"]]
