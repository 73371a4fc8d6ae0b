import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from harness.errors import LedgerError
from harness.ledger.progress import Progress, read_progress, write_progress


def test_what_is_written_is_read_and_nothing_else_is_left(tmp_path: Path) -> None:
    progress = Progress(run="r", state="running", n_planned=3, n_done=1, task="NA", mean_score=1.5)
    write_progress(tmp_path, progress)
    write_progress(tmp_path, progress.model_copy(update={"n_done": 2}))
    found = read_progress(tmp_path)
    assert found is not None
    assert (found.n_done, found.task, found.cost_usd) == (2, "NA", None)
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_no_file_is_no_progress(tmp_path: Path) -> None:
    assert read_progress(tmp_path) is None
    assert read_progress(tmp_path / "nowhere") is None


def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text("{", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"progress\.json"):
        read_progress(tmp_path)


def test_the_keys_are_those_that_others_rely_on(tmp_path: Path) -> None:
    write_progress(tmp_path, Progress(run="r", state="complete", n_planned=1, n_done=1))
    keys = set(json.loads((tmp_path / "progress.json").read_text(encoding="utf-8")))
    assert keys == {
        "run", "state", "n_planned", "n_done", "n_solved", "n_infrastructure", "mean_score", "tokens", "cost_usd",
        "memory_items", "task", "step", "started", "updated", "message",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("state", "done", "complete"), [("complete", 2, True), ("complete", 1, False), ("stopped", 2, False)]
)
def test_complete_means_that_all_is_done_and_the_runner_said_so(state: str, done: int, complete: bool) -> None:
    progress = Progress.model_validate({"run": "r", "state": state, "n_planned": 2, "n_done": done})
    assert progress.complete is complete


def test_no_score_that_is_not_finite_is_written() -> None:
    with pytest.raises(ValidationError):
        Progress(run="r", state="running", n_planned=1, n_done=0, mean_score=float("nan"))
