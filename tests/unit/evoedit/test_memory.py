"""EvoGraph-Mem as a whole: each rule of evidence, the separate ADD, the ablations, and its own variants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from evoedit.insight_graph import InsightNode
from evoedit.memory import EvoGraph
from harness.config.overrides import CONFIGS
from harness.config.signature import check
from harness.errors import ConfigError, LedgerError, TransientBackboneError
from harness.stream.launch import run_cell
from tests.streams import compose_cell, episodes
from tests.unit.evoedit.building import CONFIG, Controlled, add, episode, live, memory, rule, task, text
from tests.unit.strata.building import TableEmbedder, by_rule


def nodes(of: EvoGraph) -> list[InsightNode]:
    return list(of.insights.nodes.values())


def insights(recall: Any) -> list[str]:
    return [item.id for item in recall.items if item.kind == "insight"]


@pytest.mark.parametrize("success", [True, False])
def test_keep_adds_the_query_to_the_positives_whether_the_task_was_resolved_or_not(success: bool) -> None:
    made = memory(Controlled(add(), rule("KEEP")))
    live(made, 0)
    live(made, 1, success=success)
    (node,) = nodes(made)
    assert (node.positives, node.negatives, node.active) == (["q00001", "q00002"], [], True)


def test_archive_adds_the_query_to_the_negatives_and_takes_the_insight_out_of_retrieval() -> None:
    made = memory(Controlled(add(), rule("ARCHIVE")))
    live(made, 0)
    recall, _ = live(made, 1)
    assert insights(recall) == ["i00001"]
    (node,) = nodes(made)
    assert (node.positives, node.negatives, node.active) == (["q00001"], ["q00002"], False)
    assert insights(made.retrieve(task(2), "", trial=1)) == []
    assert [edit.operation for edit in made.insights.edits_of("i00001")] == ["ADD", "ARCHIVE"]


def test_revise_archives_the_old_and_makes_a_new_one_with_its_positives_and_the_query() -> None:
    made = memory(Controlled(add("look first."), rule("REVISE", words="look twice.")))
    live(made, 0)
    live(made, 1)
    old, new = nodes(made)
    assert (old.text, old.positives, old.negatives, old.active) == ("look first.", ["q00001"], [], False)
    assert (new.text, new.positives, new.negatives, new.active) == ("look twice.", ["q00001", "q00002"], [], True)
    assert new.parent == old.id
    assert insights(made.retrieve(task(2), "", trial=1)) == [new.id]


@pytest.mark.parametrize("success", [True, False])
def test_add_makes_an_active_insight_with_the_query_alone_whether_the_task_was_resolved_or_not(success: bool) -> None:
    made = memory(Controlled(add("look first.")))
    _, report = live(made, 0, success=success)
    (node,) = nodes(made)
    assert (node.text, node.positives, node.negatives, node.active) == ("look first.", ["q00001"], [], True)
    assert node.born == ["t0"]
    assert report.notes["edits"] == {"ADD": 1}


def test_adding_and_ruling_are_decided_apart() -> None:
    made = memory(Controlled(add(), rule("ARCHIVE", add=1), {**rule("KEEP"), "new_insight": "a thought, not added."}))
    reports = [live(made, number)[1] for number in range(3)]
    assert reports[1].notes["edits"] == {"ADD": 1, "ARCHIVE": 1}
    assert reports[2].notes["edits"] == {"KEEP": 1}


@pytest.mark.parametrize(("success", "edges"), [(True, [("i00001", "i00003", "q00003")]), (False, [])])
def test_edges_lead_from_each_kept_insight_to_the_new_one_and_only_where_the_task_was_resolved(
    success: bool, edges: list[tuple[str, str, str]]
) -> None:
    made = memory(Controlled(add(), rule("KEEP", add=1), rule("KEEP", "ARCHIVE", add=1)), recalling={"successes": 0})
    live(made, 0)
    live(made, 1, success=False)
    live(made, 2, success=success)
    assert made.insights.edges == edges


def test_the_subgraph_is_the_nearest_queries_and_their_neighbours(tmp_path: Path) -> None:
    """Equations (2) to (4): task 3 is nearest to 0; 1 is joined to 0 by an edge; 2 is alone."""
    vectors = {text(0): [1.0, 0.0], text(1): [0.9, 0.43], text(2): [0.0, 0.0, 1.0], text(3): [1.0, -0.2]}
    embedder = TableEmbedder(vectors)
    grown = memory(Controlled(*[add()] * 3), embedder, b=0)
    for number in range(3):
        live(grown, number)
    assert grown.queries.nodes["q00002"].links == ("q00001",)
    grown.save(tmp_path)
    for k, found in ((1, ["i00001", "i00002"]), (3, ["i00001", "i00002", "i00003"])):
        made = memory(embedder=embedder, k=k)
        made.load(tmp_path)
        assert insights(made.retrieve(task(3), "", trial=1)) == found


def test_the_top_b_are_injected_with_their_scores() -> None:
    made = memory(Controlled(add(), rule("KEEP", add=1), rule("KEEP", "KEEP", add=1)), b=2)
    for number in range(3):
        live(made, number)
    items = [item for item in made.retrieve(task(5), "", trial=1).items if item.kind == "insight"]
    assert [(item.id, item.score, item.born) for item in items] == [("i00001", 3.0, ("t0",)), ("i00002", 2.0, ("t1",))]
    assert [item.text for item in items] == ["Insights:\n1. look first.", "2. new one."]


def test_nothing_is_edited_where_a_call_fails_and_the_episode_can_be_played_again() -> None:
    class FailingController(Controlled):
        """Breaks down at the controller's call for task 1."""

        def complete(self, messages: Any, *, call: Any, schema: Any = None) -> Any:
            if call.role == "controller" and call.task_id == "t1":
                raise TransientBackboneError("overloaded")
            return super().complete(messages, call=call, schema=schema)

    made = memory(FailingController(add()))
    live(made, 0)
    before = (dict(made.queries.nodes), list(made.insights.history))
    made.retrieve(task(1), "", trial=1)
    with pytest.raises(TransientBackboneError):
        made.update(episode(1))
    assert (dict(made.queries.nodes), made.insights.history) == before


