"""Pages of Wikipedia over its MediaWiki API; every answer is recorded, and a recorded one is never asked for again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from envs.wiki.pages import N_SIMILAR, Page
from envs.wiki.sentences import split_sentences
from harness.errors import EnvironmentFault

USER_AGENT = "agent-memory-harness/0.1 (research on language agents; reads single pages)"
_HEADING = re.compile(r"^=+ .*=+$", re.MULTILINE)
_IMPOSSIBLE = re.compile(r"[\x00-\x1f\x7f#<>\[\]{}|\ud800-\udfff]")
"""What no title on MediaWiki has in it; a bar would ask for several pages at once."""
_MAX_TITLE_BYTES = 255
_MAX_QUERY_CHARS = 250


class _Found(BaseModel):
    title: str
    missing: bool = False
    invalid: bool = False
    extract: str = ""


class _Pages(BaseModel):
    pages: list[_Found] = []


class _Hits(BaseModel):
    search: list[_Found]


Answer = TypeVar("Answer", bound=BaseModel)


class LiveWiki:
    """A MediaWiki site with the TextExtracts extension, such as Wikipedia.

    Args:
        titles: Titles to take random ones from; the site's own are not listed.
        endpoint: Address of its API.
        recordings: Folder of recorded answers, one file each; made when the first is written.
        timeout_s: Seconds until an answer must have come.
    """

    def __init__(self, *, titles: Sequence[str], endpoint: str, recordings: Path, timeout_s: float) -> None:
        self.titles = titles
        self._endpoint = endpoint
        self._recordings = recordings
        self._timeout_s = timeout_s

    def open(self, title: str) -> Page | None:
        """Return a page with all its sentences, redirects followed, or None where there is no such title."""
        if _IMPOSSIBLE.search(title) or not title.strip() or len(title.encode()) > _MAX_TITLE_BYTES:
            return None
        wanted = {"prop": "extracts", "explaintext": "1", "redirects": "1", "titles": title}
        found = self._ask(wanted, _Pages).pages
        if not found or found[0].missing or found[0].invalid:
            return None
        return Page(found[0].title, split_sentences(_HEADING.sub("", found[0].extract)))

    def similar(self, query: str) -> Sequence[str]:
        """Return the titles of the site's own first five search results."""
        words = " ".join(_IMPOSSIBLE.sub(" ", query).split())[:_MAX_QUERY_CHARS]
        if not words:
            return ()
        wanted = {"list": "search", "srsearch": words, "srlimit": str(N_SIMILAR), "srprop": ""}
        return [hit.title for hit in self._ask(wanted, _Hits).search][:N_SIMILAR]

    def _ask(self, wanted: Mapping[str, str], model: type[Answer]) -> Answer:
        """Return the site's answer to a query, from its record if there is one."""
        parameters = {"action": "query", "format": "json", "formatversion": "2", **wanted}
        identity = json.dumps([self._endpoint, parameters], sort_keys=True, ensure_ascii=False)
        record = self._recordings / f"{hashlib.sha256(identity.encode()).hexdigest()}.json"
        recorded = record.is_file()
        text = _read(record) if recorded else self._fetch(parameters)
        try:
            value: Any = json.loads(text)
            body = value["answer"] if recorded else value
            answer = model.model_validate(body["query"])
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
            where = f"the record {record}" if recorded else f"the answer of {self._endpoint}"
            raise EnvironmentFault(f"{where} is not what MediaWiki says to a query: {text[:200]!r}") from error
        if not recorded:
            fetched = datetime.now(UTC).isoformat(timespec="seconds")
            _write(record, {"endpoint": self._endpoint, "asked": parameters, "fetched": fetched, "answer": body})
        return answer

    def _fetch(self, parameters: Mapping[str, str]) -> str:
        import httpx

        headers = {"User-Agent": USER_AGENT}
        try:
            reply = httpx.get(
                self._endpoint, params=parameters, headers=headers, timeout=self._timeout_s, follow_redirects=True
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EnvironmentFault(f"{self._endpoint} could not be asked: {type(error).__name__} {error}") from error
        if reply.status_code != httpx.codes.OK:
            raise EnvironmentFault(f"{self._endpoint} answered with status {reply.status_code}: {reply.text[:200]!r}")
        return reply.text


def _read(record: Path) -> str:
    try:
        return record.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFault(f"the record {record} cannot be read ({error}): delete it to ask again") from error


def _write(record: Path, content: Mapping[str, Any]) -> None:
    """Write a record whole or not at all; two processes may write the same one."""
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=record.parent, prefix=".record-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        Path(scratch).replace(record)
    except OSError as error:
        raise EnvironmentFault(f"the record {record} cannot be written: {error}") from error
