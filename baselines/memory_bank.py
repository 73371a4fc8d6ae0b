"""MemoryBank: pieces of experience that fade with time and last longer the more often they are recalled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from baselines.g_memory.asking import Asker, call_of, embed_one
from baselines.g_memory.condensing import TEXT_CHARS
from baselines.g_memory.files import read_json, write_json
from baselines.g_memory.recalling import HEADING
from baselines.g_memory.settings import Count, Group, Keeping, Natural, Recalling
from baselines.g_memory.trajectory import clean, query_text
from baselines.g_memory.vectors import Vectors
from baselines.look_alike import DISCLOSURE, PROMPTS, LookAlike, Summary, TwoForms, prompts_of, record_text
from harness.protocols import Backbone, Embedder
from harness.seeds import Draws
from harness.types import Advice, Episode, Experience, Recall, RecallItem, StreamInfo, Task, UpdateReport, View

PIECES, VECTORS = "pieces.json", "pieces.npy"
Mode = Literal["paper", "repo"]


class Bank(Group):
    """The bank of the original form."""

    k: Count
    """Pieces injected."""
    scale: Annotated[float, Field(gt=0)]
    """What the exponent of the forgetting curve is divided by, in episodes."""
    forgetting: Literal["threshold", "probabilistic"]
    """Whether a piece goes once its retention is below ``least``, or with what it lacks of 1, drawn every episode."""
    least: Annotated[float, Field(ge=0, le=1)]
    """Least retention of a piece that stays."""
    day: Count
    """Episodes in a day; at its end the model sums it up."""
    actions: Count
    """Most actions kept of an episode."""


@dataclass(slots=True)
class Piece:
    """An episode, or the summary of a day."""

    id: str
    kind: Literal["episode", "day"]
    text: str
    born: tuple[str, ...]
    day: int
    strength: int
    """S: 1 at first, 1 more each time it is recalled."""
    last: int
    """Number of the episode it was made in or last recalled in."""


def retention(age: int, strength: int, *, scale: float, mode: Mode) -> float:
    """Return R, 0 to 1: the paper's exp(-t / (scale S)), or the published code's exp(-t / scale * S).

    The code's precedence makes stronger pieces fade faster.
    """
    exponent = age / (scale * strength) if mode == "paper" else age / scale * strength
    return math.exp(-exponent)


def visible_steps(scale: float, least: float) -> int:
    """Return how many of a trial's latest steps the look-alike still shows: those of ages t with R >= least."""
    return sum(retention(age, 1, scale=scale, mode="paper") >= least for age in range(1000))


