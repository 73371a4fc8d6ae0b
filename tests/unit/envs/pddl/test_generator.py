"""The generated problems: the same for a seed, of AgentBoard's sizes, each solvable in the 30 steps of an episode."""

from __future__ import annotations

from collections import Counter

import pytest

from envs.pddl import PDDL
from envs.pddl.generator import generate

COUNTS = {"gripper": 20, "blockworld": 10, "barman": 20, "tyreworld": 10}


def test_equal_seeds_give_equal_texts_and_others_other_ones() -> None:
    assert generate(3, COUNTS) == generate(3, COUNTS)
    for one, other in zip(generate(3, COUNTS), generate(4, COUNTS), strict=True):
        assert one.id != other.id
    texts = {source.problem for seed in (3, 4) for source in generate(seed, COUNTS) if source.family != "gripper"}
    assert len(texts) > 70


def test_more_problems_leave_the_earlier_ones_alone() -> None:
    few = {source.id: source for source in generate(0, {"gripper": 3, "barman": 2})}
    many = {source.id: source for source in generate(0, {name: 2 * count for name, count in COUNTS.items()})}
    assert few.items() <= many.items()
    assert len(many) == 120


def test_the_domains_take_turns_while_they_have_problems(generated: PDDL) -> None:
    families = [task.family for task in generated.tasks()]
    assert families[:5] == ["gripper", "blockworld", "barman", "tyreworld", "gripper"]
    assert families[-2:] == ["gripper", "barman"]
    assert Counter(families) == COUNTS


@pytest.mark.parametrize("seed", range(5))
def test_every_problem_is_new_at_its_start_and_solved_in_30_steps(seed: int) -> None:
    environment = PDDL(generator_seed=seed)
    tasks = environment.tasks()
    assert len({task.id for task in tasks}) == 60
    for task in tasks:
        with environment.start(task) as session:
            steps = 0
            while not session.outcome().success:
                action = session.expert()
                assert action is not None, task.id
                session.step(action)
                steps += 1
            assert steps <= 30, task.id
            assert session.outcome().score == 1.0


def test_sizes_are_those_of_agentboards_problems_and_several(generated: PDDL, agentboard: PDDL) -> None:
    def templates(environment: PDDL) -> Counter[str]:
        return Counter(task.template for task in environment.tasks())

    assert all(template.startswith(f"{task.family}-") for task in generated.tasks() for template in [task.template])
    shared = templates(generated).keys() & templates(agentboard).keys()
    assert sum(count for template, count in templates(generated).items() if template in shared) >= 50
    assert sum(count for template, count in templates(agentboard).items() if template in shared) >= 50
