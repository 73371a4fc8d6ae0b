"""Compose and run streams inside a test, on the same road as the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir

from harness.config.cell import Cell
from harness.config.overrides import CONFIGS, forced
from harness.ledger.durable import tree_digest
from harness.stream.sweep import cell_of

TEST_CONFIGS = Path(__file__).with_name("configs")


def compose_cell(out: Path, *overrides: str) -> Cell:
    """Return the cell that these overrides ask for, run folders under ``out``."""
    search = f"hydra.searchpath=[file://{TEST_CONFIGS}]"
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        config = compose("config", [search, *map(forced, overrides), f"++out={out}"], return_hydra_config=True)
    return cell_of(config)


def episodes(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of a run, wall-clock values left out."""
    lines = [json.loads(line) for line in (folder / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        del line["time"]
    return lines


def final_state(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """Return what two equal runs must share: the episodes, ``time`` aside, and the memory's bytes."""
    return episodes(folder), tree_digest(folder / "memory")
