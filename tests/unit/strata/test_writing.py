"""What becomes of drafts in the graph: who calls a unit, and which tags a node gets."""

from __future__ import annotations

from typing import Any

import pytest

from strata.memory import Strata
from tests.unit.strata.building import SKILL, WORKFLOW, ByTask, TableEmbedder, by_rule, experience, memory, task

BOTH = {"reflectors": ["skill", "workflow"]}
FAR = {"low_prior": 0.999, "high_prior": 1.0}


def lived(*answers: dict[str, Any], text: str = "heat some egg.", bands: Any = FAR, **changes: Any) -> Strata:
    """Return a memory that lived through one solved episode for each mapping of answers, all with one task text."""
    scripts = {f"task-{n:03d}": by_rule(**{"router": BOTH, **own}) for n, own in enumerate(answers)}
    backbone = ByTask(by_rule(), scripts)
    strata = memory(backbone, TableEmbedder(), thresholds="global", bands=bands, meta=False, **changes)
    for number in range(len(answers)):
        each = experience(task(number, text))
        strata.retrieve(each.episode.task, each.episode.observation, trial=1)
        strata.update(each)
    return strata


CREATED = {"skill": SKILL, "workflow": WORKFLOW}
ALONE = {"workflow": WORKFLOW, "skill": {**SKILL, "decision": "none"}}


@pytest.mark.parametrize("second", [{"router": {"reflectors": ["skill"]}, "skill": SKILL}, {**CREATED, "workflow": ""}])
def test_a_unit_is_called_by_the_nearest_workflow_only_if_the_episode_belongs_to_it(second: dict[str, Any]) -> None:
    for low, called in ((0.999, ()), (0.0, ("skill-00001",))):
        strata = lived(ALONE, second, bands={"low_prior": low, "high_prior": 1.0})
        assert strata.graph.targets("call", "workflow-00000") == called
        assert "skill-00001" in strata.graph.nodes


def test_a_folded_unit_is_called_through_its_target_in_its_own_place() -> None:
    folding = {"decision": "refine", "target": "skill-00000", "merge": ["skill-00002"]}
    calls = ["skill-00002", "skill-00004"]
    third = {"skill": {**SKILL, **folding}, "workflow": {**WORKFLOW, "calls": calls}}
    strata = lived(CREATED, CREATED, CREATED, third)
    assert strata.graph.targets("call", "workflow-00006") == ("skill-00000", "skill-00004")


def unit_tags(name: str, content: str, *answered: str, text: str = "heat some egg.", **changes: Any) -> frozenset[str]:
    skill = {**SKILL, "name": name, "content": content, "tags": answered}
    asked = {"tags": {"tags": ["app:spotify"]}}
    strata = lived({"skill": skill, "workflow": WORKFLOW, **asked}, text=text, **changes)
    return strata.graph.nodes["skill-00000"].tags


def test_a_units_tags_are_read_in_its_name_and_in_its_content() -> None:
    tags = unit_tags("Oven. Old one", "Boil the water. Then wait for the bell.")
    assert tags == {"app:house", "obj:oven", "op:heat", "obj:water"}


def test_a_unit_that_names_no_application_has_the_querys() -> None:
    text = "Delete all my Spotify playlists."
    assert unit_tags("token", "it is there", text=text) == {"app:spotify", "obj:token"}
    assert unit_tags("Gmail token", "it is there", text=text) == {"app:gmail", "obj:token"}
    assert unit_tags("any", "thing", "obj:token", tag_parser="llm") == {"app:spotify", "obj:token"}
    assert unit_tags("any", "thing", "app:gmail", tag_parser="llm") == {"app:gmail"}


@pytest.mark.parametrize(
    ("answered", "tags"),
    [
        (["junk", "colour:red"], {"app:house", "op:heat", "obj:egg"}),
        (["obj:food", "nonsense"], {"app:house", "op:heat", "obj:food"}),
        (["op:boil", "app:kitchen"], {"app:kitchen", "op:heat", "obj:egg"}),
        ([], {"app:house", "op:heat", "obj:egg"}),
    ],
)
def test_a_workflow_has_the_querys_tags_of_each_kind_that_the_model_named_none_of(
    answered: list[str], tags: set[str]
) -> None:
    asked = {"tags": {"tags": ["op:heat", "obj:egg"]}}
    strata = lived({**ALONE, "workflow": {**WORKFLOW, "tags": answered}, **asked}, tag_parser="llm")
    assert strata.graph.nodes["workflow-00000"].tags == tags
