"""Keys of the call store: the digest of a whole request, and of the place in a stream where it was made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from harness.types import Call

Kind = Literal["chat", "embedding"]


@dataclass(frozen=True, slots=True)
class CallKey:
    """Under which a call's answer is kept."""

    own: bytes
    """32 bytes: the request and its place; serves only its own run and replays of it."""
    public: bytes
    """32 bytes: the request without task and trial; by it one run may serve another."""
    kind: Kind
    call: Call
    count: int
    """Number of equal requests before this one in its episode, from 0."""


def canonical_json(value: object) -> bytes:
    """Return the one JSON spelling of a value: keys sorted, no spaces, ASCII. Raises ValueError for NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def request_digest(kind: Kind, request: Mapping[str, object]) -> str:
    """Return the sha256 of everything that is sent: settings, messages or text, schema."""
    return hashlib.sha256(canonical_json({"kind": kind, **request})).hexdigest()


def chat_key(digest: str, call: Call, *, replicate: int, count: int) -> CallKey:
    """Return the key of a chat call.

    The public key keeps replicate, phase, role, ordinal and count: seeds stay independent samples, and asking the
    same thing twice in an episode never gives one answer twice.
    """
    public = [digest, replicate, call.phase, call.role, call.ordinal, count]
    own = [*public, call.task_id, call.trial]
    return CallKey(_sha256(own), _sha256(public), "chat", call, count)


def vector_key(digest: str, call: Call, *, replicate: int) -> CallKey:
    """Return the key of one embedded text: a text has one vector in a run, wherever it is asked for."""
    key = _sha256([digest, replicate])
    return CallKey(key, key, "embedding", call, 0)


def _sha256(value: object) -> bytes:
    return hashlib.sha256(canonical_json(value)).digest()
