"""Search, Lookup and Finish, action by action."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from pydantic import BaseModel

from baselines.none import NoMemory
from envs.fever import Fever
from envs.hotpotqa import HotpotQA
from envs.wiki.pages import FrozenWiki, Page
from envs.wiki.scoring import exact_match
from envs.wiki.session import Gold, WikiSession
from harness.agents.prompts import Prompts
from harness.agents.react import ReactAgent
from harness.errors import EnvironmentFault
from harness.protocols import Session
from harness.types import Call, Completion, Limits, Message, Recall, StopReason, Task, Usage

TITLES = (
    "Star Trek: Discovery",
    "Discovery (Daft Punk album)",
    "A thought experiment",
    "Action: a title",
    "OKLAHOMA",
    "Oklahoma!",
    "Malmö",
    "Übermensch [draft]",
    "北京",
    "5:55",
    "Popular Science",
    "Popular science",
    "Cities & Knights",
)
SENTENCES = tuple(f"Sentence {number} is about {'slate' if number % 2 else 'salt'}." for number in range(1, 8))
WIKI = FrozenWiki(Page(title, (f"This is {title}.", *SENTENCES)) for title in TITLES)
TASK = Task("t", "hotpotqa", "Which one?", "bridge", "bridge-which")


def _session(answer: str = "Malmö", titles: tuple[str, ...] = ("Malmö", "OKLAHOMA")) -> WikiSession:
    return WikiSession(
        TASK, Gold(answer, titles), WIKI, measure=lambda given: {"em": exact_match(given, answer), "f1": 0.5}
    )


def _says(session: Session, action: str) -> str:
    step = session.step(action)
    assert step.action == action
    return step.observation


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        *((title, title) for title in TITLES),
        ("star trek: DISCOVERY", "Star Trek: Discovery"),
        ("  A   Thought_Experiment ", "A thought experiment"),
        ("oklahoma", "OKLAHOMA"),
        ("Malmo\u0308", "Malmö"),
        ("MALMÖ", "Malmö"),
        ("übermensch [DRAFT]", "Übermensch [draft]"),
        ("Popular SCIENCE", "Popular Science"),
        ("Cities &amp; Knights", "Cities & Knights"),
        ("cities & knights", "Cities & Knights"),
        ("\uff15:55", "5:55"),
    ],
)
def test_a_title_is_found_verbatim_or_but_for_case_and_unicode_form(asked: str, title: str) -> None:
    said = _says(_session(), f"Search[{asked}]")
    assert said == f"This is {title}. " + " ".join(SENTENCES[:4])


@pytest.mark.parametrize(
    "asked", ["Malmo", "Star Trek", "Oklahoma?", "thought", "[]", "a: [b] (c) ] d", "é💥", "\ud800"]
)
def test_a_title_that_is_not_there_brings_similar_ones_and_keeps_the_page(asked: str) -> None:
    session = _session()
    session.step("Search[OKLAHOMA]")
    assert _says(session, "Lookup[salt]") == f"(Result 1 / 3) {SENTENCES[1]}"
    said = _says(session, f"Search[{asked}]")
    shown = asked.encode("utf-8", "replace").decode()
    assert said.startswith(f"Could not find [{shown}]. Similar: [")
    assert len(json.loads(said.rpartition("Similar: ")[2])) <= 5
    assert _says(session, "Lookup[salt]") == f"(Result 2 / 3) {SENTENCES[3]}"


def test_similar_titles_are_the_five_nearest_and_the_nearest_comes_first() -> None:
    near = json.loads(_says(_session(), "Search[Discovery, the Star Trek series]").rpartition("Similar: ")[2])
    assert near[:2] == ["Star Trek: Discovery", "Discovery (Daft Punk album)"]
    assert len(_says(_session(), "Search[this sentence]").split('", "')) == 5


def test_a_search_for_a_very_long_title_is_not_repeated_in_full() -> None:
    assert len(_says(_session(), f"Search[{'x' * 20_000}]")) < 400


@pytest.mark.parametrize("keyword", ["slate", "SLATE", " Slate "])
def test_lookup_shows_one_sentence_after_the_other_and_then_says_that_there_are_no_more(keyword: str) -> None:
    session = _session()
    session.step("Search[Malmö]")
    for number, sentence in enumerate(SENTENCES[::2], start=1):
        assert _says(session, f"Lookup[{keyword}]") == f"(Result {number} / 4) {sentence}"
    assert _says(session, f"Lookup[{keyword}]") == "No more results."
    assert _says(session, f"Lookup[{keyword}]") == "No more results."


def test_another_keyword_or_another_page_starts_lookup_afresh() -> None:
    session = _session()
    assert "No page is open" in _says(session, "Lookup[salt]")
    session.step("Search[Malmö]")
    assert _says(session, "Lookup[salt]").startswith("(Result 1 / 3)")
    assert _says(session, "Lookup[malmö]") == "(Result 1 / 1) This is Malmö."
    assert _says(session, "Lookup[salt]").startswith("(Result 1 / 3)")
    session.step("Search[北京]")
    assert _says(session, "Lookup[salt]").startswith("(Result 1 / 3)")
    assert _says(session, "Lookup[nowhere]") == "No more results."


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("OKLAHOMA", "OKLAHOMA"),
        ("Star Trek: Discovery", "Star Trek: Discovery"),
        ("a [b] c", "a [b] c"),
        ("x]", "x]"),
        ("Thought: no", "Thought: no"),
        ("The  U.S.A.", "usa"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_an_answer_is_taken_verbatim_and_compared_normalised(gold: str, answer: str) -> None:
    session = _session(gold)
    step = session.step(f"Finish[{answer}]")
    assert step.done
    assert step.reward == 1.0
    assert session.outcome().success


def test_what_finish_says_does_not_tell_whether_the_answer_is_right() -> None:
    right, wrong = _session().step("Finish[Malmö]"), _session().step("Finish[Lund]")
    assert right.observation == wrong.observation
    assert (right.reward, wrong.reward) == (1.0, 0.0)


@pytest.mark.parametrize("form", ["search[Malmö]", " SEARCH [Malmö] ", "Search[ Malmö ]"])
def test_the_name_of_an_action_may_be_in_any_case(form: str) -> None:
    assert _says(_session(), form).startswith("This is Malmö.")


@pytest.mark.parametrize(
    "action",
    ["", "Search", "Search[]", "Finish[ ]", "Lookup[\n]", "Search[Malmö", "dance[Malmö]", "Finish Malmö", "]["],
)
def test_an_action_of_another_form_changes_nothing(action: str) -> None:
    session = _session()
    step = session.step(action)
    assert step.observation.startswith("Invalid action.")
    assert not step.done
    assert session.expert() == "Search[Malmö]"


def test_after_finish_nothing_more_can_be_done() -> None:
    session = _session()
    session.step("Finish[Lund]")
    assert session.expert() is None
    assert session.sample(np.random.default_rng(0)) is None
    with pytest.raises(EnvironmentFault):
        session.step("Search[Malmö]")


def test_the_expert_goes_on_from_whatever_has_been_asked_already() -> None:
    session = _session("x", ("Malmö", "Nowhere", "OKLAHOMA"))
    for action in ("Search[5:55]", "Search[oklahoma]"):
        session.step(action)
    assert session.expert() == "Search[Malmö]"
    session.step("Search[MALMÖ]")
    assert session.expert() == "Search[Nowhere]"
    session.step("Search[Nowhere]")
    assert session.expert() == "Finish[x]"


def test_random_actions_search_titles_that_exist() -> None:
    session = _session()
    drawn = {session.sample(np.random.default_rng(seed)) for seed in range(200)}
    assert drawn == {f"Search[{title}]" for title in TITLES}


def test_an_unfinished_episode_is_wrong_and_every_measure_of_it_is_zero() -> None:
    session = _session(answer="the")
    assert session.measures() == {"em": 0.0, "f1": 0.0}
    assert (session.outcome().success, session.outcome().score) == (False, 0.0)


class _Wanderer:
    """Searches for ever, or gives an answer at a chosen step."""

    id, real, disclosures = "wanderer", False, ()

    def __init__(self, finish_at: int) -> None:
        self._finish_at = finish_at

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        action = "Finish[Tarrow]" if call.step == self._finish_at else f"Search[nowhere {call.step}]"
        return Completion(f"Thought: a thought: 7\nAction: {action}", "stop", Usage())

    def settings(self) -> Mapping[str, object]:
        return {}


@pytest.mark.parametrize(("finish_at", "success"), [(6, True), (7, True), (8, False)])
def test_the_seventh_action_is_the_last_and_without_finish_the_episode_is_not_correct(
    finish_at: int, success: bool
) -> None:
    environment = HotpotQA()
    task = environment.tasks()[0]
    agent = ReactAgent(backbone=_Wanderer(finish_at), prompts=Prompts.load(environment.prompts))
    with environment.start(task) as session:
        episode = agent.solve(session, session.task, 1, NoMemory(), Recall(), Limits(max_steps=7))
    assert len(episode.steps) == min(finish_at, 7)
    assert episode.outcome.success is success
    assert episode.outcome.stop is (StopReason.SOLVED if success else StopReason.STEP_LIMIT)


def test_the_grammar_offers_lookup_once_a_page_is_open_and_claims_only_the_three_labels() -> None:
    question, claim = HotpotQA(), Fever()
    with question.start(question.tasks()[0]) as asking, claim.start(claim.tasks()[0]) as checking:
        assert "Lookup" not in str(asking.grammar())
        asking.step("Search[nowhere]")
        assert "Lookup" not in str(asking.grammar())
        asking.step("Search[Veyra]")
        assert '"Lookup[" text "]"' in str(asking.grammar())
        assert '"Finish[" text "]"' in str(asking.grammar())
        labels = re.search(r'"Finish\[" \((.*)\) "\]"', str(checking.grammar()))
        assert labels is not None
        assert labels[1] == '"SUPPORTS" | "REFUTES" | "NOT ENOUGH INFO"'
        assert asking.actions is None
