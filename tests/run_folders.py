"""Run folders as the runner writes them, small and made to order, for everything that reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.ledger.progress import Progress, write_progress
from harness.ledger.record import EpisodeRecord, Feedback, Infrastructure, MemoryMark, Times, UsageRow
from harness.types import Outcome, Recall, RecallItem, Step, StepKind, StopReason, Task, UpdateReport, Usage

STARTED = "2026-11-02T10:00:00+00:00"


def record(
    index: int,
    *,
    task: str = "",
    family: str = "boil",
    template: str = "",
    trial: int = 1,
    success: bool = True,
    score: float | None = None,
    lost: bool = False,
    actions: Sequence[str] = ("look around", "open door"),
    observation: str = "You see a room.",
    thought: str = "I look first.",
    metrics: Mapping[str, float] | None = None,
    cost_usd: float | None = 0.0,
    remembered: Sequence[str] = (),
) -> EpisodeRecord:
    """Return the line of one episode."""
    name = task or f"{family}/{index}"
    steps = tuple(Step(StepKind.ACT, action, observation, thought=thought) for action in actions)
    points = (100.0 if success else 20.0) if score is None else score
    stop = StopReason.SOLVED if success else StopReason.STEP_LIMIT
    items = tuple(RecallItem(f"m{i}", "episode", 0.5, text, ("boil/0",)) for i, text in enumerate(remembered))
    return EpisodeRecord(
        schema=1,
        index=index,
        task=Task(name, "scienceworld", f"Your task is {name}.", family, template or name),
        trial=trial,
        observation=observation,
        recall=Recall(items, "What worked before:" if items else ""),
        recall_lines=2 * len(items),
        recall_tokens=10 * len(items),
        steps=() if lost else steps,
        outcome=None if lost else Outcome(success, points, stop),
        infrastructure=Infrastructure(error="EnvironmentFault", message="the simulator died") if lost else None,
        feedback=Feedback(
            source="none" if lost else "env", success=None if lost else success, score=None if lost else points
        ),
        update=None if lost else UpdateReport(index + 1, (f"m{index}",)),
        usage=(
            UsageRow(phase="agent", role="solver", kind="chat", usage=Usage(2, 900, 40, cost_usd=cost_usd)),
            UsageRow(phase="update", role="solver", kind="chat", usage=Usage(1, 100, 10, cost_usd=cost_usd)),
            UsageRow(phase="retrieve", role="solver", kind="embedding", usage=Usage(1, 12, 0, cost_usd=0.0)),
        ),
        metrics=dict(metrics or {}),
        memory=MemoryMark(generation=index, digest="0" * 64, items=index + 1),
        time=Times(started=STARTED, wall_s=4.0, agent_s=2.0, memory_s=1.0, engine_s=1.0),
    )


def lock(name: str, records: Sequence[EpisodeRecord], **changes: Any) -> dict[str, Any]:
    """Return the content of lock.json; keys of ``changes`` replace whole values, dotted ones below them."""
    seed = changes.get("seed", 0)
    value: dict[str, Any] = {
        "schema": 1,
        "run": name,
        "env": {
            "name": "scienceworld", "variant": "paper23", "metrics": ["score", "sr"], "deterministic": True,
            "expert_kind": "path", "disclosures": ["a fresh simulator an episode"],
        },
        "memory": {"name": "flat", "mode": "paper", "variant": "", "disclosures": []},
        "backbone": {"id": "gpt-4o-mini-2024-07-18", "real": True, "disclosures": [], "settings": {"temperature": 0}},
        "embedder": {"id": "wordllama-256"},
        "agent": {"name": "react"},
        "seed": seed,
        "protocol": "online",
        "order": "dataset",
        "outcome_source": "env",
        "tasks": list(dict.fromkeys(r.task.id for r in records)),
        "n_planned": len({r.task.id for r in records}),
        "limits": {"max_steps": 30},
        "versions": {"python": "3.11"},
        "git": {"sha": "a" * 40, "dirty": False},
        "digests": {"scienceworld": "d1"},
        "prompts": {"system.md": "p1"},
        "row": None,
        "experiment": None,
        "overrides": [],
        "started": STARTED,
        "identity": "0" * 64,
        "asked": {
            "env": {"_target_": "envs.scienceworld.ScienceWorld", "subset": "paper23"},
            "memory": {"_target_": "baselines.flat.Flat", "k": 3},
            "backbone": {"_target_": "harness.backbones.litellm.LiteLlm", "model": "gpt-4o-mini", "seed": seed},
            "seed": seed,
        },
    }  # fmt: skip
    for key, change in changes.items():
        *above, last = key.split("__")
        below = value
        for part in above:
            below = below[part]
        below[last] = change
    return value


def run_folder(root: Path, name: str, records: Sequence[EpisodeRecord], **changes: Any) -> Path:
    """Write a run folder. ``memory__name="strata"`` changes one value of its lock below a key."""
    folder = root / name
    folder.mkdir(parents=True)
    resolved = lock(name, records, **changes)
    (folder / "lock.json").write_text(json.dumps(resolved), encoding="utf-8")
    (folder / "episodes.jsonl").write_text("".join(f"{r.line()}\n" for r in records), encoding="utf-8")
    done = len(records) == resolved["n_planned"]
    scored = [r.outcome for r in records if r.outcome]
    write_progress(
        folder,
        Progress(
            run=name, state="complete" if done else "stopped", n_planned=resolved["n_planned"], n_done=len(records),
            n_solved=sum(o.success for o in scored), started=STARTED, updated=STARTED,
        ),
    )  # fmt: skip
    return folder


def stream(solved: Sequence[bool], *, says: str = "", **settings: Any) -> list[EpisodeRecord]:
    """Return the episodes of tasks solved or not; ``says`` makes their transcripts their own."""
    return [
        record(i, success=ok, family=("boil", "melt")[i % 2], thought=f"I look first. {says}", **settings)
        for i, ok in enumerate(solved)
    ]
