"""The call store: every answer of a model that reached the agent or a memory, kept under the request it answered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.errors import ConfigError, ContextOverflow, LedgerError, ReplayMiss
from harness.ledger.call_file import CallFile, Form, Row
from harness.ledger.call_keys import CallKey, chat_key, request_digest, vector_key
from harness.types import Call, Completion, Usage

FILE_NAME = "calls.sqlite"


class CallStore:
    """The answers of one run.

    What was answered once in a run is never asked again: a resumed run and a replay read the same bytes, empty and
    truncated answers and context overflows too. Errors that are sent again are never stored. Only complete answers
    (finish ``stop``, some text) of a real model, and vectors, may serve another run through ``shared``.

    Args:
        path: This run's calls.sqlite; made where it is missing.
        replicate: The seed; part of every key, so that seeds stay independent samples.
        replay: A finished run's folder or calls.sqlite. Nothing is sent then: a call without an answer in it is
            a ReplayMiss, and answers used are copied into this run's own store.
        shared: Other runs' folders or calls.sqlite, asked in this order for answers to equal requests.

    Raises:
        LedgerError: The own store is damaged or no call store.
        ConfigError: A store to replay or share is missing, damaged or no call store.
    """

    def __init__(self, path: Path, *, replicate: int, replay: Path | None = None, shared: Sequence[Path] = ()) -> None:
        self._replicate = replicate
        self._replay = None if replay is None else _foreign(replay, path)
        self._replaying = replay
        self._shared = [file for other in shared if (file := _foreign(other, path))]
        self._own = CallFile(path, write=True, blame=LedgerError)
        self._counts: dict[tuple[str, int], Counter[object]] = {}
        self._billed: dict[tuple[str, int], set[bytes]] = {}

    def begin(self, task_id: str, trial: int) -> None:
        """Start counting an episode's equal requests from 0; also when it is played or driven again."""
        self._counts.pop((task_id, trial), None)
        self._billed.pop((task_id, trial), None)

    def chat(self, request: Mapping[str, object], call: Call) -> CallKey:
        """Return the key of a chat request, and count it: an equal one after it gets another key.

        ``request`` holds all that decides the answer (settings, messages, schema); JSON values.
        """
        digest = request_digest("chat", request)
        counts = self._counts.setdefault((call.task_id, call.trial), Counter())
        asked = (digest, call.phase, call.role, call.ordinal)
        counts[asked] += 1
        return chat_key(digest, call, replicate=self._replicate, count=counts[asked] - 1)

    def vector(self, request: Mapping[str, object], call: Call) -> CallKey:
        """Return the key of one text to embed: the same text has the same key all through a run."""
        return vector_key(request_digest("embedding", request), call, replicate=self._replicate)

    def completion(self, key: CallKey) -> Completion | None:
        """Return the stored answer of a chat call, its usage what was paid at first, or None: ask the model.

        Raises:
            ContextOverflow: The model had refused this prompt for its length.
            ReplayMiss: Replaying, and the recorded run never made this call.
        """
        row = self._find(key)
        if row is None:
            return None
        value = json.loads(row.value)
        if row.form == "overflow":
            raise ContextOverflow(value["message"])
        return Completion(usage=row.usage, **value)

    def keep(self, key: CallKey, completion: Completion, *, shareable: bool) -> None:
        """Store an answer that will reach the agent or a memory.

        ``shareable`` says whether the request alone decides it: not so for simulated backbones.
        """
        fit = shareable and completion.finish == "stop" and completion.text.strip() != ""
        value = {name: getattr(completion, name) for name in ("text", "finish", "reasoning", "model")}
        self._own.put([_row(key, "completion", _json(value), completion.usage, public=key.public if fit else None)])

    def keep_overflow(self, key: CallKey, error: ContextOverflow) -> None:
        """Store that the model refused a prompt for its length: the agent goes on from that, so a replay must too."""
        self._own.put([_row(key, "overflow", _json({"message": str(error)}), Usage(), public=None)])

    def vectors(self, keys: Sequence[CallKey]) -> list[tuple[NDArray[np.float32], Usage] | None]:
        """Return the stored vector of each text with what to account for it, or None: embed it.

        A vector is accounted to the episode that asked first, once; so figures are the same after a resume.
        Raises ReplayMiss as ``completion`` does.
        """
        return [None if row is None else (_vector(row), self._bill(key, row)) for key, row in self._rows(keys)]

    def keep_vectors(self, keys: Sequence[CallKey], vectors: NDArray[np.float32], usages: Sequence[Usage]) -> None:
        """Store one row a text, all or none; ``vectors`` has shape (len(keys), dim)."""
        rows = [
            _row(key, "vector", vector.astype("<f4").tobytes(), usage, public=key.public)
            for key, vector, usage in zip(keys, vectors, usages, strict=True)
        ]
        self._own.put(rows)
        for key, row in zip(keys, rows, strict=True):
            self._bill(key, row)

    def paid(self) -> Usage:
        """Return what this run has paid so far, discarded plays of episodes included, copied answers not."""
        return sum(self._own.usages(), Usage())

    def flush(self) -> None:
        """Make every stored answer durable; called before an episode's line is committed."""
        self._own.flush()

    def close(self) -> None:
        """Close all files. May be called twice."""
        for file in [self._own, *([self._replay] if self._replay else []), *self._shared]:
            file.close()

    def _rows(self, keys: Sequence[CallKey]) -> list[tuple[CallKey, Row | None]]:
        return [(key, self._find(key)) for key in keys]

    def _find(self, key: CallKey) -> Row | None:
        row = self._own.get(key.own)
        if row is not None:
            return row
        found = self._replay.get(key.own) if self._replay else None
        if self._replaying is not None and found is None:
            raise ReplayMiss(_miss(self._replaying, key))
        for file in self._shared:
            found = found or file.get_public(key.public)
        if found is None:
            return None
        call = key.call
        row = replace(
            found, key=key.own, task_id=call.task_id, trial=call.trial, phase=call.phase, role=call.role, bought=False
        )
        self._own.put([row])
        return row

    def _bill(self, key: CallKey, row: Row) -> Usage:
        episode = (key.call.task_id, key.call.trial)
        billed = self._billed.setdefault(episode, set())
        if (row.task_id, row.trial) != episode or key.own in billed:
            return Usage()
        billed.add(key.own)
        return row.usage


