"""An episode played by an environment's own expert, with everything asked three times over."""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import EnvironmentFault
from harness.protocols import Environment
from harness.types import Outcome, Step, Task


@dataclass(frozen=True, slots=True)
class Played:
    """What one session of the expert showed."""

    task: Task
    """The session's, with its instruction."""
    observation: str
    steps: tuple[Step, ...]
    start: Outcome
    """Before the first action."""
    end: Outcome
    actable: bool
    """Whether there was an action or a grammar at the start."""
    wavered: tuple[str, ...]
    """What gave another answer when asked again without a step in between."""
    plan_after_end: str | None
    refused: bool
    """Whether an action after the end raised EnvironmentFault."""

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(step.action for step in self.steps)


def play_expert(environment: Environment, task: Task, max_steps: int) -> Played:
    """Play a task as its expert says, until the end or the limit."""
    steps: list[Step] = []
    wavered: list[str] = []
    with environment.start(task) as session:
        start = session.outcome()
        actable = bool(session.actions) or session.grammar() is not None
        while not (steps and steps[-1].done) and len(steps) < max_steps:
            offered, plan = session.actions, session.expert()
            if {session.expert(), session.expert()} != {plan}:
                wavered.append(f"expert before step {len(steps) + 1}")
            if session.actions != offered:
                wavered.append(f"actions before step {len(steps) + 1}")
            if plan is None:
                break
            steps.append(session.step(plan))
        end = session.outcome()
        plan_after_end = session.expert()
        try:
            session.step(steps[0].action if steps else "")
            refused = False
        except EnvironmentFault:
            refused = True
        if session.outcome() != end:
            wavered.append("outcome after the end")
    return Played(
        session.task, session.observation, tuple(steps), start, end, actable, tuple(wavered), plan_after_end, refused
    )
