"""The configuration: every number says where it is from, and every row of a table is one file."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.config.cell import Part
from harness.config.signature import check, plain
from harness.errors import ConfigError
from strata.mechanisms import Switches
from strata.memory import Strata
from strata.prompting import FOLDER
from tests.unit.strata.building import CONFIG, settings

ROWS = sorted((CONFIG.parents[1] / "row").glob("[tx]*_*.yaml"))
SWITCHES: dict[str, dict[str, Any]] = {
    "t2_full": {}, "t2_no_tag": {"drop": ["tag"]}, "t2_no_contrast": {"contrast": "none"},
    "t2_no_adaptive": {"thresholds": "pooled", "edge_thresholds": "fixed"}, "t2_no_meta": {"meta": False},
    "t2_no_collection": {"collection": "none"}, "t5_full": {}, "t5_no_content": {"drop": ["content"]},
    "t5_no_index": {"drop": ["index"]}, "t5_no_tag": {"drop": ["tag"]}, "t5_no_lexical": {"drop": ["lexical"]},
    "t5_content_only": {"drop": ["index", "tag", "lexical"]}, "t6_global_band": {"thresholds": "global"},
    "t6_no_shrinkage": {"thresholds": "raw"}, "t6_full": {}, "t7_no_collection": {"collection": "none"},
    "t7_unprotected": {"collection": "unprotected"}, "t7_protected": {}, "t8_no_meta": {"meta": False},
    "t8_no_novelty": {"novelty": False}, "t8_full": {}, "t9_none": {"contrast": "none"},
    "t9_hand_placed": {"contrast": "hand_placed"}, "t9_rule": {}, "x_learned": {"contrast": "learned"},
    "x_meta_tags": {"meta_tags": "accumulated"}, "x_band_joins_opposites": {},
}  # fmt: skip
NUMBERS = {"t9_hand_placed": ["hand_placed"], "x_band_joins_opposites": ["separate"]}
"""What a row sets below ``opposites``."""
PAPER: dict[str, dict[str, Any]] = {
    "weights": {"content": 0.40, "index": 0.25, "tag": 0.30, "lexical": 0.05},
    "retrieval": {"gate": 0.35, "layer_bonus": 0.15},
    "bands": {"kappa": 30, "low_quantile": 0.25, "high_quantile": 0.92, "low_prior": 0.33, "high_prior": 0.62},
    "forgetting": {"activation_weight": 0.35, "age_weight": 0.65, "alpha": 0.02, "gamma": 0.5, "hysteresis": 0.15},
    "linking": {"neighbours": 6, "kappa": 6, "intra": 0.40, "cross": 0.55},
    "induction": {"resolution": 1.5, "conductance": 0.6, "radius": 0.6},
    "opposites": {"lexicon": [["heat", "cool"], ["create", "delete"]]},
}
"""What the paper's text says."""


def test_every_line_says_whether_its_value_is_the_papers_or_reconstructed() -> None:
    for line in CONFIG.read_text(encoding="utf-8").splitlines():
        setting = re.match(r"\s*(\w+):\s*\S", line)
        if setting and not line.startswith(("_target_", "#")) and not re.match(r"\s*\w+:\s*(#.*)?$", line):
            assert re.search(r"# (paper|reconstructed): \S", line), line


def test_the_papers_numbers_are_the_papers_and_say_so() -> None:
    text = CONFIG.read_text(encoding="utf-8")
    values = yaml.safe_load(text)
    for group, numbers in PAPER.items():
        block = text[text.index(f"\n{group}:") :]
        for key, value in numbers.items():
            assert values[group][key] == value
            assert re.search(rf"\n  {key}: [^\n#]*# paper: ", block), (group, key)


