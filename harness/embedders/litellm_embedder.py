"""Embeddings of any provider, and of any OpenAI-compatible server, through litellm."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from harness.backbones import litellm_setup
from harness.backbones.provider_errors import translate
from harness.backbones.redact import Redactor
from harness.backbones.retry import Retry
from harness.errors import ConfigError, FatalBackboneError, HarnessError
from harness.tokens import estimate_tokens
from harness.types import RUNTIME, Call, Usage


class LitellmEmbedder:
    """An embedding model behind litellm. Use it inside a RecordedEmbedder, which makes unit rows of its answers.

    Args:
        model: litellm's id, ``provider/model``.
        dim: Length of its vectors.
        api_base: Address of the server; None is the provider's own.
        api_key_env: Name of the environment variable that holds the key; None for a server without keys.
        batch: Most texts in one request.
        input_usd_per_mtok: US dollars for a million tokens; None takes litellm's table, or is unknown.
        price_date: When the price was looked up, YYYY-MM-DD; goes with it.
        attempt_timeout_s: An attempt that takes longer is given up and sent again.
        total_deadline_s: All attempts and waits of a request together.
        max_attempts: Attempts of one request.
    """

    def __init__(
        self,
        *,
        model: str,
        dim: int,
        api_base: str | None = None,
        api_key_env: str | None = None,
        batch: Annotated[int, RUNTIME] = 128,
        input_usd_per_mtok: float | None = None,
        price_date: str | None = None,
        attempt_timeout_s: Annotated[float, RUNTIME] = 60.0,
        total_deadline_s: Annotated[float, RUNTIME] = 300.0,
        max_attempts: Annotated[int, RUNTIME] = 6,
    ) -> None:
        if (input_usd_per_mtok is None) != (price_date is None):
            raise ConfigError("embedder prices: input_usd_per_mtok and price_date are given together or not at all")
        self.id = model
        self.dim = dim
        self.last_usage = Usage()
        self.retry = Retry(max_attempts, attempt_timeout_s, total_deadline_s)
        self._api_base = api_base
        self._api_key_env = api_key_env
        self._batch = batch
        self._usd_per_mtok = input_usd_per_mtok

    def settings(self) -> Mapping[str, object]:
        """Return what decides its vectors besides the text."""
        return {"embedder": "litellm", "model": self.id, "api_base": self._api_base}

    @property
    def priced(self) -> bool:
        """Whether costs will be known."""
        return self._usd_per_mtok is not None or litellm_setup.has_price(self.id)

    def check(self) -> None:
        """Look at key and provider before anything runs. Raises ConfigError naming what is missing."""
        self._key()
        litellm_setup.provider_of(self.id)

    def embed(self, texts: Sequence[str], *, call: Call) -> NDArray[np.float32]:
        """Return the provider's vectors, shape (len(texts), dim), in the order of the texts.

        A text without content gives a zero row and is not sent: providers refuse it.

        Raises:
            ConfigError: The key is missing.
            TransientBackboneError, FatalBackboneError: As a backbone's.
            ContextOverflow: A text is longer than the model takes.
        """
        self.last_usage = Usage()
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        filled = [at for at, text in enumerate(texts) if text.strip()]
        for begin in range(0, len(filled), self._batch):
            places = filled[begin : begin + self._batch]
            vectors, usage = self._request([texts[at] for at in places])
            rows[places] = vectors
            self.last_usage += usage
        return rows

    def _request(self, texts: list[str]) -> tuple[NDArray[np.float32], Usage]:
        key = self._key()
        redact = Redactor([key] if key else [])
        litellm_setup.load_litellm()  # its import is no part of an attempt
        arguments: dict[str, Any] = {"model": self.id, "input": texts, "num_retries": 0, "max_retries": 0}
        # Without a key of its own a server must not be sent the OPENAI_API_KEY that the SDK would look up.
        arguments |= {"api_base": self._api_base, "api_key": key or "none"} if self._api_base else {"api_key": key}
        response = self.retry(lambda seconds: _send({**arguments, "timeout": seconds}, redact))
        found = sorted(response.data, key=lambda part: int(part["index"]))
        try:
            vectors = np.array([part["embedding"] for part in found], dtype=np.float32)
        except (ValueError, TypeError):
            vectors = np.zeros((0, 0), dtype=np.float32)
        if vectors.shape != (len(texts), self.dim):
            raise FatalBackboneError(
                f"embedder {self.id}: got vectors of shape {vectors.shape}, expected {(len(texts), self.dim)}: "
                "set embedder.dim to what the model gives"
            )
        return vectors, self._usage(response, texts)

    def _usage(self, response: Any, texts: Sequence[str]) -> Usage:
        told = getattr(getattr(response, "usage", None), "prompt_tokens", 0)
        if not told:
            return Usage(calls=1, prompt_tokens=sum(map(estimate_tokens, texts)), cost_usd=None)
        cost = response._hidden_params.get("response_cost") or None
        if self._usd_per_mtok is not None:
            cost = told * self._usd_per_mtok / 1e6
        return Usage(calls=1, prompt_tokens=told, cost_usd=cost)

    def _key(self) -> str | None:
        if self._api_key_env is None:
            return None
        key = os.environ.get(self._api_key_env, "").strip()
        if not key:
            raise ConfigError(f"embedder {self.id}: no key: set the environment variable {self._api_key_env}")
        return key


def _send(arguments: Mapping[str, Any], redact: Redactor) -> Any:
    litellm = litellm_setup.load_litellm()
    ours: HarnessError
    try:
        return litellm.embedding(**arguments)
    except Exception as error:
        ours = translate(error, redact)
    # Raised out here, not above: an error's context is printed with its traceback, and theirs may hold the key.
    raise ours
