"""Agents of several roles: who is asked, what each is shown, whose answer acts, and what it costs by role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from baselines.none import NoMemory
from harness.agents.debate import Debate
from harness.agents.macnet import MacNet
from harness.agents.react import ReactAgent
from harness.agents.solver_helper import SolverHelper
from harness.errors import ConfigError, ContextOverflow
from harness.stream.launch import run_cell
from harness.types import Advice, Call, Episode, Limits, Message, Recall, RecallItem, StepKind, StopReason, View
from tests.fakes.flaky_backbone import FlakyBackbone, play_expert
from tests.streams import compose_cell, episodes
from tests.unit.agents.playing import PROMPTS, RECALL, TASK, WORLD

TEAMS: Mapping[str, type[ReactAgent]] = {"solver_helper": SolverHelper, "debate": Debate, "macnet": MacNet}
Said = str | None | BaseException | Callable[[Call], str]


class Cast(FlakyBackbone):
    """Answers by role: a list of answers, one a call of that role, the last one for ever; roles without one look."""

    def __init__(self, **said: Sequence[Said]) -> None:
        super().__init__([self._say])
        self._said = {role: list(answers) for role, answers in said.items()}

    def _say(self, messages: Sequence[Message], call: Call) -> str:
        script = self._said.get(call.role, ["Action: look"])
        answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer(call) if callable(answer) else answer or ""

    def asked(self, role: str) -> list[str]:
        """Return the last messages of a role's prompts."""
        return [prompt[-1].content for prompt, call in zip(self.prompts, self.calls, strict=True) if call.role == role]


def solve(agent: ReactAgent, steps: int = 1, memory: Any = None, recall: Recall = RECALL) -> Episode:
    with WORLD.start(TASK) as session:
        return agent.solve(session, TASK, 1, NoMemory() if memory is None else memory, recall, Limits(steps))


def debate(backbone: Cast, **settings: Any) -> Debate:
    return Debate(backbone=backbone, prompts=PROMPTS, **settings)


def macnet(backbone: Cast, **settings: Any) -> MacNet:
    return MacNet(backbone=backbone, prompts=PROMPTS, **settings)


def roles(backbone: Cast) -> list[str]:
    return [call.role for call in backbone.calls]


@pytest.mark.parametrize("name", TEAMS)
def test_a_team_that_knows_the_way_solves_the_task(name: str) -> None:
    episode = solve(TEAMS[name](backbone=FlakyBackbone([play_expert]), prompts=PROMPTS), steps=50)
    assert (episode.outcome.success, episode.outcome.stop) == (True, StopReason.SOLVED)


def test_the_helper_takes_over_after_three_equal_actions_and_the_solver_goes_on() -> None:
    backbone = Cast(helper=["Action: go west"])
    episode = solve(SolverHelper(backbone=backbone, prompts=PROMPTS), steps=5)
    assert roles(backbone) == ["solver", "solver", "solver", "helper", "solver"]
    assert episode.actions == ("look", "look", "look", "go west", "look")


def test_the_solver_alone_is_the_single_agent() -> None:
    one, pair = Cast(solver=["Action: look", "Action: x"]), Cast(solver=["Action: look", "Action: x"])
    solve(ReactAgent(backbone=one, prompts=PROMPTS), steps=3)
    solve(SolverHelper(backbone=pair, prompts=PROMPTS), steps=3)
    assert one.prompts == pair.prompts
    assert one.calls == pair.calls


def test_debaters_hear_the_others_and_the_majority_acts() -> None:
    backbone = Cast(
        debater_1=["Thought: east.\nAction: go east", "Action: look"], debater_2=["Action: look"],
        debater_3=["Action: open door", "Action: open door"],
    )  # fmt: skip
    episode = solve(debate(backbone))
    assert roles(backbone) == ["debater_1", "debater_2", "debater_3"] * 2
    assert episode.actions == ("look",)
    first, second = backbone.asked("debater_2")
    assert "proposes" not in first
    assert "debater_1 proposes:\nThought: east.\nAction: go east\ndebater_3 proposes:\nAction: open door" in second
    assert second.index("proposes") < second.index("Admissible actions:")
    assert "debater_2 proposes" not in second


def test_a_debate_ends_once_all_agree() -> None:
    backbone = Cast()
    solve(debate(backbone, rounds=5))
    assert roles(backbone) == ["debater_1", "debater_2", "debater_3"]


def test_without_a_majority_the_judge_decides() -> None:
    backbone = Cast(
        debater_1=["Action: a"], debater_2=["Action: b"], debater_3=["Action: c"], judge=["Thought: b.\nAction: b"]
    )
    episode = solve(debate(backbone, rounds=1))
    assert roles(backbone)[-1] == "judge"
    assert episode.actions == ("b",)
    assert backbone.asked("judge")[0].count("proposes:") == 3


def test_who_cannot_be_read_is_not_heard() -> None:
    backbone = Cast(debater_1=["hm"], debater_2=["Action: look"], debater_3=[ContextOverflow("too long")])
    episode = solve(debate(backbone, rounds=1))
    assert episode.actions == ("look",)


