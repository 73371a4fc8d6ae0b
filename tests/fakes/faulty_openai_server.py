"""A real HTTP server on loopback that speaks the OpenAI protocol and misbehaves as it is told, request by request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


@dataclass(frozen=True)
class Reply:
    """What to do with one request."""

    body: Any = None
    """JSON value, or text sent as it is."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang_s: float = 0.0
    """Wait before answering."""
    dribble_s: float = 0.0
    """Send a blank every 50 ms for so long before the body, as some providers do while they think."""
    drop: bool = False
    """Close the connection without a word."""


def said(content: str | None, *, finish: str = "stop", usage: Any = USAGE, **message: Any) -> Reply:
    """A chat answer; further fields of the message by name, such as ``reasoning_content``."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "served-model-7b", "choices": [choice]}
    return Reply(body if usage is None else {**body, "usage": usage})


def refused(status: int, message: str, *, code: str | None = None, **headers: str) -> Reply:
    """An error answer; headers by name with ``_`` for ``-``."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    return Reply({"error": error}, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


class FaultyOpenAIServer:
    """Answers by its script, then with ``default``, or else with "fine" and vectors made from the texts."""

    def __init__(self, script: Sequence[Reply] = (), *, default: Reply | None = None) -> None:
        self.script = list(script)
        self.default = default
        self.requests: list[dict[str, Any]] = []
        """Bodies, in the order of arrival."""
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.url = ""

    def reply(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        with self.lock:
            self.requests.append(body)
            self.headers.append(headers)
            if self.script:
                return self.script.pop(0)
        if self.default is not None:
            return self.default
        return _embedded(body) if path.endswith("/embeddings") else said("fine")


def _embedded(body: dict[str, Any]) -> Reply:
    data = [
        {"object": "embedding", "index": at, "embedding": [float(len(text)), 1.0, 2.0]}
        for at, text in enumerate(body["input"])
    ]
    tokens = 10 * len(data)
    return Reply(
        {
            "object": "list",
            "model": body["model"],
            "data": data,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FaultyOpenAIServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reply = self.fake.reply(self.path, json.loads(raw), dict(self.headers))
        time.sleep(reply.hang_s)
        if reply.drop:
            self.close_connection = True
            return
        data = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        blanks = int(reply.dribble_s / 0.05)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data.encode()) + blanks))
        self.end_headers()
        for _ in range(blanks):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)
        self.wfile.write(data.encode())

    def log_message(self, *_: Any) -> None:
        """Keep the test's output clean."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that hung up is part of the game."""


@contextmanager
def serving(*script: Reply, default: Reply | None = None) -> Iterator[FaultyOpenAIServer]:
    """Run a server for the time of a test."""
    fake = FaultyOpenAIServer(script, default=default)
    handler = type("Handler", (_Handler,), {"fake": fake})
    server = _Server(("127.0.0.1", 0), handler)
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
