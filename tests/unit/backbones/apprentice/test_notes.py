"""How a memory text of any method is read."""

from __future__ import annotations

import pytest

from harness.backbones.apprentice.grounding import context, progress
from harness.backbones.apprentice.notes import read_notes

STEPS = ["go to desk 1", "take mug 1 from desk 1"]


@pytest.mark.parametrize(
    "memory",
    [
        "Task: fill a mug\n1. go to desk 1\n2. take mug 1 from desk 1",
        "[1] Task: fill a mug\nActions: go to desk 1 -> take mug 1 from desk 1",
        "[e7] Task: fill a mug\nObservation: a room\nwith a desk\nActions:\ngo to desk 1\ntake mug 1 from desk 1",
        '## fill a mug\nProcedure: ["go to desk 1", "take mug 1 from desk 1"]',
        "## fill a mug\ntags: op:fill\n- go to desk 1\n- take mug 1 from desk 1",
        "Task: fill a mug\nThought: h\nAction: go to desk 1\nObservation: x\n- a mug\nAction: take mug 1 from desk 1",
        "Useful workflows:\nfill a mug: go to desk 1 → take mug 1 from desk 1",
        "fill a mug\nsteps: go to desk 1; take mug 1 from desk 1",
    ],
)
def test_a_procedure_is_found_however_it_is_written(memory: str) -> None:
    [note] = [n for n in read_notes(memory) if n.steps]
    assert note.title == "fill a mug"
    assert note.steps == STEPS


def test_titles_steps_warnings_and_pitfalls_belong_to_their_note() -> None:
    memory = """### Boil a substance
1. go to stove
Pitfalls:
- do not focus on the pot
Do not confuse with: freezing
  1. go to freezer
### Freeze a substance
1. open freezer"""
    boil, freeze = read_notes(memory)
    assert (boil.title, boil.steps) == ("Boil a substance", ["go to stove"])
    assert boil.avoid == ["do not focus on the pot"]
    assert boil.warned == ["freezing", "go to freezer"]
    assert (freeze.title, freeze.steps, freeze.warned) == ("Freeze a substance", ["open freezer"], [])


def test_a_failure_marks_its_own_note_only() -> None:
    good, bad = read_notes("Task: a b\nOutcome: solved\n1. look\nTask: c d\nOutcome: failed, score 0\n1. wait")
    assert (good.failed, bad.failed) == (False, True)


def test_a_deed_ahead_counts_and_a_move_far_ahead_does_not() -> None:
    about = context("fill a mug", "fill a mug")
    lines = ["go to desk 1", "open desk 1", "go to box 1", "open box 1", "take mug 1 from box 1", "go to sink 1"]
    assert progress(lines, ["take mug 2 from shelf 3"], about) == 5
    assert progress(lines, ["go to sink 1"], about) == 0
    assert progress(lines, ["close bag 1"], about) == 0


def test_repeated_lines_are_done_one_by_one() -> None:
    about = context("wait for it")
    assert progress(["wait", "wait", "look"], ["wait"], about) == 1
    assert progress(["wait", "wait", "look"], ["wait", "wait"], about) == 2


def test_steps_left_out_of_the_prompt_are_made_up_for() -> None:
    lines = [f"open box {name}" for name in ("red", "blue", "green", "black", "white")]
    assert progress(lines, ["open box white"], context("x"), left_out=0) == 0
    assert progress(lines, ["open box white"], context("x"), left_out=4) == 5
