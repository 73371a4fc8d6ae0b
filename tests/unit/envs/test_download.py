"""Fetching published files from a server that does everything wrong that servers do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from envs import download
from envs.download import ATTEMPTS, Remote, fetch
from harness.errors import ConfigError, InfrastructureError
from tests.unit.envs.serving import Reply, Request, Served, serving

CONTENT = bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HALF = len(CONTENT) // 2


def _remote(server: Served, path: str = "/data/file.bin") -> Remote:
    return Remote(server.url + path, SHA256, len(CONTENT))


def _fetch(server: Served, folder: Path) -> Path:
    return fetch(_remote(server), folder, timeout_s=5, pause_s=0)


def _ranged(request: Request) -> Reply:
    """Answer like a server that knows ranges."""
    asked = request.headers.get("Range", "")
    if not asked:
        return Reply(CONTENT)
    start = int(asked.removeprefix("bytes=").removesuffix("-"))
    headers = {"Content-Range": f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"}
    return Reply(CONTENT[start:], 206, headers)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_fetched_once_and_appears_under_its_name_alone(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with serving(_ranged) as server:
        target = fetch(_remote(server), tmp_path / "new" / "folder", report=lambda *seen: told.append(seen))
        assert fetch(_remote(server), tmp_path / "new" / "folder") == target
    assert target.read_bytes() == CONTENT
    assert _names(target.parent) == ["file.bin"]
    assert len(server.requests) == 1
    assert told[-1] == (len(CONTENT), len(CONTENT))


def test_a_broken_transfer_is_resumed_within_one_call(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        return Reply(CONTENT[:HALF], promised=len(CONTENT)) if request.number == 0 else _ranged(request)

    with serving(answer) as server:
        assert _fetch(server, tmp_path).read_bytes() == CONTENT
    assert [request.headers.get("Range") for request in server.requests] == [None, f"bytes={HALF}-"]


def test_a_transfer_that_never_ends_is_given_up_and_the_next_call_goes_on_from_there(tmp_path: Path) -> None:
    def broken(request: Request) -> Reply:
        return Reply(b"", 503) if request.number else Reply(CONTENT[:HALF], promised=len(CONTENT))

    with serving(broken) as server, pytest.raises(InfrastructureError, match="status 503"):
        _fetch(server, tmp_path)
    assert len(server.requests) == ATTEMPTS
    assert _names(tmp_path) == [".file.bin.part"]
    with serving(_ranged) as server:
        assert _fetch(server, tmp_path).read_bytes() == CONTENT
    assert [request.headers.get("Range") for request in server.requests] == [f"bytes={HALF}-"]
    assert _names(tmp_path) == ["file.bin"]


def test_a_server_that_ignores_ranges_sends_the_whole_file_again(tmp_path: Path) -> None:
    (tmp_path / ".file.bin.part").write_bytes(CONTENT[:HALF])
    with serving(lambda request: Reply(CONTENT)) as server:
        assert _fetch(server, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize(
    "part",
    [b"x" * HALF, b"x" * len(CONTENT), CONTENT + b"more"],
    ids=["wrong beginning", "wrong and complete", "too long"],
)
def test_a_part_that_does_not_fit_is_thrown_away_and_the_file_fetched_from_the_start(
    tmp_path: Path, part: bytes
) -> None:
    (tmp_path / ".file.bin.part").write_bytes(part)
    with serving(_ranged) as server:
        assert _fetch(server, tmp_path).read_bytes() == CONTENT
    assert server.requests[-1].headers.get("Range") is None


def test_a_complete_part_that_is_right_needs_no_server(tmp_path: Path) -> None:
    (tmp_path / ".file.bin.part").write_bytes(CONTENT)
    with serving(_ranged) as server:
        assert _fetch(server, tmp_path).read_bytes() == CONTENT
    assert server.requests == []


@pytest.mark.parametrize(
    "resumed",
    [
        Reply(b"", 416, {"Content-Range": f"bytes */{HALF}"}),
        Reply(CONTENT[3:], 206, {"Content-Range": f"bytes 3-{len(CONTENT) - 1}/{len(CONTENT)}"}),
        Reply(CONTENT[3:], 206),
    ],
    ids=["refused", "another range", "an unnamed range"],
)
def test_a_wrong_answer_to_a_range_leads_to_a_fresh_start(tmp_path: Path, resumed: Reply) -> None:
    (tmp_path / ".file.bin.part").write_bytes(CONTENT[:HALF])
    with serving(lambda request: resumed if "Range" in request.headers else Reply(CONTENT)) as server:
        assert _fetch(server, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize(
    "content", [b"y" * len(CONTENT), CONTENT + b"more"], ids=["another content", "a longer content"]
)
def test_wrong_content_is_bad_input_and_leaves_nothing(tmp_path: Path, content: bytes) -> None:
    with serving(lambda request: Reply(content)) as server, pytest.raises(ConfigError, match=r"file\.bin is not the"):
        _fetch(server, tmp_path)
    assert len(server.requests) == 1
    assert _names(tmp_path) == []


def test_a_truncated_file_that_claims_to_be_whole_is_never_installed(tmp_path: Path) -> None:
    with (
        serving(lambda request: Reply(CONTENT[:HALF])) as server,
        pytest.raises((ConfigError, InfrastructureError), match="bytes"),
    ):
        _fetch(server, tmp_path)
    assert "file.bin" not in _names(tmp_path)
    assert len(server.requests) <= ATTEMPTS


def test_redirects_are_followed_and_endless_ones_given_up(tmp_path: Path) -> None:
    def moved(request: Request) -> Reply:
        return _ranged(request) if request.path == "/new" else Reply(b"", 302, {"Location": "/new"})

    with serving(moved) as server:
        assert _fetch(server, tmp_path / "a").read_bytes() == CONTENT
    with serving(lambda request: Reply(b"", 302, {"Location": request.path})) as server:
        with pytest.raises(InfrastructureError, match="TooManyRedirects"):
            _fetch(server, tmp_path / "b")
        assert _names(tmp_path / "b") == []


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_file_that_is_gone_is_asked_for_once_and_the_hash_is_told(tmp_path: Path, status: int) -> None:
    with serving(lambda request: Reply(b"gone", status)) as server:
        with pytest.raises(InfrastructureError, match=f"status {status}.*{SHA256}"):
            _fetch(server, tmp_path)
        assert len(server.requests) == 1
    assert _names(tmp_path) == []


def test_a_busy_server_is_asked_again_after_the_time_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("envs.download.time.sleep", waited.append)

    def busy(request: Request) -> Reply:
        waits = ["7", "9999", "soon"]
        return Reply(b"", 429, {"Retry-After": waits[request.number]}) if request.number < 3 else Reply(CONTENT)

    with serving(busy) as server:
        assert fetch(_remote(server), tmp_path, pause_s=1.0).read_bytes() == CONTENT
    assert waited == [7.0, download.LONGEST_WAIT_S, 4.0]


def test_without_a_server_it_is_infrastructure_and_says_where_to_put_the_file(tmp_path: Path) -> None:
    with serving(_ranged) as server:
        pass
    with pytest.raises(InfrastructureError, match=r"ConnectError.*file\.bin by hand"):
        _fetch(server, tmp_path)


def test_a_file_that_is_there_but_wrong_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "file.bin").write_bytes(b"mine")
    with serving(_ranged) as server, pytest.raises(ConfigError, match="delete it"):
        _fetch(server, tmp_path)
    assert (tmp_path / "file.bin").read_bytes() == b"mine"
    assert server.requests == []


def _no_folder(path: Path) -> Path:
    path.write_text("a file", encoding="utf-8")
    return path


def _no_room(path: Path) -> Path:
    path.mkdir()
    (path / ".file.bin.part").symlink_to("/dev/full")
    return path


@pytest.mark.parametrize("spoil", [_no_folder, _no_room])
def test_a_disk_that_cannot_be_written_is_infrastructure(tmp_path: Path, spoil: Callable[[Path], Path]) -> None:
    folder = spoil(tmp_path / "folder")
    with serving(_ranged) as server, pytest.raises(InfrastructureError, match="could not be written"):
        _fetch(server, folder)
    assert not (folder / "file.bin").exists()
