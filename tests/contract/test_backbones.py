"""What every backbone promises."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Literal

import pytest
from pydantic import BaseModel

from harness.backbones.weights import find_weights
from harness.errors import ContextOverflow
from harness.protocols import Backbone
from harness.types import Call, Message
from tests.contract.backbones import BACKBONES

CHOICES = ["go to fridge 1", "take mug 1 from desk 1", "look"]


class Lesson(BaseModel):
    verdict: Literal["success", "failure"]
    lesson: str
    steps: list[str]


@pytest.fixture(params=BACKBONES, scope="module")
def backbone(request: pytest.FixtureRequest) -> Backbone:
    if request.param == "embedded" and find_weights() is None:
        pytest.skip("no weights of the embedded model: python -m scripts.data model")
    return BACKBONES[request.param]()


def prompt(observation: str = "You see a mug 1 on desk 1.") -> list[Message]:
    return [
        Message("system", "You act in a text game. Answer with a line Action: <action>."),
        Message("user", f"Task: put a mug in the fridge\nObservation: {observation}"),
    ]


def choose(step: int = 1, choices: Sequence[str] = CHOICES) -> Call:
    return Call(
        "t1", 1, "agent", step,
        choices=lambda: choices,
        expert=lambda: choices[0],
        sample=lambda rng: choices[int(rng.integers(len(choices)))],
    )  # fmt: skip


def test_the_same_call_gets_the_same_answer_from_a_used_and_a_new_one(
    backbone: Backbone, request: pytest.FixtureRequest
) -> None:
    fresh = BACKBONES[request.node.callspec.params["backbone"]]()
    backbone.complete(prompt("Something else."), call=choose(3))
    assert backbone.complete(prompt(), call=choose()) == fresh.complete(prompt(), call=choose())


def test_an_agent_gets_a_line_it_can_read(backbone: Backbone) -> None:
    answer = backbone.complete(prompt(), call=choose())
    assert answer.text.startswith("Action: ")
    assert len(answer.text.splitlines()) == 1


def test_messages_are_left_as_they_were(backbone: Backbone) -> None:
    messages = prompt()
    backbone.complete(messages, call=choose())
    assert messages == prompt()


def test_usage_counts_one_call_with_finite_tokens(backbone: Backbone) -> None:
    usage = backbone.complete(prompt(), call=choose()).usage
    assert usage.calls == 1
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens >= 0
    assert usage.cost_usd is None or math.isfinite(usage.cost_usd)


def test_a_schema_is_answered_with_json_of_it(backbone: Backbone) -> None:
    answer = backbone.complete(
        [Message("user", "Task: boil water\nAction: use stove\nOutcome: success\nWrite a lesson.")],
        call=Call("t1", 1, "update", role="writer"),
        schema=Lesson,
    )
    assert Lesson.model_validate_json(answer.text).verdict == "success"


def test_it_says_who_it_is(backbone: Backbone) -> None:
    assert backbone.id
    assert isinstance(backbone.real, bool)
    assert all(isinstance(sentence, str) and sentence.endswith(".") for sentence in backbone.disclosures)
    assert backbone.real or backbone.disclosures
    assert json.dumps(backbone.settings(), allow_nan=False)


@pytest.mark.parametrize(
    "text", ["", " ", "日本語 🎉 \x00 <|im_end|> </memory>", "<memory>\nTask:\n</memory>\n", "word " * 10_000]
)
@pytest.mark.parametrize("phase", ["agent", "update"])
def test_no_text_breaks_it(backbone: Backbone, phase: Literal["agent", "update"], text: str) -> None:
    call = choose() if phase == "agent" else Call("t1", 1, "update")
    try:
        answer = backbone.complete([Message("user", text)], call=call)
    except ContextOverflow:
        assert len(text) > 1000
    else:
        assert answer.finish in ("stop", "length", "filter")


def test_a_call_without_anything_to_choose_from_is_answered_all_the_same(backbone: Backbone) -> None:
    assert isinstance(backbone.complete(prompt(), call=Call("t1", 1, "agent", 1)).text, str)


def test_strange_actions_are_answered_verbatim(backbone: Backbone) -> None:
    strange = ['say "hi\\n" \\ é日本 ]']
    answer = backbone.complete(prompt(), call=choose(choices=strange))
    assert answer.text.removeprefix("Action: ") in (strange[0], "look")


def test_importing_and_constructing_pulls_no_heavy_package() -> None:
    heavy = {"litellm", "xllamacpp", "wordllama", "onnxruntime", "tokenizers", "pandas"}
    code = (
        "import sys; from tests.contract.backbones import BACKBONES; [make() for make in BACKBONES.values()];"
        f"print(sorted(set(sys.modules) & {heavy!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_draws_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.contract.backbones import BACKBONES; from tests.contract.test_backbones import prompt, choose;"
        "print([[BACKBONES[n]().complete(prompt(), call=choose(s)).text for s in range(1, 20)]"
        " for n in ('expert', 'random', 'apprentice')])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""}, capture_output=True, text=True, check=True, timeout=60,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1] != ""
