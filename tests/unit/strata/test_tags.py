"""The tag space: canonical operators, heads of word runs, and an LLM's answers made canonical."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.types import Call
from strata.graph import leading_tag
from strata.tags import LLMTagParser, RuleTagParser
from tests.unit.strata.building import by_rule, settings

CALL = Call("t", 1, "retrieve")
TAGGING = settings()["tagging"]


def parsed(text: str, world: str = "house") -> set[str]:
    return set(RuleTagParser(TAGGING).parse(text, world, CALL))


@pytest.mark.parametrize(
    ("text", "world", "tags"),
    [
        ("put a clean mug in coffeemachine.", "alfworld", "op:place op:clean obj:mug obj:coffeemachine app:alfworld"),
        ("cool some apple and put it in microwave.", "alf", "op:cool op:place obj:apple obj:microwave app:alf"),
        ("put a hot potato in fridge", "alfworld", "op:heat op:place obj:potato obj:fridge app:alfworld"),
        ("Your task is to melt lead. First, focus on the substance.", "science", "op:heat obj:lead app:science"),
        ("Your task is to freeze tin.", "scienceworld", "op:cool obj:tin app:scienceworld"),
        ("Your task is to find a(n) living thing.", "scienceworld", "op:find obj:living app:scienceworld"),
        ("Delete all my Spotify playlists.", "appworld", "op:delete obj:playlist app:spotify"),
        ("", "house", "app:house"),
    ],
)
def test_a_text_is_parsed_into_application_operation_and_object(text: str, world: str, tags: str) -> None:
    assert parsed(text, world) == set(tags.split())


def test_the_papers_own_pair_melt_lead_and_freeze_tin_gets_opposite_operators() -> None:
    assert "op:heat" in parsed("melt lead")
    assert "op:cool" in parsed("freeze tin")


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("put the clean red mug in the sink", "mug sink"),
        ("take kitchen table lamp", "lamp"),
        ("find old water bill, paper towel", "bill towel"),
        ("red mug heat green apple pies", "mug pie"),
        ("clean dusty playlist song 7", "song"),
        ("small egg thing", "egg"),
    ],
)
def test_the_head_of_a_word_run_is_its_last_word_that_can_be_an_object(text: str, heads: str) -> None:
    assert {tag[4:] for tag in parsed(text) if tag.startswith("obj:")} == set(heads.split())


@pytest.mark.parametrize("word", ["melt", "melting", "melted", "boils", "warm", "heat"])
def test_inflected_words_name_their_operator(word: str) -> None:
    assert "op:heat" in parsed(f"{word} it")


def llm(answer: object) -> tuple[set[str], Counter[str]]:
    unreadable: Counter[str] = Counter()
    parser = LLMTagParser(TAGGING, by_rule(tags=answer), 1, unreadable)
    return set(parser.parse("melt lead", "house", Call("t", 1, "retrieve", role="tags"))), unreadable


def test_an_llms_tags_become_canonical_and_what_is_no_tag_is_left_out() -> None:
    answer = {"tags": ["OP: Melt", "obj:Tin Cans", "app:house", "colour:red", "op:", "obj:<b>", "melt", "op:warm"]}
    assert llm(answer)[0] == {"op:heat", "obj:tin_can", "app:house"}


def test_an_llm_may_give_only_so_many_tags_of_a_kind() -> None:
    found, _ = llm({"tags": [f"obj:thing{n}" for n in range(40)]})
    assert len([tag for tag in found if tag.startswith("obj:")]) == TAGGING.most


@pytest.mark.parametrize("answer", ["", "no idea", {"tags": "op:heat"}, {"tag": []}, "[" * 5000])
def test_an_unreadable_answer_is_counted_and_the_text_parsed_by_rule(answer: object) -> None:
    found, unreadable = llm(answer)
    assert found == parsed("melt lead")
    assert unreadable == {"tags": 1}


def test_the_leading_tag_is_the_first_app_else_the_first_op_else_the_first_obj() -> None:
    assert leading_tag(frozenset({"obj:a", "op:b", "app:z", "app:c"})) == "app:c"
    assert leading_tag(frozenset({"obj:a", "op:z", "op:b"})) == "op:b"
    assert leading_tag(frozenset({"obj:z", "obj:a"})) == "obj:a"
    assert leading_tag(frozenset()) == ""
