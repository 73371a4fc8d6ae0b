"""The whole memory: its rounds, its diagnostics, and that a saved one goes on with the same bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from harness.errors import ConfigError, LedgerError
from harness.tables.diagnostics import flat_row
from harness.types import StreamInfo
from strata.memory import Strata
from tests.contract.experiences import stream
from tests.unit.strata.building import TableEmbedder, by_rule, experience, info, memory, task

STREAM = stream(60)
TIGHT: dict[str, Any] = {"forgetting": {"cap": 5}, "bands": {"low_prior": 0.5, "high_prior": 0.7, "kappa": 1e6}}
"""A small cap and a high band: many creates, many deletions, many reused slots."""


def fresh(**changes: Any) -> Strata:
    return memory(by_rule(), TableEmbedder(), **{**TIGHT, **changes})


def live(of: Strata, count: range) -> list[Any]:
    done = []
    for number in count:
        episode = STREAM[number].episode
        recall = of.retrieve(episode.task, episode.observation, trial=1)
        done.append((recall, of.update(STREAM[number])))
    return done


def files(of: Strata, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    of.save(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@given(
    cut=st.integers(0, 60),
    contrast=st.sampled_from(["rule", "learned"]),
    collection=st.sampled_from(["protected", "unprotected", "none"]),
    novelty=st.booleans(),
    drop=st.sampled_from([[], ["tag"], ["index", "tag", "lexical"]]),
)
@budget(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_memory_saved_anywhere_in_a_stream_goes_on_with_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory, cut: int, **changes: Any
) -> None:
    folder = tmp_path_factory.mktemp("store")
    whole, before, after = fresh(**changes), fresh(**changes), fresh(**changes)
    undisturbed = live(whole, range(60))
    done = live(before, range(cut))
    files(before, folder / "cut")
    after.load(folder / "cut")
    after.begin(info(cut))
    assert done + live(after, range(cut, 60)) == undisturbed
    assert files(after, folder / "after") == files(whole, folder / "whole")


def test_a_loaded_graph_is_equal_to_the_one_that_was_saved(tmp_path: Path) -> None:
    strata, again = fresh(), fresh()
    live(strata, range(60))
    files(strata, tmp_path / "store")
    live(again, range(7))
    again.load(tmp_path / "store")
    assert again.graph == strata.graph
    assert len(again) == len(strata)


def test_a_memory_of_another_embedder_is_refused(tmp_path: Path) -> None:
    strata = fresh()
    live(strata, range(10))
    files(strata, tmp_path / "store")
    wider = TableEmbedder()
    wider.dim = 32
    with pytest.raises(LedgerError, match="load the memory with the embedder that wrote it"):
        memory(by_rule(), wider).load(tmp_path / "store")


def test_the_cap_is_never_exceeded_after_a_round_and_collection_only_answers_pressure() -> None:
    strata = fresh()
    reports = [report for _, report in live(strata, range(60))]
    assert all(report.notes["nodes"]["workflow"] <= 5 for report in reports)
    assert sum(len(report.notes["collection"]["deleted"]) for report in reports) > 5
    assert reports[-1].notes["totals"]["deleted"] == sum(len(r.notes["collection"]["deleted"]) for r in reports)
    assert fresh(forgetting={"cap": 1000}).graph.made == 0
    roomy = live(fresh(forgetting={"cap": 1000}), range(60))
    assert all(not report.notes["collection"]["deleted"] for _, report in roomy)


def test_without_collection_the_store_outgrows_the_cap() -> None:
    strata = fresh(collection="none")
    live(strata, range(60))
    assert len([node for node in strata.graph.nodes.values() if node.kind == "workflow"]) > 5


def test_ages_move_at_every_retrieval_and_never_in_a_frozen_stream(tmp_path: Path) -> None:
    strata = fresh()
    live(strata, range(10))
    before = files(strata, tmp_path / "a")
    strata.begin(info(10, frozen=True))
    strata.retrieve(task(99), "", trial=1)
    assert files(strata, tmp_path / "b") == before
    strata.begin(info(10))
    strata.retrieve(task(99, "nothing like it at all"), "", trial=1)
    after = files(strata, tmp_path / "c")
    assert [name for name in after if after[name] != before[name]] == [
        name for name in before if name.startswith("nodes/workflow")
    ]


def test_a_query_that_clears_no_gate_injects_an_empty_string() -> None:
    strata = fresh(retrieval={"gate": 0.99})
    live(strata, range(20))
    recall = strata.retrieve(task(99, "write a poem"), "", trial=1)
    assert (recall.text, recall.items) == ("", ())


def test_every_round_logs_its_diagnostics_as_json() -> None:
    _, report = live(fresh(), range(40))[-1]
    row = flat_row(json.loads(json.dumps(dict(report.notes), allow_nan=False)))
    for key in (
        "nodes.meta", "nodes.workflow", "nodes.skill", "edges.call", "edges.generalizes", "edges.contrasts",
        "reflection.decision", "reflection.score", "reflection.band.low", "reflection.band.high", "reflection.band.n",
        "w.workflows", "w.edges", "w.cut_vertices", "w.thresholds.app:house.intra", "w.thresholds.app:house.n",
        "metas.communities.count", "metas.created", "metas.updated", "collection.deleted", "collection.protected",
        "collection.cascaded", "purity", "support", "injected.lines", "injected.tokens", "injected.meta",
        "totals.churn", "bands.app:house.low",
    ):  # fmt: skip
        assert key in row


def test_the_clock_counts_episodes_from_where_the_stream_says() -> None:
    strata = fresh()
    strata.begin(info(17))
    assert [report.notes["clock"] for _, report in live(strata, range(3))] == [17, 18, 19]
    assert strata.graph.nodes["workflow-00000"].clock == 17


def test_an_update_without_a_retrieval_before_it_still_learns() -> None:
    strata = fresh()
    assert strata.update(experience(task(0))).items == 1


@pytest.mark.parametrize(
    ("stream_name", "world", "cap"),
    [
        ("alfworld_valid_unseen-strata-apprentice-s0", "alfworld", 32),
        ("appworld_test_challenge-t2_no_tag-x-s1", "appworld", 38),
        ("custom-strata", "scienceworld", 24),
        ("corridor-strata", "corridor", 64),
    ],
)
def test_the_cap_is_the_streams_own(stream_name: str, world: str, cap: int) -> None:
    strata = memory(by_rule(), TableEmbedder())
    strata.begin(StreamInfo(stream_name, world, 0, False, "env", 0))
    assert strata.cap == cap


@pytest.mark.parametrize(
    ("stream_name", "cap"), [("house_hard_x-strata", 3), ("house_hard-strata", 2), ("house-strata", 1), ("hous", 1)]
)
def test_of_the_names_that_a_streams_name_begins_with_the_longest_gives_the_cap(stream_name: str, cap: int) -> None:
    for caps in ({"house": 1, "house_hard": 2, "house_hard_x": 3}, {"house_hard_x": 3, "house_hard": 2, "house": 1}):
        strata = memory(by_rule(), TableEmbedder(), forgetting={"caps": {**caps, "default": 9}})
        strata.begin(StreamInfo(stream_name, "house", 0, False, "env", 0))
        assert strata.cap == cap


def test_a_stream_without_any_cap_is_a_wrong_configuration() -> None:
    with pytest.raises(ConfigError, match=r"set memory\.forgetting\.cap"):
        memory(by_rule(), TableEmbedder(), forgetting={"caps": {"alfworld": 3}})


def test_the_variant_names_what_differs_from_the_full_system() -> None:
    assert memory(by_rule(), TableEmbedder()).variant == "full"
    assert memory(by_rule(), TableEmbedder(), drop=["tag", "index"], meta=False).variant == "drop=tag+index,meta=False"
