"""Voyager's library: only what worked becomes a skill, a name is overwritten, the description is what is found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.baselines.lookalikes import live, memory, task
from tests.unit.strata.building import ByTask, TableEmbedder, by_rule


def skill(name: str = "heat a thing", words: str = "heats.") -> dict[str, Any]:
    return {"name": name, "description": words, "program": ["go to {place}", "heat {thing}"]}


def test_only_solved_episodes_become_skills() -> None:
    made = memory("voyager", by_rule(skill=skill()))
    assert len(made) == 0
    live(made, 0, success=False)
    live(made, 1, success=None)
    assert len(made) == 0
    _, report = live(made, 2)
    assert (len(made), report.written) == (1, ("heat a thing V1",))


def test_the_description_is_embedded_and_searched_for_with_the_task_and_a_plan() -> None:
    embedder = TableEmbedder()
    made = memory("voyager", by_rule(skill=skill(words="heats things."), plan={"plan": "go, heat."}), embedder)
    live(made, 0)
    assert embedder.asked == ["heats things."]
    recall = made.retrieve(task(1), "", trial=1)
    assert embedder.asked[1:] == [f"{task(1).text}\ngo, heat."]
    assert recall.text.splitlines() == [
        "Skills learned in earlier tasks:", "Skill: heat a thing", "Use: heats things.", "Program:", "1. go to {place}",
        "2. heat {thing}",
    ]  # fmt: skip


def test_without_asking_first_the_task_alone_is_searched_for() -> None:
    embedder = TableEmbedder()
    made = memory("voyager", by_rule(skill=skill()), embedder, library={"ask_first": False})
    live(made, 0)
    made.retrieve(task(1), "", trial=1)
    assert embedder.asked[-1] == task(1).text


def test_the_five_nearest_skills_are_injected() -> None:
    scripts = {f"t{n}": by_rule(skill=skill(f"skill {n}", f"does {n}.")) for n in range(7)}
    vectors = {f"does {n}.": [1.0, 0.1 * n] for n in range(7)} | {task(9).text: [1.0]}
    made = memory("voyager", ByTask(by_rule(), scripts), TableEmbedder(vectors), library={"ask_first": False})
    for number in range(7):
        live(made, number)
    assert [item.born for item in made.retrieve(task(9), "", trial=1).items] == [(f"t{n}",) for n in range(5)]


def test_a_skill_of_the_same_name_replaces_the_old_one_which_is_kept_and_never_found() -> None:
    scripts = {"t0": by_rule(skill=skill(words="old.")), "t1": by_rule(skill=skill(words="new."))}
    made = memory("voyager", ByTask(by_rule(), scripts))
    live(made, 0)
    _, report = live(made, 1)
    assert (len(made), report.written, report.notes["replaced"]) == (1, ("heat a thing V2",), "heat a thing V1")
    (item,) = made.retrieve(task(5), "", trial=1).items
    assert ("new." in item.text, "old." in item.text, item.born) == (True, False, ("t1",))


@pytest.mark.parametrize("answer", ["prose", {**skill(), "name": " "}, {**skill(), "program": []}, {"name": "x"}])
def test_an_unreadable_skill_is_counted_and_left_out(answer: Any) -> None:
    made = memory("voyager", by_rule(skill=answer))
    _, report = live(made, 0)
    assert (len(made), report.notes["unreadable"]) == (0, {"skill": 1})
