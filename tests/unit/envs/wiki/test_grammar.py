"""The grammar of actions in the engine that the embedded model runs in."""

from __future__ import annotations

import pytest

from envs.fever import LABELS, Fever
from envs.hotpotqa import HotpotQA
from harness.agents.layout import OBSERVATION, TASK
from harness.agents.parsing import Answer, parse_answer
from harness.backbones.embedded import EmbeddedBackbone
from harness.backbones.weights import find_weights
from harness.seeds import Draws
from harness.types import Call, Message

needs_weights = pytest.mark.skipif(find_weights() is None, reason="no weights: python -m scripts.data model")


@pytest.fixture(scope="module")
def model() -> EmbeddedBackbone:
    return EmbeddedBackbone(draws=Draws(0, "backbone"), temperature=1.5, max_prompt_tokens=400)


@needs_weights
@pytest.mark.parametrize("environment", [HotpotQA(), Fever()], ids=lambda environment: str(environment.name))
def test_what_a_small_model_says_under_the_grammar_is_an_action(
    environment: HotpotQA | Fever, model: EmbeddedBackbone
) -> None:
    kinds = set()
    for number in range(1, 7):
        with environment.start(environment.tasks()[0]) as session:
            session.step("Search[Veyra]")
            asked = f"{TASK} {session.task.text}\n{OBSERVATION} Veyra is an island."
            call = Call(task_id="t", trial=1, phase="agent", step=number, grammar=session.grammar)
            answer = parse_answer(model.complete([Message("user", asked)], call=call).text)
            assert isinstance(answer, Answer)
            step = session.step(answer.action)
            assert not step.observation.startswith("Invalid action."), answer.action
            kinds.add(answer.action.partition("[")[0])
            assert not step.done or environment.name == "hotpotqa" or answer.action[7:-1] in LABELS
    assert kinds <= {"Search", "Lookup", "Finish"}
