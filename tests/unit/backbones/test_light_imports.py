"""Importing and constructing must stay light; and the limit on requests under way works across processes."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from harness.backbones.slots import slot

CODE = """
import importlib, pathlib, sys
for room in ("backbones", "embedders", "ledger"):
    for path in pathlib.Path("harness", room).rglob("*.py"):
        importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
from harness.backbones.litellm_client import LitellmBackbone
from harness.embedders.litellm_embedder import LitellmEmbedder
LitellmBackbone(model="openai/x", api_base="http://127.0.0.1:1/v1").settings()
LitellmEmbedder(model="openai/x", dim=3)
heavy = {"litellm", "openai", "json_repair", "xllamacpp", "wordllama", "onnxruntime", "pandas", "wandb"}
print(sorted(heavy & set(sys.modules)))
"""


def test_importing_every_backbone_and_constructing_the_client_imports_nothing_heavy() -> None:
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "[]"


def hold(target: str, holding: Event, free: Event) -> None:
    with slot(target, 1):
        holding.set()
        free.wait(60)


def test_a_place_is_held_across_processes_and_given_back_by_a_killed_one() -> None:
    context = multiprocessing.get_context("spawn")
    holding, free = context.Event(), context.Event()
    target = f"test {time.time_ns()}"
    other = context.Process(target=hold, args=(target, holding, free))
    other.start()
    assert holding.wait(60)
    with slot(target, 2):
        pass
    other.kill()
    other.join()
    with slot(target, 1):
        pass
