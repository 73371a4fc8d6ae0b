"""The simulated agent: it heeds its memory with one probability and knows the next step with another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from harness.agents.layout import ACTION
from harness.backbones.apprentice.grounding import REACH, aboutness, context, ground, is_deed, names, progress, sayable
from harness.backbones.apprentice.notes import Note, read_notes
from harness.backbones.apprentice.prompt import Prompt, read_prompt
from harness.backbones.apprentice.words import phrase
from harness.backbones.apprentice.writing import write
from harness.backbones.stand_in import answer
from harness.errors import ConfigError
from harness.seeds import Draws
from harness.types import Call, Completion, Message

RULES = 1
"""Version of the rules; part of what decides the answers."""
_REDRAWS = 8


class ApprenticeBackbone:
    """A simulated agent with two knobs; no language model.

    Before each action it heeds the injected memory with probability ``obedience``. Heeding, it follows the next
    line not done yet of the procedure it takes to be about its task, and keeps away from actions that pitfalls and
    "do not confuse" warnings name. Where memory gives nothing (or is not heeded) it knows the expert's action with
    probability ``skill`` and else tries a random admissible one. A wrong procedure is obeyed as readily as a right
    one. Calls that write to a memory are answered by rule. Every draw is keyed by seed, task, trial, phase, role,
    step and ordinal, so that a resumed or parallel run repeats it.

    Args:
        draws: The source of its draws.
        skill: Probability of taking the expert's action where memory gives none, 0 to 1.
        obedience: Probability of heeding the memory at a step, 0 to 1; at 0 it plays as if it had none.
    """

    real = False

    def __init__(self, *, draws: Draws, skill: float = 0.6, obedience: float = 0.9) -> None:
        for name, value in (("skill", skill), ("obedience", obedience)):
            if not 0.0 <= value <= 1.0:
                raise ConfigError(f"backbone.{name} is a probability: got {value}, expected a number from 0 to 1.")
        self.id = f"apprentice-p{skill:g}-q{obedience:g}"
        self.disclosures: Sequence[str] = (
            f"SIMULATED agent (apprentice, skill p = {skill:g}, obedience q = {obedience:g}): not a language model; "
            "it heeds its memory by construction, so its figures check mechanisms and are no method's results.",
        )
        self._draws, self._skill, self._obedience = draws, skill, obedience

    def settings(self) -> Mapping[str, object]:
        """Return the knobs, the seed and the version of the rules."""
        return {"skill": self._skill, "obedience": self._obedience, "seed": self._draws.seed, "rules": RULES}

    def complete(self, messages: Sequence[Message], *, call: Call, schema: type[BaseModel] | None = None) -> Completion:
        """Choose an action, or write by rule; ``reasoning`` tells why."""
        if schema is not None or call.phase != "agent":
            return answer(self.id, messages, write(messages, schema, phase=call.phase))
        action, why = self._choose(read_prompt(messages), call)
        return answer(self.id, messages, f"{ACTION} {action}" if action else "", why)

    def _choose(self, prompt: Prompt, call: Call) -> tuple[str, str]:
        """Return an action (empty where there is none to be had) and the reason for it."""
        notes = read_notes(prompt.memory) if prompt.memory and self._draw(call, "heed") < self._obedience else []
        note = chosen(notes, prompt.task)
        avoid = avoided(notes, note, prompt.task)
        if note is not None and (found := self._follow(note, avoid, prompt, call)) is not None:
            return found
        if call.expert is not None and self._draw(call, "know") < self._skill:
            action = call.expert()
            if action is not None and not _named(avoid, action):
                return action, "own skill"
        return self._try(avoid, prompt, call)

    def _follow(self, note: Note, avoid: Sequence[str], prompt: Prompt, call: Call) -> tuple[str, str] | None:
        """Return the next line of a procedure as an action, or None where it cannot be done here and now.

        A line that cannot be done waits; only moves and looks, never a deed, are passed over for one of the next lines.
        """
        about = context(prompt.task, note.title)
        at = progress(note.steps, prompt.actions, about, left_out=prompt.left_out)
        ahead = [(i, line) for i, line in enumerate(note.steps[at:], at + 1) if not _named(avoid, line)][: REACH + 1]
        if not ahead:
            return None
        choices = prompt.choices or (call.choices() if call.choices is not None else None)
        for number, line in ahead:
            action = line if choices is None else ground(line, choices, about)
            if action is None and line == ahead[0][1] and sayable(line, prompt.observation, choices or ()):
                action = line
            if action is not None and not (choices is None and any(phrase(line).slots)) and not _named(avoid, action):
                return action, f"line {number} of the note '{note.title[:60]}'"
            if is_deed(phrase(line), about):
                return None
        return None

    def _try(self, avoid: Sequence[str], prompt: Prompt, call: Call) -> tuple[str, str]:
        """Return a random admissible action; drawn again a few times while the memory says to avoid it."""
        action: str | None = None
        for turn in range(_REDRAWS):
            generator = self._draws.at(*_key(call), "try", turn)
            if call.sample is not None:
                action = call.sample(generator)
            if action is None:
                choices = prompt.choices or (call.choices() if call.choices is not None else None) or ()
                action = choices[int(generator.integers(len(choices)))] if choices else None
            if action is None or not _named(avoid, action):
                break
        if action is None and call.expert is not None:
            action = call.expert()
        return (action, "a try") if action is not None else ("", "nothing to choose from")

    def _draw(self, call: Call, purpose: str) -> float:
        return float(self._draws.at(*_key(call), purpose).random())


def chosen(notes: Sequence[Note], task: str) -> Note | None:
    """Return the note with a procedure that seems most to be about a task, the first of equals; never a failed one."""
    best, score = None, 0.0
    for note in notes:
        if note.steps and not note.failed and (value := aboutness(note, task)) > score:
            best, score = note, value
    return best


def avoided(notes: Sequence[Note], followed: Note | None, task: str) -> list[str]:
    """Return the lines that say what not to do for a task.

    Of a note with a procedure they count only if it is about the task. Lines under a warning not to confuse are left
    out where the followed procedure has them too: the warned-of procedure shares them.
    """
    lines: list[str] = []
    for note in notes:
        if note.steps and not aboutness(note, task):
            continue
        shared = followed.steps if followed is not None else ()
        lines += note.avoid
        lines += [line for line in note.warned if not any(names(line, step) for step in shared)]
    return lines


def _named(avoid: Sequence[str], action: str) -> bool:
    return any(names(line, action) for line in avoid)


def _key(call: Call) -> tuple[object, ...]:
    return (call.task_id, call.trial, call.phase, call.role, call.step, call.ordinal)