def test_what_nobody_judged_is_neither_failed_nor_resolved() -> None:
    made = memory(Controlled(add()))
    _, report = live(made, 0, success=None)
    assert (len(made), report.notes["unjudged"]) == (0, True)


def test_under_the_papers_rules_the_penalty_never_acts_and_the_log_says_so() -> None:
    made = memory(Controlled(add(), rule("REVISE", add=1), rule("KEEP", "ARCHIVE", add=1), rule("KEEP", "KEEP")))
    for number in range(4):
        _, report = live(made, number, success=number % 2 == 0)
    assert report.notes["conflict_rate"] == 0.0
    assert report.notes["totals"] | {"KEEP": 3, "ARCHIVE": 1, "REVISE": 1, "ADD": 3} == report.notes["totals"]
    assert not any(node.negatives for node in made.insights.active)
    assert any("inert" in sentence for sentence in made.disclosures)


def test_negatives_on_failure_lets_a_kept_insight_of_a_failed_task_gain_the_query_as_a_negative_too() -> None:
    made = memory(
        Controlled(
            add("a."), {**rule("KEEP", add=1), "new_insight": "b."}, rule("KEEP", "KEEP"), rule("ARCHIVE", "KEEP")
        ),
        variant="negatives_on_failure",
    )
    live(made, 0)
    live(made, 1)
    live(made, 2, success=False)
    first, second = nodes(made)
    assert (first.positives, first.negatives, first.active) == (["q00001", "q00002", "q00003"], ["q00003"], True)
    assert (second.positives, second.negatives, second.active) == (["q00002", "q00003"], ["q00003"], True)
    _, report = live(made, 3, success=False)
    assert report.notes["conflicting"] == 2
    assert report.notes["edits"] == {"ARCHIVE": 1, "KEEP": 1, "OPPOSE": 1}
    assert report.notes["conflict_rate"] > 0
    assert made.variant == "all,negatives_on_failure"
    assert "ours" in made.disclosures[1]


def test_lambda_decides_between_disputed_and_undisputed_insights() -> None:
    def ranked(lambda_: float) -> list[str]:
        made = memory(
            Controlled(add("a."), rule("KEEP"), rule("KEEP", add=1), rule("KEEP", "KEEP")),
            variant="negatives_on_failure", lambda_=lambda_,
        )  # fmt: skip
        live(made, 0)
        live(made, 1, success=False)
        live(made, 2, success=False)
        return insights(made.retrieve(task(9), "", trial=1))

    assert ranked(0.0) == ["i00001", "i00002"]
    assert ranked(1.0) == ["i00001", "i00002"]
    assert ranked(2.0) == ["i00002", "i00001"]


