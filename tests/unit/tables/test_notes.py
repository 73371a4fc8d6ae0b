"""What a table must say besides its figures."""

from pathlib import Path

import pytest

from harness.errors import LedgerError
from tests.run_folders import record, run_folder, stream
from tests.unit.tables.building import figures, one, ours, two_seeds


def test_the_later_of_two_runs_with_one_configuration_and_seed_is_used_and_said(tmp_path: Path) -> None:
    run_folder(tmp_path, "old", stream([False]), env__metrics=["sr"], started="2026-11-01T00:00:00+00:00")
    run_folder(tmp_path, "new", stream([True]), env__metrics=["sr"], started="2026-11-03T00:00:00+00:00")
    table = one(tmp_path)
    assert figures(table) == {"Flat-Memory": "100.0 (n=1)"}
    assert any("run twice" in note and "new is used" in note for note in table.notes)


def test_one_seed_from_two_stores_is_not_called_one_configuration(tmp_path: Path) -> None:
    for name, day in (("old", 1), ("new", 3)):
        when = {"started": f"2026-11-0{day}T00:00:00+00:00", "asked__store": name, "protocol": "frozen"}
        run_folder(tmp_path, name, stream([True]), env__metrics=["sr"], **when)
    assert any("run twice from two different stores: new is used" in note for note in one(tmp_path).notes)


