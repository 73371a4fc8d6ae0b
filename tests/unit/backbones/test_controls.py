"""The expert, random and scripted backbones."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel

from harness.backbones.expert import ExpertBackbone
from harness.backbones.random_policy import RandomBackbone
from harness.backbones.scripted import ScriptedBackbone
from harness.errors import ConfigError, FatalBackboneError, TransientBackboneError
from harness.seeds import Draws
from harness.types import Call, Message

ASK = [Message("user", "Task: x\nObservation: y")]
DRAWS = Draws(0, "backbone")


class Note(BaseModel):
    text: str


def at(step: int, ordinal: int = 0, task: str = "t1") -> Call:
    return Call(task, 1, "agent", step, ordinal=ordinal)


def test_the_expert_falls_back_to_a_random_action_and_says_so() -> None:
    call = Call("t1", 1, "agent", 1, expert=lambda: None, sample=lambda rng: "look")
    answer = ExpertBackbone(draws=DRAWS).complete(ASK, call=call)
    assert answer.text == "Action: look"
    assert "no plan" in answer.reasoning


def test_the_expert_plays_the_plan_verbatim() -> None:
    call = Call("t1", 1, "agent", 1, expert=lambda: "0", sample=lambda rng: "look")
    assert ExpertBackbone(draws=DRAWS).complete(ASK, call=call).text == "Action: 0"


def test_random_actions_are_spread_over_steps_and_differ_by_trial() -> None:
    choices = ["a", "b", "c"]
    calls = [[Call("t1", trial, "agent", step, choices=lambda: choices) for step in range(1, 301)] for trial in (1, 2)]
    first, second = ([RandomBackbone(draws=DRAWS).complete(ASK, call=c).text for c in row] for row in calls)
    assert np.unique(first, return_counts=True)[1].min() > 60
    assert first != second


def test_a_script_is_read_by_the_step_and_its_last_answer_repeats() -> None:
    backbone = ScriptedBackbone(answers=["Action: a", None, {"reasoning": "hm"}, "Action: d"])
    answers = [backbone.complete(ASK, call=at(step)) for step in (4, 1, 2, 3, 9)]
    assert [a.text for a in answers] == ["Action: d", "Action: a", "", "", "Action: d"]
    assert answers[3].reasoning == "hm"


def test_asking_again_is_answered_by_the_ordinal() -> None:
    backbone = ScriptedBackbone(answers=[["nonsense", "Action: a"], "Action: b"])
    assert [backbone.complete(ASK, call=at(1, n)).text for n in (0, 1, 2)] == ["nonsense", "Action: a", "Action: a"]
    assert backbone.complete(ASK, call=at(2, 1)).text == "Action: b"


def test_tasks_have_scripts_of_their_own() -> None:
    backbone = ScriptedBackbone(answers={"t1": ["one"], "*": ["other"]})
    assert [backbone.complete(ASK, call=at(1, task=t)).text for t in ("t1", "t2")] == ["one", "other"]


def test_writings_are_looked_up_by_role_and_else_answered_by_rule() -> None:
    backbone = ScriptedBackbone(answers=["x"], writings={"router": ["{}", "broken"]})
    router = [backbone.complete(ASK, call=Call("t", 1, "update", role="router", ordinal=n)).text for n in (0, 1)]
    assert router == ["{}", "broken"]
    assert Note.model_validate_json(backbone.complete(ASK, call=Call("t", 1, "update"), schema=Note).text)


def test_a_fault_comes_as_often_as_asked_and_then_the_answer() -> None:
    script = [{"error": "TransientBackboneError", "times": 2, "retry_after_s": 0.5, "text": "Action: a"}]
    backbone = ScriptedBackbone(answers=script)
    for _ in range(2):
        with pytest.raises(TransientBackboneError) as error:
            backbone.complete(ASK, call=at(1))
        assert error.value.retry_after_s == 0.5
    assert backbone.complete(ASK, call=at(1)).text == "Action: a"


def test_a_fault_without_a_number_stays() -> None:
    backbone = ScriptedBackbone(answers=[{"error": "FatalBackboneError"}])
    for _ in range(3):
        with pytest.raises(FatalBackboneError):
            backbone.complete(ASK, call=at(1))


def test_a_delay_is_waited_for() -> None:
    backbone = ScriptedBackbone(answers=[{"text": "a", "delay_s": 0.05}])
    begin = time.monotonic()
    backbone.complete(ASK, call=at(1))
    assert time.monotonic() - begin >= 0.05


def test_a_script_file_is_the_script_and_its_digest(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("answers:\n  t1: ['Action: a', null]\n", encoding="utf-8")
    backbone = ScriptedBackbone(file=file)
    assert backbone.complete(ASK, call=at(1)).text == "Action: a"
    assert backbone.settings() == ScriptedBackbone(answers={"t1": ["Action: a", None]}).settings()
    assert backbone.settings() != ScriptedBackbone(answers={"t1": ["Action: b", None]}).settings()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"answers": []},
        {"answers": [3]},
        {"answers": [{"txt": "a"}]},
        {"answers": [{"error": "KeyError"}]},
        {"answers": [{"finish": "end"}]},
        {"answers": ["a"], "file": Path("x.yaml")},
        {"file": Path("there/is/none.yaml")},
    ],
)
def test_a_wrong_script_is_refused_at_once(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="backbone"):
        ScriptedBackbone(**wrong)  # type: ignore[arg-type]