def test_with_negatives_on_failure_a_failure_counts_even_where_the_failed_query_alone_is_near() -> None:
    far = {text(0): [1.0, 0.0], text(1): [0.6, 0.8], text(2): [0.1, 1.0]}
    made = memory(Controlled(add(), rule("KEEP")), TableEmbedder(far), variant="negatives_on_failure")
    live(made, 0)
    live(made, 1, success=False)
    assert made.queries.neighbours("q00002") == []
    (item,) = [item for item in made.retrieve(task(2), "", trial=1).items if item.kind == "insight"]
    assert item.score == 0.0


def test_the_finetuning_variant_gives_negatives_to_insights_that_stay_active() -> None:
    remove = {"operations": [{"operation": "REMOVE", "rule": 1, "text": ""}]}
    made = memory(by_rule(controller=add("a."), fine_tune=remove), variant="gmemory_finetune",
                  finetuning={"start": 2, "every": 2, "coverage": 0.0})  # fmt: skip
    live(made, 0)
    _, report = live(made, 1)
    assert report.notes["edits"]["finetune_REMOVE"] >= 1
    assert made.insights.active[0].negatives
    assert {edit.by for edit in made.insights.history if edit.operation == "OPPOSE"} == {"gmemory_finetune"}
    assert live(made, 2)[1].notes["conflicting"] >= 1


def test_the_finetuning_variant_revises_with_lineage() -> None:
    edit = {"operations": [{"operation": "EDIT", "rule": 1, "text": "a, with care."}]}
    made = memory(by_rule(controller=add("a."), fine_tune=edit), variant="gmemory_finetune",
                  finetuning={"start": 2, "every": 2, "points": 1, "coverage": 0.0})  # fmt: skip
    live(made, 0)
    live(made, 1)
    revised = next(node for node in nodes(made) if node.text == "a, with care.")
    assert not made.insights.nodes[str(revised.parent)].active
    assert revised.born == ["t0", "t1"] or revised.born == ["t1", "t0"]


def test_a_memory_of_another_embedder_is_refused(tmp_path: Path) -> None:
    made = memory(Controlled(add()))
    live(made, 0)
    made.save(tmp_path)

    class Wider(TableEmbedder):
        dim = 32

    with pytest.raises(LedgerError, match="dimensions"):
        memory(embedder=Wider()).load(tmp_path)


@pytest.mark.parametrize("changes", [{"lambda_": -0.1}, {"lambda_": float("inf")}, {"k": 0}, {"b": -1}])
def test_impossible_numbers_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="evograph"):
        memory(**changes)


def test_every_bar_of_figure_3_is_one_override() -> None:
    for path in sorted((CONFIGS / "row").glob("evo_fig3_*.yaml")):
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert values["defaults"] == [{"override /memory": "evograph"}]
        assert values["memory"] == {"controller": path.stem.removeprefix("evo_fig3_")}
        arguments = yaml.safe_load(CONFIG.read_text(encoding="utf-8")) | values["memory"]
        del arguments["_target_"]
        check(EvoGraph, arguments, "memory")


@pytest.mark.parametrize("controller", ["all", "add_keep_archive", "add_keep"])
def test_a_stream_of_corridors_runs_to_its_end(tmp_path: Path, controller: str) -> None:
    cell = compose_cell(
        tmp_path, "env=corridor", "memory=evograph", "backbone=apprentice", f"memory.controller={controller}"
    )
    result = run_cell(cell)
    assert result.code == 0, result.message
    assert result.folder is not None
    lines = episodes(result.folder)
    assert len(lines) == 6
    assert all(line["update"]["notes"]["unreadable"] == {} for line in lines)
    assert lines[-1]["update"]["notes"]["conflict_rate"] == 0.0
    assert any(item["kind"] == "insight" for item in lines[-1]["recall"]["items"])
    lock = json.loads((result.folder / "lock.json").read_text(encoding="utf-8"))
    assert lock["memory"]["variant"] == controller
