"""The apprentice: a simulated agent that reads its memory plainly, and writes to it by rule."""

from harness.backbones.apprentice.backbone import ApprenticeBackbone

__all__ = ["ApprenticeBackbone"]
