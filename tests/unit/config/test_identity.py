"""Every configuration field is classified: it decides results and is part of a run's identity, or it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.config.overrides import CONFIGS
from harness.config.schema import LimitSettings, RootSettings, StreamSettings, TaskSettings
from harness.config.signature import load_class, runtime_fields, schema_of, slug
from tests.streams import compose_cell

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "identity_fields.txt"
GROUPS = ("env", "memory", "backbone", "embedder", "agent", "tracking", "prefill")


def targets() -> Iterator[tuple[str, Any]]:
    found = {}
    for group in GROUPS:
        for path in sorted((CONFIGS / group).glob("*.yaml")):
            target = load_class(yaml.safe_load(path.read_text(encoding="utf-8"))["_target_"], group)
            found[f"{group}.{target.__name__}"] = target
    return iter(sorted(found.items()))


def classified() -> list[str]:
    lines = []
    for name, model in (
        ("", RootSettings), ("stream.", StreamSettings), ("limits.", LimitSettings), ("env.", TaskSettings)
    ):  # fmt: skip
        runtime = runtime_fields(model)
        lines += [f"{name}{field}: {'runtime' if field in runtime else 'identity'}" for field in model.model_fields]
    for name, target in targets():
        runtime = runtime_fields(target)
        fields = schema_of(target).model_fields
        lines += [f"{name}.{field}: {'runtime' if field in runtime else 'identity'}" for field in fields]
    return lines


def test_every_field_is_classified_as_the_golden_list_says() -> None:
    """A new field must be put into the list by hand: that is the moment to think about which of the two it is."""
    found = "\n".join(classified()) + "\n"
    assert found == GOLDEN.read_text(encoding="utf-8"), "compare with tests/golden/identity_fields.txt and decide"


@pytest.mark.parametrize(
    ("override", "same"),
    [
        ("seed=1", False),
        ("env.n_tasks=5", False),
        ("env.max_steps=9", False),
        ("env.order=shuffled", False),
        ("memory.k=2", False),
        ("backbone.skill=0.5", False),
        ("stream.trials=2", False),
        ("limits.max_tokens=5000", False),
        ("agent.offer_actions=3", False),
        ("backbone@memory.backbone=expert", False),
        ("stream.max_attempts=9", True),
        ("stream.save_every=4", True),
        ("stream.budget_tokens=9", True),
        ("display=off", True),
        ("tracking=wandb", True),
    ],
)
def test_identity_settings_make_another_run_and_runtime_settings_do_not(
    tmp_path: Path, override: str, same: bool
) -> None:
    base = ("env=corridor", "memory=flat", "backbone=apprentice")
    one, other = compose_cell(tmp_path, *base), compose_cell(tmp_path, *base, override)
    assert (one.name == other.name) is same


def test_a_default_that_is_spelled_out_is_the_same_run(tmp_path: Path) -> None:
    one = compose_cell(tmp_path, "env=corridor", "memory=flat")
    assert one.name == compose_cell(tmp_path, "env=corridor", "memory=flat", "memory.k=3", "seed=0").name


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("openai/gpt-4o:mini", "openai_gpt-4o_mini"),
        ("..", ""),
        ("a b\nc", "a_b_c"),
        ("é" * 3, ""),
        ("x" * 99, "x" * 60),
    ],
)
def test_folder_names_are_safe_everywhere(text: str, safe: str) -> None:
    assert slug(text) == safe
