"""The numbers of G-Memory in groups; their values and where they are from stand in configs/memory/."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]
Cosine = Annotated[float, Field(ge=-1, le=1)]

Fault = Literal[
    "top_up_replaces",
    "merge_asks_for_none",
    "agree_by_substring",
    "backward_after_write",
    "one_key_step_prompt",
    "digits_stripped",
    "point_counted_twice",
    "equal_texts_collapse",
]
"""What the published repository does and its paper does not say:

- ``top_up_replaces``: too few trajectories from the graph, and the similarity search replaces them, not adds to them.
- ``merge_asks_for_none``: a merge asks for (n // 3) // 3 rules, none for batches under nine; else max(1, n // 3).
- ``agree_by_substring``: AGREE finds its rule by a piece of text; without a match the last rule is credited.
- ``backward_after_write``: scores of the shown rules change after the write step, which may have merged them away.
- ``one_key_step_prompt``: key steps of failures are asked for with the prompt written for successes.
- ``digits_stripped``: the model that condenses a trajectory reads it without its digits.
- ``point_counted_twice``: a fine-tuning point is compared with its nearest episodes, itself among them.
- ``equal_texts_collapse``: episodes of one task text share one node of the graph, and with it all edges.
"""
FAULTS: tuple[Fault, ...] = get_args(Fault)


def faults_of(mode: Literal["paper", "repo"], faults: Sequence[Fault] | None) -> frozenset[Fault]:
    """Return the faults that are on: those named, else none in mode paper and all in mode repo."""
    if faults is not None:
        return frozenset(faults)
    return frozenset(FAULTS if mode == "repo" else ())


class Group(BaseModel):
    """A group of settings: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class Keeping(Group):
    """What is kept of a trajectory."""

    steps: Count
    """Most steps, the last ones."""
    action_chars: Count
    """Characters of an action."""
    observation_chars: Count
    """Characters of an observation."""
    no_effect: list[str]
    """Beginnings of observations that mark a step as useless, as a negative reward does."""


class Answering(Group):
    """What is taken of the model's answers."""

    line_chars: Count
    """Longest text that is stored: a key step, a reason, an insight."""
    key_steps: Count
    """Most key steps."""
    repairs: Natural
    """How often an unreadable answer is asked for again."""


class Linking(Group):
    """Which stored queries a new one is joined to."""

    neighbours: Count
    """How many of the nearest stored queries are looked at."""
    cosine: Cosine
    """Least cosine for an edge."""


class Recalling(Group):
    """What is injected."""

    successes: Natural
    """Solved trajectories."""
    failures: Natural
    """Failed trajectories."""
    cosine: Cosine
    """Least cosine between a trajectory's task and the new one."""
    hops: Natural
    """How far the graph is followed from the nearest queries."""
    rate: bool
    """Whether the model grades twice as many solved trajectories as are injected, 1 to 10, and the best are taken."""
    steps: Count
    """Most steps shown of a trajectory, the last ones."""


class Counting(Group):
    """Which insights are injected."""

    insights: Natural
    """How many."""
    successes: Natural
    """Nearest solved queries whose insights are counted."""
    failures: Natural
    """Nearest failed queries whose insights are counted."""


class Finetuning(Group):
    """How insights are made and scored from comparisons of stored episodes."""

    every: Count
    """Episodes between two rounds."""
    start: Count
    """Stored episodes before the first round."""
    points: Count
    """Random stored episodes a round begins from."""
    successes: Count
    """Nearest solved episodes of each point."""
    failures: Natural
    """Nearest failed episodes of each point."""
    chunk: Count
    """Most solved episodes in one comparison."""
    coverage: Annotated[float, Field(ge=0, le=1)]
    """Least share of a point's episodes among a rule's positives for it to be shown for editing."""
    operations: Count
    """Most operations taken of one answer."""
    rules: Count
    """Length of the list from which on REMOVE costs more."""


class Merging(Group):
    """How rules of like tasks become fewer."""

    every: Count
    """Episodes between two merges."""
    batch: Count
    """Most rules in one merge."""
