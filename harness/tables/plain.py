"""Text from a model or an engine, made harmless for a terminal."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[@-Z\\-_])?")
_KEPT = frozenset("\n\t")


def plain(text: str) -> str:
    """Return text without terminal escapes; other control and direction-changing characters become visible.

    Newlines and tabs stay. Rich markup is not touched: wrap the result in ``rich.text.Text``, which reads none.
    """
    return "".join(_visible(char) for char in _ESCAPE.sub("", text.replace("\r\n", "\n")))


def _visible(char: str) -> str:
    if char in _KEPT or unicodedata.category(char) not in ("Cc", "Cf", "Cs"):
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
