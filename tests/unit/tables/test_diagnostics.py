"""Everything that was logged, as one file for pandas."""

from __future__ import annotations

import json
from pathlib import Path

from harness.ledger.reading import find_runs
from harness.tables.diagnostics import flat_row, write_diagnostics
from tests.run_folders import run_folder, stream
from tests.unit.tables.strata_runs import episodes, notes, strata_run


def test_nested_notes_become_one_line_and_a_list_is_kept_with_its_length() -> None:
    assert flat_row({"a": {"b": 1, "c": {"d": None}}, "e": [1, {"f": 2}]}) == {
        "a.b": 1, "a.c.d": None, "e": '[1, {"f": 2}]', "e.n": 2,
    }  # fmt: skip


def test_runs_of_several_methods_are_one_frame(tmp_path: Path) -> None:
    import pandas as pd

    deleted = {"id": "workflow-1", "quality": 0.25, "reason": "lowest", "family": "boil", "template": "boil"}
    round_ = {**notes(workflows=3), "collection": {"deleted": [deleted], "protected": []}}
    strata_run(tmp_path, "full", 2, rounds=[notes(), round_])
    run_folder(tmp_path, "flat", stream([True, False, True]))
    assert write_diagnostics(find_runs(tmp_path), tmp_path / "out" / "all.csv") == 5
    frame = pd.read_csv(tmp_path / "out" / "all.csv")
    of_strata = frame[frame["memory"] == "strata"]
    assert list(of_strata["notes.nodes.workflow"]) == [1, 3]
    assert list(of_strata["notes.collection.deleted.n"]) == [0, 1]
    assert json.loads(of_strata["notes.collection.deleted"].iloc[1]) == [deleted]
    assert frame[frame["memory"] == "flat"]["notes.nodes.workflow"].isna().all()
    assert list(frame[frame["run"] == "flat"]["success"]) == [True, False, True]


def test_what_only_the_whole_run_tells_stands_on_each_of_its_lines(tmp_path: Path) -> None:
    import pandas as pd

    deleted = [{"id": f"workflow-{n}", "quality": 0.2, "reason": "lowest", "family": "boil", "template": kind}
               for n, kind in enumerate(("boil/1", "boil/9"))]  # fmt: skip
    rounds = [{**notes(), "collection": {"deleted": deleted, "protected": []}}, notes()]
    own = episodes(rounds, kinds=["meta", "workflow"], remembered=["what worked"])
    run_folder(tmp_path, "full", own, memory__name="strata", memory__variant="full")
    run_folder(tmp_path, "flat", stream([True]))
    write_diagnostics(find_runs(tmp_path), tmp_path / "all.csv")
    frame = pd.read_csv(tmp_path / "all.csv").set_index("memory")
    for column, value in {"injection": 50.0, "regret_template": 50.0, "regret_family": 100.0}.items():
        assert list(frame.loc["strata", f"run.{column}_pct"]) == [value, value], column
        assert pd.isna(frame.loc["flat", f"run.{column}_pct"])


def test_an_episode_lost_to_infrastructure_is_a_line_without_a_verdict(tmp_path: Path) -> None:
    import pandas as pd

    run_folder(tmp_path, "flat", stream([True], lost=True))
    write_diagnostics(find_runs(tmp_path), tmp_path / "all.csv")
    [line] = pd.read_csv(tmp_path / "all.csv").to_dict("records")
    assert (line["stop"], line["steps"]) == ("infrastructure", 0)
    assert pd.isna(line["success"])
