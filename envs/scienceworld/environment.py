"""ScienceWorld (Wang et al. 2022, arXiv:2203.07540): elementary-school science in text, on its published simulator."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from envs.scienceworld import java
from envs.scienceworld.catalogue import Split, electrical, simplifications, task_names, variations
from envs.scienceworld.engine import Engine
from envs.scienceworld.plans import KeptPlans
from envs.scienceworld.session import ScienceWorldSession
from harness.errors import ConfigError, EnvironmentFault
from harness.protocols import Session
from harness.types import RUNTIME, ExpertKind, Task


class ScienceWorld:
    """The 30 tasks of ScienceWorld or some of them; family and template of a task are its name.

    Args:
        subset: ``paper23`` (without the growing, inclined-plane and genetics tasks), ``all``, or task names.
        split: Whose variations are played: train, dev or test, as the simulator divides them.
        variations: How many of each task, the first of the split; or their numbers; or ``all``.
        simplification: Comma-joined names of the simulator's simplifications, or ``easy``, or nothing.
        strict: Whether each episode has a fresh JVM. If not, one is used again: faster, but orders may differ.
        java_options: Options of the JVM.
        start_timeout_s: Seconds until a JVM with the simulator must be up.
        call_timeout_s: Seconds until the simulator must have answered.
    """

    name = "scienceworld"
    metrics: tuple[str, ...] = ("score", "sr")
    expert_kind: ExpertKind = "path"
    offers_actions = False  # up to 1,400 of them, and asking costs more than a step
    prompts = Path(__file__).with_name("prompts")

    def __init__(
        self,
        *,
        subset: str | list[str] = "paper23",
        split: Split = "test",
        variations: int | list[int] | Literal["all"] = 1,
        simplification: str = "easy",
        strict: bool = True,
        java_options: Annotated[str, RUNTIME] = "-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        start_timeout_s: Annotated[float, RUNTIME] = 120.0,
        call_timeout_s: Annotated[float, RUNTIME] = 120.0,
    ) -> None:
        if start_timeout_s <= 0 or call_timeout_s <= 0:
            raise ConfigError(
                f"env timeouts must be above 0 s, got start {start_timeout_s:g} and call {call_timeout_s:g}"
            )
        self.deterministic = strict
        self._subset = subset
        self._split: Split = split
        self._wanted = variations
        self._simplifications = simplifications(simplification)
        self._games = self._select(task_names(subset))
        self._java_options = shlex.split(java_options)
        self._start_timeout_s = start_timeout_s
        self._call_timeout_s = call_timeout_s
        self._spare: Engine | None = None
        self._plans_wanted = False

    @property
    def variant(self) -> str:
        """``paper23`` for the default selection, else subset, split and variations, such as ``all-test-1``."""
        if (self._subset, self._split, self._wanted) == ("paper23", "test", 1):
            return "paper23"
        subset = self._subset if isinstance(self._subset, str) else "+".join(self._subset)
        wanted = "_".join(map(str, self._wanted)) if isinstance(self._wanted, list) else self._wanted
        return f"{subset.replace(',', '+')}-{self._split}-{wanted}"

    @property
    def disclosures(self) -> Sequence[str]:
        """Say what is reconstructed, how the game is simplified, and where episodes may not repeat."""
        said = []
        if self._subset == "paper23":
            said.append(
                "ScienceWorld's 23 tasks are reconstructed: the 30 without the growing, inclined-plane and genetics "
                f"tasks; so are their variations ({self._split} split, {self._described_variations()})."
            )
        shown = ", ".join(self._simplifications) or "none"
        said.append(f"ScienceWorld's simplifications: {shown} (reconstructed).")
        if "noElectricalAction" in self._simplifications and any(electrical(name) for name, _ in self._games.values()):
            said.append("noElectricalAction is left out where a task needs electrical actions.")
        if not self.deterministic:
            said.append("ScienceWorld's simulator is used again for the next episode: its listings may change order.")
        return said

    def tasks(self) -> Sequence[Task]:
        """Return the tasks in the order of the ScienceWorld paper, or as listed, each with its variations ascending.

        No JVM with the simulator is started, so instructions are empty: read ``Session.task``. Raises ConfigError
        where Java or the simulator is missing.
        """
        java.check()
        return [Task(id, self.name, text="", family=name, template=name) for id, (name, _) in self._games.items()]

    def start(self, task: Task) -> Session:
        """Load a task's game. Raises ConfigError for a task not selected, EnvironmentFault where no JVM comes up."""
        if task.id not in self._games:
            raise ConfigError(f"the selection {self.variant} has no task {task.id!r}; take tasks from tasks()")
        java.check()
        name, variation = self._games[task.id]
        planned = self._plans_wanted and self._kept_plan(name, variation) is None
        engine = self._take()
        try:
            self._load(engine, name, variation, planned=planned)
            session = ScienceWorldSession(
                Task(task.id, self.name, text="", family=name, template=name),
                engine,
                plan=lambda: self._plan(engine if planned else None, name, variation),
                close=self._give_back,
                teleports="teleportAction" in self._simplifications,
            )
            self._prestart()
        except BaseException:
            engine.close()
            raise
        return session

    def digests(self) -> Mapping[str, str]:
        """Return the sha256 of the simulator's jar, and its version."""
        return java.digests()

    def close(self) -> None:
        """End the JVM that was started ahead or kept. May be called twice."""
        if self._spare is not None:
            self._spare.close()
            self._spare = None

    def _select(self, names: Sequence[str]) -> Mapping[str, tuple[str, int]]:
        return {
            f"{name}-{variation}": (name, variation)
            for name in names
            for variation in variations(name, self._split, self._wanted)
        }

    def _described_variations(self) -> str:
        match self._wanted:
            case "all":
                return "all"
            case int(many):
                return f"the first {many} of each task"
            case numbers:
                return f"numbers {', '.join(map(str, numbers))}"

    def _new_engine(self) -> Engine:
        return Engine(
            java_options=self._java_options,
            start_timeout_s=self._start_timeout_s,
            call_timeout_s=self._call_timeout_s,
        )

    def _take(self) -> Engine:
        spare, self._spare = self._spare, None
        if spare is not None and not spare.alive:
            spare.close()
            spare = None
        return spare or self._new_engine()

    def _give_back(self, engine: Engine) -> None:
        if self.deterministic or self._spare is not None or not engine.alive:
            engine.close()
        else:
            self._spare = engine

    def _prestart(self) -> None:
        if self.deterministic and self._spare is None:
            self._spare = self._new_engine()

    def _load(self, engine: Engine, name: str, variation: int, *, planned: bool) -> None:
        """Load a game; with ``planned`` its gold path too, which takes the simulator up to seven seconds."""
        refusal = str(engine.call("load", name, variation, self._simplification(name), planned))
        if "ERROR" in refusal:
            raise EnvironmentFault(f"ScienceWorld refused to load {name}-{variation}: {refusal}")
        engine.call("reset")

    def _simplification(self, name: str) -> str:
        left_out = {"noElectricalAction"} if electrical(name) else set()
        return ",".join(part for part in self._simplifications if part not in left_out)

    def _plan(self, engine: Engine | None, name: str, variation: int) -> Sequence[str]:
        """Return a game's gold path: a kept one, else from its own engine if loaded with it, else from another one.

        Once asked for, later games are loaded with theirs where it is not kept; the games are the same either way.
        """
        self._plans_wanted = True
        if (kept := self._kept_plan(name, variation)) is not None:
            return kept
        if engine is not None:
            plan = engine.lines("getGoldActionSequence")
        else:
            with self._take() as other:
                self._load(other, name, variation, planned=True)
                plan = other.lines("getGoldActionSequence")
            self._prestart()
        if self.deterministic:
            self._plans.put(name, variation, self._simplification(name), plan)
        return plan

    def _kept_plan(self, name: str, variation: int) -> Sequence[str] | None:
        """Return a gold path found by an earlier run; only fresh simulators are sure to find the same."""
        return self._plans.get(name, variation, self._simplification(name)) if self.deterministic else None

    @functools.cached_property
    def _plans(self) -> KeptPlans:
        return KeptPlans({**self.digests(), "options": java.FIXED_OPTIONS})
