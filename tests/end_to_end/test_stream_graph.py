"""The graph that a stream of the real ALFWorld leaves: typed Markdown that reads back whole."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from strata.graph import NodeType
from strata.serialization import read_graph, write_graph

pytest.importorskip("alfworld")


def test_the_graph_of_a_stream_reads_back_equal_and_writes_the_same_bytes(
    run_cli: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    stream = ("env=alfworld", "env.tasks=48", "memory=strata", "backbone=apprentice")
    done = run_cli("run", *stream, "memory.forgetting.cap=8", f"out={tmp_path}", "display=off", timeout_s=300)
    assert done.returncode == 0, done.stderr
    (snapshot,) = tmp_path.glob("*/memory/*")
    graph, ages = read_graph(snapshot)
    kinds = {bullet.kind for node in graph.nodes.values() for bullet in node.bullets}
    assert len(graph.of(NodeType.WORKFLOW)) > 5
    assert graph.of(NodeType.META)
    assert kinds == {"variant", "pitfall"}
    (again := tmp_path / "again").mkdir()
    write_graph(graph, again, ages)
    assert read_graph(again) == (graph, ages)
    written = {path.relative_to(again): path.read_bytes() for path in again.rglob("*.md")}
    assert written == {path.relative_to(snapshot): path.read_bytes() for path in snapshot.rglob("*.md")}