def test_missing_seeds_are_named_against_those_of_the_other_cells(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    run_folder(tmp_path, "none-1", stream([True]), seed=1, memory__name="none", env__metrics=["sr"])
    notes = [note for note in one(tmp_path).notes if note.startswith("Missing")]
    assert len(notes) == 1
    assert notes[0].startswith("Missing seed 0: ")
    assert "No-Memory" in notes[0]


def test_infrastructure_is_marked_counted_and_never_scored_as_zero(tmp_path: Path) -> None:
    episodes = [record(0), record(1, lost=True), record(2, success=False)]
    run_folder(tmp_path, "a", episodes, env__metrics=["sr"], n_planned=4)
    table = one(tmp_path)
    assert figures(table) == {"Flat-Memory": "50.0 (n=1)†"}
    assert any("2 of 4 tasks scored, 1 lost to infrastructure, 1 not run" in note for note in table.notes)
    assert table.coverage[0][3:6] == ("4", "2", "1")
    assert any("†" in line for line in table.legend())


def test_a_torn_run_is_said(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "torn-run", stream([True]), env__metrics=["sr"])
    with (folder / "episodes.jsonl").open("a", encoding="utf-8") as file:
        file.write("{")
    assert any(note.startswith("torn-run") for note in one(tmp_path).notes)


def test_a_damaged_run_stops_the_table(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "a", stream([True]))
    (folder / "episodes.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"episodes\.jsonl:1"):
        one(tmp_path)


def test_identical_transcripts_of_two_seeds_are_a_warning(tmp_path: Path) -> None:
    for seed in (0, 1):
        run_folder(tmp_path, f"s{seed}", stream([True, False]), seed=seed, env__metrics=["sr"])
    assert any(n.startswith("WARNING") and "seeds 0 and 1 have identical" in n for n in one(tmp_path).notes)


def test_identical_transcripts_in_another_order_are_a_warning_too(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", [record(0, task="x"), record(1, task="y")], seed=0, env__metrics=["sr"])
    run_folder(tmp_path, "b", [record(0, task="y"), record(1, task="x")], seed=1, env__metrics=["sr"])
    assert any(n.startswith("WARNING") for n in one(tmp_path).notes)


def test_identical_transcripts_of_a_script_are_only_said(tmp_path: Path) -> None:
    for seed in (0, 1):
        target = {"_target_": "harness.backbones.expert.Expert"}
        changes = {"backbone__id": "expert", "backbone__real": False, "asked__backbone": target}
        run_folder(tmp_path, f"s{seed}", stream([True]), seed=seed, env__metrics=["sr"], **changes)
    notes = one(tmp_path).notes
    assert not any(note.startswith("WARNING") for note in notes)
    assert any("as a scripted backbone makes them" in note for note in notes)


def test_different_transcripts_are_no_warning(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    assert not any("identical" in note for note in one(tmp_path).notes)


@pytest.mark.parametrize(
    ("target", "real", "said"),
    [
        ("harness.backbones.expert.Expert", False, "a scripted (m)"),
        ("harness.backbones.apprentice.backbone.Apprentice", False, "a simulated (m)"),
        ("harness.backbones.embedded.Embedded", True, "an embedded (m)"),
        ("elsewhere.Mine", False, "a simulated (m)"),
    ],
)
def test_a_title_says_that_no_model_behind_an_api_answered(tmp_path: Path, target: str, real: bool, said: str) -> None:
    changes = {"backbone__id": "m", "backbone__real": real, "asked__backbone": {"_target_": target}}
    run_folder(tmp_path, "a", stream([True]), **changes)
    for name in ("1", "3"):
        title = one(tmp_path, name).title
        assert f"Made with {said} backbone:" in title
        assert "stand for no figure of a paper" in title


def test_a_title_of_language_models_alone_says_nothing_more(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    assert one(tmp_path).title == "Table 1. Main results of the memory methods"


def test_a_memorys_own_simulated_backbone_is_in_the_title_too(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True]), memory_backbone={"id": "rules", "real": False})
    assert "simulated (rules)" in one(tmp_path).title


def test_mixed_backbones_are_sections_and_all_in_the_title(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    changes = {"backbone__id": "random", "backbone__real": False}
    run_folder(tmp_path, "r", stream([False] * 4, says="r"), env__metrics=["sr"], **changes)
    table = one(tmp_path)
    assert "Partly made with a simulated (random) backbone" in table.title
    assert [row.section for row in ours(table)] == ["gpt-4o-mini-2024-07-18", "random"]
    assert not any(cell.best for row in ours(table) for cell in row.cells.values())


def test_disclosures_are_printed_once(tmp_path: Path) -> None:
    two_seeds(tmp_path, memory__disclosures=["a stand-in"], disclosures=["stopped by the clock"])
    notes = one(tmp_path).notes
    assert notes.count("flat: a stand-in") == 1
    assert sum("stopped by the clock" in note for note in notes) == 1


def test_a_model_of_the_memorys_own_is_named_with_what_it_discloses(tmp_path: Path) -> None:
    own = {"id": "openai/o3", "real": True, "disclosures": ["seed is not sent"]}
    run_folder(tmp_path, "a", stream([True]), memory_backbone=own, judge=own)
    notes = one(tmp_path).notes
    assert any(note.endswith("the memory's calls are answered by openai/o3.") for note in notes)
    assert any(note.endswith("the judge's calls are answered by openai/o3.") for note in notes)
    assert notes.count("openai/o3: seed is not sent") == 1


def test_rows_that_did_not_get_the_same_data_are_a_warning(tmp_path: Path) -> None:
    two_seeds(tmp_path)
    two_seeds(tmp_path, "none", digests={"scienceworld": "other"})
    assert any(note.startswith("WARNING") and "digests" in note for note in one(tmp_path).notes)


def test_settings_of_the_command_are_told_and_choices_of_files_and_folders_are_not(tmp_path: Path) -> None:
    words = ["env=scienceworld", "++seed=0", "experiment=table7", "++out=/private/runs", "++limits.max_cost_usd=1"]
    more = ["++memory.k=12", "++env.tasks=5", "++env.max_steps=9", "++tracking.project=x"]
    asked = {"asked__memory": {"k": 12}, "limits__max_steps": 9, "env__metrics": ["sr"]}
    run_folder(tmp_path, "a", stream([True]), overrides=[*words, *more, "++env.games=/private/games.tar"], **asked)
    run_folder(tmp_path, "b", stream([True]), overrides=[*words, "+memory.k=3"], memory__name="none", **asked)
    table = one(tmp_path)
    assert (
        "Settings given in the command: memory.k=12 | 3, env.tasks=5 (1 of 2 runs), env.max_steps=9 (1 of 2 runs)."
        in (table.notes)
    )
    assert not any("/private" in note for note in table.notes)


def test_a_file_among_the_settings_is_told_by_its_name_alone(tmp_path: Path) -> None:
    words = ["++env.games=/private/games.tar"]
    run_folder(tmp_path, "a", stream([True]), overrides=words, asked__env={"games": "x"}, env__metrics=["sr"])
    assert "Settings given in the command: env.games=games.tar." in one(tmp_path).notes


def test_a_table_of_configurations_as_they_stand_says_nothing_of_settings(tmp_path: Path) -> None:
    run_folder(tmp_path, "a", stream([True]), overrides=["env=scienceworld", "row=t2_full"], env__metrics=["sr"])
    assert not any("Settings given" in note for note in one(tmp_path).notes)
