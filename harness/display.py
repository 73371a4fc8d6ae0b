"""The live display: one line a running stream, drawn from the progress files that the streams leave behind."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from harness.errors import LedgerError
from harness.ledger.progress import Progress, read_progress
from harness.statistics import round_half_up

Mode = Literal["auto", "plain", "off"]
Folders = Sequence[Path] | Callable[[], Sequence[Path]]

POLL_S = 0.5
PLAIN_S = 5.0
"""Seconds between two plain lines of one stream that has only taken steps."""
_WIDE = 120
"""Columns from which the current task and the bar fit beside the figures."""
_SIGNS = {"complete": ("✓", "green"), "failed": ("✗", "red")}
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Watched:
    """What was seen of one stream since the display began."""

    progress: Progress
    seen_at: float
    """When it was first seen running here, by the monotonic clock."""
    first: int
    """Tasks done then."""
    said_at: float = -1e9
    said: Progress | None = field(default=None)
    """The progress that the last plain line told."""

    def eta_s(self, now: float) -> float | None:
        """Return seconds left at the pace seen here, so that a resumed stream is not judged by its past."""
        done = self.progress.n_done - self.first
        if done <= 0:
            return None
        return (now - self.seen_at) / done * (self.progress.n_planned - self.progress.n_done)


class Display:
    """Shows how streams are doing while the block runs; whatever goes wrong in here never reaches them.

    Args:
        folders: Run folders, or what returns them; those that do not exist yet are left out.
        mode: ``auto`` draws on a terminal and writes plain lines elsewhere (and where CI is set); ``plain``; ``off``.
        console: Where to draw; standard error by default, so that standard output stays for results.
    """

    def __init__(self, folders: Folders, *, mode: Mode = "auto", console: Console | None = None) -> None:
        self._folders = folders
        self._console = console or Console(stderr=True)
        drawn = self._console.is_terminal and not self._console.is_dumb_terminal and not _in_ci()
        self._mode = ("drawn" if drawn else "plain") if mode == "auto" else mode
        self._watched: dict[Path, _Watched] = {}
        self._old: dict[Path, Progress] = {}
        self._live: Live | None = None
        self._stop = threading.Event()
        self._drawing_now = threading.Lock()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._mode != "off" and self._safely(self._start):
            self._thread = threading.Thread(target=self._run, name="display", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        try:
            if self._thread:
                self._thread.join(timeout=2 * POLL_S)
            self._safely(lambda: self._show(last=True))
        finally:
            if self._live:
                self._safely(self._live.stop)

    def _start(self) -> None:
        self._old = self._read()
        if self._mode == "drawn":
            to_terminal = sys.stdout.isatty()
            self._live = Live(console=self._console, auto_refresh=False, redirect_stdout=to_terminal)
            self._live.start()

    def _run(self) -> None:
        while not self._stop.wait(POLL_S):
            if not self._safely(self._show):
                return

    def _safely(self, action: Callable[[], None]) -> bool:
        """Do something; where it fails say so once, draw no more, and return False."""
        try:
            action()
        except Exception as error:
            self._mode = "off"
            _LOG.warning("the live display stopped: %s: %s; the streams go on", type(error).__name__, error)
            return False
        return True

    def _show(self, *, last: bool = False) -> None:
        if self._mode == "off" or not self._drawing_now.acquire(timeout=POLL_S):
            return
        try:
            self._look()
            if self._live:
                self._live.update(self._drawing(), refresh=True)
            else:
                self._say(last=last)
        finally:
            self._drawing_now.release()

    def _read(self) -> dict[Path, Progress]:
        found = {}
        for folder in self._folders() if callable(self._folders) else self._folders:
            try:
                progress = read_progress(folder)
            except (LedgerError, OSError) as error:
                _LOG.debug("no progress of %s: %s", folder, error)
                continue
            if progress is not None:
                found[folder] = progress
        return found

    def _look(self) -> None:
        now = time.monotonic()
        for folder, progress in self._read().items():
            if self._old.get(folder) == progress and progress.state != "complete":
                continue
            watched = self._watched.setdefault(folder, _Watched(progress, now, progress.n_done))
            if progress.started != watched.progress.started:
                watched.seen_at, watched.first = now, progress.n_done
            watched.progress = progress

    def _drawing(self) -> RenderableType:
        now = time.monotonic()
        running = [watched for watched in self._watched.values() if watched.progress.state == "running"]
        ended = [watched.progress for watched in self._watched.values() if watched.progress.state != "running"]
        room = max(4, self._console.height - 5)
        shown = running[: room - min(2, len(ended))]
        kept = ended[-max(1, room - len(shown)) :]
        before = [f"… and {len(ended) - len(kept)} ended before"] if len(kept) < len(ended) else []
        after = [f"… and {len(running) - len(shown)} more running"] if len(shown) < len(running) else []
        return Group(
            *(Text(line, style="dim") for line in before),
            *map(_ended_line, kept),
            *([_running_table(shown, now, self._console.width)] if shown else []),
            *(Text(line, style="dim") for line in after),
        )

    def _say(self, *, last: bool) -> None:
        now = time.monotonic()
        for watched in self._watched.values():
            progress, said = watched.progress, watched.said
            news = said is None or (progress.n_done, progress.state) != (said.n_done, said.state)
            running = progress.state == "running"
            moved = running and said is not None and (progress.task, progress.step) != (said.task, said.step)
            if news or (moved and (last or now - watched.said_at >= PLAIN_S)):
                text = plain_line(progress, watched.eta_s(now))
                self._console.print(Text(text), soft_wrap=True)
                watched.said, watched.said_at = progress, now


def plain_line(progress: Progress, eta_s: float | None = None) -> str:
    """Return one stream's state as a plain line."""
    parts = [f"{progress.run}: {progress.n_done}/{progress.n_planned}", *_figures(progress)]
    if progress.state == "running":
        step = f" step {progress.step}" if progress.step else ""
        parts += [f"ETA {clock(eta_s)}"] if eta_s is not None else []
        parts += [f"now {_inert(progress.task)}{step}"] if progress.task else []
    else:
        message = f": {_inert(progress.message.splitlines()[0])}" if progress.message else ""
        parts.append(f"{progress.state}{message}")
    return " · ".join(parts)


