"""Tools that a memory offers: how they are announced, told from actions, checked and run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from harness.agents.layout import ACTION
from harness.types import Tool

_CALL = re.compile(r"^(?P<name>\w[\w.-]*)\s*(?P<arguments>.*)$", re.DOTALL)
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


class Toolbox:
    """The tools of one episode, and how many calls are left.

    Args:
        tools: what the memory offers; none for no tools.
        max_calls: how many calls an episode may make, refused ones included.
    """

    def __init__(self, tools: Sequence[Tool], max_calls: int) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._max_calls = max_calls
        self.left = max_calls

    def text(self) -> str:
        """Return what the system message says about the tools; empty without tools."""
        if not self._tools:
            return ""
        lines = [
            f"Besides the environment's actions you have these tools. They take no step of the environment; at most "
            f"{self._max_calls} calls a task. Call one as `{ACTION} name {{arguments as JSON}}`.",
        ]
        for tool in self._tools.values():
            schema = json.dumps(tool.parameters, ensure_ascii=False, sort_keys=True)
            lines.append(f"- {tool.name}: {tool.description} Arguments: {schema}")
        return "\n".join(lines)

    def called(self, action: str) -> bool:
        """Return whether an action calls a tool: it begins with a tool's name, or is any name before an object."""
        call = _CALL.match(action)
        if not self._tools or call is None:
            return False
        looks_like_one = call["arguments"].startswith("{") and call["arguments"].rstrip().endswith("}")
        return call["name"] in self._tools or looks_like_one

    def use(self, action: str) -> str:
        """Run the call and return its answer, or what is wrong with it. What a tool raises is passed on."""
        self.left -= 1
        call = _CALL.match(action)
        tool = self._tools.get(call["name"]) if call else None
        if call is None or tool is None:
            return f"There is no such tool. The tools are: {', '.join(self._tools)}."
        try:
            arguments = json.loads(call["arguments"] or "{}")
        except (json.JSONDecodeError, RecursionError) as error:
            return f"The arguments of {tool.name} are not JSON: {error}."
        wrong = _wrong(arguments, tool.parameters)
        return f"The arguments of {tool.name} are wrong: {wrong}." if wrong else tool.call(arguments)


def _wrong(arguments: Any, schema: Mapping[str, Any]) -> str:
    """Return what is wrong with arguments by the names and types of a JSON schema; empty if nothing is."""
    if not isinstance(arguments, dict):
        return f"got {type(arguments).__name__}, expected an object"
    properties: Mapping[str, Any] = schema.get("properties", {})
    if missing := [name for name in schema.get("required", ()) if name not in arguments]:
        return f"{', '.join(missing)} missing"
    if unknown := [name for name in arguments if name not in properties]:
        return f"{', '.join(unknown)} unknown, expected {', '.join(properties) or 'no arguments'}"
    for name, value in arguments.items():
        kind = properties[name].get("type")
        is_bool_for_number = isinstance(value, bool) and kind in ("integer", "number")
        if kind in _TYPES and (is_bool_for_number or not isinstance(value, _TYPES[kind])):
            return f"{name} is {type(value).__name__}, expected {kind}"
    return ""
