"""Fetches published files by address and sha256: resumed where broken off, checked, and there whole or not at all."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import ConfigError, InfrastructureError

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 5
LONGEST_WAIT_S = 60.0

Report = Callable[[int, int], None]
"""Told how many bytes there are, of how many."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A published file."""

    url: str
    sha256: str
    n_bytes: int

    @property
    def name(self) -> str:
        """The last part of its address."""
        return self.url.rpartition("/")[2]


class _WrongContentError(Exception):
    """What came is not the file that was meant."""


class _TryAgainError(Exception):
    """The server may answer better later."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def fetch(
    remote: Remote, folder: Path, *, report: Report | None = None, timeout_s: float = 60.0, pause_s: float = 1.0
) -> Path:
    """Put a file into a folder and return its path; one that is there and right is not fetched again.

    A broken transfer is resumed, now or by the next call, from a hidden ``.part`` file beside it. Where a resumed file
    turns out wrong, it is fetched once more from the start.

    Args:
        remote: What to fetch.
        folder: Where to; made if missing.
        report: Told of progress.
        timeout_s: Seconds until the server must have sent something.
        pause_s: Seconds before the second attempt, doubled before each later one.

    Raises:
        ConfigError: The file that is there, or that came, has another sha256 than expected.
        InfrastructureError: It could not be fetched or not be written.
    """
    target, part = folder / remote.name, folder / f".{remote.name}.part"
    if target.is_file():
        _check(target, remote)
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _complete(remote, part, report, timeout_s, pause_s)
        _settle(part, target)
    except OSError as error:
        raise InfrastructureError(f"{target} could not be written: {error}") from error
    return target


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(target: Path, remote: Remote) -> None:
    if (got := sha256_of(target)) != remote.sha256:
        raise ConfigError(
            f"{target} has sha256 {got}, expected {remote.sha256}: delete it and fetch it again from {remote.url}"
        )


def _complete(remote: Remote, part: Path, report: Report | None, timeout_s: float, pause_s: float) -> None:
    """Bring the part to its full and right content, in a bounded number of attempts."""
    import httpx

    said = ""
    for attempt in range(ATTEMPTS):
        resumed = part.is_file() and part.stat().st_size > 0
        wait_s = pause_s * 2**attempt
        try:
            _transfer(remote, part, report, timeout_s)
            if sha256_of(part) == remote.sha256:
                return
            raise _WrongContentError(f"sha256 {sha256_of(part)}, expected {remote.sha256}")
        except _WrongContentError as error:
            part.unlink(missing_ok=True)
            if not resumed:
                raise ConfigError(f"{remote.url} is not the file expected: got {error}; nothing was kept") from error
            said, wait_s = f"got {error}", 0.0
        except _TryAgainError as error:
            said = str(error)
            wait_s = min(wait_s if error.wait_s is None else error.wait_s, LONGEST_WAIT_S)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = f"{type(error).__name__} {error}".strip()
        if attempt + 1 < ATTEMPTS:
            time.sleep(wait_s)
    raise InfrastructureError(
        f"{remote.url} could not be fetched in {ATTEMPTS} attempts ({said}): try again, or put the file at "
        f"{part.with_name(remote.name)} by hand"
    )


def _transfer(remote: Remote, part: Path, report: Report | None, timeout_s: float) -> None:
    """Ask for what is missing of the part, once, and append it."""
    import httpx

    have = part.stat().st_size if part.is_file() else 0
    if have == remote.n_bytes:
        return
    if have > remote.n_bytes:
        raise _WrongContentError(f"more than {remote.n_bytes:,} bytes")
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    with httpx.stream("GET", remote.url, headers=headers, timeout=timeout_s, follow_redirects=True) as reply:
        _accept(reply, remote)
        appending = have > 0 and reply.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if have and reply.status_code == httpx.codes.PARTIAL_CONTENT and not appending:
            raise _WrongContentError("another part of the file than asked for")
        with part.open("ab" if appending else "wb") as file:
            for chunk in reply.iter_raw():
                file.write(chunk)
                if file.tell() > remote.n_bytes:
                    raise _WrongContentError(f"more than {remote.n_bytes:,} bytes")
                if report is not None:
                    report(file.tell(), remote.n_bytes)
    if (size := part.stat().st_size) < remote.n_bytes:
        raise _TryAgainError(f"got {size:,} of {remote.n_bytes:,} bytes")


def _accept(reply: httpx.Response, remote: Remote) -> None:
    """Return if the answer brings content. Raises what another attempt, or none, should follow."""
    status = reply.status_code
    if reply.is_success:
        return
    if status == 416:
        raise _WrongContentError("a file that ends before the part that is here")
    if status in (408, 425, 429) or status >= 500:
        stated = reply.headers.get("Retry-After", "")
        raise _TryAgainError(f"status {status}", float(stated) if stated.isdecimal() else None)
    raise InfrastructureError(
        f"{remote.url} answered with status {status}: the file may have moved; fetch it by hand (sha256 "
        f"{remote.sha256})"
    )


def _settle(part: Path, target: Path) -> None:
    """Move the checked part to its place, so that it survives a power cut there or not at all."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(target)
    handle = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
