"""What HotpotQA and FEVER have in common as environments: data found and read once, and the wiki to play in."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Generic

from envs.wiki.data import Corpus, Row, load_corpus
from envs.wiki.live import LiveWiki
from envs.wiki.pages import FrozenWiki, Wiki
from harness.cache import cache_folder
from harness.errors import ConfigError

EMBEDDED = "embedded"


class World(Generic[Row]):
    """The tasks and pages of one benchmark; nothing is read before somebody asks.

    Args:
        title: The benchmark's name in sentences.
        kind: What a task is in the data.
        data: ``embedded``, or a file or folder; ``$HARNESS_CACHE`` in it is ~/.cache/agent-memory-harness if not set.
        live: Whether pages come from Wikipedia. Raises ConfigError with embedded data, which Wikipedia does not know.
        endpoint: Address of a MediaWiki API.
        recordings: Folder of recorded answers of that API.
        timeout_s: Seconds until it must have answered.
    """

    def __init__(
        self, *, title: str, kind: type[Row], data: str, live: bool, endpoint: str, recordings: str, timeout_s: float
    ) -> None:
        if live and data == EMBEDDED:
            raise ConfigError(
                "env.live=true: the embedded corpus is about an invented place that Wikipedia does not know; "
                "give env.data=FOLDER with published data"
            )
        if timeout_s <= 0:
            raise ConfigError(f"env.timeout_s must be above 0 s, got {timeout_s:g}")
        self.embedded = data == EMBEDDED
        self._title = title
        self._kind: type[Row] = kind
        self._data = data
        self._live = live
        self._endpoint = endpoint
        self._recordings = recordings
        self._timeout_s = timeout_s

    @property
    def deterministic(self) -> bool:
        """False where pages come from a network."""
        return not self._live

    @cached_property
    def corpus(self) -> Corpus[Row]:
        """Tasks and pages. Raises ConfigError where they, or what ranks similar titles, are missing or damaged."""
        if importlib.util.find_spec("bm25s") is None:
            raise ConfigError(
                f"{self._title} needs bm25s, which is not installed: run `pip install -e '.[qa]'` in the repository"
            )
        folder = Path(__file__).with_name("corpus") if self.embedded else located(self._data)
        remedy = (
            f"give env.data=embedded, or a folder or file of {self._title}'s published data "
            f"(`python -m scripts.data {self._title.lower()}` fetches it)"
        )
        return load_corpus(folder, self._kind, remedy)

    @cached_property
    def frozen(self) -> FrozenWiki:
        """The pages of the data."""
        return FrozenWiki(self.corpus.pages)

    @cached_property
    def wiki(self) -> Wiki:
        """Where sessions find their pages."""
        if not self._live:
            return self.frozen
        return LiveWiki(
            titles=self.frozen.titles,
            endpoint=self._endpoint,
            recordings=located(self._recordings),
            timeout_s=self._timeout_s,
        )

    @property
    def variant(self) -> str:
        """``embedded``, or the name of the file of tasks; with ``-live`` where pages come from Wikipedia."""
        name = EMBEDDED if self.embedded else self.corpus.name
        return f"{name}-live" if self._live else name

    @property
    def disclosures(self) -> Sequence[str]:
        """Say which pages there are to be found."""
        if self.embedded:
            return (
                f"{self._title} is played on this project's own corpus about an invented archipelago, not on the "
                "published tasks: figures do not compare with published ones.",
            )
        if self._live:
            return (f"{self._title}'s pages come from {self._endpoint}, as they are now or were when recorded.",)
        return (
            f"{self._title}'s world is frozen and holds {len(self.frozen.titles):,} pages that came with the data, "
            "not all of Wikipedia: searching is easier than in the papers.",
        )

    def known(self, titles: Sequence[str]) -> tuple[str, ...]:
        """Return the titles that a search can find; all of them where pages come from a network."""
        return tuple(title for title in titles if self._live or self.frozen.open(title) is not None)

    def digests(self) -> Mapping[str, str]:
        """Return the sha256 of each file that was read, and the version of what ranks similar titles."""
        digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.corpus.files}
        return digests | {"bm25s": f"version {importlib.metadata.version('bm25s')}"}


def located(path: str) -> Path:
    """Return a path with ``$HARNESS_CACHE`` and ``~`` in it resolved."""
    return Path(path.replace("$HARNESS_CACHE", str(cache_folder()))).expanduser()
