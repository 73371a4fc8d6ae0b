"""The shipped configurations of real models: complete, priced with a date, and sent as they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from omegaconf import OmegaConf

from harness.backbones.litellm_client import LitellmBackbone
from harness.config.signature import check, load_class
from harness.types import Call, Message
from tests.fakes.faulty_openai_server import serving

CONFIGS = Path(__file__).parents[3] / "configs"
TARGET = "harness.backbones.litellm_client.LitellmBackbone"


def values(path: Path, **given: object) -> dict[str, object]:
    root = OmegaConf.merge({"seed": 3, "part": OmegaConf.load(path)}, {"part": given})
    part = OmegaConf.to_container(root.part, resolve=True)
    assert isinstance(part, dict)
    return {str(key): value for key, value in part.items() if key != "_target_"}


def models() -> list[Path]:
    return [path for path in sorted((CONFIGS / "backbone").glob("*.yaml")) if TARGET in path.read_text("utf-8")]


def test_all_models_asked_for_are_there() -> None:
    assert {path.stem for path in models()} >= {
        "litellm", "gpt_4o_mini", "qwen2_5_7b_local", "qwen2_5_7b_api",
        "deepseek_v4_pro", "deepseek_v4_flash", "gemini_2_5_pro", "gemini_2_5_flash",
    }  # fmt: skip


@pytest.mark.parametrize("path", models(), ids=lambda path: path.stem)
def test_a_configuration_names_every_argument_and_builds(path: Path) -> None:
    given = {"model": "openai/x"} if path.stem == "litellm" else {}
    arguments = check(load_class(TARGET, "backbone"), values(path, **given), "backbone")
    assert set(values(path, **given)) == set(arguments), "each argument has its line"
    backbone = LitellmBackbone(**arguments)
    if path.stem == "litellm":
        return
    assert backbone.priced
    assert arguments["price_date"]
    assert backbone.effective_settings()["dropped"] == [], "what a file asks for is sent"


@pytest.mark.parametrize("path", [path for path in models() if "deepseek" in path.stem], ids=lambda path: path.stem)
def test_the_thinking_mode_of_deepseek_reaches_the_server(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-canary-0123456789")
    with serving() as server:
        backbone = LitellmBackbone(**values(path, api_base=server.url))  # type: ignore[arg-type]
        backbone.complete([Message("user", "hi")], call=Call(task_id="t", trial=1, phase="agent"))
    assert server.requests[0]["thinking"] == {"type": "disabled"}
    assert server.requests[0]["temperature"] == 0.0


def test_the_embedders_configuration_names_every_argument() -> None:
    path = CONFIGS / "embedder" / "litellm.yaml"
    given = values(path, model="openai/x", dim=3)
    assert set(check(load_class("harness.embedders.litellm_embedder.LitellmEmbedder", "e"), given, "e")) == set(given)
