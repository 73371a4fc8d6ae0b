"""Blockworld: build the wanted towers from the table upwards; what is in the way goes onto the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envs.pddl.strips import Atom, Facts

_TABLE = ""


def next_action(facts: Facts, goal: Sequence[Atom]) -> Atom | None:
    """Return the next action towards the goal, or None where it is reached (or asks for a circle of blocks).

    A settled block is never touched again, and any other one goes to the table at most once before it is settled.
    """
    wanted = {atom[1]: atom[2] for atom in goal if atom[0] == "on"}
    wanted |= {atom[1]: _TABLE for atom in goal if atom[0] == "on-table"}
    under = facts.pairs("on")
    settled = _settled(facts, wanted, bare={atom[1] for atom in goal if atom[0] == "clear"})
    clear = set(facts.names("clear"))
    for block in facts.names("holding"):
        below = wanted.get(block, _TABLE)
        return ("stack", block, below) if below in settled & clear else ("putdown", block)
    loose = sorted(clear - settled)
    for block in loose:
        if wanted.get(block, _TABLE) in settled & clear:
            return ("unstack", block, under[block]) if block in under else ("pickup", block)
    for block in loose:
        if block in under:
            return ("unstack", block, under[block])
    return None


def _settled(facts: Facts, wanted: Mapping[str, str], bare: set[str]) -> set[str]:
    """Return the blocks that need not move: they and all below are where the goal wants them or does not mind them."""
    above = {below: block for block, below in facts.pairs("on").items()}
    taken = set(wanted.values())
    settled = set()
    for base in facts.names("on-table"):
        block: str | None = base if wanted.get(base, _TABLE) == _TABLE else None
        while block is not None:
            settled.add(block)
            top = above.get(block)
            fits = top is not None and (
                wanted[top] == block if top in wanted else block not in taken and block not in bare
            )
            block = top if fits else None
    return settled
