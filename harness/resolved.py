"""What a configuration came to: lock.json, so that a run can be told from every other and made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from harness.agents.prompts import prompts_digest
from harness.build import Prepared
from harness.config.cell import Cell
from harness.config.signature import plain
from harness.ledger.record import SCHEMA_VERSION
from harness.protocols import Backbone, Environment, Memory, PromptedMemory


@runtime_checkable
class Adapted(Protocol):
    """A model behind a provider that may not take every setting."""

    def effective_settings(self) -> Mapping[str, object]:
        """Return the settings that will really be sent."""


def lock(prepared: Prepared) -> dict[str, Any]:
    """Return what was resolved: lock.json, less where and when it was made."""
    cell, environment = prepared.cell, prepared.environment
    agent = prepared.agent(prepared.backbone, None)
    memory = prepared.memory(prepared.memory_backbone, prepared.embedder)
    return {
        "schema": SCHEMA_VERSION,
        "identity": cell.identity_hash,
        "run": cell.name,
        "asked": cell.identity,
        "env": _environment(environment),
        "memory": _memory(memory),
        "backbone": _backbone(prepared.backbone),
        "memory_backbone": _backbone(prepared.memory_backbone),
        "judge": _backbone(prepared.judge) if cell.stream.outcome_source == "judge" else None,
        "settings": {name: plain(dict(model.settings())) for name, model in _models(prepared)},
        "embedder": {"id": prepared.embedder.id},
        "agent": {"name": agent.name},
        "seed": cell.root.seed,
        "clock": prepared.start.clock,
        "protocol": cell.stream.protocol,
        "order": cell.tasks.order,
        "trials": cell.stream.trials,
        "outcome_source": cell.stream.outcome_source,
        "tasks": [task.id for task in prepared.plan],
        "n_planned": len(prepared.plan),
        "limits": {"max_steps": cell.tasks.max_steps, **cell.limits.model_dump()},
        "digests": dict(environment.digests()),
        "prompts": {"environment": prepared.prompts.digest(), "agent": agent.digest(), **_asked_with(memory)},
        "row": cell.choices.get("row"),
        "experiment": cell.choices.get("experiment"),
        "choices": dict(cell.choices),
        "overrides": list(cell.overrides),
        "disclosures": _disclosures(cell),
    }


def _models(prepared: Prepared) -> Sequence[tuple[str, Backbone]]:
    models = [("backbone", prepared.backbone), ("memory_backbone", prepared.memory_backbone)]
    return [*models, ("judge", prepared.judge)] if prepared.cell.stream.outcome_source == "judge" else models


def _environment(environment: Environment) -> Mapping[str, Any]:
    return {
        "name": environment.name,
        "variant": environment.variant,
        "metrics": list(environment.metrics),
        "disclosures": list(environment.disclosures),
        "deterministic": environment.deterministic,
        "expert_kind": environment.expert_kind,
    }


def _memory(memory: Memory) -> Mapping[str, Any]:
    return {
        "name": memory.name,
        "mode": memory.mode,
        "variant": memory.variant,
        "disclosures": list(memory.disclosures),
    }


def _asked_with(memory: Memory) -> Mapping[str, str]:
    return {"memory": prompts_digest(memory.prompts)} if isinstance(memory, PromptedMemory) else {}


def _backbone(backbone: Backbone) -> Mapping[str, Any]:
    sent = backbone.effective_settings() if isinstance(backbone, Adapted) else backbone.settings()
    return {
        "id": backbone.id,
        "real": backbone.real,
        "disclosures": list(backbone.disclosures),
        "settings": plain(dict(backbone.settings())),
        "effective_settings": plain(dict(sent)),
    }


def _disclosures(cell: Cell) -> Sequence[str]:
    found = []
    if cell.limits.max_time_s is not None:
        found.append(
            f"episodes are stopped after {cell.limits.max_time_s} s of wall-clock time: not repeatable to the byte"
        )
    if cell.stream.outcome_source != "env":
        found.append(
            f"the memory learns from {cell.stream.outcome_source} feedback, not from the environment's verdict"
        )
    return found
