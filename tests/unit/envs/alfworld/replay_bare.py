"""Replays games in TextWorld and ALFWorld as they come, none of our code in between.

Reads JSON lines ``{"game": text of a game file, "actions": [...]}`` and writes one JSON list a line: after the start
and after each action, what the player reads, the admissible commands, and whether the game is won.
"""

from __future__ import annotations

import json
import sys

import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld.envs import PddlEnv

for line in sys.stdin.readlines():
    order = json.loads(line)
    env = AlfredDemangler(PddlEnv(textworld.EnvInfos(won=True, admissible_commands=True)), shuffle=False)
    env.load(json.loads(order["game"]))
    state = env.reset()
    seen = [[state["feedback"], state["admissible_commands"], state["won"]]]
    for action in order["actions"]:
        state, _, _ = env.step(action)
        seen.append([state["feedback"], state["admissible_commands"], state["won"]])
    print(json.dumps(seen))
