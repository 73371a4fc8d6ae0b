"""Reflection: a master router dispatches an episode to typed sub-reflectors, which only write drafts.

Nothing here edits the graph. A sub-reflector whose answer stays unreadable is counted and leaves its part out, so that
no episode is lost and no graph is half edited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from harness.agents.layout import ACTION, OBSERVATION, TASK
from harness.backbones.structured import ask
from harness.errors import ContextOverflow, ParseError
from harness.protocols import Backbone
from harness.types import Call, Episode, Phase
from strata.answers import (
    AtomicAnswer,
    Draft,
    MetaAnswer,
    PitfallAnswer,
    Reflector,
    RouterAnswer,
    VariantAnswer,
    WorkflowAnswer,
    code_body,
    drafted,
    plain_body,
)
from strata.graph import Graph, Kind, Node
from strata.prompting import messages
from strata.settings import Reflecting
from strata.words import clean

A = TypeVar("A", bound=BaseModel)

ATOMIC: dict[Kind, str] = {
    "skill": "how one tool, command or interface is used",
    "code": "a snippet with parameters in place of the values of this episode",
    "role": "a specialized part of the work, described so that somebody else could take it over",
}
"""The atomic sub-reflectors, and what each looks for."""


@dataclass(frozen=True, slots=True)
class AtomicDraft:
    """What an atomic sub-reflector decided."""

    kind: Kind
    draft: Draft
    target: str | None
    """The unit to refine; None to create one."""
    merge: tuple[str, ...]
    """Units that are folded into it."""
    tags: tuple[str, ...]
    """As answered."""


@dataclass(frozen=True, slots=True)
class WorkflowDraft:
    """A procedure to be crystallized."""

    draft: Draft
    calls: tuple[str, ...]
    """Ids as answered; checked by whoever links them."""
    tags: tuple[str, ...]
    """As answered."""


@dataclass(slots=True)
class Reflectors:
    """The router and the sub-reflectors.

    Args:
        backbone: Answers them all.
    """

    settings: Reflecting
    backbone: Backbone
    unreadable: Counter[str] = field(default_factory=Counter)
    """Answers, by role, that could not be read or held nothing, since the last episode began."""

    def route(self, episode: Episode, *, solved: bool) -> list[Reflector]:
        """Return who looks at an episode; where the router cannot be read, the workflow reflector alone."""
        prompt = {**self._episode(episode), "outcome": "solved" if solved else "failed"}
        answer = self._ask("router", RouterAnswer, prompt, episode)
        return list(dict.fromkeys(answer.reflectors)) if answer else ["workflow"]

    def atomic(self, kind: Kind, episode: Episode, known: Sequence[Node]) -> AtomicDraft | None:
        """Return what a solved episode adds to the atomic nodes of a kind; the backbone decides refine or create.

        ``known`` are the nodes it may refine or fold, nearest first.
        """
        prompt = {**self._episode(episode), "kind": kind, "meaning": ATOMIC[kind], "known": listed(known)}
        answer = self._ask(kind, AtomicAnswer, prompt, episode, template="atomic")
        if answer is None or answer.decision == "none":
            return None
        body = (code_body if kind == "code" else plain_body)(answer.lines, self.settings)
        draft = drafted(answer, body, self.settings)
        ids = [node.id for node in known]
        target = answer.target.strip() if answer.decision == "refine" else None
        if draft is None or (target is not None and target not in ids):
            self.unreadable[kind] += 1
            return None
        merge = tuple(i for i in dict.fromkeys(answer.merge) if i in ids and i != target) if target else ()
        return AtomicDraft(kind, draft, target, merge, tuple(answer.tags))

    def workflow(self, episode: Episode, known: Sequence[Node]) -> WorkflowDraft | None:
        """Return the generalized procedure of a solved episode; ``known`` are the atomic nodes it may call."""
        prompt = {**self._episode(episode), "known": listed(known)}
        answer = self._ask("workflow", WorkflowAnswer, prompt, episode)
        draft = drafted(answer, plain_body(answer.procedure, self.settings), self.settings) if answer else None
        if answer is None or draft is None:
            self.unreadable["workflow"] += answer is not None
            return None
        return WorkflowDraft(draft, tuple(dict.fromkeys(call.strip() for call in answer.calls)), tuple(answer.tags))

    def variant(self, episode: Episode, nearest: Node) -> str | None:
        """Return the difference of a solved episode to the nearest procedure, as one line."""
        answer = self._ask("variant", VariantAnswer, {**self._episode(episode), **_procedure(nearest)}, episode)
        return self._line("variant", answer.variant) if answer else None

    def pitfall(self, episode: Episode, nearest: Node) -> str | None:
        """Return what a failed episode teaches to avoid, as one line."""
        answer = self._ask("pitfall", PitfallAnswer, {**self._episode(episode), **_procedure(nearest)}, episode)
        return self._line("pitfall", answer.pitfall) if answer else None

    def principle(self, episode: Episode, members: Sequence[Node], tags: Collection[str], ordinal: int) -> Draft | None:
        """Return the principle that a community of workflows follows; its tags feed the naming.

        The ordinal tells apart calls of one round.
        """
        shown = "\n\n".join(map(_member, members[: self.settings.neighbours]))
        prompt = {"members": shown, "tags": ", ".join(sorted(tags)) or "(none)"}
        answer = self._ask("meta", MetaAnswer, prompt, episode, ordinal=ordinal)
        draft = drafted(answer, plain_body(answer.principle, self.settings), self.settings) if answer else None
        self.unreadable["meta"] += answer is not None and draft is None
        return draft

    def _line(self, role: str, text: str) -> str | None:
        line = clean(text, self.settings.line_chars)
        self.unreadable[role] += not line
        return line or None

    def _ask(
        self,
        role: str,
        schema: type[A],
        values: dict[str, str],
        episode: Episode,
        *,
        template: str = "",
        ordinal: int = 0,
    ) -> A | None:
        call = call_of(episode.task.id, episode.trial, "update", role, ordinal * (self.settings.repairs + 1))
        prompt = messages(template or role, **values)
        try:
            return ask(self.backbone, prompt, schema, call=call, repairs=self.settings.repairs)
        except (ParseError, ContextOverflow):
            self.unreadable[role] += 1
            return None

    def _episode(self, episode: Episode) -> dict[str, str]:
        lines = []
        for step in episode.steps[-self.settings.steps :]:
            seen = clean(step.observation, self.settings.observation_chars)
            lines += [f"{ACTION} {clean(step.action, self.settings.line_chars)}", f"{OBSERVATION} {seen}"]
        task = clean(episode.task.text or episode.observation, 4 * self.settings.line_chars)
        return {"task": f"{TASK} {task}", "trajectory": "\n".join(lines)}


def call_of(task_id: str, trial: int, phase: Phase, role: str, ordinal: int = 0) -> Call:
    """Return whose call this is."""
    return Call(task_id=task_id, trial=trial, phase=phase, role=role, ordinal=ordinal)


def listed(nodes: Sequence[Node]) -> str:
    """Return nodes as a list that an answer can point into."""
    return "\n".join(f"[{node.id}] {node.name}: {node.content}" for node in nodes) or "(none)"


def atomics_near(graph: Graph, near: Sequence[str], kinds: Sequence[Kind], most: int) -> list[Node]:
    """Return the atomic nodes of some kinds among ids given nearest first."""
    return [graph.nodes[i] for i in near if graph.nodes[i].kind in kinds][:most]


def _procedure(node: Node) -> dict[str, str]:
    return {"name": node.name, "procedure": "\n".join(f"{at}. {step}" for at, step in enumerate(node.body, 1))}


def _member(node: Node) -> str:
    head = f"Goal: {node.goal or node.content}\nApplies when: {node.applicability or node.name}"
    return "\n".join([head, *(f"{at}. {step}" for at, step in enumerate(node.body, 1))])
