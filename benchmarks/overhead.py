"""How much CPU the harness adds to an episode: a whole stream against a bare loop over the same engine and actions.

usage: python -m benchmarks.overhead [--pairs N] [--engines scienceworld alfworld]

Each arm is a process of its own that imports the same modules and reads the same tasks; then it plays the same
actions, either through the stream (agent, call store, memory, ledger, progress) or in a plain loop over the
environment's sessions, which asks for the admissible actions where an agent is shown them. CPU is user plus system
time of the arm and of every process it leaves or reaps: this program makes itself the reaper of orphans, so that
engines in detached processes count too. Arms alternate.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from harness.protocols import Session

ROOT = Path(__file__).resolve().parents[1]
PR_SET_CHILD_SUBREAPER = 36
ENGINES = {
    "scienceworld": ["env=scienceworld", "env.tasks=4", "env.max_steps=100"],
    "alfworld": ["env=alfworld", "env.tasks=30", "env.max_steps=100"],
}


def cpu_of(command: list[str]) -> float:
    """Run a command and return the CPU seconds of its whole process tree."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    total = 0.0
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        total += usage.ru_utime + usage.ru_stime
        if pid == process.pid and status != 0:
            raise SystemExit(
                f"{' '.join(command)} ended with status {status}: {process.stderr.read().decode()[-2000:]}"
            )
    return total


def record_script(overrides: list[str], script: Path, out: Path) -> None:
    """Play the tasks by expert once, and write the agent's answers as a script."""
    from harness.ledger.episodes import EpisodeLog
    from harness.stream.launch import run_cell
    from tests.streams import compose_cell

    result = run_cell(compose_cell(out, *overrides, "backbone=expert", "memory=none"))
    if result.code or result.folder is None:
        raise SystemExit(f"the expert's stream ended with {result.code}: {result.message}")
    records = EpisodeLog(result.folder / "episodes.jsonl").read()
    answers = {r.task.id: [f"Action: {action}" for action in r.episode().actions] for r in records}
    script.write_text(json.dumps({"answers": answers}), encoding="utf-8")


def arm(kind: str, overrides: list[str], script: Path, out: Path) -> None:
    """Be one arm: the stream, or the bare loop."""
    from harness.build import prepare
    from harness.stream.launch import run_cell
    from tests.streams import compose_cell

    cell = compose_cell(out, *overrides, "backbone=scripted", f"backbone.file={script}", "memory=none")
    if kind == "stream":
        result = run_cell(cell)
        raise SystemExit(result.code)
    answers = json.loads(script.read_text(encoding="utf-8"))["answers"]
    prepared = prepare(cell)
    for task in prepared.plan:
        with prepared.environment.start(task) as session:
            for answer in answers[task.id]:
                _look(session, offered=prepared.environment.offers_actions)
                session.step(answer.removeprefix("Action: "))
            session.outcome()
    prepared.environment.close()


def _look(session: Session, *, offered: bool) -> Sequence[str] | None:
    """Ask for the admissible actions where an agent is shown them: the engine's work, not the harness's."""
    return session.actions if offered else None


def compare(engine: str, pairs: int, folder: Path) -> list[float]:
    """Return the ratios stream / bare of alternating pairs, and print each."""
    script = folder / f"{engine}.json"
    me = [sys.executable, "-m", "benchmarks.overhead"]
    subprocess.run([*me, "--record", engine, str(script), str(folder / engine)], cwd=ROOT, check=True)
    ratios = []
    for number in range(pairs):
        out = str(folder / f"{engine}-{number}")
        stream, bare = (cpu_of([*me, "--arm", kind, engine, str(script), out]) for kind in ("stream", "bare"))
        ratios.append(stream / bare)
        print(f"{engine} pair {number + 1}: stream {stream:.2f} s CPU, bare {bare:.2f} s CPU, ratio {ratios[-1]:.3f}")
    print(f"{engine}: median ratio {statistics.median(ratios):.3f} (min {min(ratios):.3f}, max {max(ratios):.3f})")
    return ratios


def main() -> None:
    """Print the ratios of both engines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=3, help="pairs an engine")
    parser.add_argument("--engines", nargs="+", choices=sorted(ENGINES), default=sorted(ENGINES))
    parser.add_argument("--arm", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--record", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.arm:
        kind, engine, script, out = given.arm
        return arm(kind, ENGINES[engine], Path(script), Path(out))
    if given.record:
        engine, script, out = given.record
        return record_script(ENGINES[engine], Path(script), Path(out))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        for engine in given.engines:
            compare(engine, given.pairs, Path(folder))
    return None


if __name__ == "__main__":
    main()
