"""The client for every real model: any provider, and any OpenAI-compatible server, through litellm."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel

from harness.backbones import litellm_setup
from harness.backbones.answers import estimated_usage, read_answer
from harness.backbones.prices import Prices
from harness.backbones.provider_errors import RefusedByFilter, translate
from harness.backbones.redact import Redactor, secret_names
from harness.backbones.retry import Retry
from harness.backbones.slots import slot
from harness.backbones.structured import json_schema
from harness.errors import ConfigError, HarnessError
from harness.types import RUNTIME, Call, Completion, Message

_OURS = frozenset(
    [
        "model",
        "messages",
        "api_key",
        "api_base",
        "base_url",
        "timeout",
        "num_retries",
        "max_retries",
        "stream",
        "n",
        "headers",
        "extra_headers",
        "caching",
        "fallbacks",
        "drop_params",
        "temperature",
        "top_p",
        "max_tokens",
        "seed",
        "stop",
        "response_format",
    ]
)


class LitellmBackbone:
    """A language model behind litellm.

    Args:
        model: litellm's id, ``provider/model``.
        api_base: Address of the server; None is the provider's own.
        api_key_env: Name of the environment variable that holds the key; None for a server without keys, or where
            litellm finds the provider's credentials itself.
        temperature: None does not send it; so for the next five.
        top_p: Nucleus sampling, in (0, 1].
        max_tokens: Limit of an answer, reasoning included.
        seed: Sent to the provider; few keep the promise of equal answers.
        stop: Texts that end an answer.
        extra: Further arguments of litellm.completion, such as ``reasoning_effort`` or ``extra_body``.
        input_usd_per_mtok: US dollars for a million prompt tokens; None takes litellm's table, or is unknown.
        cached_usd_per_mtok: The same for cached prompt tokens; None charges them in full.
        output_usd_per_mtok: The same for completion tokens.
        price_date: When the prices were looked up, YYYY-MM-DD; goes with them.
        context_tokens: What the model takes, prompt and answer together; None is unknown. For whoever trims prompts.
        structured: How JSON is asked for: by schema, as a JSON object with the schema in words, or in words alone
            (so also where litellm cannot ask this model for JSON).
        attempt_timeout_s: An attempt that takes longer is given up and sent again.
        total_deadline_s: All attempts and waits together.
        max_attempts: Attempts of one call.
        max_concurrency: Requests under way at once to this address from all processes of this machine; None is no
            limit. Streams are serial inside, so this binds sweeps.

    Raises:
        ConfigError: Prices without a date, an ``extra`` that belongs elsewhere, or a secret in ``api_base``.
    """

    real = True

    def __init__(
        self,
        *,
        model: str,
        api_base: str | None = None,
        api_key_env: str | None = None,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        max_tokens: int | None = 1024,
        seed: int | None = None,
        stop: Sequence[str] = (),
        extra: Mapping[str, Any] | None = None,
        input_usd_per_mtok: float | None = None,
        cached_usd_per_mtok: float | None = None,
        output_usd_per_mtok: float | None = None,
        price_date: str | None = None,
        context_tokens: int | None = None,
        structured: Literal["json_schema", "json_object", "prompt"] = "json_schema",
        attempt_timeout_s: Annotated[float, RUNTIME] = 120.0,
        total_deadline_s: Annotated[float, RUNTIME] = 600.0,
        max_attempts: Annotated[int, RUNTIME] = 6,
        max_concurrency: Annotated[int | None, RUNTIME] = None,
    ) -> None:
        self.id = model
        self.context_tokens = context_tokens
        self.retry = Retry(max_attempts, attempt_timeout_s, total_deadline_s)
        self._api_base = api_base
        self._api_key_env = api_key_env
        self._sampling = {
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
            "seed": seed,
            "stop": list(stop) or None,
        }
        self._extra = dict(extra or {})
        self._structured = structured
        self._prices = Prices(input_usd_per_mtok, output_usd_per_mtok, cached_usd_per_mtok, price_date)
        self._max_concurrency = max_concurrency
        self._check_arguments()

    def settings(self) -> Mapping[str, object]:
        """Return what was asked for; the provider may not get all of it, see ``effective_settings``."""
        return {
            "backbone": "litellm",
            "model": self.id,
            "api_base": self._api_base,
            **self._sampling,
            "extra": self._extra,
            "structured": self._structured,
        }

    def effective_settings(self) -> Mapping[str, object]:
        """Return the settings with what litellm drops of them for this model, for the run's lock. Imports litellm."""
        return {**self.settings(), "dropped": self._dropped}

    @property
    def disclosures(self) -> Sequence[str]:
        """One sentence for each of temperature and seed that is asked for and not sent. Imports litellm."""
        return tuple(
            f"{self.id}: {name}={self._sampling[name]} is not sent, this model does not take it."
            for name in ("temperature", "seed")
            if name in self._dropped
        )

    @cached_property
    def _dropped(self) -> list[str]:
        return litellm_setup.dropped_parameters(self.id, self._sampling)

    @property
    def priced(self) -> bool:
        """Whether costs will be known: by our prices, or else by litellm's table (then litellm is imported)."""
        return self._prices.known or litellm_setup.has_price(self.id)

    def check(self) -> None:
        """Look at key and provider before anything runs. Raises ConfigError naming what is missing."""
        self._key()
        litellm_setup.provider_of(self.id)
        if self._api_key_env is None and self._api_base is None:
            missing = litellm_setup.key_variables(self.id)
            if missing:
                raise ConfigError(f"{self.id}: no key: set the environment variable {' or '.join(missing)}")

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Ask the model; with a schema, for JSON of it.

        A prompt or answer taken by the provider's filter is an empty text with finish ``filter``.

        Raises:
            ConfigError: The key is missing.
            TransientBackboneError: No attempt brought an answer.
            FatalBackboneError: Another attempt cannot help.
            ContextOverflow: The prompt is longer than the model takes.
        """
        key = self._key()
        redact = Redactor([key] if key else [])
        arguments = self._arguments(messages, schema, key)

        def attempt(seconds: float) -> Completion:
            return self._send({**arguments, "timeout": seconds}, messages, redact)

        try:
            with slot(f"{self.id.split('/')[0]} {self._api_base} {self._api_key_env}", self._max_concurrency):
                return self.retry(attempt)
        except RefusedByFilter:
            return Completion("", "filter", estimated_usage(messages, ""))

    def _send(self, arguments: Mapping[str, Any], messages: Sequence[Message], redact: Redactor) -> Completion:
        litellm = litellm_setup.load_litellm()
        ours: HarnessError
        try:
            return read_answer(litellm.completion(**arguments), messages, self._prices, redact)
        except Exception as error:
            ours = translate(error, redact)
        # Raised out here, not above: an error's context is printed with its traceback, and theirs may hold the key.
        raise ours

    def _arguments(
        self, messages: Sequence[Message], schema: type[BaseModel] | None, key: str | None
    ) -> dict[str, Any]:
        sent = [{"role": message.role, "content": message.content} for message in messages]
        arguments: dict[str, Any] = {
            name: value for name, value in self._sampling.items() if value is not None and name not in self._dropped
        }
        arguments |= self._extra
        arguments |= {"model": self.id, "num_retries": 0, "max_retries": 0, "drop_params": False}
        if self._api_base is not None:
            # Without a key of its own a server must not be sent the OPENAI_API_KEY that the SDK would look up.
            arguments |= {"api_base": self._api_base, "api_key": key or "none"}
        elif key is not None:
            arguments["api_key"] = key
        if schema is not None:
            structured = self._structured if litellm_setup.takes_response_format(self.id) else "prompt"
            arguments |= _response_format(structured, schema)
            if structured != "json_schema" and sent:
                # Into the last message, not after it: some chat templates refuse two messages of one role.
                sent[-1]["content"] += f"\n\nAnswer with one JSON object of this schema:\n{_in_words(schema)}"
        return {**arguments, "messages": sent}

    def _key(self) -> str | None:
        if self._api_key_env is None:
            return None
        key = os.environ.get(self._api_key_env, "").strip()
        if not key:
            raise ConfigError(f"{self.id}: no key: set the environment variable {self._api_key_env}")
        return key

    def _check_arguments(self) -> None:
        taken = sorted({*(_OURS & set(self._extra)), *secret_names(self._extra)})
        if taken:
            raise ConfigError(f"backbone.extra: {', '.join(taken)} cannot be set there; keys belong in the environment")
        if self._api_key_env is not None and not re.fullmatch(r"[A-Za-z_]\w*", self._api_key_env):
            raise ConfigError(
                "backbone.api_key_env: expected the name of an environment variable, such as OPENAI_API_KEY; "
                "a key itself belongs in that variable, never in a configuration"
            )
        if self._api_base and ("@" in self._api_base or "?" in self._api_base):
            raise ConfigError(
                "backbone.api_base: got an address with a user or a query, which would be recorded: "
                "give the bare address, and the key by backbone.api_key_env"
            )


def _in_words(schema: type[BaseModel]) -> str:
    return json.dumps(json_schema(schema), sort_keys=True)


def _response_format(structured: str, schema: type[BaseModel]) -> dict[str, Any]:
    if structured == "json_schema":
        wanted = {"name": schema.__name__, "schema": json_schema(schema), "strict": False}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    return {"response_format": {"type": "json_object"}} if structured == "json_object" else {}
