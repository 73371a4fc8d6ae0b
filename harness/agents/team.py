"""What agents of several roles share: a role's instructions as a file, and proposals shown to the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from harness.agents.history import shorten
from harness.agents.layout import ACTION, THOUGHT
from harness.agents.parsing import Answer

FOLDER = Path(__file__).with_name("roles")
PROPOSAL_TOKENS = 200
"""As much of a proposal's thought and of its action is shown to others."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one role would do."""

    role: str
    answer: Answer


def instructions(name: str, values: Mapping[str, object] | None = None) -> str:
    """Return what a role is told: the file ``roles/NAME.md`` with its blanks filled in."""
    return Template((FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()).substitute(values or {})


def shown(proposals: Sequence[Proposal]) -> str:
    """Return proposals as another role reads them; empty without any."""
    lines = []
    for proposal in proposals:
        lines.append(f"{proposal.role} proposes:")
        if proposal.answer.thought:
            lines.append(f"{THOUGHT} {shorten(proposal.answer.thought, PROPOSAL_TOKENS)}")
        lines.append(f"{ACTION} {shorten(proposal.answer.action, PROPOSAL_TOKENS)}")
    return "\n".join(lines)
