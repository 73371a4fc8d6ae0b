"""The games of a split, in files as ALFWorld publishes them: a folder of them, or an archive of the folder."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from envs.alfworld.goal import Goal, read_goal, read_instruction
from harness.errors import ConfigError

GAME_FILE = "game.tw-pddl"
_KEYS = ("pddl_domain", "grammar", "pddl_problem")
_ARCHIVE_ENDING = re.compile(r"\.(tar|tgz|txz|tbz2)(\.\w+)?$")
_REMEDY = "give env.games=generated, or a folder or archive of games (`alfworld-download` fetches ALFWorld's own)"


@dataclass(frozen=True, slots=True)
class Game:
    """One game and where its file's text is had from."""

    id: str
    goal: Goal
    instruction: str
    sha256: str
    """Of the text, as it was when the game was found."""
    read: Callable[[], str]
    """Returns the JSON text of the game's file; the archive is kept in memory, a folder's file is opened."""


def load_games(source: str) -> list[Game]:
    """Return the playable games of a folder or archive, sorted by path.

    As in ALFWorld's own loader, games of the sliced and movable kinds and games not marked solvable are left out. In
    ``source``, ``$ALFWORLD_DATA`` means ~/.cache/alfworld where it is not set. Raises ConfigError.
    """
    path = _located(source)
    if path.is_dir():
        files = _folder(path)
    elif path.is_file():
        files = _archive(path)
    else:
        raise ConfigError(f"there are no ALFWorld games at {path} (env.games={source!r}): {_REMEDY}")
    games: dict[str, Game] = {}
    left_out = 0
    for file, read in sorted(files, key=lambda entry: entry[0].parts):
        game = _inspect(file, read)
        if game is None:
            left_out += 1
        elif game.id in games:
            raise ConfigError(f"two games in {path} have the id {game.id!r}: give one split of ALFWorld, not several")
        else:
            games[game.id] = game
    if not games:
        raise ConfigError(
            f"{path} has no playable {GAME_FILE} ({left_out} left out as unsolvable or unsupported): {_REMEDY}"
        )
    return list(games.values())


def sha256_of(text: str) -> str:
    """Return the sha256 of a game's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def source_name(source: str) -> str:
    """Return the name of a folder or archive of games, without what says that it is an archive."""
    return _ARCHIVE_ENDING.sub("", _located(source).resolve().name)


def _located(source: str) -> Path:
    data = os.environ.get("ALFWORLD_DATA") or str(Path.home() / ".cache" / "alfworld")
    return Path(source.replace("$ALFWORLD_DATA", data)).expanduser()


def _folder(path: Path) -> Iterator[tuple[PurePath, Callable[[], str]]]:
    for file in path.resolve().rglob(GAME_FILE):
        yield file, _FileText(file)


def _archive(path: Path) -> Iterator[tuple[PurePath, Callable[[], str]]]:
    """Read a tar archive once; its games stay in memory, compressed, and nothing is written anywhere."""
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.name.endswith(GAME_FILE) else None
                if content is not None:
                    yield PurePath(path.name.split(".")[0], member.name), _PackedText(zlib.compress(content.read(), 1))
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError) as error:
        raise ConfigError(f"{path} is not a readable tar archive of games ({error}): fetch or pack it again") from error


@dataclass(frozen=True, slots=True)
class _FileText:
    path: Path

    def __call__(self) -> str:
        return self.path.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _PackedText:
    packed: bytes

    def __call__(self) -> str:
        return zlib.decompress(self.packed).decode("utf-8")


def _inspect(file: PurePath, read: Callable[[], str]) -> Game | None:
    """Return a game, or None where it is to be left out. Raises ConfigError, naming the file, where it is damaged."""
    try:
        text = read()
        game = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is damaged or unreadable ({error}): fetch or make it again") from error
    missing = [key for key in _KEYS if not isinstance(game, dict) or not isinstance(game.get(key), str)]
    if missing:
        raise ConfigError(
            f"{file} has no text under {', '.join(missing)}: expected a game as alfworld-generate writes it"
        )
    if game.get("solvable") is not True:
        return None
    try:
        goal = read_goal(game["pddl_problem"])
        if goal is None:
            return None
        return Game("/".join(file.parts[-3:-1]), goal, read_instruction(game["grammar"]), sha256_of(text), read)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from error
