"""The road of every chat call: the store first, then the budget, the model, the store, the meter."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from harness.backbones.meter import Meter
from harness.backbones.structured import json_schema
from harness.errors import ContextOverflow
from harness.ledger.calls import CallStore
from harness.protocols import Backbone
from harness.types import Call, Completion, Message


class RecordedBackbone:
    """A backbone whose answers are stored, replayed and accounted.

    Args:
        inner: Who answers what the store does not hold.
        store: The run's answers.
        meter: The stream's account.
    """

    def __init__(self, inner: Backbone, store: CallStore, meter: Meter) -> None:
        self._inner = inner
        self._store = store
        self._meter = meter
        self.id = inner.id
        self.real = inner.real

    @property
    def disclosures(self) -> Sequence[str]:
        """The inner backbone's own."""
        return self._inner.disclosures

    def settings(self) -> Mapping[str, object]:
        """Return the inner backbone's own."""
        return self._inner.settings()

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Return the stored answer, or ask, store and return.

        Raises:
            BudgetExhausted: Asking would be needed, and the budget is used up; nothing is sent.
            ReplayMiss: Replaying, and the recorded run never made this call.
            ContextOverflow: The prompt is too long; stored as an answer is.
            BackboneError: Of the inner backbone; not stored.
        """
        began = time.perf_counter()
        key = self._store.chat(self._request(messages, schema), call)
        completion = self._store.completion(key)
        fresh = completion is None
        if completion is None:
            self._meter.check()
            try:
                completion = self._inner.complete(messages, call=call, schema=schema)
            except ContextOverflow as error:
                self._store.keep_overflow(key, error)
                raise
            self._store.keep(key, completion, shareable=self._inner.real)
        self._meter.add(call, completion.usage, kind="chat", latency_s=time.perf_counter() - began, fresh=fresh)
        return completion

    def _request(self, messages: Sequence[Message], schema: type[BaseModel] | None) -> dict[str, object]:
        return {
            "settings": dict(self._inner.settings()),
            "messages": [[message.role, message.content] for message in messages],
            "schema": None if schema is None else json_schema(schema),
        }
