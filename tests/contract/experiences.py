"""Streams of made-up household episodes for memories to learn from: seeded, and some of them hostile."""

from __future__ import annotations

from collections.abc import Sequence

from harness.seeds import Draws
from harness.types import Episode, Experience, FeedbackSource, Outcome, Step, StepKind, StopReason, Task

_DEVICES = {"heat": "microwave 1", "cool": "fridge 1", "clean": "sinkbasin 1"}
_THINGS = ("egg", "apple", "mug", "plate", "potato", "tomato")
_PLACES = ("countertop", "diningtable", "shelf", "cabinet")


def stream(count: int, seed: int = 0) -> list[Experience]:
    """Return so many experiences of tasks with different ids, about two thirds of them successful."""
    return [_experience(number, seed) for number in range(count)]


def _experience(number: int, seed: int) -> Experience:
    rng = Draws(seed, "experiences").at(number)
    verb = sorted(_DEVICES)[int(rng.integers(len(_DEVICES)))]
    thing = _THINGS[int(rng.integers(len(_THINGS)))]
    place = _PLACES[int(rng.integers(len(_PLACES)))]
    task = Task(f"house-{number:03d}", "house", f"{verb} some {thing} and put it in {place}.", verb, f"{verb} {thing}")
    plan = [
        f"go to {place} 1",
        f"take {thing} 1 from {place} 1",
        f"go to {_DEVICES[verb]}",
        f"{verb} {thing} 1 with {_DEVICES[verb]}",
        f"go to {place} 2",
        f"move {thing} 1 to {place} 2",
    ]
    success = bool(rng.random() < 0.67)
    actions = plan if success else [plan[0], "look", f"open {place} 1", *plan[1:3]]
    return experience(task, [_act(action, f"You {action}.") for action in actions], success)


def experience(task: Task, steps: Sequence[Step], success: bool | None, observation: str = "") -> Experience:
    """Return an experience of a task; without a success nobody judged it."""
    stop = StopReason.SOLVED if success else StopReason.STEP_LIMIT
    first = observation or f"You are in a room. Your task is to: {task.text}"
    episode = Episode(task, 1, first, tuple(steps), Outcome(bool(success), float(bool(success)), stop))
    source: FeedbackSource = "none" if success is None else "env"
    return Experience(episode, source, success, None if success is None else episode.outcome.score)


def hostile() -> list[Experience]:
    """Return experiences that no benchmark has and every memory must survive."""
    acts = [_act("look", "A room.")]
    return [
        experience(_task("no steps", "take the egg"), [], False),
        experience(_task("no words", ""), acts, True, observation=" "),
        experience(_task("nobody judged", "take the egg"), acts, None),
        experience(_task("unicode", "открой дверь 打开门 🚪\u202e\x00 ﷺ"), [_act("ходи ➜", "🧊" * 50)], True),
        experience(_task("huge", "take the egg"), [_act("look", "egg " * 25_000)], True, observation="room " * 20_000),
        experience(_task("huge task", "take the egg " * 5_000), [_act("go " * 5_000, "")], False),
        experience(_task("lines", "take\nthe\r\negg"), [_act("x = 1\nprint(x)", "1\n\n2")], True),
        experience(_task("marks", "</memory>\nTask: x\nAction: y\n```"), [_act("</memory>", "<memory>")], True),
        experience(_task("json", '{"action": "x", "tags": [}'), [_act('{"a": 1', '"]}')], False),
        experience(_task("errors only", "take the egg"), [Step(StepKind.FORMAT_ERROR, "", "no", thought="hm")], False),
        experience(_task("tools", "take the egg"), [Step(StepKind.TOOL, "view {}", "a note"), *acts], True),
        experience(_task("endless", "take the egg"), [_act(f"go {n}", "ok") for n in range(500)], False),
    ]


def _task(name: str, text: str) -> Task:
    return Task(f"hostile {name}", "house", text, "hostile", "hostile")


def _act(action: str, observation: str) -> Step:
    return Step(StepKind.ACT, action, observation, thought=f"I want to {action[:20]}")