class PieceBank:
    """The original form. Episodes are stored whatever their outcome."""

    def __init__(
        self, asker: Asker, embedder: Embedder, draws: Draws, mode: Mode, keeping: Keeping, bank: Bank
    ) -> None:
        self._asker, self._embedder, self._draws = asker, embedder, draws
        self._mode: Mode = mode
        self._keeping, self._bank = keeping, bank
        self._clock = 0
        self._become_empty()

    def _become_empty(self) -> None:
        self.pieces: list[Piece] = []
        self._vectors = Vectors(self._embedder.dim)
        self._made = self._episodes = 0
        self._recalled: tuple[str, int, tuple[str, ...]] = ("", 0, ())

    def begin(self, info: StreamInfo) -> None:
        """Take note of the clock."""
        self._clock = info.clock

    def __len__(self) -> int:
        return len(self.pieces)

    def retrieve(self, task: Task, observation: str, *, trial: int) -> Recall:
        """Return the k nearest pieces that this task did not go into; what was recalled counts at the update."""
        others = [at for at, piece in enumerate(self.pieces) if task.id not in piece.born]
        text = query_text(task, observation)
        scores = self._vectors.cosines(embed_one(self._embedder, text, task.id, trial, "retrieve"))
        nearest = [others[at] for at in np.argsort(-scores[others], kind="stable").tolist()[: self._bank.k]]
        found = [(self.pieces[at], float(scores[at])) for at in nearest]
        self._recalled = (task.id, trial, tuple(piece.id for piece, _ in found))
        return Recall(tuple(RecallItem(p.id, p.kind, score, p.text, p.born) for p, score in found), HEADING)

    def update(self, experience: Experience) -> UpdateReport:
        """Strengthen what was recalled, store the episode, end the day where its turn has come, and forget."""
        episode = experience.episode
        self._strengthen(episode)
        text = record_text(experience, self._keeping, self._bank.actions)
        day = self._episodes // self._bank.day
        written = [self._store("episode", text, (episode.task.id,), day, episode)]
        self._episodes += 1
        if self._episodes % self._bank.day == 0:
            written += self._end_day(day, episode)
        self._clock += 1
        forgotten = self._forget()
        notes = {"forgotten": forgotten, "unreadable": self._asker.take_unreadable()}
        return UpdateReport(len(self), tuple(written), notes)

    def _strengthen(self, episode: Episode) -> None:
        """Let each recalled piece gain strength, and its time begin anew."""
        task_id, trial, ids = self._recalled
        self._recalled = ("", 0, ())
        if (task_id, trial) != (episode.task.id, episode.trial):
            return
        for piece in self.pieces:
            if piece.id in ids:
                piece.strength += 1
                piece.last = self._clock

    def _store(
        self, kind: Literal["episode", "day"], text: str, born: tuple[str, ...], day: int, episode: Episode
    ) -> str:
        vector = embed_one(self._embedder, text, episode.task.id, episode.trial, "update")
        self._made += 1
        self.pieces.append(Piece(f"m{self._made:05d}", kind, text, born, day, 1, self._clock))
        self._vectors.add(vector)
        return self.pieces[-1].id

    def _end_day(self, day: int, episode: Episode) -> list[str]:
        """Store the summary of a day's episodes that are still remembered; without a readable one there is none."""
        held = [piece for piece in self.pieces if piece.day == day]
        values = {"episodes": "\n\n".join(piece.text for piece in held)}
        answer = self._asker.ask(Summary, values, call_of(episode.task.id, episode.trial, "update", "day"))
        text = clean(answer.summary, TEXT_CHARS) if answer else ""
        born = tuple(dict.fromkeys(task for piece in held for task in piece.born))
        return [self._store("day", text, born, day, episode)] if text else []

    def _forget(self) -> list[str]:
        """Drop what has faded; the summary of a day goes with the last of its episodes. Return the ids."""
        faded = {piece.id for piece in self.pieces if piece.kind == "episode" and self._faded(piece)}
        days = {piece.day for piece in self.pieces if piece.kind == "episode" and piece.id not in faded}
        faded |= {piece.id for piece in self.pieces if piece.kind == "day" and piece.day not in days}
        stays = [at for at, piece in enumerate(self.pieces) if piece.id not in faded]
        self.pieces = [self.pieces[at] for at in stays]
        self._vectors.keep(stays)
        return sorted(faded)

    def _faded(self, piece: Piece) -> bool:
        left = retention(self._clock - piece.last, piece.strength, scale=self._bank.scale, mode=self._mode)
        if self._bank.forgetting == "threshold":
            return left < self._bank.least
        return bool(self._draws.at("forget", self._clock, piece.id).random() >= left)

    def save(self, folder: Path) -> None:
        """Write ``pieces.json`` and ``pieces.npy``."""
        state = {"made": self._made, "episodes": self._episodes, "pieces": list(map(asdict, self.pieces))}
        write_json(folder / PIECES, state)
        self._vectors.save(folder / VECTORS)

    def load(self, folder: Path) -> None:
        """Become what was saved."""
        self._become_empty()
        state = read_json(folder / PIECES)
        self._made, self._episodes = state["made"], state["episodes"]
        self.pieces = [Piece(**{**row, "born": tuple(row["born"])}) for row in state["pieces"]]
        self._vectors.load(folder / VECTORS, len(self.pieces))


class MemoryBank(TwoForms):
    """A store with a forgetting curve, or its look-alike in G-Memory's repository.

    Args:
        backbone: sums up days, or episodes.
        embedder: makes the vectors of the pieces.
        draws: decide what is forgotten where that is left to chance.
        mode: of the original form, ``paper`` or ``repo``, which inverts what strength does; the look-alike is ``repo``.
        variant: ``original`` or ``gmemory``, which forgets only inside a trial.
        keeping: what is kept of a trajectory.
        repairs: how often an unreadable answer is asked for again.
        bank: of variant original; the look-alike reads its scale and its least retention.
        recalling: read by variant gmemory.
    """

    name = "memory_bank"
    prompts: Sequence[Path] = prompts_of("day")
    """Its prompt templates."""

    def __init__(
        self,
        *,
        backbone: Backbone,
        embedder: Embedder,
        draws: Draws,
        mode: Mode,
        variant: Literal["original", "gmemory"],
        keeping: Keeping,
        repairs: Natural,
        bank: Bank,
        recalling: Recalling,
    ) -> None:
        self.variant = variant
        self.mode: Mode = mode
        self._keep_steps: int | None = None
        if variant == "gmemory":
            self.mode = "repo"
            self._keep_steps = visible_steps(bank.scale, bank.least)
            self.disclosures: Sequence[str] = (DISCLOSURE,)
            self._form = LookAlike(
                backbone, embedder, summarize=True, keeping=keeping, recalling=recalling, repairs=repairs
            )
        else:
            how = f"once R < {bank.least:g}" if bank.forgetting == "threshold" else "with probability 1 - R an episode"
            self.disclosures = (
                f"MemoryBank is carried over from dialogue: an episode is a piece, {bank.day} episodes are a day, time "
                f"counts episodes, a piece is forgotten {how}, and there is no portrait of a user.",
            )
            self._form = PieceBank(Asker(backbone, PROMPTS, repairs), embedder, draws, mode, keeping, bank)

    def step(self, view: View) -> Advice | None:
        """Return how many of the latest steps stay in view: the look-alike's only forgetting; else nothing."""
        return None if self._keep_steps is None else Advice(keep_steps=self._keep_steps)
