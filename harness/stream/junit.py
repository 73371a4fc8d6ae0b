"""A sweep as a JUnit file, and the bar it has to clear, for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from harness.ledger.folder import RunFolder
from harness.ledger.record import EpisodeRecord
from harness.stream.progression import finals
from harness.tables.plain import plain


def write_junit(path: Path, streams: Sequence[tuple[RunFolder, str | None]]) -> None:
    """Write one suite a stream, one case a task: unsolved is a failure, lost to infrastructure an error.

    A stream that did not come to its end, for the reason beside its folder, has that as one more error.
    """
    report = JUnitXml()
    for folder, unfinished in streams:
        suite = TestSuite(folder.path.name)
        for record in finals(folder.episodes.read()):
            suite.add_testcase(_case(folder.path.name, record))
        if unfinished is not None:
            ended = TestCase("stream", classname=folder.path.name)
            ended.result = [Error(plain(unfinished))]
            suite.add_testcase(ended)
        report.add_testsuite(suite)
    path.parent.mkdir(parents=True, exist_ok=True)
    report.write(str(path), pretty=True)


def _case(run: str, record: EpisodeRecord) -> TestCase:
    case = TestCase(record.task.id, classname=f"{run}.{record.task.family}", time=record.time.wall_s)
    if record.infrastructure is not None:
        case.result = [Error(plain(record.infrastructure.message), record.infrastructure.error)]
    elif record.outcome is not None and not record.outcome.success:
        case.result = [Failure(f"score {record.outcome.score:g} after {len(record.steps)} steps", record.outcome.stop)]
    return case


def below(bar: float, folders: Sequence[RunFolder]) -> list[str]:
    """Return a sentence for each stream whose success rate, 0 to 1 over its scored tasks, is under the bar."""
    found = []
    for folder in folders:
        outcomes = [record.outcome for record in finals(folder.episodes.read()) if record.outcome is not None]
        rate = sum(outcome.success for outcome in outcomes) / len(outcomes) if outcomes else 0.0
        if rate < bar:
            found.append(f"{folder.path.name}: success rate {rate:.3f} is under {bar:g}")
    return found
