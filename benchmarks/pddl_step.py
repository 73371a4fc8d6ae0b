"""Steps a second of PDDL, as agents take them: the valid actions listed, one of them chosen, carried out in words.

    python -m benchmarks.pddl_step [--problems generated|FOLDER] [--seconds 3] [--expert]

Every problem of a domain gets the same share of the time, in episodes of 30 steps; ``--expert`` lets the expert
choose instead of chance.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence

from envs.pddl import PDDL
from envs.pddl.families import FAMILIES
from harness.types import Task

EPISODE = 30
GOAL_PER_S = 3000
"""For barman, the largest of the domains."""


def main() -> None:
    """Measure and print; exits with 1 where random steps of barman are slower than the goal."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--problems", default="generated")
    options.add_argument("--seconds", type=float, default=3.0, help="for each domain")
    options.add_argument("--expert", action="store_true")
    asked = options.parse_args()
    environment = PDDL(problems=asked.problems)
    begun = time.perf_counter()
    tasks = environment.tasks()
    print(f"{len(tasks)} problems ({environment.variant}) read in {time.perf_counter() - begun:.2f} s")
    rates = {}
    for family in FAMILIES:
        own = [task for task in tasks if task.family == family]
        rates[family] = _measure(environment, own, asked.seconds, expert=asked.expert) if own else 0.0
    raise SystemExit(0 if asked.expert or rates["barman"] >= GOAL_PER_S else 1)


def _measure(environment: PDDL, tasks: Sequence[Task], seconds: float, *, expert: bool) -> float:
    draws = random.Random(0)
    starts, steps, spent = [], 0, 0.0
    for task in tasks:
        begun = time.perf_counter()
        environment.start(task)
        starts.append(time.perf_counter() - begun)
        end = time.perf_counter() + seconds / len(tasks)
        begun = time.perf_counter()
        while time.perf_counter() < end:
            session = environment.start(task)
            for _ in range(EPISODE):
                action = session.expert() if expert else draws.choice(session.actions)
                steps += 1
                if session.step(action or "").done:
                    break
        spent += time.perf_counter() - begun
    rate = steps / spent
    print(f"{tasks[0].family:<10} {rate:8.0f} steps/s   first start {statistics.mean(starts) * 1e3:6.1f} ms a problem")
    return rate


if __name__ == "__main__":
    main()
