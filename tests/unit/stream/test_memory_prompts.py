"""The prompts of a memory's own calls are part of what a run is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evoedit.memory import EvoGraph
from harness.build import prepare
from harness.config.overrides import CONFIGS
from harness.ledger.folder import RunFolder
from harness.protocols import PromptedMemory
from harness.resolved import lock
from harness.stream.launch import run_cell
from strata.memory import Strata
from tests.streams import compose_cell

QUICK = ("env=corridor", "env.tasks=2", "backbone=apprentice")
ASKING = {"strata", "g_memory", "evograph", "voyager", "memory_bank", "generative_agents"}


def _locked(out: Path, memory: str) -> dict[str, str]:
    prompts: dict[str, str] = lock(prepare(compose_cell(out, *QUICK, f"memory={memory}")))["prompts"]
    return prompts


@pytest.mark.parametrize("memory", sorted(path.stem for path in (CONFIGS / "memory").glob("*.yaml")))
def test_every_memory_that_asks_a_model_says_with_which_files(tmp_path: Path, memory: str) -> None:
    prepared = prepare(compose_cell(tmp_path, *QUICK, f"memory={memory}"))
    made = prepared.memory(prepared.memory_backbone, prepared.embedder)
    assert isinstance(made, PromptedMemory) == (memory in ASKING)
    assert ("memory" in lock(prepared)["prompts"]) == (memory in ASKING)
    if isinstance(made, PromptedMemory):
        assert all(path.exists() for path in made.prompts)


def test_a_changed_memory_prompt_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (*QUICK, "memory=strata")
    assert run_cell(compose_cell(tmp_path, *asked)).code == 0
    folder = shutil.copytree(Strata.prompts[0], tmp_path / "prompts")
    monkeypatch.setattr(Strata, "prompts", (folder,))
    assert run_cell(compose_cell(tmp_path, *asked)).code == 0
    router = folder / "router.md"
    router.write_text(router.read_text(encoding="utf-8") + "\nThink twice.", encoding="utf-8")
    changed = run_cell(compose_cell(tmp_path, *asked))
    assert changed.code == 2
    assert "begun with other inputs" in changed.message
    assert "prompts.memory" in changed.message
    assert RunFolder(compose_cell(tmp_path, *asked).folder).lock() is not None


def test_evograph_answers_for_the_prompts_of_the_graph_beneath_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _locked(tmp_path, "evograph")
    own, beneath = EvoGraph.prompts
    folder = shutil.copytree(beneath, tmp_path / "beneath")
    (folder / "relevance.md").write_text("Is it relevant? $task", encoding="utf-8")
    monkeypatch.setattr(EvoGraph, "prompts", (own, folder))
    after = _locked(tmp_path, "evograph")
    assert {key for key in before if before[key] != after[key]} == {"memory"}
