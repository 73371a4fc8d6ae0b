"""A subgraph as the agent reads it: principles first, callable skills last, the opposite under a warning."""

from __future__ import annotations

import math
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
    ``settings.bullets`` of a kind are shown, and ``settings.meta_bullets`` of a meta. The text keeps to
    ``settings.lines``: what is needed most comes first, a node whose body finds no room is left out, and bullets, the
    latest, take the room that is left. Only the first may be longer, less its bullets.
    """
    room = math.inf if settings.lines is None else settings.lines - 1
    items: dict[str, RecallItem] = {}
    for group in _by_need(found):
        bodies = {i: _body(graph, found, i, opposition, asked) for i in group if i not in items}
        taken = sum(map(len, bodies.values()))
        if items and taken > room:
            continue
        room -= taken
        for node_id, body in bodies.items():
            node = graph.nodes[node_id]
            most = settings.meta_bullets if node.kind == "meta" else settings.bullets
            bullets = [] if node_id in found.warned else _fitting(_latest(node, task, most), room)
            learned = _bullet_lines(bullets)
            room -= len(learned)
            items[node_id] = _as_item(node, found, [*body, *learned], bullets)
    procedures = [i for i in found.workflows if i not in found.warned]
    order = (*found.metas, *procedures, *(i for i in found.workflows if i in found.warned), *found.atomics)
    return Recall(items=tuple(items[i] for i in order if i in items), heading=HEADING)


def _by_need(found: Subgraph) -> list[tuple[str, ...]]:
    """Return what is to be shown together: the best workflow first, then by s~; before a warning what to do instead."""
    ranked = sorted(found.rank, key=lambda i: -found.rank[i])
    best = [i for i in ranked if i in found.workflows][:1]
    return [(found.warned[i], i) if i in found.warned else (i,) for i in dict.fromkeys((*best, *ranked))]


def _body(graph: Graph, found: Subgraph, node_id: str, opposition: Opposition, asked: frozenset[str]) -> list[str]:
    """Return a node's lines without its bullets."""
    node = graph.nodes[node_id]
    if node_id not in found.warned:
        return _lines(node)
    instead = graph.nodes[found.warned[node_id]]
    return _warning(node, instead, opposition.wrong_steps(node, instead, asked))


def _as_item(node: Node, found: Subgraph, lines: Sequence[str], bullets: Sequence[Bullet]) -> RecallItem:
    kind = WARNING_KIND if node.id in found.warned else node.kind
    tasks = [origin.task for origin in (*node.origins, *(bullet.origin for bullet in bullets))]
    return RecallItem(node.id, kind, found.rank[node.id], "\n".join(lines), tuple(dict.fromkeys(tasks)))


def _latest(node: Node, task: str, most: int | None) -> list[Bullet]:
    """Return a node's latest bullets of each kind, oldest first, equal ones once, less what the task itself taught."""
    found: dict[tuple[BulletKind, str], Bullet] = {}
    for bullet in reversed(node.bullets):
        full = most is not None and sum(kind == bullet.kind for kind, _ in found) >= most
        if bullet.origin.task != task and not full:
            found.setdefault((bullet.kind, bullet.text), bullet)
    return list(found.values())[::-1]


def _fitting(bullets: list[Bullet], room: float) -> list[Bullet]:
    """Return the latest bullets that find room."""
    first = next((n for n in range(len(bullets)) if len(_bullet_lines(bullets[n:])) <= room), len(bullets))
    return bullets[first:]


def _lines(node: Node) -> list[str]:
    """Return a node as text: what it is for, and its body."""
    lines = [f"# {_TITLES[node.kind]}: {node.name}", f"Goal: {node.goal or node.content}"]
    if node.applicability:
        lines.append(f"Applies when: {node.applicability}")
    if node.kind == "workflow":
        lines.append("Steps:")
        return [*lines, *(f"{number}. {step}" for number, step in enumerate(node.body, 1))]
    return [*lines, *(f"  {line}" for line in node.body)]


def _bullet_lines(bullets: Sequence[Bullet]) -> list[str]:
    """Return bullets as text: what also works, and what to avoid."""
    pitfalls = [f"- {bullet.text}" for bullet in bullets if bullet.kind == "pitfall"]
    notes = [f"Note: {bullet.text}" for bullet in bullets if bullet.kind == "variant"]
    return notes + (["Pitfalls, avoid these:", *pitfalls] if pitfalls else [])


_TITLES = {"meta": "Principle", "workflow": "Workflow", "skill": "Skill", "code": "Code", "role": "Role"}


def _warning(node: Node, instead: Node, steps: Sequence[str]) -> list[str]:
    """Return the prominent warning about an opposing workflow; its procedure is never shown as one."""
    ours = operators(instead.tags) - operators(node.tags)
    theirs = operators(node.tags) - operators(instead.tags)
    direction = f" ({', '.join(sorted(theirs))}, not {', '.join(sorted(ours))})" if ours and theirs else ""
    lines = [f"# DO NOT CONFUSE with the opposite experience: {node.name}{direction}"]
    lines.append(f"  It is for another goal: {node.goal or node.content}")
    return [*lines, *(f"  Do not do: {step}" for step in steps)]
