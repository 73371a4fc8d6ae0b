"""Every error of litellm and the SDKs below it, as one of ours, without a key in its text."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from harness.backbones.redact import Redactor
from harness.errors import ContextOverflow, FatalBackboneError, HarnessError, TransientBackboneError

_OVERFLOW = re.compile(
    r"context[ _](length|window|size)|maximum context|prompt is too long|too many (input )?tokens"
    r"|input.{0,40}(exceed|longer|too long)",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(r"insufficient_quota|insufficient balance|payment required|credit balance", re.IGNORECASE)
_RETRY_IN = re.compile(r"retry in ([\d.]+) ?s|retryDelay\W+([\d.]+)s", re.IGNORECASE)
_FILTER = re.compile(r"content[ _](filter|policy|management)|safety system|responsible ai", re.IGNORECASE)
_PASSING = frozenset({408, 409, 425, 429})
_ADVICE = {
    400: "the request is not what this model takes",
    401: "the key is wrong: check the variable named by backbone.api_key_env",
    403: "the key may not use this model",
    404: "no such model or address: check backbone.model and backbone.api_base",
}


class RefusedByFilter(HarnessError):
    """The provider's content filter took the prompt or the answer; for the agent that is an empty answer."""


def translate(error: BaseException, redact: Redactor) -> HarnessError:
    """Return our error for one of theirs, to be raised in its place and not in its context (that may hold the key).

    429, 408, 409, 425, 5xx, timeouts, broken connections and unreadable answers are transient, with Retry-After in
    seconds where the server gave one; prompts that are too long are a ContextOverflow; the rest is fatal, an account
    without money too.
    """
    status = _status(error)
    text = f"{type(error).__name__} {status or ''}: {redact.message(str(error))}"
    if type(error).__name__ == "ContextWindowExceededError" or (status in {400, 413, 422} and _OVERFLOW.search(text)):
        return ContextOverflow(f"the prompt is longer than the model takes: {text}")
    if type(error).__name__ == "ContentPolicyViolationError" or (status == 400 and _FILTER.search(_told(error))):
        return RefusedByFilter(text)
    if status in {402, 429} and _NO_MONEY.search(_told(error)):
        return FatalBackboneError(f"the provider's account has no credit left: {text}")
    if status is None or (400 <= status < 500 and status not in _PASSING):
        advice = _ADVICE.get(status or 0, "sending it again cannot help")
        return FatalBackboneError(f"{advice}: {text}")
    asked_s = retry_after_s(_headers(error))
    if asked_s is None and (told := _RETRY_IN.search(_told(error))):
        asked_s = retry_after_s({"retry-after": told[1] or told[2]})
    return TransientBackboneError(text, retry_after_s=asked_s)


def retry_after_s(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds to wait that a Retry-After (seconds, or an HTTP date) asks for; None without a usable one."""
    lower = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    value = lower.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now)
        except ValueError:
            return None
    return max(seconds, 0.0) if seconds == seconds and abs(seconds) != float("inf") else None


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status
    return 408 if isinstance(error, TimeoutError | ConnectionError) else None


def _told(error: BaseException) -> str:
    """Return all that an error and its causes say: litellm's own texts leave the provider's error code out."""
    texts: list[str] = []
    at: BaseException | None = error
    while at is not None and len(texts) < 5:
        texts.append(f"{getattr(at, 'body', '')} {at}")
        at = at.__cause__ or at.__context__
    return " ".join(texts)


def _headers(error: BaseException) -> Mapping[str, str]:
    for holder in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(holder, name, None)
            if headers and "retry-after" in {str(key).lower() for key in headers}:
                return dict(headers)
    return {}
