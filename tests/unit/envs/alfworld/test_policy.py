"""The expert on states that an engine reaches rarely."""

from __future__ import annotations

from envs.alfworld.goal import COOL, SIMPLE, TWO, Goal
from envs.alfworld.policy import Fact, Policy, World

_ROOM: list[Fact] = [
    ("receptacletype", ("r1", "shelftype")),
    ("receptacletype", ("r2", "shelftype")),
    ("receptacletype", ("r3", "desktype")),
    *(("receptacleatlocation", (f"r{n}", f"l{n}")) for n in (1, 2, 3)),
    ("cancontain", ("shelftype", "mugtype")),
    ("cancontain", ("desktype", "mugtype")),
    *(fact for n in (1, 2, 3) for fact in [("objecttype", (f"m{n}", "mugtype")), ("pickupable", (f"m{n}",))]),
    ("objecttype", ("teddy", "bear")),
    ("pickupable", ("teddy",)),
]
_NAMES = {name: name for name in ("r1", "r2", "r3", "m1", "m2", "m3", "teddy")}


def _next(goal: Goal, *facts: Fact) -> str | None:
    return Policy(goal, World([*_ROOM, *facts]), _NAMES).command()


def test_hands_full_of_what_nothing_takes_leave_no_way() -> None:
    goal = Goal(SIMPLE, "Mug", "Shelf", "")
    assert _next(goal, ("atlocation", ("a", "l3")), ("holds", ("a", "teddy"))) is None
    assert World([*_ROOM]).stranding() == {"teddy"}


def test_two_half_filled_shelves_do_not_send_it_to_and_fro() -> None:
    goal = Goal(TWO, "Mug", "Shelf", "")
    inside: list[Fact] = [("inreceptacle", ("m1", "r1")), ("inreceptacle", ("m2", "r2"))]
    assert _next(goal, ("atlocation", ("a", "l1")), *inside) == "go to r2"
    assert _next(goal, ("atlocation", ("a", "l2")), *inside) == "take m2 from r2"
    assert _next(goal, ("atlocation", ("a", "l2")), ("holds", ("a", "m2")), inside[0]) == "go to r1"


def test_a_thing_already_treated_is_preferred_to_a_nearer_one() -> None:
    goal = Goal(COOL, "Mug", "Shelf", "")
    facts: list[Fact] = [("coolable", (f"m{n}",)) for n in (1, 2)]
    facts += [("inreceptacle", ("m1", "r3")), ("inreceptacle", ("m2", "r3")), ("iscool", ("m2",))]
    assert _next(goal, ("atlocation", ("a", "l3")), *facts) == "take m2 from r3"


def test_a_closed_receptacle_is_opened_first() -> None:
    goal = Goal(SIMPLE, "Mug", "Shelf", "")
    facts: list[Fact] = [("atlocation", ("a", "l3")), ("inreceptacle", ("m1", "r3")), ("openable", ("r3",))]
    assert _next(goal, *facts) == "open r3"
    assert _next(goal, *facts, ("opened", ("r3",))) == "take m1 from r3"