def store_file(path: Path) -> Path:
    """Return the call store that a run's folder, or the file itself, names. Raises ConfigError where none is there."""
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        raise ConfigError(f"{path}: no call store there: name a run's folder or its {FILE_NAME}")
    return file


def _foreign(path: Path, own: Path) -> CallFile | None:
    """Open another run's store; None for the run's own, which is looked into anyway."""
    file = store_file(path)
    return None if file.resolve() == own.resolve() else CallFile(file, write=False, blame=ConfigError)


def _row(key: CallKey, form: Form, value: bytes, usage: Usage, *, public: bytes | None) -> Row:
    call = key.call
    return Row(
        *(key.own, public, key.kind, call.task_id, call.trial, call.phase, call.role, form, value),
        usage=usage,
        bought=True,
    )


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _vector(row: Row) -> NDArray[np.float32]:
    return np.frombuffer(row.value, dtype="<f4").astype(np.float32)


def _miss(path: Path, key: CallKey) -> str:
    call = key.call
    return (
        f"replay: {path} holds no answer to the {key.kind} call of task {call.task_id!r}, trial {call.trial}, "
        f"step {call.step}, phase {call.phase}, role {call.role}, ordinal {call.ordinal}, asked {key.count + 1} times: "
        "the recorded run is unfinished, or its configuration, prompts or versions were others"
    )
