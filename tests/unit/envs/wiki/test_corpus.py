"""The embedded corpus is as large as promised, and what it says of itself is true."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import envs.wiki
from envs.fever import Fever
from envs.hotpotqa import HotpotQA
from envs.wiki.data import Claim, PageRow, Question, load_rows

FOLDER = Path(envs.wiki.__file__).with_name("corpus")
PAGES = {row.title: row.page() for row in load_rows(FOLDER / "pages.json", PageRow)}
LINKS: dict[str, list[str]] = {
    row["title"]: row["links"] for row in json.loads((FOLDER / "pages.json").read_text(encoding="utf-8"))
}
QUESTIONS = list(load_rows(FOLDER / "questions.json", Question))
CLAIMS = list(load_rows(FOLDER / "claims.json", Claim))


def _text(title: str) -> str:
    return " ".join((title, *PAGES[title].sentences))


def test_it_has_as_many_pages_questions_and_claims_as_promised() -> None:
    assert len(PAGES) == len(LINKS) >= 60
    assert Counter(question.type for question in QUESTIONS).total() >= 40
    assert {question.type for question in QUESTIONS} == {"bridge", "comparison"}
    labels = Counter(claim.label for claim in CLAIMS)
    assert labels.total() >= 40
    assert len(set(labels.values())) == 1
    assert len({question.question for question in QUESTIONS}) == len(QUESTIONS)
    assert len({claim.claim for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("title", PAGES)
def test_every_link_leads_to_a_page_that_the_text_names(title: str) -> None:
    assert LINKS[title]
    for link in LINKS[title]:
        assert link in PAGES
        assert link.lower() in _text(title).lower()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question.id))
def test_every_answer_stands_on_its_gold_pages(question: Question) -> None:
    assert len(question.titles) == 2
    facts = " ".join(PAGES[title].sentences[number] for title, number in question.supporting_facts)
    if question.answer not in ("yes", "no"):
        assert question.answer.lower() in facts.lower() or question.answer in question.titles


@pytest.mark.parametrize(
    "question", [question for question in QUESTIONS if question.type == "bridge"], ids=lambda question: str(question.id)
)
def test_the_gold_pages_of_a_bridge_question_are_linked_and_its_question_does_not_name_the_answer(
    question: Question,
) -> None:
    first, second = question.titles
    assert second in LINKS[first]
    assert question.answer.lower() not in question.question.lower()


@pytest.mark.parametrize(
    "question",
    [question for question in QUESTIONS if question.type == "comparison"],
    ids=lambda question: str(question.id),
)
def test_a_comparison_names_both_of_its_pages(question: Question) -> None:
    for title in question.titles:
        assert re.sub(r" \(.*", "", title) in question.question


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.id))
def test_the_evidence_of_every_claim_exists(claim: Claim) -> None:
    (evidence,) = claim.evidence
    assert evidence
    for _, _, title, number in evidence:
        assert title is not None
        assert title in PAGES
        assert (number is None) is (claim.label == "NOT ENOUGH INFO")
        assert number is None or PAGES[title].sentences[number]


def test_some_gold_sentences_are_seen_by_lookup_only() -> None:
    numbers = [number for question in QUESTIONS for _, number in question.supporting_facts]
    numbers += [row[3] for claim in CLAIMS for row in claim.evidence[0] if row[3] is not None]
    assert sum(number >= 5 for number in numbers) >= 2


@pytest.mark.parametrize("environment", [HotpotQA(), Fever()], ids=lambda environment: str(environment.name))
def test_the_examples_in_the_prompt_were_really_played_and_open_no_gold_page_of_a_task(environment: Any) -> None:
    text = (environment.prompts / "fewshots.md").read_text(encoding="utf-8").strip()
    gold = {title for question in QUESTIONS for title in question.titles}
    gold |= {title for claim in CLAIMS for titles in claim.title_sets for title in titles}
    _, *examples = text.split("\n\n")
    assert len(examples) == 3
    for example in examples:
        played = re.findall(r"^Action: (.*)\nObservation: (.*)$", example, re.MULTILINE)
        assert len(played) <= 7
        with environment.start(environment.tasks()[0]) as session:
            assert f"Observation: {session.observation}\n" in example
            steps = [session.step(action) for action, _ in played]
        assert [step.observation for step in steps] == [said for _, said in played]
        assert steps[-1].done
        assert not {f"Search[{title}]" for title in gold} & {action for action, _ in played}


def test_the_template_of_a_question_is_its_type_and_the_word_that_asks() -> None:
    templates = {task.text: task.template for task in HotpotQA().tasks()}
    assert templates["Which island is larger, Hask or Dunmarrow?"] == "comparison-which"
    assert templates["In which town was the architect of the Callan Bridge born?"] == "bridge-which"
    assert templates["Were Rafe Tolland and Tomas Weir born in the same town?"] == "comparison-yes-no"


def test_no_field_of_a_claims_task_says_its_label_and_claims_of_equal_words_have_equal_fields() -> None:
    environment = Fever()
    labels = {f"claim-{claim.id}": claim.label for claim in environment._world.corpus.rows}
    by_template: dict[str, set[str]] = {}
    for task in environment.tasks():
        told = " ".join([task.id, task.text, task.family, task.template]).upper()
        assert not any(label in told for label in ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"))
        by_template.setdefault(task.template, set()).add(labels[task.id])
    assert any(len(found) == 3 for found in by_template.values())


@pytest.mark.parametrize(
    ("claim", "family", "template"),
    [
        ("Mount Sarn has never erupted.", "negation", "negation-has"),
        ("Ten Lakes isn't in Norway.", "negation", "negation-other"),
        ("Mount Arden is more than 1,300 metres high.", "number", "number-is"),
        ("Maren Oduya had four children.", "number", "number-had"),
        ("The Salt Ledger is a novel.", "class", "class-is"),
        ("Hask was one of the islands.", "class", "class-was"),
        ("Beatrix Lowe translated poetry.", "statement", "statement-other"),
    ],
)
@pytest.mark.parametrize("label", ["SUPPORTS", "REFUTES"])
def test_the_family_of_a_claim_is_its_form_whatever_its_label(
    tmp_path: Path, claim: str, family: str, template: str, label: str
) -> None:
    row = {"id": 1, "claim": claim, "label": label, "evidence": [[[None, None, "Hask", 0]]]}
    (tmp_path / "claims.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "pages.jsonl").write_text(json.dumps({"title": "Hask", "text": "An island."}), encoding="utf-8")
    (task,) = Fever(data=str(tmp_path)).tasks()
    assert (task.family, task.template) == (family, template)


def test_accuracy_is_reported_once_more_under_the_name_of_the_label_after_the_end() -> None:
    environment = Fever()
    found = set()
    for task in environment.tasks():
        with environment.start(task) as session:
            session.step("Finish[REFUTES]")
            found.add(tuple(sorted(session.measures().items())))
    assert found == {
        (("accuracy", 0.0), ("accuracy_supports", 0.0)),
        (("accuracy", 1.0), ("accuracy_refutes", 1.0)),
        (("accuracy", 0.0), ("accuracy_not_enough_info", 0.0)),
    }
