"""ALFWorld's text engine, the same game at a fraction of the cost; imported in engine processes only.

TextWorld parses the same grammar texts with TatSu at every step, copies every entity for every symbol it expands,
translates each problem four times before the first observation (twice for a planner nobody asks), and copies a 34 MB
library. Here each text is parsed once, copies are shallow where nothing is changed in depth, a problem is translated
once, and the library is loaded in place. What a player reads stays identical (tests compare whole walkthroughs).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import fast_downward
import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld.envs.pddl import PddlEnv, logic, textgen
from textworld.logic import Rule

from envs.alfworld.goal import INSTRUCTION, read_goal
from envs.alfworld.policy import Policy, World

_BANNER = "-= Welcome to TextWorld, ALFRED! =-\n\n"


def _symbol_copy(symbol: Any, memo: object = None) -> Any:
    """Copy a grammar symbol and those inside it, but not its context, which every caller replaces."""
    twin = copy.copy(symbol)
    twin.context = {}
    if isinstance(symbol, textgen.ListSymbol):
        twin.symbol = _symbol_copy(symbol.symbol)
    elif isinstance(symbol, textgen.ConditionalSymbol):
        twin.expression = _symbol_copy(symbol.expression)
    return twin


def _context_copy(context: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a context as deep as it is changed: variables and mapping gain keys, entities are only read."""
    return {**context, "variables": dict(context["variables"]), "mapping": dict(context["mapping"])}


def _parsed_once(parse: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap TextWorld's symbol parser so that it sees each text once and callers get copies of their own."""
    cached = lru_cache(maxsize=None)(lambda text, rule_name: parse(text, rule_name=rule_name))

    def parse_once(text: str, *, rule_name: str, trace: bool = False) -> list[Any]:
        return [_symbol_copy(symbol) for symbol in cached(text, rule_name)]

    return parse_once


def _logic_parsed_once(parse: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap TextWorld's game-logic parser: grammars that differ in the instruction only are parsed once.

    The instruction is put back as a terminal, so it is never read as grammar.
    """
    cached = lru_cache(maxsize=8)(lambda text, rule_name: parse(text, rule_name=rule_name))

    def parse_once(text: str, *, rule_name: str) -> tuple[dict[str, Any], Any]:
        tasks = INSTRUCTION.findall(text)
        if len(tasks) != 1:
            parsed: tuple[dict[str, Any], Any] = parse(text, rule_name=rule_name)
            return parsed
        actions, grammar = cached(INSTRUCTION.sub(r'\1"TASK"', text), rule_name)
        own = textgen.ContextSensitiveGrammar()
        own.update(grammar)
        sentence = json.loads(f'"{tasks[0][1]}"')
        own._rules["task"] = [textgen.ProductionRule(lhs="task", rhs=[textgen.TerminalSymbol(sentence)])]
        return dict(actions), own

    return parse_once


def _translated_once(translate: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap Fast Downward's translator: the second translation serves the planner only, which is never asked."""

    def translate_once(domain: str, problem: str, verbose: bool = False, optimize: bool = False) -> tuple[Any, str]:
        if optimize:
            return None, ""
        translation: tuple[Any, str] = translate(domain, problem, verbose=verbose)
        return translation

    return translate_once


@lru_cache(maxsize=1)
def prepare() -> Any:
    """Put the quick versions in TextWorld's place, once and before forking; return Fast Downward's library."""
    textgen._parse_and_convert = _parsed_once(textgen._parse_and_convert)
    textgen.copy_context = _context_copy
    textgen.Symbol.__deepcopy__ = _symbol_copy
    logic._parse_and_convert = _logic_parsed_once(logic._parse_and_convert)
    logic.PddlState = lru_cache(maxsize=1)(logic.PddlState)
    Rule.parse_conjunctive_query = lru_cache(maxsize=None)(Rule.parse_conjunctive_query)
    fast_downward.pddl2sas = _translated_once(fast_downward.pddl2sas)
    library = fast_downward.load_lib()
    library.load_sas_replan = lambda sas: None
    fast_downward.load_lib = lambda: library
    return library


def warm(game: Mapping[str, Any]) -> None:
    """Parse a game's grammar, so that processes forked from this one need not."""
    logic.GameLogic(domain=game["pddl_domain"], grammar=game["grammar"])


class Engine:
    """One game being played. One a process: Fast Downward keeps its state in globals."""

    def __init__(self, game: Mapping[str, Any]) -> None:
        self._core = PddlEnv(textworld.EnvInfos(won=True, admissible_commands=True))
        self._game = AlfredDemangler(self._core, shuffle=False)
        self._game.load(dict(game))
        self._state = self._game.reset()
        self._goal = read_goal(game["pddl_problem"])
        self.observation = str(self._state["feedback"]).removeprefix(_BANNER)
        """The first observation, without TextWorld's banner."""

    def step(self, command: str) -> tuple[str, bool]:
        """Execute a command and return what the player reads, and whether the game is won."""
        self._state, _, _ = self._game.step(command)
        return str(self._state["feedback"]), bool(self._state["won"])

    def commands(self) -> list[str]:
        """Return the admissible commands, sorted."""
        return list(self._state["admissible_commands"])

    def safe_commands(self) -> list[str]:
        """Return the admissible commands less those that take a thing that nothing takes back."""
        names = self._names()
        traps = tuple(f"take {names[thing].strip()} from " for thing in self._world().stranding())
        return [command for command in self.commands() if not command.startswith(traps)]

    def expert(self) -> str | None:
        """Return the expert's next command; the state stays as it is."""
        return Policy(self._goal, self._world(), self._names()).command() if self._goal else None

    def _world(self) -> World:
        facts = self._core._pddl_state.facts
        return World((fact.name, tuple(argument.name for argument in fact.arguments)) for fact in facts)

    def _names(self) -> dict[str, str]:
        return {thing: info.name for thing, info in self._core._entity_infos.items()}
