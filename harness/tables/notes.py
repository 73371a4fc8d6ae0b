"""What a table must say besides its figures: who answered, what is missing, what looks wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from harness.ledger.reading import Lock
from harness.tables.grid import Grid, Method, Stream
from harness.tables.measured import Measured, method_facts, stream_facts
from harness.tables.model import Part

NO_RESULT = "these figures check the machinery and stand for no figure of a paper"


def full_title(title: str, runs: Sequence[Measured]) -> str:
    """Return a table's title with every backbone in it that is no language model behind an API."""
    kinds: dict[str, set[str]] = {}
    for run in runs:
        for name, kind in run.no_models.items():
            kinds.setdefault(kind, set()).add(name)
    if not kinds:
        return title
    told = " and ".join(f"{kind} ({', '.join(sorted(kinds[kind]))})" for kind in sorted(kinds))
    many = sum(map(len, kinds.values())) > 1
    whose = "Partly made" if any(not run.no_models for run in runs) else "Made"
    article = "" if many else "an " if told.startswith("e") else "a "
    return f"{title}. {whose} with {article}{told} backbone{'s' if many else ''}: {NO_RESULT}"


def coverage(grid: Grid) -> tuple[tuple[str, ...], ...]:
    """Return what stands behind each row and stream, headed by ``harness.tables.model.COVERAGE``."""
    lines = []
    for method in grid.methods:
        for stream in grid.streams:
            parts = [run.part(None) for run in method.cells.get(stream.key, ())]
            if parts:
                counts = _counts(parts)
                days = sorted({part.date for part in parts if part.date})
                lines.append((
                    method.label, stream.label, ", ".join(str(part.seed) for part in parts),
                    *map(str, counts), method.outcome_source, method.protocol,
                    " to ".join(dict.fromkeys([*days[:1], *days[-1:]])),
                ))  # fmt: skip
    return tuple(lines)


def notes(grid: Grid) -> tuple[str, ...]:
    """Return every sentence that the runs of a table call for, warnings first."""
    return tuple(
        dict.fromkeys([
            *_identical(grid), *grid.doubled, *_missing_seeds(grid), *_short(grid), *_torn(grid), *_other_inputs(grid),
            *_other_code(grid), *_by_hand(grid), *_one_seed(grid), *_disclosures(grid),
        ])
    )  # fmt: skip


def _cells(grid: Grid) -> Iterable[tuple[Method, Stream, tuple[Measured, ...]]]:
    for method in grid.methods:
        for stream in grid.streams:
            if stream.key in method.cells:
                yield method, stream, method.cells[stream.key]


def _identical(grid: Grid) -> Iterable[str]:
    for method, stream, runs in _cells(grid):
        same: dict[str, list[int]] = {}
        for run in runs:
            same.setdefault(run.transcript, []).append(run.run.lock.seed)
        for seeds in (found for found in same.values() if len(found) > 1):
            who = f"{method.label}, {stream.label}: seeds {_and(seeds)} have identical transcripts"
            if runs[0].scripted:
                yield f"{who}, as a scripted backbone makes them; their ± says nothing about variance."
            else:
                yield f"WARNING: {who}; their ± is not one of independent runs: check that the seed reaches the model."


def _missing_seeds(grid: Grid) -> Iterable[str]:
    lacking: dict[tuple[int, ...], list[str]] = {}
    for method, stream, runs in _cells(grid):
        there = {run.run.lock.seed for run in runs}
        missing = tuple(seed for seed in grid.seeds if seed not in there)
        if missing:
            lacking.setdefault(missing, []).append(f"{method.label}, {stream.label}")
    for missing, cells in lacking.items():
        yield f"Missing seed{'s' if len(missing) > 1 else ''} {_and(missing)}: {'; '.join(cells)}."


def _short(grid: Grid) -> Iterable[str]:
    for method, stream, runs in _cells(grid):
        planned, scored, lost = _counts([run.part(None) for run in runs])
        if scored < planned:
            yield (
                f"† {method.label}, {stream.label}: {scored} of {planned} tasks scored, {lost} lost to "
                f"infrastructure, {planned - scored - lost} not run."
            )


def _torn(grid: Grid) -> Iterable[str]:
    for run in grid.runs:
        if run.run.torn:
            yield f"{run.run.name}: its last line was cut short by a kill and is not counted; start the run again."


