"""A subgraph as the agent reads it: principles first, callable skills last, the opposite under a warning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.types import Recall, RecallItem
from strata.contrast import Contrasts
from strata.graph import Bullet, BulletKind, Graph, Node, operators
from strata.retrieval import Subgraph
from strata.words import words

HEADING = "Experience from earlier tasks, general principles first:"
WARNING_KIND = "contrast"
"""The kind of an item that is a warning."""


def render(
    graph: Graph, subgraph: Subgraph, warned: Mapping[str, str], asked: frozenset[str], contrasts: Contrasts, task: str,
    most: int | None,
) -> Recall:  # fmt: skip
    """Return what is injected: meta, then workflows, then warnings, then atomic nodes; empty for an empty subgraph.

    ``warned`` are the workflows under a warning, each with the side it must not be taken for; ``asked`` the query's
    operators. Bullets learned from the task itself are left out; of the others the latest ``most`` of a kind are shown.
    """
    procedures = [i for i in subgraph.workflows if i not in warned]
    shown = [graph.nodes[i] for i in procedures]
    items = [_item(graph.nodes[i], subgraph, task, most) for i in (*subgraph.metas, *procedures)]
    for node_id in (i for i in subgraph.workflows if i in warned):
        text = _warning(graph.nodes[node_id], graph.nodes[warned[node_id]], shown, asked, contrasts)
        items.append(_as_item(graph.nodes[node_id], WARNING_KIND, subgraph, text, ()))
    items += [_item(graph.nodes[i], subgraph, task, most) for i in subgraph.atomics]
    return Recall(items=tuple(items), heading=HEADING)


def _item(node: Node, subgraph: Subgraph, task: str, most: int | None) -> RecallItem:
    shown = [*_latest(node, "variant", task, most), *_latest(node, "pitfall", task, most)]
    return _as_item(node, node.kind, subgraph, "\n".join(_lines(node, shown)), shown)


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


def _warning(node: Node, instead: Node, shown: Sequence[Node], asked: frozenset[str], contrasts: Contrasts) -> str:
    """Return the prominent warning about an opposing workflow; its procedure is never shown as one."""
    ours = operators(instead.tags) - operators(node.tags)
    theirs = operators(node.tags) - operators(instead.tags)
    direction = f" ({', '.join(sorted(theirs))}, not {', '.join(sorted(ours))})" if ours and theirs else ""
    lines = [f"# DO NOT CONFUSE with the opposite experience: {node.name}{direction}"]
    lines.append(f"  It is for another goal: {node.goal or node.content}")
    steps = _telling_steps(node, shown, asked, contrasts)
    return "\n".join([*lines, *(f"  Do not do: {step}" for step in steps)])


def _telling_steps(node: Node, shown: Sequence[Node], asked: frozenset[str], contrasts: Contrasts) -> list[str]:
    """Return the steps that make an opposing procedure wrong here.

    They are the ones that name an opposed operator; if none does, the ones that no procedure shown beside it has.
    """
    opposed = operators(node.tags)
    wrong = [op for op in opposed if contrasts.opposite((op,), asked)]
    named = [step for step in node.body if not words(step).isdisjoint(wrong)]
    if named:
        return named
    common = {words(step) for other in shown for step in other.body}
    return [step for step in node.body if words(step) not in common]
