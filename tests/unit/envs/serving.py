"""A local HTTP server that answers as a test tells it to, faults included."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    number: int
    """How many requests came before it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None
    """The Content-Length to claim where it is not the body's: a larger one is a transfer that breaks off."""


@dataclass(slots=True)
class Served:
    """A running server."""

    url: str
    requests: list[Request] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[Served]:
    """Serve on a free port of this machine until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        served: ClassVar[Served]

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
            request = Request(parts.path, query, dict(self.headers), len(self.served.requests))
            self.served.requests.append(request)
            reply = answer(request)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) if reply.promised is None else reply.promised))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Handler.served = Served(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Handler.served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
