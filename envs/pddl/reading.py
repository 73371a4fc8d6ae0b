"""Reads PDDL text into domains and problems, on the parser of the ``pddl`` package."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

from envs.pddl.strips import Atom, Domain, Problem, Schema
from harness.errors import ConfigError

_PREDICATES = re.compile(r"\(\s*:predicates\b")
_CONSTANTS = re.compile(r"\(\s*:constants\b[^()]*\)")
_OBJECTS = re.compile(r"\(\s*:objects\b([^()]*)\)")
_HEADER = re.compile(r"\(\s*define\s*\(\s*domain\b[^()]*\)")
_SWAPPED = re.compile(r"\(\s*in (\?\w+) - container (\?\w+) - obj\s*\)")


@functools.cache
def parsers() -> tuple[Callable[[str], Any], Callable[[str], Any]]:
    """Return the parsers of domains and of problems, made once. Raises ConfigError where the package is missing."""
    try:
        from pddl.parser.domain import DomainParser
        from pddl.parser.problem import ProblemParser
    except ImportError as error:
        raise ConfigError("env=pddl needs the package pddl: pip install -e '.[pddl]'") from error
    return DomainParser(), ProblemParser()


def read_domain(text: str) -> Domain:
    """Return the domain that a text defines. Raises ConfigError where it is not typed STRIPS."""
    parsed = _parsed(parsers()[0], repaired_domain(_plain(text)), "domain")
    return Domain(
        name=str(parsed.name),
        supertypes={str(kind): None if parent is None else str(parent) for kind, parent in parsed.types.items()},
        constants=_typed(parsed.constants),
        predicates={str(predicate.name): int(predicate.arity) for predicate in parsed.predicates},
        schemas=tuple(_schema(action) for action in sorted(parsed.actions, key=lambda action: str(action.name))),
    )


def read_problem(text: str, domain: Domain) -> Problem:
    """Return the problem of a domain that a text defines.

    Raises ConfigError where it is no such problem, asks for what is unknown, or asks for nothing that is not so yet.
    """
    parsed = _parsed(parsers()[1], repaired_problem(_plain(text), domain), "problem")
    initial, denied = _literals(parsed.init)
    goal, unwanted = _literals([parsed.goal])
    if denied or unwanted:
        raise ConfigError("a problem with negative literals: expected only atoms in :init and :goal")
    problem = Problem(
        domain, {**domain.constants, **_typed(parsed.objects)}, frozenset(initial), tuple(dict.fromkeys(goal))
    )
    if str(parsed.domain_name) != domain.name:
        raise ConfigError(f"a problem of the domain {parsed.domain_name}: expected one of {domain.name}")
    for atom in [*initial, *goal]:
        known = domain.predicates.get(atom[0]) == len(atom) - 1
        if not known or any(name not in problem.objects for name in atom[1:]):
            raise ConfigError(f"({' '.join(atom)}) is made of unknown names, or has too many or too few")
    if problem.initial.issuperset(goal):
        raise ConfigError("a goal that already holds at the start: expected something to do")
    return problem


def repaired_domain(text: str) -> str:
    """Return a domain's text as a strict parser takes it; a text without faults comes back as it is.

    AgentBoard's files leave out :requirements; its tyreworld names :constants after :predicates, and declares ``in``
    as (container, thing) though every action uses it as (thing, container).
    """
    if ":requirements" not in text:
        text = _HEADER.sub(lambda found: f"{found[0]}\n(:requirements :strips :typing)", text, count=1)
    constants, predicates = _CONSTANTS.search(text), _PREDICATES.search(text)
    if constants and predicates and predicates.start() < constants.start():
        text = text.replace(constants[0], "")
        text = f"{text[: predicates.start()]}{constants[0]}\n{text[predicates.start() :]}"
    return _SWAPPED.sub(r"(in \1 - obj \2 - container)", text)


def repaired_problem(text: str, domain: Domain) -> str:
    """Return a problem's text without the domain's constants among its objects, as AgentBoard's tyreworld has them."""

    def objects(section: re.Match[str]) -> str:
        kept: list[str] = []
        names: list[str] = []
        words = iter(section[1].split())
        for word in words:
            if word == "-":
                kind = next(words, "")
                kept += [*names, "-", kind] if names else []
                names = []
            elif word not in domain.constants:
                names.append(word)
        return f"(:objects {' '.join([*kept, *names])})"

    return _OBJECTS.sub(objects, text, count=1)


def _plain(text: str) -> str:
    """Return a text without comments and in lower case, as PDDL's names do not tell cases apart."""
    return re.sub(r";[^\n]*", "", text).lower()


def _parsed(parse: Callable[[str], Any], text: str, what: str) -> Any:
    try:
        return parse(text)
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ConfigError(f"not a {what} in the :strips and :typing part of PDDL ({reason})") from error


def _typed(names: Iterable[Any]) -> dict[str, str]:
    """Return constants with their types, sorted."""
    return {str(each.name): min(map(str, each.type_tags), default="object") for each in sorted(names, key=str)}


def _schema(action: Any) -> Schema:
    needs, negative = _literals([action.precondition])
    adds, deletes = _literals([action.effect])
    if negative:
        raise ConfigError(f"the action {action.name} has negative preconditions: expected only atoms, joined by and")
    parameters = tuple((f"?{each.name}", frozenset(map(str, each.type_tags))) for each in action.parameters)
    return Schema(str(action.name), parameters, tuple(needs), tuple(adds), tuple(deletes))


def _literals(formulas: Iterable[Any]) -> tuple[list[Atom], list[Atom]]:
    """Return the atoms that a conjunction affirms and those it denies. Raises ConfigError for anything else."""
    from pddl.logic.base import And, Not
    from pddl.logic.predicates import Predicate

    affirmed: list[Atom] = []
    denied: list[Atom] = []
    for formula in formulas:
        if isinstance(formula, And):
            more, less = _literals(formula.operands)
            affirmed, denied = affirmed + more, denied + less
        elif isinstance(formula, Predicate):
            affirmed.append(_atom(formula))
        elif isinstance(formula, Not) and isinstance(formula.argument, Predicate):
            denied.append(_atom(formula.argument))
        else:
            raise ConfigError(f"a formula of the kind {type(formula).__name__}: expected atoms, joined by and")
    return affirmed, denied


def _atom(predicate: Any) -> Atom:
    from pddl.logic.terms import Variable

    terms = (f"?{term.name}" if isinstance(term, Variable) else str(term.name) for term in predicate.terms)
    return (str(predicate.name), *terms)
