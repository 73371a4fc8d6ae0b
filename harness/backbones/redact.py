"""Keeps keys out of every message, log line and record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MASK = "[key]"
_SECRET_NAME = re.compile(
    r"(?i)secret|password|credential|authorization|(?:api|access|private)[-_]?key|(?:^|[-_])token$"
)
_SHAPES = (
    re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',;}]+"),
    re.compile(r"(?i)\b(authorization|(?:api[-_ ]?)?key(?: provided)?|token)[\"']?\s*[:=]\s*[\"']?[\w*.~+/-]{6,}"),
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|key)[-_][\w*.-]{6,}|\bAIza[\w-]{16,}"),
)


def secret_names(settings: object) -> list[str]:
    """Return the keys of settings, however deep, under which a secret would stand by its name, sorted."""
    if isinstance(settings, Mapping):
        own = [str(key) for key, value in settings.items() if _SECRET_NAME.search(str(key)) and value is not None]
        return sorted({*own, *(name for value in settings.values() for name in secret_names(value))})
    if isinstance(settings, list | tuple):
        return sorted({name for value in settings for name in secret_names(value)})
    return []


class Redactor:
    """Replaces keys in texts.

    Args:
        keys: The keys in use; shorter ones than 6 characters are placeholders and are left alone.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted({key for key in keys if len(key) >= 6}, key=len, reverse=True)

    def exact(self, text: str) -> str:
        """Return a text without the keys in use; nothing else of it is touched."""
        for key in self._keys:
            text = text.replace(key, MASK)
        return text

    def message(self, text: str, limit: int = 600) -> str:
        """Return an error text of at most ``limit`` characters without anything that looks like a key."""
        text = self.exact(text)
        for shape in _SHAPES:
            text = shape.sub(MASK, text)
        return text if len(text) <= limit else f"{text[:limit]} ..."
