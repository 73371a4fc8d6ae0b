"""Solved episodes of made-up chores: they fill a memory before its stream, so that its size is the only difference.

A chore reads like a household task, among objects and places of the kind that ALFWorld has, and asks for something that
no benchmark here asks for: whoever follows its procedure does the wrong thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, prod

from harness.errors import ConfigError
from harness.protocols import Memory, PrefillableMemory
from harness.seeds import Draws
from harness.types import Episode, Experience, Outcome, Step, StepKind, StopReason, Task

FAMILY = "distractor"
VERBS = (
    "polish", "mend", "label", "wrap", "weigh", "sort", "dust", "varnish", "sharpen", "fold", "stack", "photograph",
    "repaint", "oil", "sketch", "tie", "engrave", "glue", "pad", "peel", "strain", "stamp", "trim", "frame",
)  # fmt: skip
OBJECTS = (
    "apple", "bowl", "bread", "butterknife", "cup", "dishsponge", "egg", "fork", "glassbottle", "kettle", "knife",
    "ladle", "lettuce", "mug", "pan", "peppershaker", "plate", "pot", "potato", "saltshaker", "soapbar", "soapbottle",
    "spatula", "spoon", "tomato", "winebottle", "book", "cd", "pencil", "pen", "pillow", "vase", "watch", "keychain",
    "creditcard", "laptop", "cellphone", "newspaper", "remotecontrol", "statue", "towel", "candle", "cloth",
    "toiletpaper", "plunger", "spraybottle", "basketball", "alarmclock", "bat", "box", "lantern", "umbrella", "violin",
    "teapot", "basket", "brooch", "hammer", "ribbon", "saddle", "thimble",
)  # fmt: skip
TOOLS = ("rag", "brush", "needle", "string", "scale", "file", "comb", "stencil", "clamp", "funnel", "roller", "awl")
PLACES = (
    "armchair", "bathtubbasin", "bed", "cabinet", "cart", "coffeemachine", "coffeetable", "countertop", "desk",
    "diningtable", "drawer", "dresser", "fridge", "garbagecan", "handtowelholder", "laundryhamper", "microwave",
    "ottoman", "safe", "shelf", "sidetable", "sinkbasin", "sofa", "stoveburner", "toaster", "toilet", "towelholder",
    "tvstand", "attic", "balcony", "barrel", "bench", "cellar", "chest", "crate", "ledge", "locker", "mantelpiece",
    "porch", "trunk",
)  # fmt: skip
MOST = prod(map(len, (VERBS, OBJECTS, TOOLS, PLACES)))
"""How many different chores there are."""


class Distractors:
    """Fills a memory with solved episodes that have nothing to do with its tasks.

    Chores are all different, and the first n of them are the same whatever n is: stores of several sizes are nested.

    Args:
        n: How many, 0 or more.
        generator_seed: Seed of the chores.
    """

    def __init__(self, *, n: int, generator_seed: int = 0) -> None:
        if not 0 <= n <= MOST:
            raise ConfigError(f"prefill.n: got {n}, expected 0 to {MOST}, as many as there are different chores")
        self._n, self._draws = n, Draws(generator_seed, "distractors")
        rng = self._draws.at("order")
        self._first = int(rng.integers(MOST))
        self._stride = next(stride for stride in iter(lambda: int(rng.integers(MOST)), -1) if gcd(stride, MOST) == 1)

    def experiences(self, benchmark: str) -> list[Experience]:
        """Return the episodes, as if they were of a benchmark; each solved, in five or six steps."""
        return [self._experience(number, benchmark) for number in range(self._n)]

    def _experience(self, number: int, benchmark: str) -> Experience:
        left, words = (self._first + number * self._stride) % MOST, []
        for choices in (VERBS, OBJECTS, TOOLS, PLACES):
            left, at = divmod(left, len(choices))
            words.append(choices[at])
        verb, thing, tool, place = words
        text = f"{verb} some {thing} with the {tool} and put it in {place}."
        task = Task(f"distractor-{number:06d}", benchmark, text, FAMILY, f"{FAMILY}-{verb}")
        steps = tuple(Step(StepKind.ACT, action, "Done.") for action in self._actions(number, verb, thing, tool, place))
        episode = Episode(task, 1, text, steps, Outcome(True, 1.0, StopReason.SOLVED))
        return Experience(episode, "env", True, 1.0)

    def _actions(self, number: int, verb: str, thing: str, tool: str, place: str) -> list[str]:
        rng = self._draws.at("steps", number)
        source, passed = (f"{PLACES[int(at)]} {int(rng.integers(1, 4))}" for at in rng.integers(len(PLACES), size=2))
        item, target = f"{thing} {int(rng.integers(1, 4))}", f"{place} {int(rng.integers(1, 4))}"
        looked = [f"go to {passed}"] * bool(rng.integers(2))
        return [
            *looked, f"go to {source}", f"take {item} from {source}", f"{verb} {item} with {tool} 1",
            f"go to {target}", f"move {item} to {target}",
        ]  # fmt: skip


def check_prefill(given: Callable[[], Sequence[Experience]] | None, memory: Memory) -> None:
    """Raise ConfigError where a memory that cannot be filled beforehand should be."""
    if given is not None and not isinstance(memory, PrefillableMemory):
        raise ConfigError(f"prefill: the memory {memory.name} cannot be filled beforehand; leave prefill out")
