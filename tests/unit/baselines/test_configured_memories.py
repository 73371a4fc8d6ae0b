"""Configurations of G-Memory's family: every value says where it is from, and experiments name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from baselines.g_memory.condensing import PROMPTS
from baselines.g_memory.settings import FAULTS
from baselines.look_alike import PROMPTS as LOOK_ALIKES
from harness.config.overrides import CONFIGS
from harness.config.signature import check, load_class

NAMES = ("g_memory", "evograph", "voyager", "memory_bank", "generative_agents")
EXPERIMENTS = ("evograph_fig3", "evograph_lambda")


@pytest.mark.parametrize("name", NAMES)
def test_every_line_says_whether_its_value_is_the_papers_its_codes_or_ours(name: str) -> None:
    for line in (CONFIGS / "memory" / f"{name}.yaml").read_text(encoding="utf-8").splitlines():
        setting = re.match(r"\s*\w+: *[^\s#]", line)
        if setting and not line.startswith("_target_"):
            assert re.search(r"# (paper|repo|reconstructed): \S", line), line


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_complete_and_the_class_takes_it(name: str) -> None:
    values = yaml.safe_load((CONFIGS / "memory" / f"{name}.yaml").read_text(encoding="utf-8"))
    target = load_class(values.pop("_target_"), "memory")
    assert target.name == name
    assert set(check(target, values, "memory")) == set(values)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_sweeps_the_papers_benchmarks_and_three_seeds(name: str) -> None:
    values = yaml.safe_load((CONFIGS / "experiment" / f"{name}.yaml").read_text(encoding="utf-8"))
    params = values["hydra"]["sweeper"]["params"]
    assert params["env"] == "pddl,hotpotqa,fever"
    assert params["seed"] == "0,1,2"
    for row in params.get("row", "").split(","):
        assert not row or (CONFIGS / "row" / f"{row}.yaml").exists()


@pytest.mark.parametrize("folder", [PROMPTS, LOOK_ALIKES], ids=lambda path: path.parent.name)
def test_every_prompt_asks_for_json_and_names_its_fields(folder: Path) -> None:
    assert list(folder.glob("*.md"))
    for path in folder.glob("*.md"):
        assert "Answer with JSON" in path.read_text(encoding="utf-8"), path


def test_every_known_fault_is_explained() -> None:
    source = (PROMPTS.parent / "settings.py").read_text(encoding="utf-8")
    assert all(f"- ``{fault}``: " in source for fault in FAULTS)
