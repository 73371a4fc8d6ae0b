"""The insight graph: evidence, activation, lineage, hyper-edges, and a history that forgets nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from evoedit.insight_graph import Evidence, InsightGraph


def evidence(number: int, *, resolved: bool = True) -> Evidence:
    return Evidence((f"q{number}",), (f"t{number}",), resolved, number)


def grown() -> InsightGraph:
    graph = InsightGraph()
    graph.add("a.", evidence(0))
    graph.add("b.", evidence(1))
    graph.keep("i00001", evidence(2))
    graph.archive("i00002", evidence(3, resolved=False))
    graph.revise("i00001", "a, with care.", evidence(4))
    graph.connect("i00001", "i00003", "q4")
    return graph


def test_a_node_is_content_positives_negatives_and_activation() -> None:
    first, second, third = grown().nodes.values()
    assert (first.text, first.positives, first.negatives, first.active) == ("a.", ["q0", "q2"], [], False)
    assert (second.text, second.positives, second.negatives, second.active) == ("b.", ["q1"], ["q3"], False)
    assert (third.text, third.positives, third.negatives, third.active) == (
        "a, with care.",
        ["q0", "q2", "q4"],
        [],
        True,
    )


def test_evidence_is_a_set_of_queries() -> None:
    graph = InsightGraph()
    graph.add("a.", evidence(0))
    for _ in range(3):
        graph.keep("i00001", evidence(0))
        graph.oppose("i00001", evidence(1))
    assert graph.nodes["i00001"].positives == ["q0"]
    assert graph.nodes["i00001"].negatives == ["q1"]


def test_an_archived_node_is_kept_and_never_edited_again() -> None:
    graph = grown()
    before = list(graph.history)
    for verb in (graph.keep, graph.archive, graph.oppose):
        with pytest.raises(ValueError, match="archived"):
            verb("i00002", evidence(9))
    with pytest.raises(ValueError, match="archived"):
        graph.revise("i00002", "b, with care.", evidence(9))
    assert graph.history == before
    assert set(graph.nodes) == {"i00001", "i00002", "i00003"}


def test_a_revision_keeps_its_lineage_and_is_born_from_all_of_it() -> None:
    graph = grown()
    graph.revise("i00003", "a, twice.", evidence(5))
    for node in ("i00001", "i00003", "i00004"):
        assert [each.id for each in graph.lineage(node)] == ["i00001", "i00003", "i00004"]
    assert graph.nodes["i00004"].born == ["t0", "t4", "t5"]
    assert [each.id for each in graph.lineage("i00002")] == ["i00002"]


def test_evidence_for_an_insight_is_not_what_its_text_was_made_from() -> None:
    graph = grown()
    assert graph.nodes["i00001"].born == ["t0"]


def test_the_history_names_every_edit_with_its_task_and_who_made_it() -> None:
    graph = grown()
    assert [(edit.operation, edit.insight, edit.revision) for edit in graph.history] == [
        ("ADD", "i00001", None), ("ADD", "i00002", None), ("KEEP", "i00001", None), ("ARCHIVE", "i00002", None),
        ("REVISE", "i00001", "i00003"),
    ]  # fmt: skip
    archived = graph.history[3]
    assert (archived.queries, archived.tasks, archived.resolved, archived.clock) == (("q3",), ("t3",), False, 3)
    assert {edit.by for edit in graph.history} == {"controller"}
    assert [edit.operation for edit in graph.edits_of("i00003")] == ["REVISE"]


def test_what_is_saved_comes_back_whole(tmp_path: Path) -> None:
    graph, loaded = grown(), InsightGraph()
    graph.save(tmp_path)
    loaded.load(tmp_path)
    assert loaded.nodes == graph.nodes
    assert loaded.edges == graph.edges == [("i00001", "i00003", "q4")]
    assert loaded.history == graph.history
    assert loaded.add("c.", evidence(6)).id == graph.add("c.", evidence(6)).id == "i00004"
