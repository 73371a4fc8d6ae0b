"""The check for leftover processes finds what it is there to find."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil

from tests import conftest


def test_an_orphan_of_a_finished_child_is_found_and_gone_once_it_is_killed():
    orphan_maker = "import subprocess as s; print(s.Popen(['sleep', '60'], stdout=-3, start_new_session=True).pid)"
    mark = f"orphan-{os.getpid()}"
    done = subprocess.run(
        [sys.executable, "-c", orphan_maker],
        env=os.environ | {"HARNESS_TEST_MARK": mark},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    orphan = psutil.Process(int(done.stdout))
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    try:
        assert conftest._started_since(before, mark) == [f"{orphan.pid} sleep 60"]
    finally:
        orphan.kill()
    psutil.wait_procs([orphan], timeout=10)
    assert conftest._started_since(before, mark) == []


def test_a_command_sees_no_key_of_this_machine(monkeypatch, run_cli):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    done = run_cli("doctor")
    assert "optional  OPENAI_API_KEY" in done.stdout
