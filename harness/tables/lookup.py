"""Finding a run or an episode by what a person types."""

from __future__ import annotations

import difflib
from pathlib import Path

from harness.errors import ConfigError
from harness.ledger.reading import LOCK, Run, read_run
from harness.ledger.record import EpisodeRecord


def find_run(word: str, root: Path) -> Run:
    """Return the run in a folder, or the one below ``root`` whose name is or begins so.

    Raises ConfigError where there is none or more than one, LedgerError for a damaged one.
    """
    for folder in (Path(word), root / word):
        if (folder / LOCK).is_file():
            return read_run(folder)
    names = sorted(path.parent.name for path in root.glob(f"*/{LOCK}"))
    matches = [name for name in names if name.startswith(word)]
    if len(matches) == 1:
        return read_run(root / matches[0])
    raise ConfigError(f"got run {word!r}; {_hint(word, matches, names, f'there is no run in {root}')}")


def find_episodes(word: str, run: Run) -> list[EpisodeRecord]:
    """Return the trials of a task by its id or the beginning of one, or one episode by its number from 1.

    An id goes before a number, a number before the beginning of an id. Raises ConfigError where nothing, or more than
    one task, is meant.
    """
    names: list[str] = []
    found: list[EpisodeRecord] = []
    for record in run.records():
        names.append(record.task.id)
        if record.task.id.startswith(word) or str(record.index + 1) == word:
            found.append(record)
    exact = [record for record in found if record.task.id == word]
    numbered = [record for record in found if str(record.index + 1) == word]
    ids = list(dict.fromkeys(record.task.id for record in found))
    if exact or numbered or len(ids) == 1:
        return exact or numbered or found
    raise ConfigError(
        f"got task {word!r}; {_hint(word, ids, list(dict.fromkeys(names)), 'no episode of this run is done yet')}"
    )


def _hint(word: str, matches: list[str], names: list[str], nothing: str) -> str:
    if matches:
        return f"it could be {', '.join(matches[:8])}{', ...' if len(matches) > 8 else ''}"
    near = difflib.get_close_matches(word, names, n=3, cutoff=0.4)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}" if names else nothing
