"""The engine side: a process that imports ALFWorld once, and a fork of it for every session.

Started by ``envs.alfworld.forkserver`` as ``python -m envs.alfworld.worker DESCRIPTOR``; never imported by the harness.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from envs.alfworld import engine, wire

_PR_SET_PDEATHSIG = 1
_PARENT_CHECK_S = 1.0


def main(descriptor: int) -> None:
    """Fork a player for each game sent, end players when told to, and leave when the harness is gone."""
    control = socket.socket(fileno=descriptor)
    harness = os.getppid()
    engine.prepare()
    wire.send(control, {"ready": True})
    players: set[int] = set()
    try:
        while os.getppid() == harness:
            if not select.select([control], [], [], _PARENT_CHECK_S)[0]:
                continue
            message, descriptors = wire.receive(control)
            if message["do"] == "start":
                players.add(_start(control, message["game"], *descriptors))
            elif message["do"] == "end":
                _end(message["player"])
                players.discard(message["player"])
                wire.send(control, {"ended": message["player"]})
    except (EOFError, OSError):
        pass  # The harness closed the channel or died: leave, and take the players along.
    finally:
        for player in players:
            _end(player)


def _start(control: socket.socket, text: str, channel: int, words: int) -> int:
    """Fork a player of a game and tell the harness its process id; the fork never returns."""
    game = None
    with suppress(Exception):  # What is wrong with a game is for its player to say.
        game = json.loads(text)
        engine.warm(game)
    template = os.getpid()
    player = os.fork()
    if player == 0:
        control.close()
        _play(json.loads(text) if game is None else game, template, channel, words)
    os.close(channel)
    os.close(words)
    wire.send(control, {"player": player})
    return player


def _end(player: int) -> None:
    """Kill a player with all its group, and reap it."""
    for kill in (os.killpg, os.kill):  # The second one for a player that has no group of its own yet.
        with suppress(ProcessLookupError):
            kill(player, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(player, 0)


def _play(game: Mapping[str, Any], template: int, channel: int, words: int) -> None:
    """Be a player: answer until the harness hangs up. Whatever it prints, dying words too, goes to ``words``."""
    status = 1
    harness = socket.socket(fileno=channel)  # Held to the end: once it closes, the harness reads the last words.
    try:
        os.setsid()
        _die_with(template)
        for stream in (1, 2):
            os.dup2(words, stream)
        faulthandler.enable()
        _serve(harness, engine.Engine(game))
        status = 0
    except (EOFError, BrokenPipeError, ConnectionResetError):
        status = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _serve(channel: socket.socket, game: engine.Engine) -> None:
    wire.send(channel, {"observation": game.observation})
    while True:
        message, _ = wire.receive(channel)
        if message["do"] == "step":
            observation, won = game.step(message["action"])
            wire.send(channel, {"observation": observation, "won": won})
        elif message["do"] == "commands":
            wire.send(channel, {"commands": game.commands()})
        elif message["do"] == "safe_commands":
            wire.send(channel, {"commands": game.safe_commands()})
        elif message["do"] == "expert":
            wire.send(channel, {"command": game.expert()})


def _die_with(template: int) -> None:
    """Have the kernel kill this process when its parent dies; elsewhere than on Linux the closed channel ends it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != template:
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
