"""Whatever a model says, the first complete action is found, or the reason why there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.agents.parsing import Answer, Unreadable, parse_answer, visible

READABLE = {
    "plain": ("Thought: I see a door.\nAction: open door", "I see a door.", "open door"),
    "no thought": ("Action: look", "", "look"),
    "prose instead of a thought": ("The door is shut.\nAction: open door", "The door is shut.", "open door"),
    "prose before the thought is left out": ("Sure!\nThought: go.\nAction: look", "go.", "look"),
    "thought over several lines": ("Thought: one\ntwo\nAction: look", "one\ntwo", "look"),
    "lower case": ("thought: hm\naction: look", "hm", "look"),
    "windows line ends": ("Thought: hm\r\nAction: look\r\n", "hm", "look"),
    "bold mark": ("**Thought:** hm\n**Action:** look", "hm", "look"),
    "bold mark, colon outside": ("**Thought**: hm\n**Action**: look", "hm", "look"),
    "whole line bold": ("**Action: look around**", "", "look around"),
    "bold action": ("Action: **look**", "", "look"),
    "heading": ("### Thought: hm\n### Action: look", "hm", "look"),
    "list item": ("- Thought: hm\n- Action: look", "hm", "look"),
    "quote": ("> Action: look", "", "look"),
    "numbered": ("Thought 3: hm\nAction 3: Search[Star Trek: Discovery]", "hm", "Search[Star Trek: Discovery]"),
    "action on the next line": ("Action:\ngo east", "", "go east"),
    "action after an empty line": ("Thought: x\nAction:\n\n   go east", "x", "go east"),
    "backticks": ("Action: `go east`", "", "go east"),
    "double quotes": ('Action: "go east"', "", "go east"),
    "single quotes": ("Action: 'go east'", "", "go east"),
    "inner quotes stay": ('Action: say "hello" and "bye"', "", 'say "hello" and "bye"'),
    "quotes at both ends of different words stay": ('Action: "a" or "b"', "", '"a" or "b"'),
    "an apostrophe stays": ("Action: take Bob's key", "", "take Bob's key"),
    "punctuation stays": ("Action: go east.", "", "go east."),
    "brackets stay": ("Action: click('12', button=\"left\")", "", "click('12', button=\"left\")"),
    "fence around everything": ("```\nThought: hm\nAction: look\n```", "hm", "look"),
    "fence around the action": ("Action:\n```\ngo east\n```", "", "go east"),
    "fence on one line": ("Action: ```go east```", "", "go east"),
    "fenced code keeps its lines": ("Action:\n```python\nx = 1\n\nprint(x)\n```\nDone.", "", "x = 1\n\nprint(x)"),
    "fence opened behind the mark": ("Action: ```python\nprint(1)\n```", "", "print(1)"),
    "several actions": ("Action: go east\nAction: go west", "", "go east"),
    "a made-up dialogue": ("Action: a\nObservation: ok\nThought: b\nAction: c", "", "a"),
    "first action empty": ("Action:\nThought: hm\nAction: look", "hm", "look"),
    "closed think tags": ("<think>Action: jump</think>\nThought: hm\nAction: look", "hm", "look"),
    "only the closing think tag": ("Action: jump\n</think>\nAction: look", "", "look"),
    "think tag in the middle": ("Thought: a\n<thinking>Action: b</thinking>\nAction: look", "a", "look"),
    "json": ('{"thought": "hm", "action": "look"}', "hm", "look"),
    "json in a fence": ('```json\n{\n "thought": "hm",\n "action": "go \\"east\\""\n}\n```', "hm", 'go "east"'),
    "json-ish": ("{'thought': 'hm', 'action': 'take Bob\\'s key',}", "hm", "take Bob's key"),
    "json behind the mark": ('Action: {"action": "look"}', "", "look"),
    "a tool call": ('Action: view {"name": "a"}', "", 'view {"name": "a"}'),
    "unicode": ("Thought: 思\nAction: открыть дверь ➜", "思", "открыть дверь ➜"),
    "half a surrogate pair": ("Action: go \ud83d", "", "go ?"),
    "the word action inside a sentence": ("My action: none yet\nAction: look", "My action: none yet", "look"),
}

UNREADABLE = {
    "empty": ("", "was empty"),
    "only space": (" \n\t ", "was empty"),
    "only reasoning": ("<think>Action: look</think>", "was empty"),
    "reasoning without an end": ("<think>I wonder\nAction: look", "was empty"),
    "prose": ("I would open the door.", "has no line that begins with `Action:`"),
    "a thought alone": ("Thought: I would open the door.", "has no line that begins with `Action:`"),
    "nothing behind the mark": ("Thought: hm\nAction:", "has no complete action behind `Action:`"),
    "another mark behind the mark": ("Action:\nObservation: ok", "has no complete action behind `Action:`"),
    "only decoration": ("**Action:** ``", "has no complete action behind `Action:`"),
    "an empty fence": ("Action:\n```\n```", "has no complete action behind `Action:`"),
    "a fence without an end": ("Action:\n```python\nprint(1)", "has no complete action behind `Action:`"),
    "the outer fence's end": ("```\nAction:\n```\nI hope this helps.", "has no complete action behind `Action:`"),
    "json whose action is an object": ('{"action": {"name": "x"}}', "has no line that begins with `Action:`"),
    "json cut off": ('{"thought": "x", "action": "go ea', "has no line that begins with `Action:`"),
}


@pytest.mark.parametrize(("text", "thought", "action"), READABLE.values(), ids=READABLE)
def test_a_readable_answer_gives_its_thought_and_action(text: str, thought: str, action: str) -> None:
    assert parse_answer(text) == Answer(thought, action)


@pytest.mark.parametrize(("text", "reason"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_answer_gives_the_reason_and_what_was_said(text: str, reason: str) -> None:
    assert parse_answer(text) == Unreadable(visible(text), reason)


def test_nothing_at_all_is_an_empty_answer() -> None:
    assert parse_answer(None) == Unreadable("", "was empty")


@pytest.mark.parametrize("text", ["Thought: hm\nAction: go ea", "Thought: I was thinking", "Action:\ngo ea"])
def test_an_action_at_the_very_end_of_a_cut_answer_does_not_count(text: str) -> None:
    assert parse_answer(text, cut=True) == Unreadable(text, "was cut off before its action was complete")


def test_an_action_with_text_after_it_counts_even_in_a_cut_answer() -> None:
    assert parse_answer("Action: go east\nObservation: You", cut=True) == Answer("", "go east")


@pytest.mark.parametrize(
    "text",
    [
        "x" * 20_000,
        "<think>" * 20_000,
        "Action:\n" * 20_000,
        "**" * 50_000 + "Action: look",
        '{"action": "' + "\\" * 100_000,
        "```\n" * 50_000,
        "Action: ```\n" * 20_000,
        "Action: ```\n```\n" * 20_000,
        "Action:\n\n\n" * 20_000,
        "Thought: " + "very " * 20_000,
    ],
)
def test_huge_hostile_answers_are_read_without_an_action(text: str) -> None:
    assert isinstance(parse_answer(text), Unreadable) or "look" in text


def test_a_huge_thought_does_not_hide_the_action() -> None:
    answer = parse_answer("Thought: " + "well " * 5000 + "\nAction: look")
    assert isinstance(answer, Answer)
    assert answer.action == "look"
    assert len(answer.thought) > 20_000


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["Action:", "Thought:", "Observation:", "```", "**", "<think>", "</think>", '"', "{", "\n", " ", "go"]
        )
        | st.text(max_size=5),
        max_size=25,
    ).map("".join),
    st.booleans(),
)
def test_no_answer_makes_it_raise_and_an_action_is_never_blank(text: str, cut: bool) -> None:
    answer = parse_answer(text, cut=cut)
    if isinstance(answer, Answer):
        assert answer.action.strip()
        answer.action.encode("utf-8")
    else:
        assert answer.reason