def _other_inputs(grid: Grid) -> Iterable[str]:
    for stream in grid.streams:
        runs = [run for _, column, found in _cells(grid) if column == stream for run in found]
        for what in ("digests", "prompts"):
            seen: dict[str, set[str]] = {}
            for run in runs:
                for name, digest in getattr(run.run.lock, what).items():
                    if name != "memory":  # a method's own prompts are the method
                        seen.setdefault(name, set()).add(str(digest))
            changed = sorted(name for name, values in seen.items() if len(values) > 1)
            if changed:
                yield f"WARNING: {stream.label}: rows did not get the same {what}: {', '.join(changed)} differ."


def _other_code(grid: Grid) -> Iterable[str]:
    for method, stream, runs in _cells(grid):
        shas = {str((run.run.lock.git or {}).get("sha") or "unknown")[:8] for run in runs}
        if len(shas) > 1:
            yield f"{method.label}, {stream.label}: seeds were run by different code ({', '.join(sorted(shas))})."
    dirty = sorted({run.run.name for run in grid.runs if (run.run.lock.git or {}).get("dirty")})
    if dirty:
        shown = ", ".join(dirty[:3]) + (f" and {len(dirty) - 3} more" if len(dirty) > 3 else "")
        yield f"Run from code with uncommitted changes: {shown}."


def _by_hand(grid: Grid) -> Iterable[str]:
    """Say which settings are not those of the configuration files, since no name in the table shows it."""
    given: dict[str, Counter[str]] = {}
    for run in (measured.run for measured in grid.runs):
        facts = [*stream_facts(run), *method_facts(run)]
        for key, _, value in (word.lstrip("+").partition("=") for word in run.lock.overrides):
            if _decides(facts, key):
                given.setdefault(key, Counter())[PurePath(value).name] += 1
    told = []
    for key, values in given.items():
        n = values.total()
        told.append(f"{key}={' | '.join(sorted(values))}" + (f" ({n} of {len(grid.runs)} runs)" * (n < len(grid.runs))))
    if told:
        yield f"Settings given in the command: {', '.join(told)}."


def _decides(facts: Sequence[str], key: str) -> bool:
    """Return whether a key of the command is a setting among a run's facts, and no choice of a file or of a folder."""
    paths = (key, key.replace("env.", "limits.", 1))
    return key == "env.tasks" or (
        "." in key and any(fact == path or fact.startswith(f"{path}.") for fact in facts for path in paths)
    )


def _one_seed(grid: Grid) -> Iterable[str]:
    if any(len(runs) == 1 for _, _, runs in _cells(grid)):
        yield "n=1: one seed, hence no ±, and no telling whether it can be separated from another figure."


def _disclosures(grid: Grid) -> Iterable[str]:
    for method, _, runs in _cells(grid):
        for lock in (run.run.lock for run in runs):
            yield from (f"{method.label}: {sentence}" for sentence in (*_other_models(lock), *lock.disclosures))
    for lock in (run.run.lock for run in grid.runs):
        yield from (f"{lock.env.name}: {sentence}" for sentence in lock.env.disclosures)
        yield from (f"{lock.memory.name}: {sentence}" for sentence in lock.memory.disclosures)
        for facts in (lock.backbone, lock.memory_backbone, lock.judge):
            yield from (f"{facts.id}: {sentence}" for sentence in facts.disclosures) if facts else ()


def _other_models(lock: Lock) -> Iterable[str]:
    """Return who answered the memory's and the judge's calls, where it was not the agent's own backbone."""
    for whose, facts in (("the memory's", lock.memory_backbone), ("the judge's", lock.judge)):
        if facts is not None and facts.id != lock.backbone.id:
            yield f"{whose} calls are answered by {facts.id}."


def _counts(parts: Sequence[Part]) -> tuple[int, int, int]:
    """Return tasks planned, scored, and lost to infrastructure."""
    return (
        sum(part.n_planned for part in parts),
        sum(part.n_scored for part in parts),
        sum(part.n_infrastructure for part in parts),
    )


def _and(seeds: Sequence[int]) -> str:
    *most, last = map(str, seeds)
    return f"{', '.join(most)} and {last}" if most else last
