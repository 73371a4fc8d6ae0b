"""The one in-process server of a small model, and the way to reuse its prefix without changing its answers."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.errors import ConfigError, ContextOverflow, FatalBackboneError


class Runtime:
    """A loaded model.

    Its arithmetic depends on how a prompt was cut into batches, so an answer after a kept prefix differs in the last
    digits, and now and then in a word, from the answer of a fresh process. Therefore each segment of a prompt is
    always evaluated as one batch, its last token once more alone, and a kept prefix is always cut back to the end of
    a segment: warm and cold then give equal logits, bit for bit, at a fifth of the time.
    """

    def __init__(self, weights: Path, n_ctx: int, threads: int) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise ConfigError("backbone=embedded needs the package xllamacpp: pip install xllamacpp") from error
        params = xllamacpp.CommonParams()
        params.model.path = str(weights)
        params.n_ctx, params.n_parallel, params.n_batch, params.n_ubatch = n_ctx, 1, n_ctx, n_ctx
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.cache_ram_mib, params.n_cache_reuse, params.slot_prompt_similarity = 0, 0, 0.0
        params.warmup, params.verbosity = False, -1
        self._server = xllamacpp.Server(params)
        self._lock = threading.Lock()
        self._held: list[str] = []
        """The prompt's segments that the server holds, each ending at a segment's end."""

    def generate(self, segments: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the server's answer to the prompt made of all segments; the last one only opens the answer.

        Raises ContextOverflow where the prompt is too long, FatalBackboneError where the server refuses it.
        """
        with self._lock:
            common = 0
            while common < min(len(self._held), len(segments) - 1) and self._held[common] == segments[common]:
                common += 1
            self._held = []
            if common:
                self._evaluate(segments[:common])
            else:
                self._send({"prompt": segments[0][:1] or " ", "max_tokens": 1, "cache_prompt": False})
            for end in range(common + 1, len(segments)):
                self._evaluate(segments[:end])
                self._evaluate(segments[:end])
            answer = self._send({"prompt": "".join(segments), "cache_prompt": True, **options})
            self._held = list(segments[:-1])
            return answer

    def _evaluate(self, segments: Sequence[str]) -> None:
        self._send({"prompt": "".join(segments), "cache_prompt": True, "max_tokens": 1, "temperature": 0})

    def _send(self, body: Mapping[str, Any]) -> dict[str, Any]:
        raw = self._server.handle_completions(dict(body))
        answer: dict[str, Any] = json.loads(raw) if isinstance(raw, str | bytes) else raw
        if "choices" in answer:
            return answer
        error = answer.get("error", {})
        if error.get("type") == "exceed_context_size_error":
            raise ContextOverflow(f"{error.get('n_prompt_tokens')} prompt tokens, the model takes {error.get('n_ctx')}")
        raise FatalBackboneError(f"the embedded model's server refused the request: {error.get('message', answer)}")


def runtime(weights: Path, n_ctx: int, threads: int) -> Runtime:
    """Return the process's server; asking for another model or size replaces it. A forked child loads its own."""
    return _runtime(weights, n_ctx, threads, os.getpid())


@lru_cache(maxsize=1)
def _runtime(weights: Path, n_ctx: int, threads: int, pid: int) -> Runtime:
    return Runtime(weights, n_ctx, threads)
