"""How the apprentice chooses an action: by its memory, by its skill, or by trying."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from harness.backbones.apprentice.backbone import ApprenticeBackbone
from harness.errors import ConfigError
from harness.seeds import Draws
from harness.types import Call, Message

TASK = "put a clean mug in cabinet"
CHOICES = ["go to sinkbasin 1", "go to cabinet 2", "go to fridge 1", "open fridge 1", "take mug 3 from desk 1", "look"]
RIGHT = """Earlier episodes:
Task: put a clean mug in cabinet
Outcome: solved; 4 actions
1. take mug 1 from shelf 2
2. go to sinkbasin 4
3. clean mug 1 with sinkbasin 4
4. go to cabinet 9"""


def ask(memory: str = "", done: Sequence[str] = (), task: str = TASK) -> list[Message]:
    block = f"<memory>\n{memory}\n</memory>\n" if memory else ""
    messages = [Message("system", "Play."), Message("user", f"{block}Task: {task}\nObservation: a mug 3 on the desk 1")]
    for action in done:
        messages += [Message("assistant", f"Thought: t\nAction: {action}"), Message("user", "Observation: done.")]
    return messages


def play(
    messages: Sequence[Message], *, p: float = 0.0, q: float = 1.0, step: int = 1, choices: Sequence[str] = CHOICES
) -> str:
    call = Call("t1", 1, "agent", step, choices=lambda: choices, expert=lambda: "EXPERT", sample=lambda rng: "SAMPLE")
    backbone = ApprenticeBackbone(draws=Draws(0, "backbone"), skill=p, obedience=q)
    return backbone.complete(messages, call=call).text.removeprefix("Action: ")


def test_without_memory_skill_decides_between_expert_and_trying() -> None:
    assert play(ask(), p=1.0) == "EXPERT"
    assert play(ask(), p=0.0) == "SAMPLE"
    share = sum(play(ask(), p=0.6, step=step) == "EXPERT" for step in range(1, 401)) / 400
    assert 0.5 < share < 0.7


def test_it_follows_the_next_line_of_a_right_procedure_grounded_to_what_is_there() -> None:
    assert play(ask(RIGHT)) == "take mug 3 from desk 1"
    assert play(ask(RIGHT, ["take mug 3 from desk 1"])) == "go to sinkbasin 1"
    after = ["take mug 3 from desk 1", "go to sinkbasin 1", "clean mug 3 with sinkbasin 1"]
    assert play(ask(RIGHT, after)) == "go to cabinet 2"


def test_a_finished_procedure_leaves_it_to_its_skill() -> None:
    done = ["take mug 3 from desk 1", "go to sinkbasin 1", "clean mug 3 with sinkbasin 1", "go to cabinet 2"]
    assert play(ask(RIGHT, done), p=1.0) == "EXPERT"


def test_it_obeys_a_wrong_procedure_as_readily() -> None:
    wrong = "Task: put a clean mug in cabinet\n1. go to fridge 1\n2. open fridge 1"
    assert play(ask(wrong), p=1.0) == "go to fridge 1"
    assert play(ask(wrong, ["go to fridge 1"]), p=1.0) == "open fridge 1"


def test_a_procedure_about_something_else_is_left_alone() -> None:
    other = "Task: examine the book with the desklamp\n1. go to fridge 1"
    assert play(ask(other), p=1.0) == "EXPERT"


def test_an_episode_that_says_it_failed_is_not_followed() -> None:
    failed = "Task: put a clean mug in cabinet\nOutcome: failed; 1 actions\n1. go to fridge 1"
    assert play(ask(failed), p=1.0) == "EXPERT"


@pytest.mark.parametrize("heading", ["Do not confuse with:", "Do not confuse with: put a cold mug in cabinet"])
def test_lines_under_a_warning_are_not_followed(heading: str) -> None:
    warned = f"Task: put a clean mug in cabinet\n{heading}\n  1. go to fridge 1\n  2. open fridge 1"
    assert play(ask(warned), p=1.0) == "EXPERT"


def test_the_actions_a_warning_names_are_avoided() -> None:
    memory = "Task: put a clean mug in cabinet\nDo not confuse with:\n  1. EXPERT"
    assert play(ask(memory), p=1.0) == "SAMPLE"


def test_a_warning_does_not_forbid_what_the_followed_procedure_shares_with_it() -> None:
    memory = RIGHT + "\nDo not confuse with:\n  1. take mug 1 from shelf 2\n  2. open fridge 1"
    assert play(ask(memory)) == "take mug 3 from desk 1"


def test_pitfalls_are_avoided_even_where_a_line_says_them() -> None:
    memory = RIGHT + "\nPitfalls:\n- do not go to the sinkbasin"
    assert play(ask(memory, ["take mug 3 from desk 1"]), p=1.0) == "EXPERT"
    assert play(ask("Avoid:\n- EXPERT"), p=1.0) == "SAMPLE"


def test_obedience_zero_plays_as_if_there_were_no_memory() -> None:
    with_memory = [play(ask(RIGHT), p=0.5, q=0.0, step=step) for step in range(1, 60)]
    assert with_memory == [play(ask(), p=0.5, step=step) for step in range(1, 60)]


def test_obedience_is_a_share_of_the_steps() -> None:
    obeyed = sum(play(ask(RIGHT), q=0.7, step=step) == "take mug 3 from desk 1" for step in range(1, 401)) / 400
    assert 0.62 < obeyed < 0.78


def test_a_line_that_cannot_be_done_yet_waits() -> None:
    assert play(ask(RIGHT), p=1.0, choices=["go to cabinet 2", "look"]) == "EXPERT"


def test_a_line_is_said_word_for_word_where_all_it_names_is_in_sight() -> None:
    memory = "Task: boil water\n1. focus on substance in metal pot"
    choices = ["focus on metal pot", "examine substance", "look around"]
    assert play(ask(memory, task="boil water"), choices=choices) == "focus on substance in metal pot"


def test_an_object_of_the_note_stands_for_the_one_of_the_task() -> None:
    memory = "Task: put a clean cup in cabinet\n1. take cup 1 from desk 2"
    assert play(ask(memory)) == "take mug 3 from desk 1"


def test_placeholders_mean_the_tasks_own_objects() -> None:
    memory = "Task: put a clean mug in cabinet\n1. take {obj} from {place}"
    choices = ["take book 1 from desk 1", "take mug 3 from desk 1"]
    assert play(ask(memory), choices=choices) == "take mug 3 from desk 1"


def test_choices_are_asked_for_only_to_ground_a_line() -> None:
    def never() -> Sequence[str]:
        raise AssertionError("an engine call for nothing")

    backbone = ApprenticeBackbone(draws=Draws(0, "backbone"))
    for step in range(1, 50):
        call = Call("t", 1, "agent", step, choices=never, expert=lambda: "e", sample=lambda rng: "s")
        assert backbone.complete(ask(), call=call).text


def test_choices_in_the_prompt_are_enough() -> None:
    messages = ask(RIGHT)
    listed = messages[-1].content + "\nAdmissible actions:\n- take mug 7 from desk 1\n- look"
    call = Call("t", 1, "agent", 1, sample=lambda rng: "s")
    backbone = ApprenticeBackbone(draws=Draws(0, "backbone"), obedience=1.0)
    assert backbone.complete([messages[0], Message("user", listed)], call=call).text == "Action: take mug 7 from desk 1"


def test_draws_are_the_same_in_every_process() -> None:
    code = (
        "from tests.unit.backbones.apprentice.test_choosing import *;"
        "print([play(ask(RIGHT), p=0.5, q=0.5, step=s) for s in range(1, 60)])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1
    assert "EXPERT" in runs.pop()


@pytest.mark.parametrize("wrong", [{"skill": 1.1}, {"obedience": -0.1}])
def test_knobs_are_probabilities(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="probability"):
        ApprenticeBackbone(draws=Draws(0, "backbone"), **wrong)
