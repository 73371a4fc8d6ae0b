"""A run reduced to what tables need, in one pass over its episodes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from harness.ledger.reading import BackboneFacts, Run
from harness.ledger.record import EpisodeRecord
from harness.ledger.tally import Tally
from harness.metrics import Measurement, measurements
from harness.tables.model import Part

NO_MODEL: Mapping[str, str] = {
    "expert": "scripted",
    "random_policy": "scripted",
    "scripted": "scripted",
    "apprentice": "simulated",
    "embedded": "embedded",
}
"""What a title must call a backbone, by a module on the way to its class; the others are what their lock says."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A run, its metrics and its sums."""

    run: Run
    metrics: Mapping[str, Measurement]
    tally: Tally
    costs: Tally
    """Sums over the scored episodes alone: a lost one breaks off early and would look cheap."""
    transcript: str
    """sha256 over all episodes, whatever their order; equal for two seeds that played exactly the same."""

    @classmethod
    def of(cls, run: Run) -> Self:
        """Read a run's episodes once. Raises LedgerError for damage, ConfigError for an unknown metric."""
        found, tally, costs, digests = measurements(run.lock.env.metrics), Tally(), Tally(), []
        for record in run.records():
            tally.add(record)
            if record.outcome is not None:
                costs.add(record)
            digests.append(_transcript(record))
            for measurement in found.values():
                measurement.add(record)
        return cls(run, found, tally, costs, hashlib.sha256("".join(sorted(digests)).encode()).hexdigest())

    @property
    def no_models(self) -> dict[str, str]:
        """Kind by id of every backbone in the run, the memory's and the judge's too, that no API serves."""
        lock = self.run.lock
        own = {"backbone": lock.backbone, "memory_backbone": lock.memory_backbone, "judge_backbone": lock.judge}
        kinds = {
            facts.id: _kind(facts, _group(lock.settings, group)) for group, facts in own.items() if facts is not None
        }
        return {name: kind for name, kind in kinds.items() if kind}

    @property
    def scripted(self) -> bool:
        """Whether a script plays, so that equal transcripts are what it must give."""
        return self.no_models.get(self.run.lock.backbone.id) == "scripted"

    def part(self, value: float | None, units: Mapping[str, float] | None = None) -> Part:
        """Return what this run gives to a cell."""
        lock, verdicts = self.run.lock, self.tally.verdicts
        return Part(
            lock.seed, value, (str(self.run.folder),), lock.n_planned, verdicts.n_scored, verdicts.n_infrastructure,
            lock.started[:10], units or {},
        )  # fmt: skip

    def metric_part(self, name: str) -> Part:
        """Return what this run gives to a cell of a metric; no value where its environment has no such metric."""
        measurement = self.metrics.get(name)
        return self.part(measurement.value, measurement.units) if measurement else self.part(None)


def stream_facts(run: Run) -> dict[str, str]:
    """Return what makes two streams different for every method: environment, tasks, order and limits."""
    lock = run.lock
    named = {f"limits.{key}": value for key, value in lock.limits.items()}
    named |= {f"env.{key}": value for key, value in _group(lock.settings, "env").items() if key != "_target_"}
    named |= {"order": lock.order, "trials": lock.trials}
    tasks = hashlib.sha256("\n".join(sorted(lock.tasks)).encode()).hexdigest()[:6]
    return {"tasks": f"{len(lock.tasks)} tasks", **_flat(named, lock.seed), "task set": tasks}


def method_facts(run: Run) -> dict[str, str]:
    """Return everything else that must be equal for two runs to differ in nothing but their seed."""
    lock = run.lock
    groups = {key: value for key, value in lock.settings.items() if key not in ("env", "tasks", "limits")}
    named = {
        **groups,
        "backbone settings": lock.backbone.settings,
        "embedder": groups.get("embedder") or (lock.embedder.id if lock.embedder else None),
        "digests": lock.digests,
        "prompts": lock.prompts,
    }
    return _flat(named, lock.seed)


def differing(facts: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the keys whose values are not the same everywhere, in the order they first come."""
    keys = dict.fromkeys(key for each in facts for key in each)
    return [key for key in keys if len({each.get(key) for each in facts}) > 1]


def told(key: str, facts: Mapping[str, str]) -> str:
    """Return one differing fact as a label says it, such as ``k=3``."""
    above, _, name = key.rpartition(".")
    value = facts.get(key, "unset")
    if name == "_target_":
        group = above.rpartition(".")[2]
        return f"{group}={value.rpartition('.')[2].lower()}" if key in facts else f"no {group}"
    short = value if len(value) <= 24 else f"{value[:23]}…"
    return short if key == "tasks" else f"{name}={short}"


def telling(keys: Sequence[str], facts: Mapping[str, str]) -> list[str]:
    """Leave out the settings of a part that is not there at all, where it is among the keys that it is not."""
    missing = {key.removesuffix("_target_") for key in keys if key.endswith("._target_") and key not in facts}
    return [key for key in keys if key in facts or key.rpartition(".")[0] + "." not in missing or "_target_" in key]


def _kind(facts: BackboneFacts, settings: Mapping[str, Any]) -> str:
    """Return scripted | simulated | embedded, or empty for a language model behind an API."""
    words = [NO_MODEL[word] for word in str(settings.get("_target_", "")).split(".") if word in NO_MODEL]
    return words[0] if words else "" if facts.real else "simulated"


def _group(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = settings.get(name)
    return found if isinstance(found, dict) else {}


def _flat(value: Mapping[str, Any], seed: int, above: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, below in sorted(value.items()) if above else value.items():
        path = f"{above}.{key}" if above else str(key)
        if isinstance(below, dict):
            found |= _flat(below, seed, path)
        elif not (key == "store" or (key == "seed" and below == seed)):
            found[path] = below if isinstance(below, str) else json.dumps(below, sort_keys=True)
    return found


def _transcript(record: EpisodeRecord) -> str:
    steps = [(step.kind.value, step.thought, step.action, step.observation) for step in record.steps]
    return hashlib.sha256(json.dumps([record.task.id, record.trial, steps]).encode()).hexdigest()
