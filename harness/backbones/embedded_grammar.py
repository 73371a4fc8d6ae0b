"""Grammars (GBNF) and JSON schemas that keep a small model to what can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from harness.backbones.apprentice.words import content

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|#[^\n]*|[A-Za-z][\w-]*', re.DOTALL)
_STRING_CHARS, _ARRAY_ITEMS = 120, 4


def literal(text: str) -> str:
    """Return a GBNF string literal."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in plain) + '"'


def speakable(choices: Sequence[str]) -> list[str]:
    """Return the choices that fit on one line, each once, in order."""
    return list(dict.fromkeys(c for c in choices if c.strip() and len(c.splitlines()) == 1))


def shortlist(choices: Sequence[str], about: str, limit: int) -> list[str]:
    """Return at most ``limit`` choices, in their order: from each verb in turn the one nearest to a text.

    Near is the number of words in common with ``about`` (task and latest observation), then few other words, then
    the choices' order. Turns make sure that no verb is lost, however many things another one can be done to.
    """
    if len(choices) <= limit:
        return list(choices)
    wanted = content(about)
    groups: dict[str, list[tuple[int, int, int]]] = {}
    for at, choice in enumerate(choices):
        words = content(choice)
        groups.setdefault(choice.split(maxsplit=1)[0], []).append((-len(words & wanted), len(words - wanted), at))
    ranked = [(rank, *key) for group in groups.values() for rank, key in enumerate(sorted(group))]
    return [choices[at] for at in sorted(key[-1] for key in sorted(ranked)[:limit])]


def action_grammar(choices: Sequence[str]) -> str:
    """Return the grammar of a transcript's next line: a space, one of the choices, a line break."""
    return f'root ::= " " ({" | ".join(map(literal, choices))}) "\\n"'


def wrapped_grammar(grammar: str) -> str:
    """Return the grammar of a transcript's next line around an action's own grammar, whose root becomes a rule."""

    def rename(token: re.Match[str]) -> str:
        return "action-root" if token[0] == "root" else token[0]

    return f'root ::= " " action-root "\\n"\n{_TOKEN.sub(rename, grammar)}'


def bounded_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON schema whose strings, lists and objects have an end: a small model does not find it by itself."""

    def bound(node: Any) -> Any:
        if isinstance(node, list):
            return [bound(value) for value in node]
        if not isinstance(node, Mapping):
            return node
        out = {key: bound(value) for key, value in node.items() if key != "default"}
        if node.get("type") == "string" and "enum" not in node and "const" not in node and "format" not in node:
            out["maxLength"] = min(node.get("maxLength", _STRING_CHARS), max(_STRING_CHARS, node.get("minLength", 0)))
        if node.get("type") == "array":
            out["maxItems"] = min(node.get("maxItems", _ARRAY_ITEMS), max(_ARRAY_ITEMS, node.get("minItems", 0)))
        if "properties" in node and node.get("type") == "object":
            out["additionalProperties"] = False
        return out

    return dict(bound(schema))
