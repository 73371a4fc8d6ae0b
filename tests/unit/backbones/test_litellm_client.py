"""The client against a real server that misbehaves: request counts, errors, answers, keys."""

from __future__ import annotations

import json
import logging
import time
import traceback
from dataclasses import replace
from email.utils import formatdate
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from harness.backbones.litellm_client import LitellmBackbone
from harness.backbones.structured import ask
from harness.errors import (
    BackboneError,
    ConfigError,
    ContextOverflow,
    FatalBackboneError,
    TransientBackboneError,
)
from harness.types import Call, Message
from tests.fakes.faulty_openai_server import FaultyOpenAIServer, Reply, refused, said, serving

CALL = Call(task_id="t1", trial=1, phase="agent")
MESSAGES = [Message("system", "You act."), Message("user", "Where to?")]
CANARY = "sk-canary-0123456789"


class Verdict(BaseModel):
    """What a judge says."""

    reason: str
    success: bool


def client(server: FaultyOpenAIServer, provider: str = "openai", **changes: Any) -> tuple[LitellmBackbone, list[float]]:
    """A client of the server, and the waits it asks for (none is really waited)."""
    options = {"model": f"{provider}/some-model", "api_base": server.url, "max_attempts": 3, **changes}
    backbone = LitellmBackbone(**options)
    waits: list[float] = []
    backbone.retry = replace(backbone.retry, sleep=waits.append, draw=lambda: 0.0)
    return backbone, waits


@pytest.mark.parametrize("provider", ["openai", "deepseek", "hosted_vllm"])
def test_an_answer_is_read_whole(provider: str) -> None:
    with serving(said("go north")) as server:
        backbone, _ = client(server, provider, input_usd_per_mtok=1.0, cached_usd_per_mtok=0.5,
                             output_usd_per_mtok=10.0, price_date="2026-01-01")  # fmt: skip
        answer = backbone.complete(MESSAGES, call=CALL)
    assert (answer.text, answer.finish, answer.reasoning, answer.model) == ("go north", "stop", "", "served-model-7b")
    usage = answer.usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 100, 20)
    assert (usage.cached_tokens, usage.reasoning_tokens) == (40, 5)
    assert usage.cost_usd == pytest.approx((60 * 1.0 + 40 * 0.5 + 20 * 10.0) / 1e6)


def test_what_was_configured_is_what_is_sent_and_nothing_else() -> None:
    with serving() as server:
        backbone, _ = client(server, temperature=0.5, top_p=0.9, max_tokens=77, seed=3, stop=["END"],
                             extra={"extra_body": {"top_k": 5}})  # fmt: skip
        backbone.complete(MESSAGES, call=CALL)
    body = server.requests[0]
    assert body.pop("messages") == [{"role": m.role, "content": m.content} for m in MESSAGES]
    assert body == {
        "model": "some-model",
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 77,
        "seed": 3,
        "stop": ["END"],
        "top_k": 5,
    }


@pytest.mark.parametrize("provider", ["openai", "deepseek", "hosted_vllm"])
@pytest.mark.parametrize(
    "fault",
    [
        refused(429, "slow down"),
        refused(500, "boom"),
        refused(502, "boom"),
        refused(503, "overloaded"),
        refused(408, "late"),
        Reply(drop=True),
        Reply(body="<html>gateway</html>"),
        Reply(body={"choices": []}),
        Reply(body={"choices": [{"message": None}]}),
    ],
    ids=["429", "500", "502", "503", "408", "drop", "html", "no-choices", "no-message"],
)
def test_passing_trouble_is_sent_again_exactly_as_often_as_configured(provider: str, fault: Reply) -> None:
    with serving(fault, fault, said("go")) as server:
        backbone, waits = client(server, provider)
        assert backbone.complete(MESSAGES, call=CALL).text == "go"
        assert (len(server.requests), len(waits)) == (3, 2)
    with serving(default=fault) as server:
        backbone, _ = client(server, provider)
        with pytest.raises(TransientBackboneError, match="gave up after 3 of 3 attempts"):
            backbone.complete(MESSAGES, call=CALL)
        assert len(server.requests) == 3


@pytest.mark.parametrize("provider", ["openai", "deepseek", "hosted_vllm"])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (refused(400, "bad parameter"), FatalBackboneError),
        (refused(401, "who are you"), FatalBackboneError),
        (refused(403, "not you"), FatalBackboneError),
        (refused(404, "no such model"), FatalBackboneError),
        (refused(422, "no"), FatalBackboneError),
        (refused(429, "pay first", code="insufficient_quota"), FatalBackboneError),
        (refused(400, "This model's maximum context length is 4096 tokens.", code="x"), ContextOverflow),
        (refused(400, "the request exceeds the available context size"), ContextOverflow),
        (refused(413, "prompt is too long: 9000 tokens"), ContextOverflow),
    ],
    ids=["400", "401", "403", "404", "422", "quota", "overflow", "overflow-llama.cpp", "overflow-413"],
)
def test_what_cannot_be_helped_is_sent_once(provider: str, fault: Reply, kind: type[Exception]) -> None:
    with serving(default=fault) as server:
        backbone, waits = client(server, provider)
        with pytest.raises(kind):
            backbone.complete(MESSAGES, call=CALL)
        assert (len(server.requests), waits) == (1, [])


