"""MemoryBank: what fades, what recalling does, days, and forgetting inside a trial."""

from __future__ import annotations

import math

import pytest

from baselines.memory_bank import retention, visible_steps
from harness.types import View
from tests.unit.baselines.lookalikes import live, memory, task
from tests.unit.strata.building import TableEmbedder, by_rule, experience

ALIKE = {"scale": 5.0, "least": 0.3, "forgetting": "threshold"}


def test_retention_grows_with_strength_in_the_paper_and_falls_in_its_code() -> None:
    for age in (1, 4, 9):
        paper = [retention(age, strength, scale=5.0, mode="paper") for strength in (1, 2, 5)]
        code = [retention(age, strength, scale=5.0, mode="repo") for strength in (1, 2, 5)]
        assert paper == sorted(paper)
        assert code == sorted(code, reverse=True)
        assert paper[0] == code[0] == math.exp(-age / 5)
        assert paper[1] > paper[0] > code[1]


def test_everything_is_stored_and_what_is_never_recalled_is_gone_after_seven_episodes() -> None:
    made = memory("memory_bank", bank={**ALIKE, "k": 1, "day": 100})
    gone = [live(made, number, success=None)[1].notes["forgotten"] for number in range(10)]
    assert all(len(each) <= 1 for each in gone)
    assert next(number for number, each in enumerate(gone) if each) >= 6


def test_a_recalled_piece_gains_strength_and_its_time_begins_anew() -> None:
    made = memory("memory_bank", embedder=TableEmbedder(), bank={**ALIKE, "k": 1, "day": 100})
    live(made, 0)
    for number in range(1, 6):
        live(made, number)
    piece = next(each for each in made._form.pieces if each.strength > 1)
    assert piece.last >= 1


def test_retrieving_alone_changes_nothing() -> None:
    made = memory("memory_bank", bank={**ALIKE, "k": 3, "day": 100})
    live(made, 0)
    before = [(each.strength, each.last) for each in made._form.pieces]
    for _ in range(3):
        made.retrieve(task(1), "", trial=1)
    assert [(each.strength, each.last) for each in made._form.pieces] == before


@pytest.mark.parametrize(("mode", "left"), [("paper", True), ("repo", False)])
def test_a_strong_piece_outlives_the_curve_in_the_paper_and_not_in_its_code(mode: str, left: bool) -> None:
    """The first piece is recalled three times (S = 4), then four episodes pass: exp(-4/20) or exp(-16/5)."""
    vectors = {task(n).text: [1.0] for n in range(4)} | {task(n).text: [0.0, 1.0] for n in range(4, 9)}
    made = memory("memory_bank", embedder=Nearest(vectors), mode=mode, bank={**ALIKE, "k": 1, "day": 100})
    for number in range(4):
        live(made, number)
    assert made._form.pieces[0].strength == 4
    for number in range(4, 8):
        live(made, number)
    assert any(each.id == "m00001" for each in made._form.pieces) is left


class Nearest(TableEmbedder):
    """Embeds a piece as the task on its first line."""

    def embed(self, texts: list[str], *, call: object) -> object:  # type: ignore[override]
        return super().embed([text.split("\n")[0].removeprefix("Task: ") for text in texts], call=call)


def test_chance_decides_by_seed_clock_and_piece_where_that_is_wanted() -> None:
    bank = {"forgetting": "probabilistic", "scale": 3.0, "day": 100, "k": 1}
    first, second = memory("memory_bank", bank=bank), memory("memory_bank", bank=bank)
    notes = [[live(each, number)[1].notes for number in range(15)] for each in (first, second)]
    assert notes[0] == notes[1]
    assert sum(len(each["forgotten"]) for each in notes[0]) > 3


def test_a_day_is_summed_up_at_its_end_and_its_summary_goes_with_its_last_episode() -> None:
    made = memory("memory_bank", by_rule(day={"summary": "eggs were heated."}), bank={**ALIKE, "k": 6, "day": 2})
    reports = [live(made, number)[1] for number in range(2)]
    assert [len(report.written) for report in reports] == [1, 2]
    day = made._form.pieces[-1]
    assert (day.kind, day.text, day.born) == ("day", "eggs were heated.", ("t0", "t1"))
    assert all(task(0).id not in item.born for item in made.retrieve(task(0), "", trial=1).items)
    for each in made._form.pieces:
        each.last, each.strength = -100, 1
    report = made.update(experience(task(2)))
    assert day.id in report.notes["forgotten"]


def test_an_unreadable_day_has_no_summary() -> None:
    made = memory("memory_bank", by_rule(day="prose"), bank={**ALIKE, "day": 1})
    _, report = live(made, 0)
    assert (len(made), report.notes["unreadable"]) == (1, {"day": 1})


def test_the_look_alike_forgets_inside_a_trial_alone_and_shows_the_last_seven_steps() -> None:
    assert visible_steps(5.0, 0.3) == 7
    made, original = memory("memory_bank", variant="gmemory"), memory("memory_bank")
    recall, _ = live(made, 0)
    view = View(task(1), 1, "", (), recall)
    assert made.step(view).keep_steps == 7
    assert original.step(view) is None
