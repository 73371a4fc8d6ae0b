"""Keeps keys out of every message, log line and record."""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "[key]"
_SHAPES = (
    re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',;}]+"),
    re.compile(r"(?i)\b(authorization|(?:api[-_ ]?)?key(?: provided)?|token)[\"']?\s*[:=]\s*[\"']?[\w*.~+/-]{6,}"),
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|key)[-_][\w*.-]{6,}|\bAIza[\w-]{16,}"),
)


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
