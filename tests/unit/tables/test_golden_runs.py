"""Run folders of every schema version are read for ever."""

from pathlib import Path

import pytest

from harness.ledger.reading import find_runs, read_run
from harness.ledger.tally import Tally
from harness.tables.catalog import find_table
from harness.tables.paper import read_paper
from harness.types import StepKind

V1 = Path(__file__).resolve().parents[2] / "golden" / "v1" / "scienceworld-flat-apprentice-s0-3f1c9a2e"


def test_version_1_is_read_to_the_last_field() -> None:
    run = read_run(V1)
    records = list(run.records())
    assert [r.task.id for r in records] == ["boil/001", "melt/NA", "freeze/7", "boil/002", "boil/002"]
    assert [r.trial for r in records] == [1, 1, 1, 1, 2]
    assert [step.kind for step in records[1].steps] == [
        StepKind.ACT,
        StepKind.TOOL,
        StepKind.FORMAT_ERROR,
        StepKind.ACT,
    ]
    assert records[2].infrastructure is not None
    assert records[3].usage[0].usage.cost_usd is None
    assert "少々" in records[4].steps[0].thought
    assert run.lock.settings["backbone"]["skill"] == 0.6
    assert run.state is not None
    assert (run.state.state, run.state.complete) == ("stopped", False)


def test_version_1_lines_are_written_as_they_were_read() -> None:
    text = (V1 / "episodes.jsonl").read_text(encoding="utf-8")
    assert "".join(f"{record.line()}\n" for record in read_run(V1).records()) == text


def test_version_1_adds_up_to_the_same_figures() -> None:
    tally = Tally.of(read_run(V1).records())
    verdicts = tally.verdicts
    assert (verdicts.n_scored, verdicts.n_solved, verdicts.n_infrastructure) == (3, 2, 1)
    assert verdicts.mean_score == pytest.approx(103 / 3)
    assert (tally.episodes, tally.steps, tally.usage.cost_usd) == (5, 8, None)


def test_version_1_comes_out_as_table_rows() -> None:
    runs = find_runs(V1.parent)
    for name in ("1", "3"):
        table = find_table(name)(runs, read_paper())
        assert table.rows[0].labels[0] == "apprentice-p0.6-q0.9"
        assert any("3 of 5 tasks scored, 1 lost to infrastructure, 1 not run" in note for note in table.notes)
