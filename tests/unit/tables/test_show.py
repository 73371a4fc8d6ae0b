import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from harness.errors import ConfigError
from harness.ledger.reading import read_run
from harness.ledger.record import EpisodeRecord
from harness.tables.lookup import find_episodes, find_run
from harness.tables.show_episode import print_episode
from harness.tables.show_run import print_run, summary
from harness.types import Dropped, Step, StepKind
from tests.run_folders import record, run_folder, stream

HOSTILE = "[red]boo[/red] \x1b[2J\x1b]0;owned\x07 [link=http://x]y[/link]\r\x08"


def run_text(folder: Path, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width)
    print_run(read_run(folder), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def episode_text(folder: Path, episode: EpisodeRecord) -> str:
    console = Console(file=StringIO(), width=100)
    print_episode(episode, read_run(folder), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_summary_has_exactly_the_promised_keys_and_a_fraction(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "r", [record(0), record(1, success=False), record(2, lost=True)], n_planned=4)
    assert summary(read_run(folder)) == {
        "run": "r", "env": "scienceworld", "memory": "flat", "backbone": "gpt-4o-mini-2024-07-18", "seed": 0,
        "n_planned": 4, "n_scored": 2, "n_infrastructure": 1, "n_solved": 1, "success_rate": 0.5, "mean_score": 60.0,
        "steps": 4, "tokens": 3186, "cost_usd": 0.0, "memory_items": 3,
    }  # fmt: skip


def test_what_is_not_known_is_null_and_never_zero(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "r", [record(0, lost=True, cost_usd=None)])
    found = json.loads(json.dumps(summary(read_run(folder)), allow_nan=False))
    assert (found["success_rate"], found["mean_score"], found["cost_usd"]) == (None, None, None)


def test_a_run_reads_as_what_it_was_how_it_went_and_what_to_type_next(tmp_path: Path) -> None:
    episodes = [*stream([True, False]), record(2, family="melt", lost=True)]
    changes = {"overrides": ["env=scienceworld", "memory.k=3 4"], "memory__disclosures": ["a stand-in"]}
    text = run_text(run_folder(tmp_path, "r", episodes, n_planned=4, **changes), width=200)
    for part in (
        "stopped · 3 of 4 tasks · 1 solved (50.0 %) · mean score 60.0 · 1 lost to infrastructure",
        "step_limit 1", "infrastructure: EnvironmentFault 1", "flat: a stand-in",
        "python -m scripts.run env=scienceworld 'memory.k=3 4'", "python -m scripts.tables 1 3 --runs",
    ):  # fmt: skip
        assert part in text
    assert [line.split()[:2] for line in text.splitlines() if line.startswith(("boil", "melt", "all "))][:2] == [
        ["boil", "1"],
        ["melt", "2"],
    ]


def test_a_command_to_copy_is_on_one_line_however_narrow_the_window(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "a-name-" * 9, stream([True]))
    assert f"python -m scripts.show {folder} 1" in run_text(folder, width=60)


def test_a_run_without_an_episode_can_be_shown(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "r", stream([True]))
    (folder / "episodes.jsonl").write_text("", encoding="utf-8")
    assert "0 of 1 tasks" in run_text(folder)


def test_an_unknown_price_reads_unknown(tmp_path: Path) -> None:
    assert "unknown" in run_text(run_folder(tmp_path, "r", [record(0, cost_usd=None)]))


def test_an_episode_reads_from_task_to_cost(tmp_path: Path) -> None:
    steps = (
        Step(StepKind.ACT, "open door", "It is open.", thought="Doors first.", reward=12.5),
        Step(StepKind.TOOL, "skill_view(3)", "a skill"),
        Step(StepKind.FORMAT_ERROR, "???", "no action was found in this"),
        Step(StepKind.ACT, "wait", "Done.", done=True),
    )
    whole = record(0, remembered=("boil water first",)).model_copy(
        update={"steps": steps, "dropped": (Dropped(2, ("m7",), 3),)}
    )
    text = episode_text(run_folder(tmp_path, "r", [whole]), whole)
    parts = [
        "boil/0 · episode 1 of 1 · family boil", "Your task is boil/0.", "m0 · episode · score 0.500, from boil/0",
        "boil water first", "You see a room.", "Doors first.", "1  > open door  +12.50", "It is open.",
        "2  tool> skill_view(3)", "3  unreadable> ???", "the environment ended the episode",
        "The prompt of step 2 left out memory items m7 and the 3 oldest steps", "solved · score 100.00",
        "It was shown a success (source: env), wrote m0, and holds 1 items.", "900 tokens in", "4.0 s:",
    ]  # fmt: skip
    assert [part for part in parts if part not in text] == []
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)


def test_a_lost_episode_says_why_and_that_nothing_was_learned(tmp_path: Path) -> None:
    lost = record(0, lost=True)
    text = episode_text(run_folder(tmp_path, "r", [lost]), lost)
    assert "lost to infrastructure, not scored: EnvironmentFault: the simulator died" in text
    assert "nothing: it was not asked to" in text
    assert "not solved" not in text


def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path) -> None:
    hostile = record(0, observation=HOSTILE, thought=HOSTILE, actions=(HOSTILE,), family=HOSTILE, remembered=(HOSTILE,))
    folder = run_folder(tmp_path, "r", [hostile], memory__disclosures=[HOSTILE])
    for text in (episode_text(folder, hostile), run_text(folder)):
        assert not {"\x1b", "\x07", "\x08", "\r"} & set(text)
        assert "[red]boo[/red]" in text
    assert episode_text(folder, hostile).count("[link=http://x]y[/link]") >= 4


def test_a_run_is_found_by_folder_name_or_unambiguous_beginning(tmp_path: Path) -> None:
    for name in ("alf-none-s0", "alf-flat-s0", "sci-flat-s0"):
        run_folder(tmp_path, name, stream([True]))
    assert find_run(str(tmp_path / "sci-flat-s0"), Path("elsewhere")).name == "sci-flat-s0"
    assert find_run("alf-none-s0", tmp_path).name == "alf-none-s0"
    assert find_run("sci", tmp_path).name == "sci-flat-s0"
    with pytest.raises(ConfigError, match="it could be alf-flat-s0, alf-none-s0"):
        find_run("alf", tmp_path)
    with pytest.raises(ConfigError, match="did you mean sci-flat-s0"):
        find_run("sci-flta-s0", tmp_path)
    with pytest.raises(ConfigError, match="there is no run in"):
        find_run("x", tmp_path / "empty")


def test_an_episode_is_found_by_id_number_or_unambiguous_beginning(tmp_path: Path) -> None:
    names = ["boil/1", "boil/11", "melt/5", "3"]
    run = read_run(run_folder(tmp_path, "r", [record(i, task=name) for i, name in enumerate(names)]))
    assert [r.index for r in find_episodes("boil/1", run)] == [0]
    assert [r.index for r in find_episodes("2", run)] == [1]
    assert [r.index for r in find_episodes("3", run)] == [3]
    assert [r.index for r in find_episodes("melt", run)] == [2]
    with pytest.raises(ConfigError, match="it could be boil/1, boil/11"):
        find_episodes("boil", run)
    with pytest.raises(ConfigError, match="did you mean"):
        find_episodes("boyl/1", run)


def test_all_trials_of_a_task_are_found(tmp_path: Path) -> None:
    run = read_run(run_folder(tmp_path, "r", [record(0, task="a", success=False), record(1, task="a", trial=2)]))
    assert [r.trial for r in find_episodes("a", run)] == [1, 2]
    assert [r.trial for r in find_episodes("2", run)] == [2]
