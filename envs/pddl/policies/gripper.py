"""Gripper: carry balls to their rooms, as many at once as there are grippers."""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.strips import Atom, Facts


def next_action(facts: Facts, goal: Sequence[Atom]) -> Atom | None:
    """Return the next action towards the goal, or None where it is reached.

    It moves only to drop or to pick up a ball where it arrives, and picks up only balls that lie in a wrong room, so
    it never goes in circles.
    """
    wanted = {atom[1]: atom[2] for atom in goal if atom[0] == "at"}
    (here,) = facts.names("at-robby")
    carried = facts.pairs("carry")
    bound = {ball: wanted[ball] for ball in carried if ball in wanted}
    astray = {ball: room for ball, room in facts.pairs("at").items() if wanted.get(ball, room) != room}
    waiting = [ball for ball, room in astray.items() if room == here]
    for ball, room in bound.items():
        if room == here:
            return ("drop", ball, here, carried[ball])
    if waiting:
        for gripper in facts.names("free"):
            return ("pick", waiting[0], here, gripper)
        for ball in sorted(carried.keys() - bound.keys()):
            return ("drop", ball, here, carried[ball])
    for room in [*bound.values(), *astray.values(), *(atom[1] for atom in goal if atom[0] == "at-robby")]:
        if room != here:
            return ("move", here, room)
    return None
