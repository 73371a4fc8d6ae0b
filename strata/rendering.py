"""A subgraph as the agent reads it: principles first, callable skills last, the opposite under a warning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from harness.types import Recall, RecallItem
from strata.graph import Bullet, BulletKind, Graph, Node, NodeType, operators
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

    ``asked`` are the query's operators. The text keeps to ``settings.lines``. Nodes come in by need, and one whose
    body finds no room is left out. What room it leaves goes first to the warnings of what it must not be taken for,
    then to its bullets, the latest: ``settings.bullets`` of a kind, ``settings.meta_bullets`` of a meta, none that the
    task itself taught. Of the first node, body and warnings are shown however long they are.
    """
    room = math.inf if settings.lines is None else settings.lines - 1
    items: dict[str, RecallItem] = {}
    for node in _by_need(graph, found):
        body, first = _body(node), not items
        if not first and (len(body) > room or _lacks_caller(graph, found, node, items)):
            continue
        room -= len(body)
        for other in (graph.nodes[i] for i in found.workflows if found.warned.get(i) == node.id):
            warning = _warning(other, node, opposition.wrong_steps(other, node, asked))
            if first or len(warning) <= room:
                room -= len(warning)
                items[other.id] = _as_item(other, WARNING_KIND, found, warning)
        most = settings.meta_bullets if node.kind == "meta" else settings.bullets
        bullets = _fitting(_latest(node, task, most), room)
        learned = _bullet_lines(bullets)
        room -= len(learned)
        items[node.id] = _as_item(node, node.kind, found, [*body, *learned], bullets)
    workflows = sorted(found.workflows, key=lambda i: i in found.warned)
    order = (*found.metas, *workflows, *found.atomics)
    return Recall(items=tuple(items[i] for i in order if i in items), heading=HEADING)


def _by_need(graph: Graph, found: Subgraph) -> list[Node]:
    """Return all but the warned: the best workflow, then metas and workflows by s~, then atomics by s~.

    What is to be followed instead of a better one takes that one's place. Of equal ones the older is first.
    """
    need = dict(found.rank)
    for node_id, instead in found.warned.items():
        need[instead] = max(need[instead], need.pop(node_id))
    nodes = sorted((graph.nodes[i] for i in need), key=lambda node: (-need[node.id], node.number))
    best = [node for node in nodes if node.type is NodeType.WORKFLOW][:1]
    return sorted(nodes, key=lambda node: (node not in best, node.type is NodeType.ATOMIC))


def _lacks_caller(graph: Graph, found: Subgraph, node: Node, shown: Mapping[str, object]) -> bool:
    """Return whether a node is an atomic that came with a workflow which is not shown."""
    callers = graph.sources("call", node.id)
    return node.type is NodeType.ATOMIC and node.id not in found.seeds and shown.keys().isdisjoint(callers)


def _as_item(node: Node, kind: str, found: Subgraph, lines: Sequence[str], shown: Sequence[Bullet] = ()) -> RecallItem:
    tasks = [origin.task for origin in (*node.origins, *(bullet.origin for bullet in shown))]
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


def _body(node: Node) -> list[str]:
    """Return a node's lines without its bullets: what it is for, and how it is done."""
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
