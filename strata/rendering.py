"""A subgraph as the agent reads it: principles first, callable skills last, the opposite under a warning."""

from __future__ import annotations

from collections.abc import Sequence

from harness.types import Recall, RecallItem
from strata.graph import Bullet, BulletKind, Graph, Node, operators
from strata.opposition import Opposition
from strata.retrieval import Subgraph
from strata.settings import Retrieving

HEADING = "Experience from earlier tasks, general principles first:"
WARNING_KIND = "contrast"
"""The kind of an item that is a warning."""


def render(
    graph: Graph, found: Subgraph, asked: frozenset[str], opposition: Opposition, task: str, settings: Retrieving
) -> Recall:
    """Return what is injected: meta, then workflows, then warnings, then atomic nodes; empty for an empty subgraph.

    ``asked`` are the query's operators. Bullets learned from the task itself are left out; of the others the latest
    ``settings.bullets`` of a kind are shown, and ``settings.meta_bullets`` of a meta.
    """

    def item(node: Node) -> RecallItem:
        most = settings.meta_bullets if node.kind == "meta" else settings.bullets
        shown = [*_latest(node, "variant", task, most), *_latest(node, "pitfall", task, most)]
        return _as_item(node, node.kind, found, "\n".join(_lines(node, shown)), shown)

    procedures = [i for i in found.workflows if i not in found.warned]
    items = [item(graph.nodes[i]) for i in (*found.metas, *procedures)]
    for node, instead in ((graph.nodes[i], graph.nodes[found.warned[i]]) for i in found.workflows if i in found.warned):
        text = _warning(node, instead, opposition.wrong_steps(node, instead, asked))
        items.append(_as_item(node, WARNING_KIND, found, text, ()))
    items += [item(graph.nodes[i]) for i in found.atomics]
    return Recall(items=tuple(items), heading=HEADING)


def _as_item(node: Node, kind: str, subgraph: Subgraph, text: str, shown: Sequence[Bullet]) -> RecallItem:
    tasks = [origin.task for origin in (*node.origins, *(bullet.origin for bullet in shown))]
    return RecallItem(node.id, kind, subgraph.rank[node.id], text, tuple(dict.fromkeys(tasks)))


def _latest(node: Node, kind: BulletKind, task: str, most: int | None) -> list[Bullet]:
    """Return a node's latest bullets of a kind, oldest first, equal ones once, without what the task itself taught."""
    found: dict[str, Bullet] = {}
    for bullet in reversed(node.bullets):
        if bullet.kind == kind and bullet.origin.task != task:
            found.setdefault(bullet.text, bullet)
    return list(found.values())[:most][::-1]


def _lines(node: Node, shown: Sequence[Bullet]) -> list[str]:
    """Return a node as text: what it is for, its body, what also works, and what to avoid."""
    lines = [f"# {_TITLES[node.kind]}: {node.name}", f"Goal: {node.goal or node.content}"]
    if node.applicability:
        lines.append(f"Applies when: {node.applicability}")
    if node.kind == "workflow":
        lines += ["Steps:", *(f"{number}. {step}" for number, step in enumerate(node.body, 1))]
    else:
        lines += [f"  {line}" for line in node.body]
    lines += [f"Note: {bullet.text}" for bullet in shown if bullet.kind == "variant"]
    pitfalls = [f"- {bullet.text}" for bullet in shown if bullet.kind == "pitfall"]
    return lines + (["Pitfalls, avoid these:", *pitfalls] if pitfalls else [])


_TITLES = {"meta": "Principle", "workflow": "Workflow", "skill": "Skill", "code": "Code", "role": "Role"}


def _warning(node: Node, instead: Node, steps: Sequence[str]) -> str:
    """Return the prominent warning about an opposing workflow; its procedure is never shown as one."""
    ours = operators(instead.tags) - operators(node.tags)
    theirs = operators(node.tags) - operators(instead.tags)
    direction = f" ({', '.join(sorted(theirs))}, not {', '.join(sorted(ours))})" if ours and theirs else ""
    lines = [f"# DO NOT CONFUSE with the opposite experience: {node.name}{direction}"]
    lines.append(f"  It is for another goal: {node.goal or node.content}")
    return "\n".join([*lines, *(f"  Do not do: {step}" for step in steps)])
