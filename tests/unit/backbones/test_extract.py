"""JSON out of hostile text."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.backbones.extract import MAX_CHARS, extract_json
from harness.errors import ParseError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure! Here it is: {"a": 1}. Hope it helps {really}.', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```\nDone.', {"a": 1}),
        ('<think>{"a": 0} or {"a": 3}?</think>\n{"a": 1}', {"a": 1}),
        ('first {"a": 0} no </think> {"a": 1}', {"a": 1}),
        ('Example: {"a": 0}\nAnswer: {"a": 1}', {"a": 1}),
        ('{"a": 1} as said in [1] and [2, 3]', {"a": 1}),
        ("The items: [1, 2]", [1, 2]),
        ('[note: unclosed. {"a": 1}', {"a": 1}),
        ('{"a": "a } brace \\" and a quote", "b": {"c": []}}', {"a": 'a } brace " and a quote', "b": {"c": []}}),
        ('The set {x | x > 0 } and {"a": 1}', {"a": 1}),
        ('Let {s be\n```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 1}", {"a": 1}),
        ('{"a": 1 // one\n}', {"a": 1}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": "multi\nline"}', {"a": "multi\nline"}),
        ('{"a": "\\ud83d\\ude00 \\ud800"}', {"a": "😀 ?"}),
    ],
)
def test_the_value_is_found(text: str, value: object) -> None:
    assert extract_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "no json here",
        "<think>only { thoughts }",
        '{"a": 1e999}',
        "[" * 5000,
        '{"a":' * 5000,
        '{"a":' * 500 + "1" + "}" * 500,
        "[" * 200 + "]" * 200,
        "x" * (MAX_CHARS + 1),
    ],
)
def test_what_is_no_usable_json_is_a_parse_error(text: str) -> None:
    with pytest.raises(ParseError):
        extract_json(text)


def test_a_truncated_answer_is_not_completed_by_guessing() -> None:
    text = '{"draft": 1} final: {"items": [{"a": 1}, {"a": 2}, {"a"'
    with pytest.raises(ParseError, match="cut off"):
        extract_json(text, truncated=True)
    assert extract_json('{"a": 1} and then some prose that was cut', truncated=True) == {"a": 1}


def test_a_part_of_a_broken_object_never_passes_for_the_whole() -> None:
    value = extract_json('{"title": "x, "inner": {"title": "inner"}, "n": 1')
    assert value != {"title": "inner"}


def test_a_long_answer_is_read() -> None:
    value = {"items": [{"text": 'a "quoted" {brace}' * 5} for _ in range(250)]}
    text = json.dumps(value)
    assert len(text) > 20_000
    assert extract_json(f"Here:\n```json\n{text}\n```") == value


@pytest.mark.parametrize(
    "piece", ["{", "[", '{"', '["', '{"a":[', '}{"', "\\", '"', "```json\n{", "<think>", "[{", "'"]
)
def test_no_repetition_of_marks_makes_it_hang(piece: str) -> None:
    for text in (piece * (MAX_CHARS // len(piece)), piece * 5000 + '{"a": 1}'):
        try:
            extract_json(text)
        except ParseError:
            continue


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(value=st.dictionaries(st.text(), json_values, min_size=1), prose=st.text(alphabet="abc ,.!?'\n", max_size=40))
def test_any_object_comes_back_from_prose(value: dict[str, Any], prose: str) -> None:
    assert extract_json(f"{prose}{json.dumps(value)}{prose}") == value


@given(st.text(alphabet="{}[]\",:\\ntrue0123-.e'`<think>/ ", max_size=200))
def test_any_text_gives_sound_json_or_a_parse_error(text: str) -> None:
    try:
        value = extract_json(text)
    except ParseError:
        return
    json.dumps(value, allow_nan=False).encode()
    assert not (isinstance(value, float) and math.isnan(value))
