"""From a checked cell to live objects. All that can be wrong with the input shows here, before a folder exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.agents.prompts import Prompts
from harness.backbones.meter import Budget, Meter
from harness.backbones.recorded import RecordedBackbone
from harness.config.cell import Cell, Part
from harness.config.signature import plain
from harness.embedders.recorded import RecordedEmbedder
from harness.errors import ConfigError
from harness.ledger.calls import CallStore, store_file
from harness.ledger.folder import RunFolder
from harness.protocols import Agent, Backbone, Embedder, Environment, Memory
from harness.seeds import Draws
from harness.stream.attempt import Attempt
from harness.stream.distractors import check_prefill
from harness.stream.feedback import Feedback
from harness.stream.interrupts import Interrupts
from harness.stream.plan import plan
from harness.stream.reporting import Reporter, Tracker
from harness.stream.runner import Start, Stream
from harness.types import Limits, StreamInfo, Task, Usage


@runtime_checkable
class Checked(Protocol):
    """Something that can tell before it is used that it will not work."""

    def check(self) -> None:
        """Raise ConfigError where a key, a server setting or a file is missing."""


@runtime_checkable
class Priced(Protocol):
    """A model whose calls may cost money."""

    @property
    def priced(self) -> bool:
        """Whether the cost of every call will be known."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A stream's inputs, all of them found and read; nothing has been written."""

    cell: Cell
    environment: Environment
    plan: tuple[Task, ...]
    prompts: Prompts
    backbone: Backbone
    memory_backbone: Backbone
    judge: Backbone
    embedder: Embedder
    start: Start

    @property
    def models(self) -> tuple[Backbone | Embedder, ...]:
        """Everything that calls may be sent to."""
        return (self.backbone, self.memory_backbone, self.judge, self.embedder)

    @property
    def priced(self) -> bool:
        """Whether the cost of every call will be known; local and simulated models cost nothing."""
        return all(model.priced for model in self.models if isinstance(model, Priced))

    def check(self) -> None:
        """Ask each model for what is missing; a replay sends nothing and misses nothing. Raises ConfigError."""
        check_prefill(self.start.prefill, self.memory(self.memory_backbone, self.embedder))
        self.agent(self.backbone, None)
        cell = self.cell
        dollars = {
            "stream.budget_usd, or give stream.budget_tokens": cell.stream.budget_usd,
            "limits.max_cost_usd, or give limits.max_tokens": cell.limits.max_cost_usd,
        }
        for key, amount in dollars.items():
            if amount is not None and not self.priced:
                raise ConfigError(
                    "a limit in dollars needs the price of every call, and one model's is unknown: set its "
                    f"input_usd_per_mtok and output_usd_per_mtok, or leave out {key}"
                )
        for other in cell.root.shared:
            store_file(Path(other))
        if cell.root.replay is not None:
            store_file(Path(cell.root.replay))
            return
        for model in self.models:
            if isinstance(model, Checked):
                model.check()

    def memory(self, backbone: Backbone, embedder: Embedder) -> Memory:
        """Return a new, empty memory."""
        made: Memory = self.cell.memory.build(backbone=backbone, embedder=embedder, draws=self._draws("memory"))
        return made

    def agent(self, backbone: Backbone, spent: Callable[[], Usage] | None) -> Agent:
        """Return a new agent; ``spent`` tells it what its episode has cost so far."""
        made: Agent = self.cell.agent.build(backbone=backbone, prompts=self.prompts, spent=spent)
        return made

    def _draws(self, consumer: str) -> Draws:
        return Draws(self.cell.root.seed, consumer)


def prepare(cell: Cell, start_from: RunFolder | None = None, environment: Environment | None = None) -> Prepared:
    """Build and read everything a stream needs. Raises ConfigError for whatever is missing or wrong.

    ``start_from`` is the run of a train stream; else the one that ``stream.store`` names is taken. ``environment`` is
    the cell's own where it has been built before.
    """
    draws = Draws(cell.root.seed, "backbone")
    environment = environment or cell.env.build()
    backbone: Backbone = cell.backbone.build(draws=draws)
    store = RunFolder(Path(cell.stream.store)) if cell.stream.store else start_from

    def other(part: Part | None) -> Backbone:
        return part.build(draws=draws) if part else backbone

    prepared = Prepared(
        cell=cell,
        environment=environment,
        plan=plan(environment.tasks(), cell.tasks, Draws(cell.root.seed, "order")),
        prompts=Prompts.load(environment.prompts, offers_actions=environment.offers_actions),
        backbone=backbone,
        memory_backbone=other(cell.memory_backbone),
        judge=other(cell.judge_backbone),
        embedder=cell.embedder.build(),
        start=_start(cell, store, environment.name),
    )
    prepared.check()
    return prepared


def _start(cell: Cell, store: RunFolder | None, benchmark: str) -> Start:
    """Return what the stream starts from. Raises ConfigError for the memory of another method."""
    prefill = partial(cell.prefill.build().experiences, benchmark) if cell.prefill else None
    if store is None:
        return Start(prefill=prefill)
    memory, _ = store.final_memory()
    wanted = cell.memory.identity()["_target_"]
    held = (store.lock() or {}).get("asked", {}).get("memory", {}).get("_target_", wanted)
    if held != wanted:
        raise ConfigError(f"stream.store: got a memory of {held} in {store.path}, expected one of {wanted}")
    return Start(memory, store.final_clock(), prefill)


def assemble(prepared: Prepared, folder: RunFolder, store: CallStore, interrupts: Interrupts) -> Stream:
    """Put the stream together, on a folder that is held and a store that is open."""
    cell = prepared.cell
    meter = Meter(Budget(max_cost_usd=cell.stream.budget_usd, max_tokens=cell.stream.budget_tokens, spent=store.paid()))
    backbone = RecordedBackbone(prepared.backbone, store, meter)
    memory_backbone = RecordedBackbone(prepared.memory_backbone, store, meter)
    embedder = RecordedEmbedder(prepared.embedder, store, meter)
    reporter = Reporter(folder.path, len(prepared.plan), tracker(cell, folder))
    attempt = Attempt(
        environment=prepared.environment,
        agent=prepared.agent(backbone, lambda: meter.total),
        feedback=Feedback(cell.stream.outcome_source, RecordedBackbone(prepared.judge, store, meter)),
        limits=Limits(max_steps=cell.tasks.max_steps, **cell.limits.model_dump()),
        meter=meter,
        frozen=cell.stream.protocol == "frozen",
        on_step=reporter.playing,
    )
    return Stream(
        plan=prepared.plan,
        folder=folder,
        store=store,
        attempt=attempt,
        make_memory=lambda: prepared.memory(memory_backbone, embedder),
        info=_info(prepared),
        settings=cell.stream,
        reporter=reporter,
        interrupts=interrupts,
        start=prepared.start,
    )


def _info(prepared: Prepared) -> Callable[[int], StreamInfo]:
    cell = prepared.cell

    def info(clock: int) -> StreamInfo:
        return StreamInfo(
            name=cell.name,
            benchmark=prepared.environment.name,
            seed=cell.root.seed,
            frozen=cell.stream.protocol == "frozen",
            outcome_source=cell.stream.outcome_source,
            clock=clock,
        )

    return info


def tracker(cell: Cell, folder: RunFolder) -> Tracker | None:
    """Return the mirror that the configuration asks for."""
    if cell.tracking is None:
        return None
    made: Tracker = cell.tracking.build()
    made.begin(cell.name, plain(cell.asked), folder.path)
    return made
