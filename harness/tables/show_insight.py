"""How an insight of a run's memory changed: by which tasks, with which evidence, and where it was injected.

Reads what a memory saved, and knows no memory: ``insights.jsonl`` holds one insight a line (id, text, active, parent,
positives, negatives), ``history.jsonl`` one edit a line (operation, insight, revision, queries, tasks, resolved, clock,
by, text). Both are the newest snapshot's.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from harness.errors import ConfigError, LedgerError
from harness.ledger.reading import Run
from harness.ledger.record import EpisodeRecord
from harness.ledger.snapshots import Snapshots
from harness.tables.plain import plain

INSIGHTS, HISTORY = "insights.jsonl", "history.jsonl"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Insights:
    """What a run's memory holds of insights, and the run that made it."""

    run: Run
    records: tuple[EpisodeRecord, ...]
    nodes: dict[str, Row]
    """By id, oldest first."""
    history: tuple[Row, ...]

    @classmethod
    def of(cls, run: Run) -> Insights:
        """Read them. Raises ConfigError for a memory that keeps none, LedgerError for a damaged one."""
        records = tuple(run.records())
        if not records:
            raise ConfigError(f"{run.name}: no episode of this run is done yet, so its memory holds no insight")
        folder = Snapshots(run.folder / "memory").path(records[-1].memory.generation)
        if not (folder / INSIGHTS).is_file():
            raise ConfigError(
                f"{run.name}: its memory, {run.lock.memory.name}, keeps no {INSIGHTS} in {folder}: "
                "take a run of a memory that edits insights, such as memory=evograph"
            )
        nodes: dict[str, Row] = {str(row["id"]): row for row in _rows(folder / INSIGHTS)}
        return cls(run, records, nodes, tuple(_rows(folder / HISTORY)))

    def node(self, word: str) -> Row:
        """Return an insight by its id. Raises ConfigError, with what was meant, for an unknown one."""
        if word in self.nodes:
            return self.nodes[word]
        near = difflib.get_close_matches(word, self.nodes, n=3, cutoff=0.4)
        ids = f"{next(iter(self.nodes))} to {next(reversed(self.nodes))}" if self.nodes else "none"
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise ConfigError(f"got insight {word!r}; {hint}the ids are {ids}")

    def lineage(self, node: Row) -> list[Row]:
        """Return the insights it is a revision of, itself, and its revisions, oldest first."""
        chain = [node]
        while (parent := chain[0].get("parent")) in self.nodes:
            chain.insert(0, self.nodes[str(parent)])
        while later := next((row for row in self.nodes.values() if row.get("parent") == chain[-1]["id"]), None):
            chain.append(later)
        return chain

    def edits(self, node_id: str) -> list[Row]:
        """Return the edits that an insight had, the one that made it first."""
        return [row for row in self.history if node_id in (row["insight"], row.get("revision"))]


def print_insight(word: str, run: Run, console: Console) -> None:
    """Print an insight with its lineage. Raises ConfigError for an unknown one, or a memory that keeps none."""
    found = Insights.of(run)
    node = found.node(word)
    _Page(found, node, console).print()


class _Page:
    """The parts of the page, in reading order."""

    def __init__(self, found: Insights, node: Row, console: Console) -> None:
        self._found, self._node, self._console = found, node, console
        self._task_of = {
            query: task for edit in found.history for query, task in zip(edit["queries"], edit["tasks"], strict=False)
        }

    def print(self) -> None:
        chain = self._found.lineage(self._node)
        place = chain.index(self._node) + 1
        wordings = "wording" if len(chain) == 1 else "wordings"
        self._line(f"Insight {self._node['id']} · {_state(self._node)} · {len(chain)} {wordings}", "bold")
        self._line(f"{self._found.run.name} · this is wording {place} of {len(chain)}", "dim")
        for node in chain:
            self._wording(node)

    def _wording(self, node: Row) -> None:
        self._console.print()
        self._line(f"{node['id']} · {_state(node)}", "bold cyan" if node is self._node else "bold")
        self._line(node["text"], indent=2)
        for edit in self._found.edits(str(node["id"])):
            self._edit(edit, str(node["id"]))
        for title, side in (("evidence for", "positives"), ("evidence against", "negatives")):
            tasks = list(dict.fromkeys(self._task_of.get(query, query) for query in node.get(side, ())))
            self._line(f"{title} ({len(tasks)}): {', '.join(tasks) or 'none'}", "dim", indent=2)
        self._line(self._injected(str(node["id"])), "dim", indent=2)

    def _edit(self, edit: Row, node_id: str) -> None:
        """Print one edit: when, what was done, in whose name, and who decided."""
        number = int(edit["clock"]) + 1
        verb = str(edit["operation"])
        if verb == "REVISE":
            verb = f"REVISE of {edit['insight']}" if edit["revision"] == node_id else f"REVISE to {edit['revision']}"
        verdict = "solved" if edit["resolved"] else "failed"
        head = Text(f"  episode {number:>4}  ", style="dim").append(plain(verb), style="green")
        head.append(plain(f"  by {', '.join(edit['tasks'])} ({verdict}; {edit['by']})"))
        self._console.print(head, soft_wrap=True)

    def _injected(self, node_id: str) -> str:
        seen = [record for record in self._found.records if node_id in {item.id for item in record.recall.items}]
        solved = sum(record.outcome.success for record in seen if record.outcome)
        which = ", ".join(str(record.index + 1) for record in seen)
        return f"injected in {len(seen)} episodes, {solved} of them solved" + (f": {which}" if which else "")

    def _line(self, text: str, style: str = "", indent: int = 0) -> None:
        self._console.print(Padding(Text(plain(text), style=style), (0, 0, 0, indent), expand=False))


def _state(node: Row) -> str:
    return "active" if node.get("active", True) else "archived"


def _rows(path: Path) -> Sequence[dict[str, Any]]:
    if not path.is_file():
        return []
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise LedgerError(f"{path}: not one JSON object a line ({error}); the snapshot is damaged") from error