def test_retry_after_is_honoured_in_seconds_and_as_a_date() -> None:
    later = formatdate(time.time() + 90, usegmt=True)
    with serving(refused(429, "slow", Retry_After="7"), refused(503, "slow", Retry_After=later)) as server:
        backbone, waits = client(server)
        backbone.complete(MESSAGES, call=CALL)
    assert waits[0] == 7.0
    assert 60 < waits[1] <= 91


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    with serving(default=refused(429, "slow", Retry_After="3600")) as server:
        backbone, waits = client(server, total_deadline_s=60.0)
        with pytest.raises(TransientBackboneError) as caught:
            backbone.complete(MESSAGES, call=CALL)
        assert (len(server.requests), waits, caught.value.retry_after_s) == (1, [], 3600.0)


@pytest.mark.parametrize("fault", [Reply(hang_s=20.0), replace(said("late"), dribble_s=20.0)], ids=["hang", "dribble"])
def test_a_hanging_server_costs_an_attempt_and_no_more(fault: Reply) -> None:
    with serving(fault, said("go")) as server:
        backbone, waits = client(server, attempt_timeout_s=2.0)
        assert backbone.complete(MESSAGES, call=CALL).text == "go"
        assert (len(server.requests), len(waits)) == (2, 1)


def test_a_server_that_is_not_there_is_passing_trouble() -> None:
    with serving() as server:
        pass
    backbone, _ = client(server, max_attempts=2)
    with pytest.raises(TransientBackboneError, match="gave up after 2"):
        backbone.complete(MESSAGES, call=CALL)


@pytest.mark.parametrize(
    ("reply", "text", "finish", "reasoning"),
    [
        (said(None), "", "stop", ""),
        (said(""), "", "stop", ""),
        (said(None, reasoning_content="hmm"), "", "stop", "hmm"),
        (said("<think>hmm</think>go"), "go", "stop", "hmm"),
        (said("so hmm</think>\n\ngo"), "go", "stop", "so hmm"),
        (said("<think>hmm", finish="length"), "", "length", "hmm"),
        (said("go nor", finish="length"), "go nor", "length", ""),
        (said("", finish="content_filter"), "", "filter", ""),
        (refused(400, "filtered", code="content_filter"), "", "filter", ""),
        (said("lone \ud800 half"), "lone ? half", "stop", ""),
    ],
)
def test_empty_reasoning_only_and_cut_off_answers_are_answers(
    reply: Reply, text: str, finish: Literal["stop", "length", "filter"], reasoning: str
) -> None:
    with serving(reply) as server:
        backbone, _ = client(server)
        answer = backbone.complete(MESSAGES, call=CALL)
        assert (answer.text, answer.finish, answer.reasoning) == (text, finish, reasoning)
        assert len(server.requests) == 1


def test_without_usage_tokens_are_estimated_and_the_cost_is_unknown() -> None:
    with serving(said("go north", usage=None)) as server:
        backbone, _ = client(server, input_usd_per_mtok=1.0, output_usd_per_mtok=1.0, price_date="2026-01-01")
        usage = backbone.complete(MESSAGES, call=CALL).usage
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0
    assert usage.cost_usd is None


def test_costs_come_from_litellms_table_where_none_are_configured_else_they_are_unknown() -> None:
    with serving() as server:
        known, _ = client(server, model="openai/gpt-4o-mini")
        unknown, _ = client(server, model="openai/nobodys-model")
        assert (known.priced, unknown.priced) == (True, False)
        cost = known.complete(MESSAGES, call=CALL).usage.cost_usd
        assert cost is not None
        assert cost > 0
        assert unknown.complete(MESSAGES, call=CALL).usage.cost_usd is None


def test_a_missing_key_is_named_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        backbone, _ = client(server, api_key_env="SOME_KEY")
        with pytest.raises(ConfigError, match="SOME_KEY"):
            backbone.check()
        with pytest.raises(ConfigError, match="SOME_KEY"):
            backbone.complete(MESSAGES, call=CALL)
        with pytest.raises(ConfigError, match="GEMINI_API_KEY"):
            LitellmBackbone(model="gemini/gemini-2.5-pro").check()
        with pytest.raises(ConfigError, match="provider/model"):
            LitellmBackbone(model="nobodys-model").check()
        assert server.requests == []


