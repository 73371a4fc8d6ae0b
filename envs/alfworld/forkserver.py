"""The harness side of the engine processes: one that has imported ALFWorld, forked for each session.

Loading a game overwrites ``sys.argv``, captures stdout and fills globals of Fast Downward; none of it reaches the
harness. The preloaded process has its own session, so Ctrl-C at a terminal does not reach it; it leaves when its
channel closes or its parent changes, and its players die with it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from envs.alfworld import wire
from harness.errors import EnvironmentFault

_CLOSE_TIMEOUT_S = 10.0
_WORD_LINES = 4


class Player:
    """One engine process and the way to talk to it."""

    def __init__(self, forkserver: Forkserver, pid: int, channel: socket.socket, words: IO[bytes]) -> None:
        self._forkserver = forkserver
        self._pid = pid
        self._channel = channel
        self._words = words
        self._open = True

    def receive(self, *, timeout_s: float) -> dict[str, Any]:
        """Return the player's next message. Raises EnvironmentFault, and ends it, where it hangs or is dead."""
        try:
            return wire.receive(self._channel, timeout_s=timeout_s)[0]
        except (EOFError, OSError) as error:
            raise self._ended(error, timeout_s) from None

    def ask(self, question: dict[str, Any], *, timeout_s: float) -> dict[str, Any]:
        """Send a question and return the answer. Raises EnvironmentFault as ``receive`` does, and once closed."""
        if not self._open:
            raise EnvironmentFault("this ALFWorld session is closed; start the task again")
        try:
            self._channel.settimeout(timeout_s)
            wire.send(self._channel, question)
        except OSError as error:
            raise self._ended(error, timeout_s) from None
        return self.receive(timeout_s=timeout_s)

    def close(self) -> None:
        """Kill the process with its group and wait until it is gone. May be called twice."""
        if self._open:
            self._open = False
            self._channel.close()
            self._forkserver.end(self._pid)
            self._words.close()

    def _ended(self, error: Exception, timeout_s: float) -> EnvironmentFault:
        """End the process, and say whether it hung (TimeoutError) or was dead already."""
        words = _last(self._words)
        self.close()
        if isinstance(error, TimeoutError):
            return EnvironmentFault(f"ALFWorld's engine did not answer within {timeout_s:g} s; it was killed")
        return EnvironmentFault(f"ALFWorld's engine died; its last words: {words}")


class Forkserver:
    """The preloaded process. Raises EnvironmentFault where it does not come up within ``timeout_s`` seconds."""

    def __init__(self, *, timeout_s: float) -> None:
        self._lock = threading.Lock()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "envs.alfworld.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=_environment(),
            )
        try:
            wire.receive(self._control, timeout_s=timeout_s)
        except (TimeoutError, EOFError, OSError) as error:
            what = f"took more than {timeout_s:g} s" if isinstance(error, TimeoutError) else "died"
            words = _last(self._words)
            self._process.kill()
            self.close()
            raise EnvironmentFault(f"starting ALFWorld's engine {what}; its last words: {words}") from None

    @property
    def alive(self) -> bool:
        """Whether it can start players."""
        return self._process.poll() is None

    def start(self, game: str, *, timeout_s: float) -> Player:
        """Start a player of a game, given as the JSON text of its file. Raises EnvironmentFault."""
        ours, theirs = socket.socketpair()
        words = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the player
        try:
            with theirs, self._lock:
                self._control.settimeout(timeout_s)
                wire.send(self._control, {"do": "start", "game": game}, [theirs.fileno(), words.fileno()])
                pid = wire.receive(self._control, timeout_s=timeout_s)[0]["player"]
        except (EOFError, OSError) as error:
            last = _last(self._words)
            ours.close()
            words.close()
            self.close()
            raise EnvironmentFault(f"ALFWorld's engine could not be started ({error!r}): {last}") from error
        return Player(self, pid, ours, words)

    def end(self, pid: int) -> None:
        """Kill a player and wait until it is gone; with the preloaded process dead, so are its players."""
        with self._lock:
            try:
                wire.send(self._control, {"do": "end", "player": pid})
                wire.receive(self._control, timeout_s=_CLOSE_TIMEOUT_S)
            except (EOFError, OSError):
                self._process.kill()

    def close(self) -> None:
        """Hang up: the process ends its players and leaves. May be called twice."""
        self._control.close()
        try:
            self._process.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._words.close()


def _environment() -> dict[str, str]:
    """Return the environment of engine processes."""
    root = str(Path(__file__).resolve().parents[2])
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")])),
        "PYTHONHASHSEED": "0",  # Sets of the engine are walked in the same order in every run.
        "ALFWORLD_DATA": tempfile.gettempdir(),  # Importing alfworld makes this folder, by default in the user's home.
        "OMP_NUM_THREADS": "1",  # A process with threads must not be forked.
        "OPENBLAS_NUM_THREADS": "1",
    }


def _last(words: IO[bytes]) -> str:
    """Return what a process printed, on one line: the beginning and the end, without what only points at code."""
    if words.closed:
        return "(none)"
    words.seek(0)
    lines = [line.strip() for line in words.read().decode(errors="replace").splitlines()]
    lines = [line for line in lines if line.strip("^~ ")]
    if len(lines) > _WORD_LINES:
        lines = [lines[0], "...", *lines[-_WORD_LINES:]]
    return " | ".join(lines) or "(none)"
