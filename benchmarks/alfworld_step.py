"""What a step and a start of ALFWorld cost here against the engine as it comes: CPU time, interleaved pairs in one run.

    python -m benchmarks.alfworld_step [--games generated|FOLDER|ARCHIVE] [--pairs 12] [--steps 20]

Each pair plays one game with the same random actions twice, each time in a process forked from this one, first the
engine as it comes, then ours (or the other way round in every second pair), and checks that both read the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envs.alfworld.games import load_games
from envs.alfworld.generator import generate


@dataclass(frozen=True, slots=True)
class Sample:
    """CPU seconds of one game, and what was read."""

    start_s: float
    step_s: float
    read: str


def main() -> None:
    """Measure and print; exits with 1 where a step costs half of the engine's own or more."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", default="generated")
    options.add_argument("--pairs", type=int, default=12)
    options.add_argument("--steps", type=int, default=20)
    asked = options.parse_args()
    games = generate(0, -(-asked.pairs // 6)) if asked.games == "generated" else load_games(asked.games)
    chosen = games[:: max(1, len(games) // asked.pairs)][: asked.pairs]
    bare: list[Sample] = []
    ours: list[Sample] = []
    for number, game in enumerate(chosen):
        content = json.loads(game.read())
        plays = [(bare, _bare), (ours, _ours)]
        for samples, play in plays if number % 2 == 0 else reversed(plays):
            samples.append(_in_a_fork(play, content, asked.steps))
        if bare[-1].read != ours[-1].read:
            raise SystemExit(f"{game.id}: the two engines do not read the same")
    before, after = (statistics.mean(sample.step_s for sample in samples) for samples in (bare, ours))
    ratios = [quick.step_s / plain.step_s for quick, plain in zip(ours, bare, strict=True)]
    print(f"{len(chosen)} games ({asked.games}), {asked.steps} random steps each, what is read is identical")
    print(
        f"step   {before * 1e3:7.1f} ms CPU as it comes {after * 1e3:7.1f} ms ours   ratio {after / before:.3f}", end=""
    )
    print(f"   (by game: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f})")
    its, mine = (statistics.mean(sample.start_s for sample in samples) for samples in (bare, ours))
    print(f"start  {its * 1e3:7.1f} ms CPU as it comes {mine * 1e3:7.1f} ms ours   ratio {mine / its:.3f}")
    raise SystemExit(0 if after < before / 2 else 1)


def _bare(game: dict[str, Any], steps: int) -> Sample:
    import textworld
    from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
    from textworld.envs import PddlEnv

    begun = time.process_time()
    env = AlfredDemangler(PddlEnv(textworld.EnvInfos(won=True, admissible_commands=True)), shuffle=False)
    env.load(game)
    state = env.reset()
    start_s = time.process_time() - begun
    read = [state["feedback"].removeprefix("-= Welcome to TextWorld, ALFRED! =-\n\n")]
    draws = random.Random(0)
    begun = time.process_time()
    for _ in range(steps):
        state, _, _ = env.step(draws.choice(state["admissible_commands"]))
        read.append(state["feedback"])
    return Sample(start_s, (time.process_time() - begun) / steps, "\n".join(read))


def _ours(game: dict[str, Any], steps: int) -> Sample:
    from envs.alfworld import engine

    engine.prepare()
    engine.warm(game)
    begun = time.process_time()
    played = engine.Engine(game)
    start_s = time.process_time() - begun
    read = [played.observation]
    draws = random.Random(0)
    begun = time.process_time()
    for _ in range(steps):
        read.append(played.step(draws.choice(played.commands()))[0])
    return Sample(start_s, (time.process_time() - begun) / steps, "\n".join(read))


def _in_a_fork(play: Callable[[dict[str, Any], int], Sample], game: dict[str, Any], steps: int) -> Sample:
    """Play in a fork, which has imported what this process has and leaves nothing in it."""
    import textworld.envs  # noqa: F401 - imported before forking: neither side pays for it

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            sample = play(game, steps)
            json.dump([sample.start_s, sample.step_s, sample.read], pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return Sample(*json.loads(answer))


if __name__ == "__main__":
    main()
