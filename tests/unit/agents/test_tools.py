"""Tool calls are told from actions, checked against their schema, and answered when wrong."""

from collections.abc import Mapping
from typing import Any

import pytest

from harness.agents.tools import Toolbox
from harness.types import Tool

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer"}, "tags": {"type": "array"}},
    "required": ["name"],
}


def box(max_calls: int = 9) -> Toolbox:
    show = Tool("show", "Shows a note.", SCHEMA, lambda arguments: f"shown {sorted(arguments)}")
    names = Tool("list-notes", "Lists notes.", {"type": "object", "properties": {}}, lambda arguments: "a, b")
    return Toolbox([show, names], max_calls)


@pytest.mark.parametrize(
    ("action", "called"),
    [
        ('show {"name": "a"}', True),
        ("show", True),
        ("show me the door", True),
        ("list-notes", True),
        ('unknown {"name": "a"}', True),
        ("go east", False),
        ("click('12')", False),
        ("shower", False),
        ("{}", False),
        ("", False),
    ],
)
def test_an_action_that_begins_with_a_tools_name_or_passes_an_object_is_a_call(action: str, called: bool) -> None:
    assert box().called(action) is called
    assert not Toolbox([], 9).called(action)


@pytest.mark.parametrize(
    ("action", "answer"),
    [
        ('show {"name": "a", "count": 2, "tags": []}', "shown ['count', 'name', 'tags']"),
        ("list-notes", "a, b"),
        ("list-notes {}", "a, b"),
        ('drop {"name": "a"}', "There is no such tool. The tools are: show, list-notes."),
        ("show {name: a}", "are not JSON"),
        ("show me", "are not JSON"),
        ("show [1]", "got list, expected an object"),
        ("show {}", "name missing"),
        ('show {"name": "a", "id": 1}', "id unknown, expected name, count, tags"),
        ('list-notes {"id": 1}', "id unknown, expected no arguments"),
        ('show {"name": 1}', "name is int, expected string"),
        ('show {"name": "a", "count": true}', "count is bool, expected integer"),
        ("show " + "[" * 200_000, "are not JSON"),
    ],
)
def test_a_call_is_run_or_told_what_is_wrong_with_it(action: str, answer: str) -> None:
    toolbox = box()
    assert answer in toolbox.use(action)
    assert toolbox.left == 8


def test_the_announcement_names_tools_arguments_and_the_cap_and_is_empty_without_tools() -> None:
    text = box(7).text()
    assert "at most 7 calls" in text
    assert "- list-notes: Lists notes. Arguments: {" in text
    assert '"count": {"type": "integer"}' in text
    assert Toolbox([], 7).text() == ""
