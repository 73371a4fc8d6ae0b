"""A stream against a server that misbehaves: requests counted, nothing scored wrong, nothing lost, no key told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from harness.ledger.folder import RunFolder
from harness.stream.launch import Result, run_cell
from tests.fakes.faulty_openai_server import FaultyOpenAIServer, Reply, refused, said, serving
from tests.streams import compose_cell, episodes, final_state

KEY = "sk-canary-51b2e8d07c"
VERDICT = json.dumps({"reason": "it reached the room", "success": True})
LOOK = said("Thought: Look.\nAction: look")
SENT_AGAIN = (
    refused(429, "slow down", Retry_After="0"),
    refused(500, "internal error"),
    Reply(drop=True),
    Reply(hang_s=3.0),
    refused(503, "overloaded"),
)
ONE_TASK = [
    *SENT_AGAIN, said("Thought: On.\nAction: look"),  # step 1 after five faults
    said(None), said(None, reasoning_content="Action: pull red lever"), said("```\nAction: look\n```"),  # step 2
    said("I would rather not say."), said("word " * 4000 + "\nAction: look"),  # a format error, then step 3: 20 kB
    said("<think>Action: pull blue lever</think>Action: look"),  # step 4: what was thought is not done
    said('{"reason": "it', finish="length"), said(f"Here you are:\n```json\n{VERDICT}\n```"),  # the judge, asked twice
]  # fmt: skip


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_API_KEY", KEY)


def run(out: Path, server: FaultyOpenAIServer, *overrides: str) -> Result:
    cell = compose_cell(
        out, "env=corridor", "env.tasks=[corridor-000]", "env.max_steps=4", "memory=flat", "backbone=litellm",
        "backbone.model=openai/served-model-7b", f"backbone.api_base={server.url}",
        "backbone.api_key_env=CANARY_API_KEY", "backbone.attempt_timeout_s=1.5", "stream.outcome_source=judge",
        "stream.retry_wait_s=0", *overrides,
    )  # fmt: skip
    return run_cell(cell)


def test_every_fault_is_survived_counted_and_never_scored(tmp_path: Path) -> None:
    with serving(*ONE_TASK) as server:
        result = run(tmp_path / "a", server)
        assert result.code == 0, result.message
        assert len(server.requests) == len(ONE_TASK)
        replayed = run(tmp_path / "b", server, f"replay={result.folder}")
        assert replayed.code == 0, replayed.message
        assert len(server.requests) == len(ONE_TASK), "a replay sends nothing"
    assert result.folder is not None
    assert replayed.folder is not None
    assert final_state(result.folder) == final_state(replayed.folder)
    [line] = episodes(result.folder)
    assert [(step["kind"], step["action"]) for step in line["steps"]] == [
        ("act", "look"), ("act", "look"), ("format_error", ""), ("act", "look"), ("act", "look")
    ]  # fmt: skip
    assert (line["outcome"]["stop"], line["outcome"]["success"]) == ("step_limit", False)
    assert line["feedback"] == {"source": "judge", "success": True, "score": None}
    calls = {row["phase"]: row["usage"]["calls"] for row in line["usage"] if row["kind"] == "chat"}
    assert calls == {"agent": len(ONE_TASK) - len(SENT_AGAIN) - 2, "judge": 2}


def test_a_refused_key_stops_the_stream_and_the_finished_tasks_stay(tmp_path: Path) -> None:
    tasks = "env.tasks=[corridor-000,corridor-001]"
    good = [LOOK] * 4 + [said(VERDICT)]
    with serving(*good, default=refused(401, f"Incorrect API key provided: {KEY}")) as server:
        stopped = run(tmp_path, server, tasks)
        assert stopped.code == 3
        assert len(server.requests) == len(good) + 1, "a refusal is not sent again"
        server.script = [*good]
        finished = run(tmp_path, server, tasks)
        assert finished.code == 0, finished.message
    assert KEY not in stopped.message
    assert finished.folder is not None
    records = RunFolder(finished.folder).episodes.read()
    assert [record.task.id for record in records] == ["corridor-000", "corridor-001"]
    assert grep(KEY, tmp_path) == ""


def test_a_server_that_stays_down_is_an_infrastructure_stop_and_never_a_failed_task(tmp_path: Path) -> None:
    with serving(default=refused(503, "down")) as server:
        result = run(tmp_path, server, "backbone.max_attempts=2", "stream.max_attempts=2")
        assert result.code == 3
        assert len(server.requests) == 2 * 2
        skipped = run(
            tmp_path / "skip",
            server,
            "backbone.max_attempts=1",
            "stream.max_attempts=1",
            "stream.on_infrastructure=skip",
        )
    assert skipped.code == 0
    assert skipped.folder is not None
    [line] = episodes(skipped.folder)
    assert line["outcome"] is None
    assert line["infrastructure"]["error"] == "TransientBackboneError"


def test_a_missing_key_is_told_before_a_folder_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANARY_API_KEY")
    with serving() as server:
        result = run(tmp_path / "runs", server)
        assert (result.code, server.requests) == (2, [])
    assert "CANARY_API_KEY" in result.message
    assert not (tmp_path / "runs").exists()


def grep(text: str, folder: Path) -> str:
    return subprocess.run(["grep", "-rl", text, str(folder)], capture_output=True, text=True, check=False).stdout