def clock(seconds: float | None) -> str:
    """Return a duration as ``1:02:03`` or ``2:03``; ``-:--`` where it is unknown."""
    if seconds is None:
        return "-:--"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _figures(progress: Progress) -> list[str]:
    rate = _rate(progress)
    cost = "cost unknown" if progress.cost_usd is None else f"${round_half_up(progress.cost_usd, 2)}"
    score = [] if progress.mean_score is None else [f"score {round_half_up(progress.mean_score, 1)}"]
    lost = [f"{progress.n_infrastructure} lost"] if progress.n_infrastructure else []
    solved = "none scored" if rate is None else f"{rate} % solved"
    return [solved, *score, *lost, f"{_short(progress.tokens)} tokens", cost, f"{progress.memory_items} items"]


def _rate(progress: Progress) -> str | None:
    """Return the percentage solved of the scored tasks; None before the first."""
    scored = progress.n_done - progress.n_infrastructure
    return round_half_up(100 * progress.n_solved / scored, 1) if scored > 0 else None


def _running_table(running: Sequence[_Watched], now: float, width: int) -> Grid:
    """Return one line a stream; a narrow window has no bars and does not say what is played."""
    wide = width >= _WIDE
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim", expand=True)
    grid.add_column("", no_wrap=True, overflow="ellipsis", ratio=3, min_width=12)
    if wide:
        grid.add_column("", width=12)
    for title in ("tasks", "solved", "score", "tokens", "cost", "items", "ETA"):
        grid.add_column(title, justify="right", no_wrap=True)
    if wide:
        grid.add_column("now", no_wrap=True, overflow="ellipsis", ratio=2)
    for watched in running:
        grid.add_row(*_running_cells(watched, now, wide=wide))
    return grid


def _running_cells(watched: _Watched, now: float, *, wide: bool) -> list[RenderableType]:
    progress = watched.progress
    rate, score = _rate(progress), progress.mean_score
    lost = f" ({progress.n_infrastructure} lost)" if progress.n_infrastructure else ""
    figures = [
        f"{progress.n_done}/{progress.n_planned}{lost}",
        "-" if rate is None else f"{rate} %",
        "-" if score is None else round_half_up(score, 1),
        _short(progress.tokens),
        "?" if progress.cost_usd is None else f"${round_half_up(progress.cost_usd, 2)}",
        str(progress.memory_items),
        clock(watched.eta_s(now)),
    ]
    name = Text(_inert(progress.run), style="bold")
    if not wide:
        return [name, *figures]
    bar = ProgressBar(total=max(1, progress.n_planned), completed=progress.n_done, width=12)
    step = f" step {progress.step}" if progress.step else ""
    return [name, bar, *figures, Text(f"{_inert(progress.task)}{step}", style="dim")]


def _ended_line(progress: Progress) -> Text:
    sign, style = _SIGNS.get(progress.state, ("‖", "yellow"))
    line = Text(f"{sign} ", style=style, no_wrap=True, overflow="ellipsis")
    return line.append(plain_line(progress), style="default")


def _inert(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _short(count: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{round_half_up(count / size, 1)}{letter}"
    return str(count)


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")
