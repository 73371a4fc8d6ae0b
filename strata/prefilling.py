"""Workflows put into a store as they are given, for experiments that control its size: nothing of the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from harness.types import Experience
from strata.contrast import Contrasts
from strata.graph import Node
from strata.mechanisms import Numbers
from strata.reflection import call_of
from strata.store import Store
from strata.tags import RuleTagParser
from strata.writing import origin_of

CALL = "prefill"
"""Stands for the task whose embedding calls these are."""
_BATCH = 1000
"""Workflows embedded at once."""


def prefill(
    store: Store, contrasts: Contrasts, numbers: Numbers, experiences: Sequence[Experience], clock: int
) -> None:
    """Add one workflow for each solved episode: its task's text as both views, its actions as procedure.

    Tags are read by rule, contrast edges are added as for any new workflow; no threshold decides, and no score is kept.
    """
    parser, call = RuleTagParser(numbers.tagging), call_of(CALL, 1, "update", "memory")
    for start in range(0, len(experiences), _BATCH):
        batch = [experience.episode for experience in experiences[start : start + _BATCH]]
        vectors = store.embed(
            [(episode.task.text, f"{episode.task.text}\n{episode.task.text}") for episode in batch], call
        )
        for episode, own in zip(batch, vectors, strict=True):
            text = episode.task.text
            node = Node(
                id=store.graph.next_id("workflow"), kind="workflow", name=text, content=text, applicability=text,
                goal=text, tags=parser.parse(text, episode.task.benchmark, call),
                body=episode.actions[: numbers.reflection.lines], origins=(origin_of(episode),), clock=clock,
            )  # fmt: skip
            store.add(node, own)
            contrasts.add(store.graph, store.geometry, node)
