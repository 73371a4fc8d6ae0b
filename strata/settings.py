"""The numbers of the paper, one group a paragraph and in its order; the values stand in configs/memory/strata.yaml."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Unit = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Item = TypeVar("Item")
Pair = Annotated[list[Item], Field(min_length=2, max_length=2)]

Dimension = Literal["content", "index", "tag", "lexical"]
TagParserName = Literal["rule", "llm"]
BandMode = Literal["shrunk", "raw", "global", "pooled"]
EdgeMode = Literal["adaptive", "fixed"]
ContrastMode = Literal["rule", "hand_placed", "learned", "none"]
CollectionMode = Literal["protected", "unprotected", "none"]
CommunityMethod = Literal["louvain", "leiden"]
MetaTags = Literal["recomputed", "accumulated"]
Distance = Literal["euclidean", "cosine"]


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class Tagging(_Group):
    """The tag space: canonical words, so that query and node live in one geometry."""

    operators: dict[str, list[str]]
    """Operator -> the words that name it; the operator's own name is one of them."""
    apps: dict[str, list[str]]
    """Application -> the words that name it; without one in the text the application is the benchmark."""
    ignore: list[str]
    """Words that are never an object."""
    sentences: Count
    """How many sentences of a text, from the first, state its goal and are read for tags."""
    most: Count
    """Most tags of each kind that an LLM's answer may give."""


class Weights(_Group):
    """The weights of the four similarity dimensions."""

    content: Unit
    index: Unit
    tag: Unit
    lexical: Unit


class Retrieving(_Group):
    """Which nodes are injected."""

    gate: float
    """theta_min: least raw score of a seed and of a meta parent."""
    layer_bonus: Positive
    """beta_layer: what a meta gains in rank; a workflow gains half."""
    seeds: Count
    """k: how many seeds."""
    contrast_neighbours: Count | None
    """Most contrast neighbours that one seed pulls in, the best ranked first; null is all of them."""
    bullets: Count | None
    """Most bullets of each kind that are shown of a node, the latest different ones; null is all of them."""
    meta_bullets: Count | None
    """As ``bullets``, of a meta, whose bullets are its routing table: one for each member."""
    lines: Count | None
    """Most lines injected; the most needed node is shown, less its bullets, even if it is longer; null is no bound."""


class Reflecting(_Group):
    """What reflectors are shown, and how much they may write."""

    neighbours: Count
    """How many similar nodes an atomic or workflow reflector is shown."""
    steps: Count
    """How many steps of a trajectory it is shown, the last ones."""
    observation_chars: Count
    """Characters of each observation it is shown."""
    line_chars: Count
    """Longest line that is stored; the rest is cut."""
    lines: Count
    """Most lines of a procedure."""
    repairs: Annotated[int, Field(ge=0)]
    """How often an unreadable answer is asked for again."""


class Shrinking(_Group):
    """Per-group quantiles shrunk towards a global prior."""

    kappa: Positive
    """Weight of the prior, in observations."""
    low_quantile: Unit
    high_quantile: Unit
    low_prior: float
    """G_low: tau_low of an empty group."""
    high_prior: float
    """G_high: tau_high of an empty group."""


class Opposing(_Group):
    """What is opposite to what."""

    lexicon: list[Pair[str]]
    """Pairs of opposite operators."""
    hand_placed: list[Pair[list[str]]]
    """Pairs of tag lists; an edge joins two workflows that carry all tags of one side each."""
    separate: bool
    """Whether the reflection band passes over workflows that oppose the episode's task, so that both sides exist."""
    likeness: Unit
    """Least content cosine of two workflows whose opposition is learned."""
    followed: Unit
    """Least share of a procedure's steps found among the actions for it to count as executed."""


class Forgetting(_Group):
    """Quality, competitive age and pressure."""

    activation_weight: Unit
    """w_A."""
    age_weight: Unit
    """w_G."""
    alpha: Positive
    """What every candidate ages at a retrieval."""
    beta: Positive
    """What a retrieved loser ages more, times its score and closeness."""
    gamma: Unit
    """What the winner's age is multiplied with."""
    hysteresis: Unit
    """Share of the cap that a collection clears."""
    cap: Annotated[int, Field(ge=1)] | None
    """Most live workflows; null takes the stream's entry in ``caps``."""
    caps: dict[str, Annotated[int, Field(ge=1)]]
    """Cap by stream or benchmark name; the longest name that the stream's begins with, else ``default``."""


class Linking(_Group):
    """The workflow similarity graph W."""

    neighbours: Count
    """Edges each node ranks; an edge survives if either endpoint ranks it."""
    kappa: Positive
    """kappa_E: weight of the intra-group default, in pairs."""
    intra: float
    """Intra-group default threshold."""
    cross: float
    """Fixed cross-group threshold."""
    pairs: Count
    """Most pairs of a group whose median is taken; above it a seeded sample of as many."""


class Inducing(_Group):
    """Which communities become meta nodes."""

    resolution: Positive
    """Of Louvain or Leiden."""
    least_size: Count
    """N_min: fewest members of a promoted community."""
    conductance: Positive
    """A promoted community's conductance is below it."""
    radius: Positive
    """R_meta: least distance to the nearest meta for a new one."""
    distance: Distance
    """How the distance of two centroids is measured."""
    churn_overlap: Unit
    """Least Jaccard overlap of member sets at which a create rebuilds an old meta; diagnostic only."""
