"""Who may use a run folder, and with which inputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import LedgerError
from harness.ledger.folder import BINDING, RunFolder

LOCK = {"schema": 1, "identity": "abc", "asked": {"seed": 0, "env": {"tasks": [1, 2]}}, "tasks": ["a"], "digests": {}}
HOLDER = (
    "import sys; from pathlib import Path; from harness.ledger.folder import RunFolder\n"
    "with RunFolder(Path(sys.argv[1])).held(): print('held', flush=True); sys.stdin.read()"
)


def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LedgerError, match=f"another process .pid {holder.pid}."), folder.held():
        pass
    holder.kill()
    holder.wait()
    with folder.held():
        pass


def test_a_run_goes_on_with_the_same_inputs_and_refuses_others_showing_each_difference(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.claim({"seed": 0}, LOCK)
    folder.claim({"seed": 0}, {**LOCK, "versions": {"numpy": "another"}})
    changed = {**LOCK, "asked": {"seed": 1, "env": {"tasks": [1, 3]}}, "digests": {"games": "f00"}}
    with pytest.raises(LedgerError) as caught:
        folder.claim({"seed": 1}, changed)
    said = str(caught.value)
    for part in (
        "asked.seed: was 0, is now 1",
        "asked.env.tasks: was [1, 2], is now [1, 3]",
        "digests.games: was null",
    ):
        assert part in said
    assert "another `out`" in said


@pytest.mark.parametrize("key", BINDING)
def test_every_binding_key_binds(tmp_path: Path, key: str) -> None:
    folder = RunFolder(tmp_path)
    folder.claim({}, LOCK)
    with pytest.raises(LedgerError, match=key):
        folder.claim({}, {**LOCK, key: "other"})


def test_a_damaged_lock_is_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / "lock.json").write_text("{", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"lock\.json: not JSON"):
        folder.claim({}, LOCK)


def test_only_a_finished_run_lends_its_memory(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no run is there"):
        RunFolder(tmp_path / "nothing").final_memory()
    folder = RunFolder(tmp_path)
    folder.claim({}, {**LOCK, "n_planned": 2, "trials": 1})
    with pytest.raises(LedgerError, match="0 of 2 tasks"):
        folder.final_memory()