@pytest.mark.parametrize("row", ROWS, ids=lambda path: path.stem)
def test_a_row_sets_its_switches_and_nothing_else(row: Path) -> None:
    text = row.read_text(encoding="utf-8")
    values = yaml.safe_load(text)
    assert text.startswith("# @package _global_\n# ")
    assert values["defaults"] == [{"override /memory": "strata"}]
    changed = {**values.get("memory", {})}
    numbers = changed.pop("opposites", None)
    assert changed == SWITCHES[row.stem]
    assert list(numbers or {}) == NUMBERS.get(row.stem, [])
    assert set(values) <= {"defaults", "memory"}


def test_every_row_of_the_papers_ablations_has_its_file() -> None:
    assert {path.stem for path in ROWS} == set(SWITCHES)


@pytest.mark.parametrize("number", ["2", "5", "6", "7", "8", "9"])
def test_an_experiment_sweeps_every_row_of_its_table_and_the_table_knows_them_all(number: str) -> None:
    params = _sweep(f"table{number}")
    rows = params["row"].split(",")
    assert sorted(rows) == [path.stem for path in ROWS if path.stem.startswith(f"t{number}_")]
    assert (params["env"], params["seed"]) == ("alfworld,scienceworld", "0,1,2")
    made = {Switches(**_tuples(SWITCHES[row])).variant for row in rows}
    layout = importlib.import_module(f"harness.tables.table{number}").LAYOUT
    assert made == {variant for variant in layout.variants if not variant.startswith("x_")}
    assert {variant for variant in layout.variants if variant.startswith("x_")} <= set(SWITCHES)


@pytest.mark.parametrize("number", ["2", "9"])
def test_a_sensitivity_grid_sweeps_the_same_rows_over_both_knobs(number: str) -> None:
    params = _sweep(f"table{number}_sensitivity")
    assert params["row"] == _sweep(f"table{number}")["row"]
    assert len(params["backbone.skill"].split(",")) == len(params["backbone.obedience"].split(",")) == 3


def _sweep(experiment: str) -> dict[str, str]:
    text = (CONFIG.parents[1] / "experiment" / f"{experiment}.yaml").read_text(encoding="utf-8")
    params: dict[str, str] = yaml.safe_load(text)["hydra"]["sweeper"]["params"]
    return params


def _tuples(switches: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in switches.items()}


def test_hand_placed_pairs_are_pairs_of_opposite_sides() -> None:
    row = yaml.safe_load((CONFIG.parents[1] / "row" / "t9_hand_placed.yaml").read_text(encoding="utf-8"))
    for left, right in row["memory"]["opposites"]["hand_placed"]:
        assert [left[0], right[0]] in (["op:heat", "op:cool"], ["op:create", "op:delete"])
        assert left[1:] == right[1:]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contrast": "rules"}, "memory.contrast"),
        ({"weights": {"contents": 1.0}}, "memory.weights.contents"),
        ({"retrieval": {"seeds": 0}}, "memory.retrieval.seeds"),
        ({"drop": ["tags"]}, "memory.drop"),
        ({"bands": {"kappa": "many"}}, "memory.bands.kappa"),
        ({"novelti": True}, "novelty"),
    ],
)
def test_a_misspelt_or_impossible_setting_is_named(changes: dict[str, Any], message: str) -> None:
    values = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    values.pop("_target_")
    for key, value in changes.items():
        values[key] = {**values.get(key, {}), **value} if isinstance(value, dict) else value
    with pytest.raises(ConfigError, match=message):
        check(Strata, values, "memory")


def test_the_settings_are_identity_and_json() -> None:
    part = Part(Strata, settings())
    assert part.identity()["weights"] == {"content": 0.40, "index": 0.25, "tag": 0.30, "lexical": 0.05}
    other = Part(Strata, settings(retrieval={"seeds": 4}))
    assert part.identity() != other.identity()
    assert plain(settings()["drop"]) == []


def test_every_prompt_is_a_file_with_a_heading_sentence() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {
        "router", "atomic", "workflow", "variant", "pitfall", "meta", "tags",
    }  # fmt: skip
