"""A real but tiny language model in this process: SmolLM2-135M, kept by grammar to what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel

from harness.agents.layout import ACTION
from harness.backbones.apprentice.prompt import read_prompt
from harness.backbones.embedded_grammar import (
    action_grammar,
    bounded_schema,
    shortlist,
    speakable,
    wrapped_grammar,
)
from harness.backbones.embedded_prompt import action_segments, chat_segments
from harness.backbones.embedded_runtime import Runtime, runtime
from harness.backbones.weights import SHA256, require_weights
from harness.errors import ConfigError
from harness.seeds import Draws
from harness.types import RUNTIME, Call, Completion, Message, Usage


class EmbeddedBackbone:
    """SmolLM2-135M-Instruct through xllamacpp, loaded at the first call; one server a process.

    An agent's answer is one action: of the admissible ones where they can be listed, by the environment's grammar
    where it has one, else one free line. Other calls answer by the JSON schema, or freely. Equal prompt, seed and
    call give equal text, in this process or another one of the same kind of machine. Token counts are the runtime's
    own; ``cached_tokens`` stays 0, for what was reused depends on what the process did before.

    Args:
        draws: The source of the sampling seed of each call; of no effect at temperature 0.
        temperature: 0 (always the likeliest) to 2.
        max_tokens: Limit of an answer.
        max_prompt_tokens: Longer prompts are cut, the task and the last observation never; about 130 are read a
            second.
        max_choices: How many admissible actions the model chooses from; of more, the nearest to task and
            observation of each verb in turn.
        threads: Threads of the arithmetic; two on a loaded machine are slower than one.
        weights: Folder of the weights; None is the cache, or an installed package.
    """

    id = "smollm2-135m-instruct-q4_1"
    real = True
    disclosures: Sequence[str] = (
        "SmolLM2-135M (embedded): a real but tiny language model that proves the path of calls on a machine without a "
        "key; it plays little better than chance.",
    )

    def __init__(
        self,
        *,
        draws: Draws,
        temperature: float = 0.0,
        max_tokens: int = 256,
        max_prompt_tokens: int = 768,
        max_choices: int = 64,
        threads: Annotated[int, RUNTIME] = 1,
        weights: Annotated[Path | None, RUNTIME] = None,
    ) -> None:
        sizes = {"max_tokens": max_tokens, "max_choices": max_choices, "threads": threads}
        for name, value in {**sizes, "max_prompt_tokens": max_prompt_tokens}.items():
            if value < 1:
                raise ConfigError(f"backbone.{name} must be 1 or more: got {value}.")
        if not 0.0 <= temperature <= 2.0:
            raise ConfigError(f"backbone.temperature is 0 to 2: got {temperature}.")
        self._draws, self._temperature = draws, temperature
        self._max_tokens, self._max_prompt, self._max_choices = max_tokens, max_prompt_tokens, max_choices
        self._threads, self._weights = threads, weights

    def settings(self) -> Mapping[str, object]:
        """Return the weights' sha256, the limits, the temperature and the seed."""
        return {
            "weights_sha256": SHA256,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "max_prompt_tokens": self._max_prompt,
            "max_choices": self._max_choices,
            "seed": self._draws.seed,
        }

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Return an action, JSON of the schema, or free text. Raises ContextOverflow and FatalBackboneError."""
        if schema is None and call.phase == "agent":
            segments = action_segments(messages, self._max_prompt)
            constraint: dict[str, Any] = {"grammar": self._grammar(messages, call)}
        else:
            segments = chat_segments(messages, self._max_prompt)
            constraint = {} if schema is None else {"json_schema": bounded_schema(schema.model_json_schema())}
        key = (call.task_id, call.trial, call.phase, call.role, call.step, call.ordinal)
        options = {
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "seed": int(self._draws.at(*key).integers(2**31)),
            **constraint,
        }
        answer = self._runtime().generate(segments, options)
        opening = ACTION if segments[-1] == ACTION else ""
        return _completion(answer, opening, self.id)

    def _grammar(self, messages: Sequence[Message], call: Call) -> str:
        """Return the grammar of the next line of an agent's transcript."""
        choices = speakable((call.choices() if call.choices is not None else None) or ())
        if choices:
            prompt = read_prompt(messages)
            return action_grammar(shortlist(choices, f"{prompt.task} {prompt.observation}", self._max_choices))
        grammar = call.grammar() if call.grammar is not None else None
        return wrapped_grammar(grammar) if grammar else 'root ::= " " [^\\n]{1,200} "\\n"'

    def _runtime(self) -> Runtime:
        context = 256 * -(-(self._max_prompt * 3 // 2 + self._max_tokens) // 256)
        return runtime(self._checked_weights, context, self._threads)

    @cached_property
    def _checked_weights(self) -> Path:
        return require_weights(self._weights)


def _completion(answer: Mapping[str, Any], opening: str, model: str) -> Completion:
    """Read the server's answer; an action keeps its one line."""
    choice, usage = answer["choices"][0], answer["usage"]
    text = (choice.get("text") or "").strip()
    return Completion(
        text=f"{opening} {text}".strip() if text else "",
        finish="length" if choice.get("finish_reason") == "length" else "stop",
        usage=Usage(1, int(usage["prompt_tokens"]), int(usage["completion_tokens"])),
        model=model,
    )
