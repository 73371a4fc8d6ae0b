"""Live pages from a local server that speaks the part of MediaWiki's API that is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envs.hotpotqa import HotpotQA
from envs.wiki.live import USER_AGENT, LiveWiki
from harness.errors import EnvironmentFault
from harness.types import Task
from tests.unit.envs.serving import Reply, Request, serving

SITE = {
    "Star Trek: Discovery": "Star Trek: Discovery is a series.\nIt began in 2017.\n\n\n== Cast ==\nMany act in it.",
    "Café": "A café sells coffee.",
}
REDIRECTS = {"DISCO": "Star Trek: Discovery"}


def _mediawiki(request: Request) -> Reply:
    """Answer ``prop=extracts`` with redirects, and ``list=search``, as version 2 of the JSON format does."""
    query = request.query
    assert query["action"] == "query"
    assert query["format"] == "json"
    assert query["formatversion"] == "2"
    assert request.headers["User-Agent"] == USER_AGENT
    if query.get("list") == "search":
        words = query["srsearch"].lower().split()
        hits = [{"ns": 0, "title": title} for title in SITE if any(word in title.lower() for word in words)]
        return _json({"batchcomplete": True, "query": {"search": hits[: int(query["srlimit"])]}})
    assert query["prop"] == "extracts"
    assert query["explaintext"] == query["redirects"] == "1"
    title = REDIRECTS.get(query["titles"], query["titles"])
    page: dict[str, Any] = {"title": title, "missing": True}
    if title in SITE:
        page = {"pageid": 1, "ns": 0, "title": title, "extract": SITE[title]}
    return _json({"batchcomplete": True, "query": {"pages": [page]}})


def _json(value: object, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


def _wiki(url: str, folder: Path, timeout_s: float = 5.0) -> LiveWiki:
    return LiveWiki(titles=("Café",), endpoint=f"{url}/w/api.php", recordings=folder, timeout_s=timeout_s)


def test_a_page_comes_with_its_sentences_and_without_headings(tmp_path: Path) -> None:
    with serving(_mediawiki) as server:
        page = _wiki(server.url, tmp_path).open("Star Trek: Discovery")
    assert page is not None
    assert page.sentences == ("Star Trek: Discovery is a series.", "It began in 2017.", "Many act in it.")


def test_redirects_are_followed_and_missing_pages_are_none_and_searched_for(tmp_path: Path) -> None:
    with serving(_mediawiki) as server:
        wiki = _wiki(server.url, tmp_path)
        page = wiki.open("DISCO")
        assert page is not None
        assert page.title == "Star Trek: Discovery"
        assert wiki.open("Nowhere") is None
        assert wiki.similar("the [café]|?") == ["Café"]


def test_what_was_answered_once_is_never_asked_for_again(tmp_path: Path) -> None:
    with serving(_mediawiki) as server:
        asked = _wiki(server.url, tmp_path)
        first = [asked.open("Café"), asked.open("Nowhere"), asked.similar("series discovery")]
        assert len(server.requests) == 3
    again = _wiki(server.url, tmp_path)
    assert [again.open("Café"), again.open("Nowhere"), again.similar("series discovery")] == first
    assert len(list(tmp_path.iterdir())) == 3
    record = json.loads(sorted(tmp_path.iterdir())[0].read_text(encoding="utf-8"))
    assert set(record) == {"endpoint", "asked", "fetched", "answer"}


@pytest.mark.parametrize("title", ["A|B", "a [b]", "", " ", "x" * 300, "\ud800", "tab\there", "{x}"])
def test_a_title_that_no_page_can_have_is_not_asked_for(tmp_path: Path, title: str) -> None:
    with serving(_mediawiki) as server:
        assert _wiki(server.url, tmp_path).open(title) is None
        assert server.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: Reply(b"busy", 503),
        lambda request: Reply(b"slow down", 429),
        lambda request: Reply(b"<html>not json"),
        lambda request: Reply(b"[1, 2]"),
        lambda request: _json({"error": {"code": "ratelimited", "info": "..."}}),
        lambda request: _json({"query": {"pages": [{"extract": 7}]}}),
        lambda request: Reply(b"{", promised=1000),
        lambda request: Reply(b"", 302, {"Location": "/again"}),
    ],
    ids=["503", "429", "html", "list", "error", "shape", "broken off", "redirects"],
)
def test_trouble_with_the_network_is_an_environment_fault_and_leaves_no_record(
    tmp_path: Path, answer: Callable[[Request], Reply]
) -> None:
    with serving(answer) as server, pytest.raises(EnvironmentFault):
        _wiki(server.url, tmp_path).open("Café")
    assert list(tmp_path.iterdir()) == []


def test_no_server_and_a_damaged_record_are_environment_faults(tmp_path: Path) -> None:
    with serving(_mediawiki) as server:
        _wiki(server.url, tmp_path).open("Café")
    with pytest.raises(EnvironmentFault, match="could not be asked"):
        _wiki(server.url, tmp_path).open("Elsewhere")
    (record,) = tmp_path.iterdir()
    record.write_bytes(b"\xff{")
    with pytest.raises(EnvironmentFault, match="record"):
        _wiki(server.url, tmp_path).open("Café")


def test_recordings_that_cannot_be_written_are_an_environment_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with serving(_mediawiki) as server, pytest.raises(EnvironmentFault, match="cannot be written"):
        _wiki(server.url, tmp_path / "file").open("Café")


def _data(folder: Path) -> str:
    row = {
        "id": "q",
        "question": "When did DISCO begin?",
        "answer": "2017",
        "type": "bridge",
        "supporting_facts": [["DISCO", 0], ["Lost", 0]],
        "context": [["DISCO", ["Old text."]], ["Lost", ["Gone from the site."]]],
    }
    folder.mkdir()
    (folder / "dev.json").write_text(json.dumps([row]), encoding="utf-8")
    return str(folder)


def test_an_episode_is_played_on_live_pages_and_then_on_recorded_ones(tmp_path: Path) -> None:
    data = _data(tmp_path / "data")

    def play() -> list[str]:
        environment = HotpotQA(
            data=data, live=True, endpoint=f"{server.url}/w/api.php", recordings=str(tmp_path / "recordings")
        )
        assert not environment.deterministic
        assert environment.variant == "dev-live"
        said = []
        with environment.start(Task("q", "hotpotqa", "", "", "")) as session:
            while (action := session.expert()) is not None:
                said += [action, session.step(action).observation]
            assert session.outcome().success
        return said

    with serving(_mediawiki) as server:
        live = play()
    assert live == [
        "Search[DISCO]",
        "Star Trek: Discovery is a series. It began in 2017. Many act in it.",
        "Search[Lost]",
        "Could not find [Lost]. Similar: []",
        "Finish[2017]",
        "Your answer is noted.",
    ]
    assert play() == live
