"""Reading providers' errors, and keeping keys out of them."""

from __future__ import annotations

import pytest

from harness.backbones.provider_errors import retry_after_s, translate
from harness.backbones.redact import Redactor
from harness.errors import FatalBackboneError, TransientBackboneError

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30.0),
        ("Tue, 14 Nov 2023 22:13:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_retry_after_is_read_in_seconds_and_as_a_date(value: str, seconds: float | None) -> None:
    assert retry_after_s({"Retry-After": value}, now=NOW) == seconds


class ProviderError(Exception):
    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status_code = status


def test_gemini_says_in_the_body_how_long_to_wait() -> None:
    for text in ('{"@type": "RetryInfo", "retryDelay": "12s"}', "Please retry in 12.0s."):
        error = translate(ProviderError(f"check your plan and billing details. {text}", 429), Redactor([]))
        assert isinstance(error, TransientBackboneError)
        assert error.retry_after_s == 12.0


def test_an_account_without_money_is_fatal_though_its_status_is_429() -> None:
    assert isinstance(translate(ProviderError("code: insufficient_quota", 429), Redactor([])), FatalBackboneError)


def test_an_unknown_exception_is_fatal_and_not_sent_again() -> None:
    assert isinstance(translate(ProviderError("what?"), Redactor([])), FatalBackboneError)


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcDEF123456.",
        "Incorrect API key provided: canary-key-value-1.",
        "headers={'Authorization': 'Bearer canary-key-value-1'}",
        "Authorization: Bearer other-users-key-99887",
        "POST https://x/v1beta/models/m:generateContent?key=other-users-key-99887 failed",
        "'x-api-key': 'other-users-key-99887'",
        "AIzaSyOther-users-key-99887",
    ],
)
def test_nothing_that_looks_like_a_key_stays_in_a_message(text: str) -> None:
    shown = Redactor(["canary-key-value-1"]).message(text)
    for secret in ("canary-key-value-1", "other-users-key-99887", "abcDEF123456"):
        assert secret not in shown


def test_ordinary_messages_stay_readable_and_short() -> None:
    text = "max_tokens: 99999 exceeds the limit for this model; key parameters are temperature and top_p"
    assert Redactor(["canary-key-value-1", "none"]).message(text) == text
    assert len(Redactor([]).message("x" * 5000)) < 700


def test_an_answer_loses_only_the_key_itself() -> None:
    text = "token: abcdefghijkl, canary-key-value-1"
    assert Redactor(["canary-key-value-1"]).exact(text) == "token: abcdefghijkl, [key]"
