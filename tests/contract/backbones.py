"""The backbones that the shared suite runs over; a new one adds its line to ``BACKBONES``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.backbones.apprentice.backbone import ApprenticeBackbone
from harness.backbones.embedded import EmbeddedBackbone
from harness.backbones.expert import ExpertBackbone
from harness.backbones.random_policy import RandomBackbone
from harness.backbones.scripted import ScriptedBackbone
from harness.protocols import Backbone
from harness.seeds import Draws

DRAWS = Draws(7, "backbone")

BACKBONES: Mapping[str, Callable[[], Backbone]] = {
    "expert": lambda: ExpertBackbone(draws=DRAWS),
    "random": lambda: RandomBackbone(draws=DRAWS),
    "apprentice": lambda: ApprenticeBackbone(draws=DRAWS),
    "scripted": lambda: ScriptedBackbone(answers=["Action: look", {"text": "Action: go", "reasoning": "why"}]),
    "embedded": lambda: EmbeddedBackbone(draws=DRAWS, max_prompt_tokens=256, max_tokens=200),
}
