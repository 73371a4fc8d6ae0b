"""What tests of several folders share: real data where it exists, commands as a user gives them, leftovers found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[1]
GRACE_S = 10.0
KEPT = ("multiprocessing.forkserver", "multiprocessing.resource_tracker")
"""Servers that Python itself keeps until the test process ends."""

RunCli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; skips where it is absent, as on a user's machine."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder of real benchmark data (../shared), which is not part of the repository")
    return folder


@pytest.fixture
def run_cli() -> RunCli:
    """Run ``python -m scripts.NAME ARGUMENTS...`` as a user would, without any key of this machine.

    ``run_cli("show", folder, "--json", timeout_s=60, env={"WANDB_MODE": "offline"})``; a command that outlives its
    time is killed with all its children, and the test fails with TimeoutExpired.
    """

    def run(
        name: str, *arguments: object, timeout_s: float = 120, env: dict[str, str] | None = None, cwd: Path = ROOT
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", f"scripts.{name}", *map(str, arguments)]
        with subprocess.Popen(
            command,
            cwd=cwd,
            env=_without_keys() | {"PYTHONPATH": str(ROOT)} | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=timeout_s)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    return run


@pytest.fixture
def no_process_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail the test if a process that it started, however far removed, is alive ten seconds after it."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("HARNESS_TEST_MARK", mark)
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    yield
    deadline = time.monotonic() + GRACE_S
    while (left := _started_since(before, mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left, f"still alive: {left}"


def _without_keys() -> dict[str, str]:
    secret = ("_API_KEY", "_TOKEN", "_SECRET")
    return {name: value for name, value in os.environ.items() if not name.endswith(secret)} | {"WANDB_MODE": "disabled"}


def _started_since(before: set[int], mark: str) -> list[str]:
    """Return new descendants of this process, and processes that carry the mark though their parent is gone."""
    own = psutil.Process()
    found = {process.pid: process for process in own.children(recursive=True) if process.pid not in before}
    for process in psutil.process_iter():
        try:
            if process.pid != own.pid and process.environ().get("HARNESS_TEST_MARK") == mark:
                found[process.pid] = process
        except (psutil.Error, OSError):
            continue
    return [line for process in found.values() if (line := _command(process, own.pid))]


def _command(process: psutil.Process, parent: int) -> str:
    """Return the command line of a leftover; empty for one that is gone, or that Python keeps on purpose."""
    try:
        line = " ".join(process.cmdline())
        kept = process.ppid() == parent and any(server in line for server in KEPT)
        gone = process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return ""
    return "" if kept or gone else f"{process.pid} {line}"
