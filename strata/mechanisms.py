"""The mechanisms of one memory, wired together: which are on, with which numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from harness.errors import ConfigError
from harness.protocols import Backbone, Embedder
from harness.seeds import Draws
from strata.collector import Ages
from strata.contrast import Contrasts
from strata.maintenance import MetaLayer, Totals
from strata.meta import Induction
from strata.reflection import Reflectors
from strata.settings import (
    BandMode,
    CollectionMode,
    CommunityMethod,
    ContrastMode,
    Dimension,
    EdgeMode,
    Forgetting,
    Inducing,
    Linking,
    MetaTags,
    Opposing,
    Reflecting,
    Retrieving,
    Shrinking,
    Tagging,
    TagParserName,
    Weights,
)
from strata.similarity import Geometry
from strata.similarity_graph import SimilarityGraph
from strata.store import Store
from strata.tags import LLMTagParser, RuleTagParser, TagParser
from strata.thresholds import Bands
from strata.writing import Writer


@dataclass(frozen=True, slots=True)
class Switches:
    """Which mechanisms are on; the defaults are the full system."""

    tag_parser: TagParserName = "rule"
    drop: Sequence[Dimension] = ()
    thresholds: BandMode = "shrunk"
    edge_thresholds: EdgeMode = "adaptive"
    contrast: ContrastMode = "rule"
    collection: CollectionMode = "protected"
    meta: bool = True
    novelty: bool = True
    meta_tags: MetaTags = "recomputed"
    communities: CommunityMethod = "louvain"

    @property
    def variant(self) -> str:
        """Return what differs from the full system, or ``full``."""
        full = Switches()
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        changed = {name: value for name, value in values.items() if value != getattr(full, name)}
        words = [f"{name}={'+'.join(value) if isinstance(value, tuple) else value}" for name, value in changed.items()]
        return ",".join(words) or "full"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Every number, grouped as in the paper."""

    tagging: Tagging
    weights: Weights
    retrieval: Retrieving
    reflection: Reflecting
    bands: Shrinking
    opposites: Opposing
    forgetting: Forgetting
    linking: Linking
    induction: Inducing


class Mechanisms:
    """The working parts of an empty memory.

    Raises ConfigError where the switches leave no similarity dimension.
    """

    def __init__(
        self, switches: Switches, numbers: Numbers, backbone: Backbone, embedder: Embedder, draws: Draws
    ) -> None:
        if set(switches.drop) >= {name for name, weight in numbers.weights if weight > 0}:
            raise ConfigError(f"memory.drop: got {list(switches.drop)}, which leaves no dimension; keep at least one")
        geometry = Geometry(numbers.weights, switches.drop)
        w = SimilarityGraph(numbers.linking, switches.edge_thresholds, geometry, draws)
        self.ages = Ages(numbers.forgetting)
        self.store = Store(embedder, geometry, w, self.ages)
        self.bands = Bands(numbers.bands, switches.thresholds)
        self.contrasts = Contrasts(numbers.opposites, switches.contrast, numbers.tagging.operators)
        self.reflectors = Reflectors(numbers.reflection, backbone)
        self.tags: TagParser = RuleTagParser(numbers.tagging)
        if switches.tag_parser == "llm":
            self.tags = LLMTagParser(numbers.tagging, backbone, numbers.reflection.repairs, self.reflectors.unreadable)
        self.writer = Writer(self.store, self.reflectors, self.bands, self.tags, self.contrasts.opposition)
        self.totals = Totals()
        self.metas: MetaLayer | None = None
        if switches.meta:
            seed = int(draws.at("communities").integers(2**31))
            self.metas = MetaLayer(
                store=self.store,
                induction=Induction(numbers.induction, switches.communities, switches.novelty, seed),
                reflectors=self.reflectors,
                tags=switches.meta_tags,
                settings=numbers.induction,
                high=numbers.bands.high_prior,
                totals=self.totals,
            )


def cap_of(settings: Forgetting, stream: str, benchmark: str) -> int:
    """Return a stream's cap on live workflows: the configured one, or the entry of the longest name it begins with.

    Raises ConfigError where there is neither an entry nor a default.
    """
    if settings.cap is not None:
        return settings.cap
    fitting = [key for key in settings.caps if stream.startswith(key)] or [benchmark]
    key = max(fitting, key=len)
    key = key if key in settings.caps else "default"
    if key not in settings.caps:
        raise ConfigError(
            f"memory.forgetting.caps: got no entry for stream {stream!r} of {benchmark!r} and no default; "
            "set memory.forgetting.cap"
        )
    return settings.caps[key]