@pytest.mark.parametrize("name", ["debate", "macnet"])
@pytest.mark.parametrize(
    ("said", "stop", "kinds"),
    [
        ("hm", StopReason.FORMAT_LIMIT, [StepKind.FORMAT_ERROR] * 2),
        (None, StopReason.EMPTY_OUTPUT, []),
        (ContextOverflow("too long"), StopReason.CONTEXT_OVERFLOW, []),
    ],
)
def test_where_nobody_can_be_read_the_episode_ends_as_a_single_agents_does(
    name: str, said: Said, stop: StopReason, kinds: list[StepKind]
) -> None:
    everybody = {role: [said] for role in TEAMS[name](backbone=Cast(), prompts=PROMPTS).roles}
    episode = solve(TEAMS[name](backbone=Cast(**everybody), prompts=PROMPTS, max_format_errors=1), steps=9)
    assert episode.outcome.stop is stop
    assert [step.kind for step in episode.steps] == kinds


@pytest.mark.parametrize(("shape", "seen"), [("chain", [0, 1, 1]), ("mesh", [0, 1, 2])])
def test_members_of_a_network_see_those_before_them_and_the_last_one_acts(shape: str, seen: list[int]) -> None:
    backbone = Cast(actor=["Action: a"], reviser_1=["Action: b"], reviser_2=["Action: c"])
    episode = solve(macnet(backbone, shape=shape))
    assert roles(backbone) == ["actor", "reviser_1", "reviser_2"]
    assert [backbone.asked(role)[0].count("proposes:") for role in roles(backbone)] == seen
    assert "reviser_1 proposes:\nAction: b" in backbone.asked("reviser_2")[0]
    assert episode.actions == ("c",)


def test_a_member_that_cannot_be_read_is_passed_over() -> None:
    backbone = Cast(actor=["Action: look"], reviser_1=["hm"], reviser_2=["hm"])
    assert solve(macnet(backbone)).actions == ("look",)


class Projecting(NoMemory):
    """Shows each role its own part, and speaks up."""

    def __init__(self) -> None:
        super().__init__()
        self.views: list[View] = []

    def project(self, recall: Recall, role: str) -> Recall:
        items = (
            RecallItem(item.id, item.kind, item.score, f"{item.text} for {role}", item.born) for item in recall.items
        )
        return Recall(tuple(items), recall.heading)

    def step(self, view: View) -> Advice | None:
        self.views.append(view)
        return Advice(recall=Recall((RecallItem("m2", "note", 0.1, "keys lie about", ("other",)),)))


@pytest.mark.parametrize("name", TEAMS)
def test_every_role_is_given_its_own_part_of_the_memory_and_of_its_advice(name: str) -> None:
    backbone = Cast(helper=["Action: go west"], debater_1=["Action: a"], debater_2=["Action: b"])
    agent = TEAMS[name](backbone=backbone, prompts=PROMPTS)
    solve(agent, steps=4, memory=Projecting())
    seen: dict[str, list[str]] = {role: [] for role in agent.roles}
    for prompt, call in zip(backbone.prompts, backbone.calls, strict=True):
        seen[call.role].append(prompt[1].content)
    for role, texts in seen.items():
        assert texts, role
        assert f"keys lie about for {role}\n" in texts[-1]
    first = agent.roles[0]
    assert f"open doors first for {first}\n" in seen[first][0]


@pytest.mark.parametrize("name", TEAMS)
def test_each_role_is_told_its_part_and_the_digest_knows_all_of_them(name: str) -> None:
    agent = TEAMS[name](backbone=Cast(), prompts=PROMPTS)
    systems = [agent.system(role) for role in agent.roles]
    assert len(set(systems)) == len(agent.roles)
    assert all("$" not in system for system in systems)
    assert agent.digest() != ReactAgent(backbone=Cast(), prompts=PROMPTS).digest()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("solver_helper", {"repeats": 1}),
        ("debate", {"debaters": 1}),
        ("debate", {"rounds": 0}),
        ("macnet", {"members": 1}),
    ],
)
def test_a_team_too_small_is_refused(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=name):
        TEAMS[name](backbone=Cast(), prompts=PROMPTS, **settings)


@pytest.mark.parametrize("name", TEAMS)
def test_a_stream_accounts_for_every_role(tmp_path: Path, name: str) -> None:
    insights_soon = ("memory.projector=true", "memory.finetuning.start=2", "memory.finetuning.every=2")
    agent = (f"agent={name}", "backbone=apprentice", "backbone.skill=0.3")
    result = run_cell(compose_cell(tmp_path, "env=corridor", "memory=g_memory", *insights_soon, *agent))
    assert result.code == 0, result.message
    assert result.folder is not None
    lines = episodes(result.folder)
    spent = {row["role"] for line in lines for row in line["usage"] if row["phase"] == "agent"}
    expected = set(TEAMS[name](backbone=Cast(), prompts=PROMPTS).roles)
    assert spent <= expected
    assert expected - spent <= {"helper", "judge"}
    assert any(row["role"].startswith("projector_") for line in lines for row in line["usage"])
