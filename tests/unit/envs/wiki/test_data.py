"""Data files: told apart by what they hold, read as they are published, refused in one clear sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envs.fever import Fever
from envs.hotpotqa import HotpotQA
from envs.wiki.world import located
from harness.errors import ConfigError
from harness.types import Task

QUESTION: dict[str, Any] = {
    "_id": "q1",
    "question": "Who?",
    "answer": "Ada",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["A &amp; B", 0], ["C", 1], ["A &amp; B", 1]],
    "context": [["A &amp; B", ["First. ", " Second."]], ["C", ["Third.", ""]], ["A &amp; B", ["Again."]]],
}
CLAIM: dict[str, Any] = {
    "id": 7,
    "label": "REFUTES",
    "claim": "It is so.",
    "evidence": [
        [[1, 2, "Far_-LRB-town-RRB-", 0], [1, 2, "Gone", 0]],
        [[1, 3, "Far_-LRB-town-RRB-", 0], [1, 3, "Star_Trek-COLON-_Discovery", 2], [1, 3, "Near", 1]],
        [[1, 4, "Near", 0], [1, 4, "Far_-LRB-town-RRB-", 3]],
    ],
}
NOTHING = {"id": 8, "label": "NOT ENOUGH INFO", "claim": "Who knows.", "evidence": [[[9, None, None, None]]]}
PAGES = [
    {"title": "Far (town)", "text": "It is far. It is a town."},
    {"title": "Star Trek: Discovery", "sentences": ["One.", "Two."]},
    {"title": "Near", "text": "It is near."},
]


def _write(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) if path.suffix == ".jsonl" else json.dumps(rows), encoding="utf-8")
    return path


def _fever(folder: Path) -> Path:
    _write(folder / "claims.jsonl", [CLAIM, NOTHING])
    _write(folder / "wiki-1.jsonl", PAGES)
    _write(folder / "wiki-2.jsonl", [{"title": "near", "text": "Another."}, {"title": "Near", "text": "Late."}])
    _write(folder / "other.jsonl", [{"claim": "of another shape"}])
    _write(folder / "notes.json", [])
    (folder / "README.md").write_text("no data", encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["dev.json", "dev.jsonl"])
def test_questions_bring_their_pages_with_them_from_file_or_folder(tmp_path: Path, name: str) -> None:
    file = _write(tmp_path / name, [QUESTION, {**QUESTION, "_id": "q2"}])
    environment = HotpotQA(data=str(file))
    tasks = environment.tasks()
    assert tasks[0] == Task("q1", "hotpotqa", "Who?", "bridge", "bridge-who")
    assert list(HotpotQA(data=str(tmp_path)).tasks()) == list(tasks)
    assert environment.variant == "dev"
    assert list(environment.digests()) == [name, "bm25s"]
    with environment.start(tasks[1]) as session:
        assert session.expert() == "Search[A & B]"
        assert session.step("Search[A &amp; B]").observation == "First. Second."
        assert session.expert() == "Search[C]"
        assert session.step("Search[C]").observation == "Third."
        assert session.expert() == "Finish[Ada]"


def test_claims_find_the_pages_beside_them_and_are_proved_by_the_smallest_set_that_is_there(tmp_path: Path) -> None:
    folder = _fever(tmp_path / "data")
    environment = Fever(data=str(folder))
    assert [(task.id, task.family, task.template) for task in environment.tasks()] == [
        ("claim-7", "statement", "statement-is"),
        ("claim-8", "statement", "statement-other"),
    ]
    assert environment.tasks() == Fever(data=str(folder / "claims.jsonl")).tasks()
    assert environment.variant == "claims"
    assert list(environment.digests()) == ["claims.jsonl", "wiki-1.jsonl", "wiki-2.jsonl", "bm25s"]
    assert any("all there for 1 of 1 verifiable claims" in sentence for sentence in environment.disclosures)
    with environment.start(environment.tasks()[0]) as session:
        assert session.expert() == "Search[Near]"
        assert session.step("Search[Near]").observation == "It is near."
        assert session.step("Search[Far (town)]").observation == "It is far. It is a town."
        assert session.expert() == "Finish[REFUTES]"


def test_evidence_that_is_nowhere_is_not_searched_for(tmp_path: Path) -> None:
    _write(tmp_path / "claims.jsonl", [{**CLAIM, "evidence": CLAIM["evidence"][:1]}])
    _write(tmp_path / "pages.jsonl", PAGES)
    environment = Fever(data=str(tmp_path))
    with environment.start(environment.tasks()[0]) as session:
        session.step("Search[Far (town)]")
        assert session.expert() == "Finish[REFUTES]"
    assert any("0 of 1" in sentence for sentence in environment.disclosures)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (None, "", "there is nothing at"),
        ("README.md", "x", "found none"),
        ("dev.json", "[{]", "damaged or unreadable"),
        ("dev.jsonl", '{"question": "Q", "answer": "A"', "damaged or unreadable"),
        ("dev.jsonl", "\ud800", "damaged or unreadable"),
        ("dev.json", "[" * 100_000, "damaged or unreadable"),
        ("dev.json", json.dumps([QUESTION, {**QUESTION, "type": "odd"}]), r"row 2, type"),
        ("dev.json", json.dumps([QUESTION, {"question": "Q", "answer": "A"}]), r"row 2"),
        ("dev.json", json.dumps([{**QUESTION, "context": []}]), "1 tasks and 0 pages"),
        ("dev.json", json.dumps([CLAIM]), "found none"),
        ("dev.json", "null", "found none"),
    ],
)
def test_missing_and_damaged_data_is_bad_input_and_names_the_place_and_the_remedy(
    tmp_path: Path, file: str | None, content: str, said: str
) -> None:
    if file is not None:
        (tmp_path / file).write_bytes(content.encode("utf-8", "surrogatepass"))
    source = tmp_path if file is not None else tmp_path / "nowhere"
    with pytest.raises(ConfigError, match=said) as caught:
        HotpotQA(data=str(source)).tasks()
    assert str(source) in str(caught.value)
    assert "fetch" in str(caught.value)


def test_two_files_of_tasks_in_a_folder_are_not_chosen_between(tmp_path: Path) -> None:
    for name in ("train.json", "dev.json"):
        _write(tmp_path / name, [QUESTION])
    with pytest.raises(ConfigError, match=r"found dev\.json, train\.json"):
        HotpotQA(data=str(tmp_path)).tasks()
    assert HotpotQA(data=str(tmp_path / "train.json")).variant == "train"


@pytest.mark.parametrize("environment", [HotpotQA(), Fever()], ids=lambda environment: str(environment.name))
def test_a_task_of_another_set_is_bad_input(environment: HotpotQA | Fever) -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        environment.start(Task("nowhere", environment.name, "", "", ""))


def test_the_embedded_corpus_says_that_it_is_not_the_published_set() -> None:
    for environment in (HotpotQA(), Fever()):
        assert environment.variant == "embedded"
        assert any("do not compare" in sentence for sentence in environment.disclosures)


def test_bad_arguments_are_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="embedded corpus"):
        HotpotQA(live=True)
    with pytest.raises(ConfigError, match="timeout_s"):
        Fever(timeout_s=0)


def test_without_bm25s_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[qa\]'"):
        HotpotQA().tasks()


def test_the_cache_in_a_path_is_the_users_own_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_CACHE", "/somewhere")
    assert located("$HARNESS_CACHE/fever") == Path("/somewhere/fever")
    monkeypatch.delenv("HARNESS_CACHE")
    assert located("$HARNESS_CACHE/fever") == Path.home() / ".cache/agent-memory-harness/fever"
    assert located("~/x") == Path.home() / "x"
