"""The one place that imports litellm: late, quiet, without its cache, retries, downloads and dotenv."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from harness.errors import ConfigError

_SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "stop")


@cache
def load_litellm() -> Any:
    """Import litellm, once and late (it takes seconds), and turn off what would act behind our back."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.cache = None
    litellm.num_retries = 0
    # With drop_params it would answer a 422 by dropping more of them and asking again, unseen.
    litellm.drop_params = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def provider_of(model: str) -> tuple[str, str]:
    """Return litellm's model name and provider. Raises ConfigError for a model that it cannot place."""
    litellm = load_litellm()
    try:
        name, provider, _, _ = litellm.get_llm_provider(model)
    except Exception as error:
        raise ConfigError(
            f"backbone.model: litellm knows no provider for {model!r} ({type(error).__name__}): write "
            "provider/model, such as openai/gpt-4o-mini, or openai/NAME with backbone.api_base for a server of your own"
        ) from None
    return name, provider


def dropped_parameters(model: str, asked: Mapping[str, object]) -> list[str]:
    """Return which of the asked sampling parameters litellm does not send to this model, sorted.

    A parameter is dropped if asking for it makes no difference to what would be sent.
    """
    name, provider = provider_of(model)
    given = {key: value for key, value in asked.items() if key in _SAMPLING and value is not None}
    full = _mapped(name, provider, given)
    return sorted(key for key in given if _mapped(name, provider, {k: v for k, v in given.items() if k != key}) == full)


def takes_response_format(model: str) -> bool:
    """Return whether litellm sends a response format to this model; it refuses the request otherwise."""
    name, provider = provider_of(model)
    supported = load_litellm().get_supported_openai_params(model=name, custom_llm_provider=provider)
    return "response_format" in (supported or [])


def key_variables(model: str) -> list[str]:
    """Return the environment variables litellm still misses for this model's provider."""
    return sorted(load_litellm().validate_environment(model).get("missing_keys") or [])


def has_price(model: str) -> bool:
    """Return whether litellm's own table has a price for the model; one of zero counts as unknown."""
    try:
        costs = load_litellm().cost_per_token(model=model, prompt_tokens=1000, completion_tokens=1000)
    except Exception:  # litellm raises bare Exceptions for models that it does not list
        return False
    return sum(float(cost) for cost in costs) > 0


def _mapped(name: str, provider: str, given: Mapping[str, object]) -> dict[str, object]:
    load_litellm()
    from litellm.utils import get_optional_params

    return dict(get_optional_params(model=name, custom_llm_provider=provider, drop_params=True, **given))
