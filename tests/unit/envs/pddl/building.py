"""Small problems, drawn up for a test, and a literal engine that knows nothing of bits or grounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from envs.pddl.generator import domain_text, problem_text
from envs.pddl.reading import read_domain, read_problem
from envs.pddl.strips import Atom, Problem


def problem(family: str, objects: Mapping[str, Sequence[str]], initial: list[Atom], goal: list[Atom]) -> Problem:
    """A problem of our own encoding."""
    return read_problem(problem_text(family, (objects, initial, goal)), read_domain(domain_text(family)))


def bar(goal: list[Atom], *, shots: int = 2, recipes: int = 2, shakers: int = 1, levels: int = 3) -> Problem:
    """A bar of two hands where i1 mixes with i2 to c1 and with i3 to c2, and i2 with i3 to nothing."""
    glasses = [f"shot{number + 1}" for number in range(shots)]
    mixers = [f"shaker{number + 1}" for number in range(shakers)]
    steps = [f"l{number}" for number in range(levels)]
    objects = {"shaker": mixers, "hand": ["left", "right"], "shot": glasses, "ingredient": ["i1", "i2", "i3"]}
    objects |= {"cocktail": ["c1", "c2"][:recipes], "dispenser": ["d1", "d2", "d3"], "level": steps}
    initial: list[Atom] = [("handempty", "left"), ("handempty", "right")]
    initial += [(state, each) for each in glasses + mixers for state in ("ontable", "empty", "clean")]
    initial += [(state, mixer, "l0") for mixer in mixers for state in ("shaker-level", "shaker-empty-level")]
    initial += [("next", low, high) for low, high in pairwise(steps)]
    initial += [("dispenses", f"d{number}", f"i{number}") for number in (1, 2, 3)]
    for cocktail, second in [("c1", "i2"), ("c2", "i3")][:recipes]:
        initial += [("cocktail-part1", cocktail, "i1"), ("cocktail-part2", cocktail, second)]
    return problem("barman", objects, initial, goal)


def table(blocks: str, goal: list[Atom]) -> Problem:
    """Blocks of one letter each: a on b, the others on the table."""
    initial: list[Atom] = [("arm-empty",), ("on", "a", "b"), ("on-table", "b"), ("clear", "a")]
    initial += [(state, block) for block in blocks[2:] for state in ("on-table", "clear")]
    return problem("blockworld", {"block": list(blocks)}, initial, goal)


def car(hubs: int, goal: list[Atom]) -> Problem:
    """Hubs h1, h2, ... with tight nuts and wheels w1, w2, ...; a spare r1 and the tools in a closed boot."""
    numbers = range(1, hubs + 1)
    objects = {"hub": [f"h{n}" for n in numbers], "nut": [f"n{n}" for n in numbers], "container": ["boot"]}
    objects["wheel"] = ["r1", *(f"w{n}" for n in numbers)]
    initial: list[Atom] = [("in", thing, "boot") for thing in ("jack", "pump", "wrench", "r1")]
    initial += [("unlocked", "boot"), ("closed", "boot"), ("intact", "r1"), ("not-inflated", "r1")]
    for n in numbers:
        initial += [
            ("on", f"w{n}", f"h{n}"),
            ("on-ground", f"h{n}"),
            ("fastened", f"h{n}"),
            ("tight", f"n{n}", f"h{n}"),
        ]
    return problem("tyreworld", objects, initial, goal)


def rooms(goal: list[Atom]) -> Problem:
    """Rooms x, y, z; balls p, q, s in x and r in y; two grippers; the robot in x."""
    objects = {"room": list("xyz"), "ball": list("pqrs"), "gripper": ["left", "right"]}
    initial: list[Atom] = [("at-robby", "x"), ("free", "left"), ("free", "right"), ("at", "r", "y")]
    initial += [("at", ball, "x") for ball in "pqs"]
    return problem("gripper", objects, initial, goal)


def literal_result(problem: Problem, state: frozenset[Atom], action: Atom) -> frozenset[Atom] | None:
    """The state after an action as STRIPS has it, on plain sets; None where the action is not possible."""
    schema = next(each for each in problem.domain.schemas if each.name == action[0])
    bound = {name: value for (name, _), value in zip(schema.parameters, action[1:], strict=True)}
    typed = all(problem.domain.is_a(problem.objects[bound[name]], kinds) for name, kinds in schema.parameters)

    def filled(atoms: Sequence[Atom]) -> frozenset[Atom]:
        return frozenset(tuple(bound.get(term, term) for term in atom) for atom in atoms)

    if not typed or len(set(action[1:])) < len(action[1:]) or not filled(schema.needs) <= state:
        return None
    return (state - filled(schema.deletes)) | filled(schema.adds)
