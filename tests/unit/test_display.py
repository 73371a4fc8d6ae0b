"""The live display in a pseudo-terminal and without one."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from harness.display import POLL_S, Display, clock, plain_line
from harness.ledger.progress import Progress, write_progress

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys, time
from pathlib import Path
from harness.display import Display
from harness.ledger.progress import Progress, write_progress
folder = Path(sys.argv[1])
with Display([folder]):
    for done in range(3):
        state = "complete" if done == 2 else "running"
        write_progress(folder, Progress(run="sci-flat-s0", state=state, n_planned=2, n_done=done, n_solved=done,
            task="boil/\\x1b[2J3", step=4, tokens=1500, memory_items=done, started="t"))
        time.sleep(0.7)
        if len(sys.argv) > 2:
            print("READY", flush=True)
            time.sleep(30)
print("run: done")
"""


def at(run: str = "r", **changes: object) -> Progress:
    return Progress.model_validate({"run": run, "state": "running", "n_planned": 4, "n_done": 0, **changes})


@pytest.fixture
def plain_console() -> Console:
    return Console(file=StringIO(), force_terminal=False, width=200)


def written(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def read_all(terminal: int, until: bytes = b"", seconds: float = 60) -> bytes:
    found = b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not (until and until in found):
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        found += chunk
    return found


def in_terminal(folder: Path, *extra: str) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "CI"} | {"TERM": "xterm", "COLUMNS": "130", "LINES": "30"}
    arguments = [sys.executable, "-c", SCRIPT, str(folder), *extra]
    child = subprocess.Popen(arguments, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=env)
    os.close(theirs)
    return child, ours


def test_on_a_terminal_one_line_a_stream_is_drawn_and_the_cursor_comes_back(tmp_path: Path) -> None:
    child, terminal = in_terminal(tmp_path)
    text = read_all(terminal).decode()
    assert child.wait(30) == 0
    os.close(terminal)
    assert "sci-flat-s0" in text
    assert "1/2" in text
    assert "1.5k" in text
    assert "✓" in text
    assert "\x1b[2J" not in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
    assert text.rstrip().endswith("run: done")


def test_ctrl_c_leaves_the_terminal_clean(tmp_path: Path) -> None:
    child, terminal = in_terminal(tmp_path, "hang")
    text = read_all(terminal, until=b"READY")
    child.send_signal(signal.SIGINT)
    text += read_all(terminal)
    assert child.wait(30) != 0
    os.close(terminal)
    assert b"KeyboardInterrupt" in text
    assert text.rindex(b"\x1b[?25h") > text.rindex(b"\x1b[?25l")


def test_without_a_terminal_each_finished_episode_is_one_plain_line(tmp_path: Path, plain_console: Console) -> None:
    with Display([tmp_path], console=plain_console) as display:
        for done in (0, 1, 1, 2):
            write_progress(tmp_path, at(n_done=done, n_solved=1 if done else 0, step=done, started="t"))
            display._show()
        write_progress(tmp_path, at(n_done=4, n_solved=2, n_infrastructure=1, state="complete", started="t"))
    lines = written(plain_console).splitlines()
    assert [line.split(" · ")[0] for line in lines] == ["r: 0/4", "r: 1/4", "r: 2/4", "r: 4/4"]
    assert "66.7 % solved" in lines[-1]
    assert "1 lost" in lines[-1]
    assert lines[-1].endswith("complete")
    assert "\x1b" not in written(plain_console)


def test_in_ci_a_terminal_gets_plain_lines_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    console = Console(file=StringIO(), force_terminal=True, width=200)
    with Display([tmp_path], console=console):
        write_progress(tmp_path, at(n_done=1))
    assert written(console).startswith("r: 1/4")
    assert "\x1b[?25l" not in written(console)


def test_off_shows_nothing(tmp_path: Path, plain_console: Console) -> None:
    with Display([tmp_path], mode="off", console=plain_console):
        write_progress(tmp_path, at(n_done=1))
    assert written(plain_console) == ""


def test_a_stream_that_another_start_left_behind_is_not_shown_as_running(
    tmp_path: Path, plain_console: Console
) -> None:
    write_progress(tmp_path, at(n_done=2, started="yesterday"))
    with Display([tmp_path], console=plain_console):
        pass
    assert written(plain_console) == ""


def test_a_stream_that_was_complete_before_is_shown_so(tmp_path: Path, plain_console: Console) -> None:
    write_progress(tmp_path, at(n_done=4, state="complete"))
    with Display([tmp_path], console=plain_console):
        pass
    assert written(plain_console).rstrip().endswith("complete")


def test_the_end_is_said_once(tmp_path: Path, plain_console: Console) -> None:
    write_progress(tmp_path, at(n_done=4, state="complete", task="a"))
    with Display([tmp_path], console=plain_console):
        time.sleep(2 * POLL_S)
        write_progress(tmp_path, at(n_done=4, state="complete", task="b"))
    assert written(plain_console).count("complete") == 1


@pytest.mark.parametrize("drawn", [True, False])
def test_nothing_that_goes_wrong_in_the_display_reaches_the_streams(
    tmp_path: Path, drawn: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    def folders() -> Sequence[Path]:
        raise RuntimeError("gone")

    console = Console(file=StringIO(), force_terminal=drawn)
    with Display(folders, console=console):
        pass
    assert "gone" in caplog.text


def test_damaged_and_missing_files_are_left_out(tmp_path: Path, plain_console: Console) -> None:
    for name, text in (("bad", "{"), ("old", '{"run": "x"}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "progress.json").write_text(text, encoding="utf-8")
    with Display([tmp_path / "bad", tmp_path / "old", tmp_path / "none", tmp_path], console=plain_console):
        write_progress(tmp_path, at(n_done=1))
    assert len(written(plain_console).splitlines()) == 1


def test_folders_may_come_and_go_while_it_runs(tmp_path: Path, plain_console: Console) -> None:
    def folders() -> Iterator[Path]:
        return tmp_path.glob("run-*")

    with Display(lambda: list(folders()), console=plain_console):
        for i in range(2):
            (tmp_path / f"run-{i}").mkdir()
            write_progress(tmp_path / f"run-{i}", at(f"run-{i}", n_done=1))
    assert written(plain_console).count("1/4") == 2


def test_hundreds_of_streams_fit_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    console = Console(file=StringIO(), force_terminal=True, width=100, height=20)
    folders = [tmp_path / f"r{i}" for i in range(300)]
    for folder in folders:
        folder.mkdir()
    with Display(folders, console=console) as display:
        for i, folder in enumerate(folders):
            write_progress(
                folder, at(f"r{i}", n_done=1, state="running" if i % 2 else "stopped", message="why\x1b[31m")
            )
        display._show()
        lines = console.render_lines(display._drawing())
    assert len(lines) <= 20
    shown = "\n".join("".join(segment.text for segment in line) for line in lines)
    assert "more running" in shown
    assert "ended before" in shown


def test_a_plain_line_says_what_is_unknown() -> None:
    line = plain_line(at(cost_usd=None, task="a\x1b[2Jb\n", step=3))
    assert line == "r: 0/4 · none scored · 0 tokens · cost unknown · 0 items · now a?[2Jb? step 3"


@pytest.mark.parametrize(("seconds", "shown"), [(None, "-:--"), (0, "0:00"), (59.6, "1:00"), (3723, "1:02:03")])
def test_durations_read_like_a_clock(seconds: float | None, shown: str) -> None:
    assert clock(seconds) == shown
