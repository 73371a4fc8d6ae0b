"""Typed Markdown: one file a node, one list of edges, and back again without loss.

A stored text is one line; where it holds a line end or a backslash these are written as in a string of a program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from harness.errors import LedgerError
from strata.graph import RELATIONS, TYPES, Bullet, BulletKind, Graph, Kind, Node, Origin, Relation

NODES = "nodes"
EDGES = "edges.md"
_BODY = {"meta": "Principle", "workflow": "Procedure", "skill": "Usage", "code": "Code", "role": "Instructions"}
_NUMBERED = re.compile(r"\d+\. ")
_BULLET = re.compile(r"- \((\w+), ")
_EDGE = re.compile(r"- (\w+): (\S+) -> (\S+)")


def write_graph(graph: Graph, folder: Path, ages: Mapping[str, float]) -> None:
    """Write a graph, and G of each workflow, into an empty folder; equal graphs write equal bytes."""
    (folder / NODES).mkdir()
    for node in graph.nodes.values():
        _write(folder / NODES / f"{node.id}.md", node_to_markdown(node, ages.get(node.id)))
    lines = [f"- {relation}: {source} -> {target}" for relation, source, target in graph.edges()]
    _write(folder / EDGES, "\n".join(["# Edges", "", f"nodes ever made: {graph.made}", "", *lines, ""]))


def read_graph(folder: Path) -> tuple[Graph, dict[str, float]]:
    """Return the graph and the ages a folder holds. Raises LedgerError where a file is not what was written."""
    graph, ages = Graph(), {}
    found = [node_from_markdown(_read(path), path.stem) for path in (folder / NODES).glob("*.md")]
    for node, age in sorted(found, key=lambda pair: pair[0].number):
        graph.nodes[node.id] = node
        if age is not None:
            ages[node.id] = age
    lines = _read(folder / EDGES).split("\n")
    graph.made = int(lines[2].removeprefix("nodes ever made: "))
    for line in filter(None, lines[4:]):
        edge = _EDGE.fullmatch(line)
        if not edge or edge[1] not in RELATIONS:
            raise LedgerError(f"{folder / EDGES}: got {line!r}, expected '- relation: source -> target'")
        graph.restore(_relation(edge[1]), edge[2], edge[3])
    return graph, ages


def _relation(word: str) -> Relation:
    return next(relation for relation in RELATIONS if relation == word)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LedgerError(f"{path}: cannot be read ({error}); the snapshot is damaged") from error


def node_to_markdown(node: Node, age: float | None) -> str:
    """Return a node as typed Markdown: front matter, views, body, bullets."""
    head = {
        "id": node.id, "type": node.type.name.lower(), "kind": node.kind, "tags": sorted(node.tags),
        "age": age, "support": node.support, "clock": node.clock,
        "origins": [_origin_to_json(origin) for origin in node.origins],
    }  # fmt: skip
    lines = ["---", *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()), "---"]
    views = (("", node.name), ("Content", node.content), ("Applicability", node.applicability), ("Goal", node.goal))
    for title, text in views:
        lines += [f"## {title}", _escape(text), ""] if title else [f"# {_escape(text)}", ""]
    lines += [f"## {_BODY[node.kind]}", *_body_lines(node), "", "## Bullets"]
    for bullet in node.bullets:
        origin = json.dumps(_origin_to_json(bullet.origin), ensure_ascii=False)
        lines.append(f"- ({bullet.kind}, {origin}) {_escape(bullet.text)}")
    return "\n".join([*lines, ""])


def _body_lines(node: Node) -> Iterator[str]:
    for number, line in enumerate(node.body, 1):
        yield f"{number}. {_escape(line)}" if node.kind == "workflow" else f"    {_escape(line)}"


def node_from_markdown(text: str, name: str) -> tuple[Node, float | None]:
    """Return the node, and its age if it has one. Raises LedgerError where the text is not what was written."""
    try:
        return _parse(text.split("\n"))
    except (ValueError, KeyError, IndexError, TypeError, StopIteration) as error:
        raise LedgerError(f"node {name}: not the typed Markdown that was written ({error!r})") from error


def _parse(lines: list[str]) -> tuple[Node, float | None]:
    end = lines.index("---", 1)
    head: dict[str, Any] = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines[1:end])}
    kind = next(kind for kind in TYPES if kind == head["kind"])
    name, rest = _unescape(lines[end + 1].removeprefix("# ")), lines[end + 3 :]
    views = [_unescape(rest[at]) for at in (1, 4, 7)]
    bullets_at = len(rest) - 1 - rest[::-1].index("## Bullets")
    node = Node(
        id=head["id"], kind=kind, name=name, content=views[0], applicability=views[1], goal=views[2],
        tags=frozenset(head["tags"]), body=tuple(_body_line(line, kind) for line in rest[10 : bullets_at - 1]),
        origins=tuple(Origin(**origin) for origin in head["origins"]), clock=head["clock"], support=head["support"],
        bullets=[_bullet(line) for line in rest[bullets_at + 1 : -1]],
    )  # fmt: skip
    return node, head["age"]


def _body_line(line: str, kind: Kind) -> str:
    return _unescape(_NUMBERED.sub("", line, count=1) if kind == "workflow" else line[4:])


def _bullet(line: str) -> Bullet:
    found = _BULLET.match(line)
    if not found:
        raise ValueError(f"got bullet {line!r}")
    kind = next(kind for kind in _BULLET_KINDS if kind == found[1])
    origin, end = json.JSONDecoder().raw_decode(line, found.end())
    return Bullet(kind, _unescape(line[end + 2 :]), Origin(**origin))


_BULLET_KINDS: tuple[BulletKind, ...] = get_args(BulletKind)


def _origin_to_json(origin: Origin) -> dict[str, Any]:
    return {"task": origin.task, "trial": origin.trial, "family": origin.family, "template": origin.template}


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), text)
