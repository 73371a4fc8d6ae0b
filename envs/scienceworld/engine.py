"""The simulator in a process of its own: started without waiting, called with a deadline, killed with its group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Self

from envs.scienceworld.java import FIXED_OPTIONS, classpath, java
from envs.scienceworld.randomness import Randomness
from envs.scienceworld.wire import Reference, Wire
from harness.errors import EnvironmentFault

_INTERFACE = "scienceworld.runtime.pythonapi.PythonInterface"
_BANNER_LINES = 50


class Engine:
    """One JVM with one simulator in it.

    The constructor returns at once; a thread brings the simulator up, and the first call waits for it. The JVM reads
    our end of a pipe and exits when it closes, so that it outlives this process by no death whatever.

    Args:
        java_options: Options of the JVM, such as its heap.
        start_timeout_s: Seconds the first call waits for the simulator to be up.
        call_timeout_s: Seconds until each call must have been answered.
    """

    def __init__(self, *, java_options: Sequence[str], start_timeout_s: float, call_timeout_s: float) -> None:
        self._start_timeout_s = start_timeout_s
        self._call_timeout_s = call_timeout_s
        self._folder = tempfile.TemporaryDirectory(prefix="scienceworld-", ignore_cleanup_errors=True)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        server = ["-cp", classpath(), "py4j.GatewayServer", "--die-on-broken-pipe", "0"]
        self._process = self._launch([java(), *java_options, *FIXED_OPTIONS, *server])
        self._wire: Wire | None = None
        self._up: tuple[Wire, Reference, Randomness] | None = None
        self._failure: BaseException | None = None
        self._boot = threading.Thread(target=self._bring_up, name="scienceworld-boot", daemon=True)
        self._boot.start()

    @property
    def alive(self) -> bool:
        """Whether the JVM runs and nothing has gone wrong so far."""
        return self._process.poll() is None and self._failure is None

    def call(self, method: str, *arguments: str | int | bool) -> Any:
        """Call a method of the simulator; returns str, int, float, bool or None.

        Raises EnvironmentFault where no answer comes in time, the JVM is gone, or the simulator throws; the JVM is
        killed then.
        """
        with self._guard(method) as (wire, simulator, _):
            return wire.call(simulator, method, *arguments)

    def lines(self, method: str) -> tuple[str, ...]:
        """Call a method that lists lines, fetch them whole, and leave the game as it was. Raises as call does.

        The simulator draws which of an object's names it lists from the generator that moves bees and animals too:
        its state is put back, so that listing twice gives the same lines and the game goes on as if never asked.
        """
        with self._guard(method) as (wire, simulator, randomness):
            with randomness.kept(wire):
                listed = wire.call(simulator, method)
            joined = str(wire.call("java.lang.String", "join", "\n", listed))
            wire.release(listed)
        return tuple(joined.split("\n")) if joined else ()

    def close(self) -> None:
        """Kill the JVM's process group and wait for its end. May be called twice."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._boot.join()
        if self._wire is not None:
            self._wire.close()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _launch(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=self._folder.name,  # the simulator drops a file where it stands
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            self._folder.cleanup()
            raise EnvironmentFault(f"ScienceWorld: the JVM could not be launched: {error}") from error

    def _bring_up(self) -> None:
        try:
            wire = self._wire = Wire(self._port(), timeout_s=self._call_timeout_s)
            silence = wire.construct("java.io.PrintStream", os.devnull)
            wire.call("java.lang.System", "setOut", silence)
            self._up = (wire, wire.construct(_INTERFACE), Randomness(wire))
        except Exception as error:
            self._failure = error

    def _port(self) -> int:
        assert self._process.stdout is not None  # noqa: S101 - it was opened as a pipe above
        for _ in range(_BANNER_LINES):
            line = self._process.stdout.readline()
            if line.strip().isdigit() or not line:
                break
        return int(line)

    @contextlib.contextmanager
    def _guard(self, method: str) -> Iterator[tuple[Wire, Reference, Randomness]]:
        self._boot.join(self._start_timeout_s)
        if self._boot.is_alive():
            raise self._fault(f"the simulator was not up within {self._start_timeout_s:g} s")
        if self._failure is not None or self._up is None:
            raise self._fault("the simulator did not come up") from self._failure
        try:
            yield self._up
        except Exception as error:
            self._failure = error
            raise self._fault(f"{method} failed or brought no answer within {self._call_timeout_s:g} s") from error
        except BaseException as error:
            self._failure = error
            raise

    def _fault(self, what: str) -> EnvironmentFault:
        said = ""
        if not self._errors.closed:
            self._errors.seek(0)
            said = self._errors.read().decode("utf-8", "replace").strip()[-500:]
        self.close()
        return EnvironmentFault(f"ScienceWorld: {what}" + (f"; the JVM said: {said}" if said else ""))