def test_a_server_without_a_key_of_its_own_is_not_sent_the_users_openai_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with serving() as server:
        client(server)[0].complete(MESSAGES, call=CALL)
    assert CANARY not in str(server.headers)


@pytest.mark.parametrize("provider", ["openai", "deepseek", "hosted_vllm"])
@pytest.mark.parametrize(
    "fault",
    [
        refused(401, f"Incorrect API key provided: {CANARY}"),
        refused(400, f"header Authorization: Bearer {CANARY} is malformed"),
        refused(500, f"while handling {CANARY}"),
        Reply(body=f"<html>{CANARY}</html>"),
        said(f"your key is {CANARY}", reasoning_content=f"they sent {CANARY}"),
    ],
    ids=["401", "400", "500", "html", "answer"],
)
def test_the_key_is_sent_and_appears_nowhere_else(
    provider: str,
    fault: Reply,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SOME_KEY", f"{CANARY}\n")
    caplog.set_level(logging.DEBUG)
    with serving(default=fault) as server:
        backbone, _ = client(server, provider, api_key_env="SOME_KEY")
        try:
            shown = repr(backbone.complete(MESSAGES, call=CALL))
        except BackboneError as error:
            chain = [error, error.__context__, error.__cause__]
            shown = "".join(traceback.format_exception(error)) + "".join(map(repr, chain))
    assert f"Bearer {CANARY}" in str(server.headers)
    out, err = capfd.readouterr()
    recorded = [record.getMessage() + str(record.exc_info) for record in caplog.records]
    everything = [shown, repr(vars(backbone)), str(backbone.settings()), str(backbone.effective_settings()), out, err]
    assert CANARY not in "\n".join(everything + recorded)


def test_parameters_that_a_model_does_not_take_are_disclosed() -> None:
    reasoning = LitellmBackbone(model="openai/o3", temperature=0.0, seed=1, max_tokens=50)
    assert reasoning.effective_settings()["dropped"] == ["temperature"]
    assert reasoning.disclosures == ("openai/o3: temperature=0.0 is not sent, this model does not take it.",)
    gemini = LitellmBackbone(model="gemini/gemini-2.5-pro", seed=1)
    assert "seed=1 is not sent" in " ".join(gemini.disclosures)
    plain = LitellmBackbone(model="openai/gpt-4o-mini", seed=1, stop=["x"], top_p=0.5)
    assert plain.effective_settings()["dropped"] == []
    assert plain.disclosures == ()


SECRETS = [{"aws_secret_access_key": "x"}, {"extra_body": {"auth": [{"hf_token": "x"}]}}, {"vertex_credentials": "x"}]


@pytest.mark.parametrize("extra", [{"api_key": "x"}, {"num_retries": 3}, {"temperature": 1.0}, *SECRETS])
def test_extra_cannot_override_what_has_its_own_place(extra: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="extra"):
        LitellmBackbone(model="openai/x", extra=extra)


def test_extra_takes_what_only_sounds_like_a_secret() -> None:
    extra = {"max_completion_tokens": 5, "extra_body": {"prompt_cache_key": "a"}}
    assert LitellmBackbone(model="openai/x", extra=extra).settings()["extra"] == extra


def test_a_key_in_place_of_its_variables_name_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigError, match="name of an environment variable") as caught:
        LitellmBackbone(model="openai/x", api_key_env="sk-secret-1234")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["http://user:secret@host/v1", "http://host/v1?key=secret"])
def test_an_address_with_a_secret_in_it_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        LitellmBackbone(model="openai/x", api_base=address)
    assert "secret" not in str(caught.value)


def test_prices_need_a_date() -> None:
    with pytest.raises(ConfigError, match="price_date"):
        LitellmBackbone(model="openai/x", input_usd_per_mtok=1.0, output_usd_per_mtok=1.0)


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_a_schema_is_asked_for_in_the_configured_way(structured: str) -> None:
    with serving(default=said('{"reason": "x", "success": true}')) as server:
        backbone, _ = client(server, structured=structured)
        backbone.complete(MESSAGES, call=CALL, schema=Verdict)
    body = server.requests[0]
    in_words = '"success"' in body["messages"][-1]["content"]
    asked = body.get("response_format", {}).get("type")
    assert (asked, in_words) == {
        "json_schema": ("json_schema", False),
        "json_object": ("json_object", True),
        "prompt": (None, True),
    }[structured]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_structured_answers_come_through_broken_empty_and_very_long_fenced_json() -> None:
    long = f"Here you are:\n```json\n{json.dumps({'reason': 'because ' * 3000, 'success': True})}\n```"
    with serving(said('{"reason": "broken'), said(None, reasoning_content="hmm"), said(long)) as server:
        backbone, waits = client(server)
        verdict = ask(backbone, MESSAGES, Verdict, call=CALL)
    assert verdict.success
    assert len(verdict.reason) > 20_000
    assert (len(server.requests), waits) == (3, [])
