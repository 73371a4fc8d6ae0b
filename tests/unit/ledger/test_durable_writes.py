"""Durable writes, snapshots and the episode log, on a real disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import LedgerError
from harness.ledger import durable
from harness.ledger.episodes import EpisodeLog
from harness.ledger.record import EpisodeRecord, Feedback, MemoryMark, Times
from harness.ledger.snapshots import Snapshots
from harness.types import Outcome, Recall, Step, StepKind, StopReason, Task


def record(index: int, task_id: str = "a") -> EpisodeRecord:
    return EpisodeRecord(
        index=index,
        task=Task(task_id, "corridor", "Open the door.", "doors", "doors"),
        trial=1,
        observation="A corridor – with a door.",
        recall=Recall(),
        recall_lines=0,
        recall_tokens=0,
        steps=(Step(StepKind.ACT, "open door", "It is open.\nDone."),),
        outcome=Outcome(True, 1.0, StopReason.SOLVED),
        feedback=Feedback(source="env", success=True, score=1.0),
        memory=MemoryMark(generation=index + 1, digest="d", items=1),
        time=Times(started="2026-01-01T00:00:00.000+00:00", wall_s=0, agent_s=0, memory_s=0, engine_s=0),
    )


def test_an_atomic_write_leaves_the_old_file_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock.json"
    durable.atomic_write(path, "old")

    def full_disk(name: str) -> None:
        if name.startswith("replace:"):
            raise OSError("no space left on device")

    monkeypatch.setattr(durable, "on_boundary", full_disk)
    with pytest.raises(OSError, match="no space"):
        durable.atomic_write(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["lock.json"]


def test_a_record_survives_its_line(tmp_path: Path) -> None:
    log = EpisodeLog(tmp_path / "episodes.jsonl")
    log.append(record(0))
    log.append(record(1, "b"))
    assert log.recover() == (record(0), record(1, "b"))


@pytest.mark.parametrize("kept", [1, 5, 40, -1])
def test_a_torn_last_line_is_set_aside_and_played_again(tmp_path: Path, kept: int) -> None:
    log = EpisodeLog(tmp_path / "episodes.jsonl")
    log.append(record(0))
    whole = log.path.read_bytes()
    torn = f"{record(1, 'b').line()}\n".encode()[:kept]
    log.path.write_bytes(whole + torn)
    assert log.read() == (record(0),)
    assert log.recover() == (record(0),)
    assert log.path.read_bytes() == whole
    assert [p.read_bytes() for p in (tmp_path / "orphaned").iterdir()] == [torn]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (b"{not json}\n", "not an episode record"),
        (b"\xff\xfe\n", "not UTF-8"),
        (b'{"schema": 99}\n', "record schema 99"),
        (b"\n", "not an episode record"),
        (b'{"schema": 1, "index": 0}\n', "not an episode record"),
    ],
)
def test_damage_before_the_last_line_names_file_and_line(tmp_path: Path, damage: bytes, said: str) -> None:
    log = EpisodeLog(tmp_path / "episodes.jsonl")
    log.append(record(0))
    log.path.write_bytes(log.path.read_bytes() + damage + f"{record(2).line()}\n".encode())
    with pytest.raises(LedgerError, match=said) as caught:
        log.recover()
    assert "episodes.jsonl:2" in str(caught.value)


def test_a_missing_line_is_damage(tmp_path: Path) -> None:
    log = EpisodeLog(tmp_path / "episodes.jsonl")
    log.append(record(0))
    log.append(record(2))
    with pytest.raises(LedgerError, match="expected 1"):
        log.recover()


def test_a_killed_writer_leaves_only_whole_lines_and_one_torn_tail(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from harness.ledger import durable\n"
        "for n in range(10**9): durable.append_line(Path(sys.argv[1]), f'{n}:' + 'x' * 2000); print(n, flush=True)"
    )
    path = tmp_path / "lines"
    writer = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    said = [writer.stdout.readline() for _ in range(20)]
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    lines = path.read_bytes().split(b"\n")[:-1]
    assert len(lines) >= len(said)
    assert [line.split(b":")[0] for line in lines] == [str(n).encode() for n in range(len(lines))]


def save_words(text: str) -> object:
    def save(folder: Path) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "words.txt").write_text(text, encoding="utf-8")

    return save


def test_snapshots_of_equal_memories_have_equal_digests(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "memory")
    first = snapshots.write(1, save_words("same"))  # type: ignore[arg-type]
    second = snapshots.write(2, save_words("same"))  # type: ignore[arg-type]
    other = snapshots.write(3, save_words("other"))  # type: ignore[arg-type]
    assert first == second != other
    assert snapshots.generations() == [1, 2, 3]
    snapshots.keep_only(3)
    assert snapshots.generations() == [3]


def test_a_changed_or_missing_snapshot_is_refused(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "memory")
    digest = snapshots.write(1, save_words("same"))  # type: ignore[arg-type]
    assert snapshots.check(1, digest).is_dir()
    (snapshots.path(1) / "deep" / "words.txt").write_text("changed", encoding="utf-8")
    with pytest.raises(LedgerError, match="changed after it was committed"):
        snapshots.check(1, digest)
    with pytest.raises(LedgerError, match="it is not there"):
        snapshots.check(2, digest)
