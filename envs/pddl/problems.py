"""Sets of problems: texts, from a folder or generated, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from envs.pddl.families import FAMILIES, Family
from envs.pddl.reading import parsers, read_domain, read_problem
from envs.pddl.strips import Domain, Problem
from harness.errors import ConfigError

_REMEDY = (
    "expected a folder with gripper.pddl, blockworld.pddl, barman.pddl or tyreworld.pddl and a folder of that name "
    "beside each, holding its problems; or env.problems=generated"
)


@dataclass(frozen=True, slots=True)
class Source:
    """The texts of one problem."""

    id: str
    family: str
    domain: str
    problem: str


@dataclass(frozen=True, slots=True)
class Game:
    """One problem, read."""

    id: str
    family: Family
    problem: Problem

    @property
    def instruction(self) -> str:
        """The goal in words."""
        return f"Make all of this true: {'; '.join(self.family.statements(self.problem.goal))}."

    @property
    def template(self) -> str:
        """Family and size class."""
        return f"{self.family.name}-{self.family.size(self.problem)}"


def folder_sources(folder: Path) -> list[Source]:
    """Return the problems of a folder laid out as AgentBoard's: families in its order, files by name.

    Raises ConfigError where the folder or a part of it is missing, unreadable, or of another domain.
    """
    if not folder.is_dir():
        raise ConfigError(f"there is no folder of PDDL problems at {folder}: {_REMEDY}")
    domains = {file.stem: file for file in sorted(folder.glob("*.pddl"))}
    if unknown := sorted(domains.keys() - FAMILIES.keys()):
        raise ConfigError(f"{folder} has the unknown domains {', '.join(unknown)}: {_REMEDY}")
    found = []
    for name in FAMILIES:
        files = sorted((folder / name).glob("*.pddl"))
        if bool(files) != (name in domains):
            missing = f"{name}.pddl" if files else f"problems in {folder / name}"
            raise ConfigError(f"{folder} has no {missing}: {_REMEDY}")
        found += [Source(f"{name}/{file.stem}", name, _text(domains[name]), _text(file)) for file in files]
    if not found:
        raise ConfigError(f"{folder} has no PDDL problems: {_REMEDY}")
    return found


def read(sources: Iterable[Source]) -> dict[str, Game]:
    """Return problems by id, in order. Raises ConfigError, naming the problem, where one cannot be played."""
    parsers()
    domains: dict[str, Domain] = {}
    games = {}
    for source in sources:
        family = FAMILIES[source.family]
        try:
            if source.domain not in domains:
                domains[source.domain] = _checked_domain(family, read_domain(source.domain))
            problem = _checked_problem(family, read_problem(source.problem, domains[source.domain]))
        except ConfigError as error:
            part = f"problem {source.id}" if source.domain in domains else f"domain {source.family}"
            raise ConfigError(f"the PDDL {part} cannot be played: got {error}") from error
        games[source.id] = Game(source.id, family, problem)
    return games


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} is unreadable ({error}): fetch it again") from error


def _checked_domain(family: Family, domain: Domain) -> Domain:
    """Return the domain. Raises ConfigError where its actions or predicates are not those the texts speak of."""
    actions = {schema.name: len(schema.parameters) for schema in domain.schemas}
    expected = {name: _arity(template) for name, template in family.actions.items()}
    if actions != expected:
        raise ConfigError(f"the actions {_listed(actions)}: expected those of AgentBoard, {_listed(expected)}")
    known = {name: _arity(template) for name, template in family.facts.items()}
    if strange := {name: arity for name, arity in domain.predicates.items() if known.get(name) != arity}:
        raise ConfigError(f"the predicates {_listed(strange)}: expected some of {_listed(known)}")
    return domain


def _checked_problem(family: Family, problem: Problem) -> Problem:
    """Return the problem. Raises ConfigError where its goal is none that the expert of the family knows."""
    domain = problem.domain
    for atom in problem.goal:
        kinds = family.goals.get(atom[0])
        known = kinds is not None and (
            not domain.supertypes
            or all(domain.is_a(problem.objects[name], [kind]) for name, kind in zip(atom[1:], kinds, strict=True))
        )
        if not known:
            wishes = ", ".join(f"({' '.join([name, *kinds])})" for name, kinds in family.goals.items())
            raise ConfigError(f"the goal ({' '.join(atom)}): expected goals of the forms {wishes}")
    return problem


def _arity(template: str) -> int:
    return len(set(re.findall(r"\{\d\}", template)))


def _listed(arities: Mapping[str, int]) -> str:
    return ", ".join(f"{name}/{arity}" for name, arity in sorted(arities.items()))
