"""The call store: what replays, what is shared, what survives a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.errors import ConfigError, ContextOverflow, LedgerError, ReplayMiss
from harness.ledger.calls import CallStore
from harness.types import Call, Completion, Usage

CALL = Call(task_id="t1", trial=1, phase="agent", step=2)
REQUEST = {"settings": {"model": "m"}, "messages": [["user", "hi"]], "schema": None}
COMPLETION = Completion("go north", "stop", Usage(1, 10, 5, 2, 1, 0.1), reasoning="why \ud800 not", model="m-1")


def store_at(folder: Path, **options: object) -> CallStore:
    folder.mkdir(exist_ok=True)
    return CallStore(folder / "calls.sqlite", **{"replicate": 0, **options})  # type: ignore[arg-type]


def answered(store: CallStore, completion: Completion = COMPLETION, call: Call = CALL) -> None:
    store.keep(store.chat(REQUEST, call), completion, shareable=True)


def test_an_answer_comes_back_whole_after_the_episode_begins_again_and_after_reopening(tmp_path: Path) -> None:
    store = store_at(tmp_path / "a")
    answered(store)
    store.begin("t1", 1)
    assert store.completion(store.chat(REQUEST, CALL)) == COMPLETION
    store.close()
    assert store_at(tmp_path / "a").completion(store_at(tmp_path / "a").chat(REQUEST, CALL)) == COMPLETION


def test_equal_requests_of_one_episode_are_different_calls_until_it_begins_again(tmp_path: Path) -> None:
    store = store_at(tmp_path / "a")
    answered(store)
    assert store.completion(store.chat(REQUEST, CALL)) is None
    store.begin("t1", 1)
    assert store.completion(store.chat(REQUEST, CALL)) is not None


@pytest.mark.parametrize(
    "change",
    [
        {"task_id": "t2"},
        {"trial": 2},
        {"phase": "judge"},
        {"role": "critic"},
        {"ordinal": 1},
    ],
)
def test_the_place_of_a_call_separates_answers(tmp_path: Path, change: dict[str, object]) -> None:
    store = store_at(tmp_path / "a")
    answered(store)
    assert store.completion(store.chat(REQUEST, replace(CALL, **change))) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["settings", "messages", "schema"])
def test_every_part_of_the_request_separates_answers(tmp_path: Path, name: str) -> None:
    store = store_at(tmp_path / "a")
    answered(store)
    assert store.completion(store.chat({**REQUEST, name: "other"}, CALL)) is None


def test_replicates_never_share_an_answer(tmp_path: Path) -> None:
    first = store_at(tmp_path / "a")
    answered(first)
    first.close()
    for option in ("replay", "shared"):
        value = tmp_path / "a" if option == "replay" else [tmp_path / "a"]
        other = store_at(tmp_path / option, replicate=1, **{option: value})
        key = other.chat(REQUEST, CALL)
        if option == "replay":
            with pytest.raises(ReplayMiss):
                other.completion(key)
        else:
            assert other.completion(key) is None


def test_the_step_is_no_part_of_the_key_since_messages_hold_the_history(tmp_path: Path) -> None:
    store = store_at(tmp_path / "a")
    answered(store)
    store.begin("t1", 1)
    assert store.completion(store.chat(REQUEST, replace(CALL, step=7))) == COMPLETION


@pytest.mark.parametrize(
    "completion",
    [replace(COMPLETION, text=""), replace(COMPLETION, finish="length"), replace(COMPLETION, finish="filter")],
)
def test_empty_and_cut_off_answers_replay_in_their_own_run_but_serve_no_other(
    tmp_path: Path, completion: Completion
) -> None:
    own = store_at(tmp_path / "a")
    answered(own, completion)
    own.close()
    replaying = store_at(tmp_path / "b", replay=tmp_path / "a")
    assert replaying.completion(replaying.chat(REQUEST, CALL)) == completion
    other = store_at(tmp_path / "c", shared=[tmp_path / "a"])
    assert other.completion(other.chat(REQUEST, CALL)) is None


def test_a_complete_answer_serves_another_run_whatever_the_task_and_is_not_bought_by_it(tmp_path: Path) -> None:
    first = store_at(tmp_path / "a")
    answered(first)
    first.close()
    other = store_at(tmp_path / "b", shared=[tmp_path / "a"])
    call = replace(CALL, task_id="t9")
    assert other.completion(other.chat(REQUEST, call)) == COMPLETION
    assert other.completion(other.chat(REQUEST, call)) is None, "the second equal request is another sample"
    assert other.paid() == Usage()
    other.close()
    alone = store_at(tmp_path / "b")
    assert alone.completion(alone.chat(REQUEST, call)) == COMPLETION, "it was copied into the own store"


def test_an_answer_of_a_simulated_backbone_serves_no_other_run(tmp_path: Path) -> None:
    first = store_at(tmp_path / "a")
    first.keep(first.chat(REQUEST, CALL), COMPLETION, shareable=False)
    first.close()
    other = store_at(tmp_path / "b", shared=[tmp_path / "a"])
    assert other.completion(other.chat(REQUEST, CALL)) is None


def test_a_replay_miss_names_the_call(tmp_path: Path) -> None:
    store_at(tmp_path / "a").close()
    store = store_at(tmp_path / "b", replay=tmp_path / "a" / "calls.sqlite")
    with pytest.raises(ReplayMiss, match=r"task 't1', trial 1, step 2, phase agent, role solver"):
        store.completion(store.chat(REQUEST, CALL))
    with pytest.raises(ReplayMiss, match="embedding"):
        store.vectors([store.vector({"text": "x"}, CALL)])


def test_a_run_may_replay_itself(tmp_path: Path) -> None:
    first = store_at(tmp_path / "a")
    answered(first)
    first.close()
    store = store_at(tmp_path / "a", replay=tmp_path / "a")
    assert store.completion(store.chat(REQUEST, CALL)) == COMPLETION
    with pytest.raises(ReplayMiss):
        store.completion(store.chat(REQUEST, CALL))


def test_a_context_overflow_replays_because_the_agent_went_on_from_it(tmp_path: Path) -> None:
    first = store_at(tmp_path / "a")
    first.keep_overflow(first.chat(REQUEST, CALL), ContextOverflow("too long"))
    first.close()
    store = store_at(tmp_path / "b", replay=tmp_path / "a", shared=[])
    with pytest.raises(ContextOverflow, match="too long"):
        store.completion(store.chat(REQUEST, CALL))


def test_a_vector_is_stored_once_a_run_and_accounted_once_to_the_episode_that_asked_first(tmp_path: Path) -> None:
    usage = Usage(calls=1, prompt_tokens=3, cost_usd=0.5)
    vector = np.array([[0.6, 0.8]], dtype=np.float32)

    def account(store: CallStore, call: Call) -> Usage:
        key = store.vector({"text": "x"}, call)
        (held,) = store.vectors([key])
        if held is None:
            store.keep_vectors([key], vector, [usage])
            return usage
        assert held[0].tolist() == vector[0].tolist()
        return held[1]

    later = replace(CALL, task_id="t2")
    store = store_at(tmp_path / "a")
    first_time = [account(store, call) for call in (CALL, CALL, later)]
    store.close()
    again = store_at(tmp_path / "a")
    resumed = [account(again, call) for call in (CALL, CALL, later)]
    assert first_time == resumed == [usage, Usage(), Usage()]
    assert again.paid() == usage


def test_paid_adds_up_all_that_was_bought_and_keeps_unknown_costs_unknown(tmp_path: Path) -> None:
    store = store_at(tmp_path / "a")
    answered(store)
    assert store.paid() == COMPLETION.usage
    answered(store, replace(COMPLETION, usage=Usage(calls=1, cost_usd=None)))
    assert store.paid().cost_usd is None
    assert store.paid().calls == 2


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 300)


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE calls (x)")


def from_the_future(path: Path) -> None:
    CallStore(path, replicate=0).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")


def overwritten(path: Path) -> None:
    store = CallStore(path, replicate=0)
    for n in range(200):
        answered(store, replace(COMPLETION, text="x" * n))
    store.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(8192))


@pytest.mark.parametrize("damage", [garbage, foreign_database, from_the_future])
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "calls.sqlite"
    damage(path)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=r"calls\.sqlite"):
        CallStore(path, replicate=0)
    for options in ({"replay": path}, {"shared": [path]}):
        with pytest.raises(ConfigError, match=r"calls\.sqlite"):
            CallStore(tmp_path / "own.sqlite", replicate=0, **options)
    assert path.read_bytes() == before


def test_a_damaged_page_is_an_error_not_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    overwritten(path)
    with pytest.raises(LedgerError):  # noqa: PT012 - damage may show at opening or at reading
        store = CallStore(path, replicate=0)
        for _ in range(200):
            store.completion(store.chat(REQUEST, CALL))


def test_a_store_that_is_not_there_cannot_be_replayed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no call store there"):
        CallStore(tmp_path / "own.sqlite", replicate=0, replay=tmp_path / "nowhere")


def test_a_finished_store_is_read_without_leaving_a_trace_in_its_folder(tmp_path: Path) -> None:
    first = store_at(tmp_path / "a")
    answered(first)
    first.flush()
    first.close()
    before = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    replaying = store_at(tmp_path / "b", replay=tmp_path / "a")
    assert replaying.completion(replaying.chat(REQUEST, CALL)) == COMPLETION
    assert {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()} == before
    assert list(before) == ["calls.sqlite"]


WRITER = """
import sys
from pathlib import Path
from tests.unit.ledger.test_calls import COMPLETION, CALL, REQUEST
from harness.ledger.calls import CallStore
store = CallStore(Path(sys.argv[1]), replicate=0)
for n in range(1000000):
    store.keep(store.chat(REQUEST, CALL), COMPLETION, shareable=True)
    if n % 10 == 9:
        store.flush()
        print(n + 1, flush=True)
"""


def test_after_kill_9_every_answer_that_was_flushed_is_there(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    flushed = 0
    for lines in (1, 3, 7):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
        ) as writer:
            assert writer.stdout is not None
            for _ in range(lines):
                flushed = max(flushed, int(writer.stdout.readline()))
            writer.send_signal(signal.SIGKILL)
        store = CallStore(path, replicate=0)
        assert all(store.completion(store.chat(REQUEST, CALL)) == COMPLETION for _ in range(flushed))
        store.close()
