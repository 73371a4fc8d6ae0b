"""A memory's own calls to its models: prompts are files, and answers that stay unreadable are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from harness.backbones.structured import ask
from harness.errors import ContextOverflow, ParseError
from harness.protocols import Backbone, Embedder
from harness.types import Call, Message, Phase

M = TypeVar("M", bound=BaseModel)

MEMORY = "memory"
"""Role of a memory's embeddings."""


class Asker:
    """Asks a model for structured answers.

    Args:
        backbone: the model.
        folder: where the prompts are, one ``NAME.md`` a kind of call.
        repairs: how often an unreadable answer is asked for again, 0 or more.
    """

    def __init__(self, backbone: Backbone, folder: Path, repairs: int) -> None:
        self._backbone, self._folder, self._repairs = backbone, folder, repairs
        self.unreadable: Counter[str] = Counter()
        """Answers given up on, by role, since ``take_unreadable``."""

    def ask(
        self, schema: type[M], values: Mapping[str, str], call: Call, *, prompt: str = "", again: int = 0
    ) -> M | None:
        """Return the answer, or None where it stays unreadable or the prompt is too long for the model.

        Args:
            schema: what the answer must be.
            values: what fills the blanks of the prompt.
            call: whose call it is; its role names the prompt.
            prompt: name of the prompt's file where it is not the role.
            again: number of this call among the episode's calls of the role, from 0.
        """
        path = self._folder / f"{prompt or call.role}.md"
        messages = [Message("user", _template(path).substitute(values))]
        numbered = Call(call.task_id, call.trial, call.phase, role=call.role, ordinal=again * (self._repairs + 1))
        try:
            return ask(self._backbone, messages, schema, call=numbered, repairs=self._repairs)
        except (ParseError, ContextOverflow):
            self.unreadable[call.role] += 1
            return None

    def take_unreadable(self) -> dict[str, int]:
        """Return the counts by role, and begin to count anew."""
        counts = dict(sorted(self.unreadable.items()))
        self.unreadable.clear()
        return counts


def call_of(task_id: str, trial: int, phase: Phase, role: str = MEMORY) -> Call:
    """Return whose call this is."""
    return Call(task_id=task_id, trial=trial, phase=phase, role=role)


def embed_one(embedder: Embedder, text: str, task_id: str, trial: int, phase: Phase) -> NDArray[np.float32]:
    """Return the vector of one text, shape (dim,)."""
    return embedder.embed([text], call=call_of(task_id, trial, phase)).reshape(embedder.dim)


@cache
def _template(path: Path) -> Template:
    return Template(path.read_text(encoding="utf-8").rstrip("\n"))
