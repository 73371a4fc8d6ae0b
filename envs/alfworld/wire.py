"""How the processes talk: JSON messages with their length in front, and file descriptors beside them."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

_LENGTH = struct.Struct("!Q")


def send(channel: socket.socket, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send one message, with file descriptors that the receiver gets copies of. Raises OSError."""
    body = json.dumps(message).encode("ascii")
    socket.send_fds(channel, [_LENGTH.pack(len(body))], list(descriptors))
    channel.sendall(body)


def receive(channel: socket.socket, *, timeout_s: float | None = None) -> tuple[dict[str, Any], list[int]]:
    """Return the next message and the file descriptors that came with it.

    Raises EOFError once the other side is gone, TimeoutError after ``timeout_s`` seconds in all (None: never).
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    _allow(channel, deadline)
    head, descriptors, _, _ = socket.recv_fds(channel, _LENGTH.size, 4)
    head += _exactly(channel, _LENGTH.size - len(head), deadline)
    message: dict[str, Any] = json.loads(_exactly(channel, _LENGTH.unpack(head)[0], deadline))
    return message, descriptors


def _exactly(channel: socket.socket, size: int, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    while size:
        _allow(channel, deadline)
        part = channel.recv(min(size, 1 << 16))
        if not part:
            raise EOFError("the other side is gone")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _allow(channel: socket.socket, deadline: float | None) -> None:
    """Let the next call on the channel wait until the deadline and no longer."""
    if deadline is None:
        channel.settimeout(None)
        return
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    channel.settimeout(left)
