"""G-Memory's family in streams that stop in the middle: what is resumed ends as if nothing had happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.stream.launch import Result, run_cell
from tests.streams import compose_cell, final_state

MEMORIES = {
    "g_memory": ("memory.finetuning.start=2", "memory.finetuning.every=2", "memory.merging.every=4"),
    "evograph": ("memory.variant=gmemory_finetune", "memory.finetuning.start=2", "memory.finetuning.every=2"),
    "voyager": (),
    "memory_bank": ("memory.bank.day=2", "memory.bank.forgetting=probabilistic"),
    "generative_agents": ("memory.stream.reflect_at=10",),
}


def run(out: Path, name: str, *overrides: str) -> Result:
    base = ("env=corridor", f"memory={name}", "backbone=apprentice", "stream.save_every=3", *MEMORIES[name])
    return run_cell(compose_cell(out, *base, *overrides))


@pytest.mark.parametrize("name", MEMORIES)
def test_a_stream_that_ran_out_of_budget_again_and_again_ends_as_one_that_never_did(tmp_path: Path, name: str) -> None:
    """Snapshots are three episodes apart, so that resuming lives through committed episodes once more."""
    whole = run(tmp_path / "whole", name)
    assert whole.code == 0, whole.message
    assert whole.folder is not None
    stops = 0
    for budget in range(3_000, 400_000, 6_000):
        stopped = run(tmp_path / "stopped", name, f"stream.budget_tokens={budget}")
        if stopped.code == 0:
            break
        assert stopped.code == 3, stopped.message
        stops += 1
    assert stops >= 2
    assert stopped.folder is not None
    assert final_state(stopped.folder) == final_state(whole.folder)
