"""Problems from a folder: AgentBoard's as they come, and others refused in one clear sentence."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from envs.pddl import PDDL
from envs.pddl.generator import domain_text, generate
from envs.pddl.reading import parsers, read_domain, repaired_domain, repaired_problem
from harness.errors import ConfigError

COUNTS: dict[str, Any] = {"gripper": 2, "blockworld": 1, "barman": 1, "tyreworld": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Generated problems, laid out as AgentBoard's."""
    for source in generate(5, COUNTS):
        file = tmp_path / "made" / f"{source.id}.pddl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source.problem, encoding="utf-8")
        (tmp_path / "made" / f"{source.family}.pddl").write_text(source.domain, encoding="utf-8")
    return tmp_path / "made"


def _change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_folder_holds_the_same_tasks_as_the_generator_that_wrote_it(folder: Path) -> None:
    read, made = PDDL(problems=str(folder)), PDDL(**COUNTS, generator_seed=5)
    assert {task.id: task for task in read.tasks()} == {task.id: task for task in made.tasks()}
    assert [task.family for task in read.tasks()] == ["gripper", "gripper", "blockworld", "barman", "tyreworld"]
    assert (read.variant, made.variant) == ("made", "generated")
    assert len(read.disclosures) == 1
    assert len(made.disclosures) == 2


def test_the_digest_follows_every_byte_of_a_problem(folder: Path) -> None:
    before = PDDL(problems=str(folder)).digests()
    assert before == PDDL(problems=str(folder)).digests()
    _change(next((folder / "barman").iterdir()), "(:goal", "; noted\n(:goal")
    assert PDDL(problems=str(folder)).digests()["problems"] != before["problems"]


def test_a_folder_may_hold_some_of_the_domains_only(folder: Path) -> None:
    for name in ("barman", "gripper"):
        shutil.rmtree(folder / name)
        (folder / f"{name}.pddl").unlink()
    assert [task.family for task in PDDL(problems=str(folder)).tasks()] == ["blockworld", "tyreworld"]


def test_agentboards_problems_are_the_known_60_in_its_order(agentboard: PDDL, published: Path) -> None:
    lines = (published / "agentboard_pddl_test.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    tasks = agentboard.tasks()
    assert [task.family for task in tasks] == [entry["additional_info"]["subtask"] for entry in told]
    assert [task.text.count(";") + 1 for task in tasks] == [len(entry["subgoals"]) for entry in told]
    assert Counter(task.family for task in tasks) == {"gripper": 20, "blockworld": 10, "barman": 20, "tyreworld": 10}
    assert len({task.id for task in tasks}) == 60


def test_agentboards_tyreworld_is_repaired_and_nothing_else_of_ours_is(published: Path) -> None:
    text = (published / "tyreworld.pddl").read_text(encoding="utf-8")
    repaired = repaired_domain(text)
    assert repaired.index(":requirements") < repaired.index(":constants") < repaired.index(":predicates")
    assert "(in ?x - obj ?y - container)" in repaired
    domain = read_domain(text)
    problem = (published / "tyreworld" / "p01.pddl").read_text(encoding="utf-8")
    assert "wrench jack pump" not in repaired_problem(problem, domain)
    assert "(in jack boot)" in repaired_problem(problem, domain)
    for name in COUNTS:
        assert repaired_domain(domain_text(name)) == domain_text(name)


@pytest.mark.parametrize(
    ("part", "old", "new", "message"),
    [
        ("gripper.pddl", "(define", "(defin", "domain gripper cannot be played: got not a domain"),
        ("gripper.pddl", ":precondition (at-robby ?here)", ":precondition (not (at-robby ?there))", "negative"),
        ("gripper.pddl", "(:action move", "(:action walk", r"actions drop/3, pick/3, walk/2: expected .* move/2"),
        ("blockworld.pddl", "(arm-empty)\n", "(arm-empty)\n(glued ?it - block)\n", "predicates glued/1"),
        ("barman.pddl", ":effect (clean ?mixer)", ":effect (when (clean ?mixer) (clean ?mixer))", "domain barman"),
        ("gripper/s5-00.pddl", "(:goal (and", "(:goal (or", "gripper/s5-00 cannot be played: got"),
        ("gripper/s5-00.pddl", "(:goal (and", "(:goal (and (free left)", r"goal \(free left\): expected goals of"),
        ("gripper/s5-00.pddl", "(:goal (and", "(:goal (and (at ball99 roomb)", "ball99 roomb.* unknown names"),
        ("gripper/s5-00.pddl", "(:goal (and", "(:goal (and (at ball1)", "too many or too few"),
        ("gripper/s5-00.pddl", "(:domain gripper)", "(:domain ferry)", "domain ferry: expected one of gripper"),
        ("tyreworld/s5-00.pddl", "(:goal (and", "(:goal (and (in wrench boot)", r"goal \(in wrench boot\)"),
        ("blockworld/s5-00.pddl", "(:init", "(:goal", "blockworld/s5-00 cannot be played"),
    ],
)
def test_a_damaged_text_names_the_problem_and_what_is_wrong(
    folder: Path, part: str, old: str, new: str, message: str
) -> None:
    _change(folder / part, old, new)
    with pytest.raises(ConfigError, match=message):
        PDDL(problems=str(folder)).tasks()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"(" * 50_000, b"(define (problem p))", b"null", b")"])
@pytest.mark.parametrize("part", ["gripper.pddl", "gripper/s5-01.pddl"])
def test_a_file_that_is_no_pddl_is_named(folder: Path, part: str, content: bytes) -> None:
    (folder / part).write_bytes(content)
    with pytest.raises(ConfigError, match=r"gripper(/s5-01)?(\.pddl| cannot be played)"):
        PDDL(problems=str(folder)).tasks()


def test_a_goal_that_already_holds_is_refused(folder: Path) -> None:
    file = folder / "gripper" / "s5-00.pddl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index("(:goal")] + "(:goal (and (at ball1 rooma))))", encoding="utf-8")
    with pytest.raises(ConfigError, match="already holds"):
        PDDL(problems=str(folder)).tasks()


def test_a_folder_of_another_shape_says_what_is_expected(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    shutil.copytree(folder, tmp_path / "stray")
    (tmp_path / "stray" / "ferry.pddl").write_text("(define (domain ferry))", encoding="utf-8")
    shutil.copytree(folder, tmp_path / "headless")
    (tmp_path / "headless" / "gripper.pddl").unlink()
    shutil.copytree(folder, tmp_path / "bare")
    shutil.rmtree(tmp_path / "bare" / "gripper")
    expected = {
        "nowhere": "no folder of PDDL problems",
        "empty": "has no PDDL problems",
        "stray": "unknown domains ferry",
        "headless": "has no gripper.pddl",
        "bare": "has no problems in",
        "made/gripper.pddl": "no folder of PDDL problems",
    }
    for name, message in expected.items():
        with pytest.raises(ConfigError, match=rf"{message}.*env\.problems=generated"):
            PDDL(problems=str(tmp_path / name)).tasks()


@pytest.mark.parametrize(
    "arguments", [{"gripper": -1}, {"generator_seed": -1}, {"gripper": 0, "blockworld": 0, "barman": 0, "tyreworld": 0}]
)
def test_wrong_arguments_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="at least one problem"):
        PDDL(**arguments)  # type: ignore[arg-type]


def test_without_the_parser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    parsers.cache_clear()
    monkeypatch.setitem(sys.modules, "pddl.parser.domain", None)
    with pytest.raises(ConfigError, match=r"^env=pddl needs the package pddl: pip install -e '\.\[pddl\]'$"):
        PDDL().tasks()
