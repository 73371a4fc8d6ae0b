"""What is opposite to what: operators by the lexicon, tags by hand-placed pairs, or, learned, nothing by its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.errors import ConfigError
from strata.graph import Graph, Node, operators
from strata.settings import ContrastMode, Opposing
from strata.words import words


class Opposition:
    """Says which tags oppose each other, and which side of a contrasting pair is the wrong one for a query.

    Args:
        mode: rule: opposite operators of the lexicon, whatever the objects. hand_placed: the listed pairs of tags.
            learned and none: nothing is opposite by its words.
        names: Operator -> the words that name it.

    Raises ConfigError where a pair names what no tag can be.
    """

    def __init__(self, settings: Opposing, mode: ContrastMode, names: Mapping[str, Sequence[str]]) -> None:
        self._separate = settings.separate
        self._names = {operator: frozenset((operator, *others)) for operator, others in names.items()}
        self._placed = [(frozenset(a), frozenset(b)) for a, b in settings.hand_placed] if mode == "hand_placed" else []
        placed = [(a, b) for left, right in self._placed for a in operators(left) for b in operators(right)]
        pairs = {"rule": [(a, b) for a, b in settings.lexicon], "hand_placed": placed}.get(mode, [])
        self._check("lexicon", [op for pair in settings.lexicon for op in pair])
        for side in (side for pair in settings.hand_placed for side in pair):
            if not (named := operators(frozenset(side))):
                raise ConfigError(f"memory.opposites.hand_placed: got {side}, expected at least one op:* tag")
            self._check("hand_placed", named)
        self._pairs = frozenset(frozenset(pair) for pair in pairs)

    def _check(self, key: str, named: Iterable[str]) -> None:
        """Refuse an operator that no text can have: only canonical ones become tags."""
        for operator in named:
            if operator not in self._names:
                meant = [known for known, others in self._names.items() if operator in others]
                tip = f"write {meant[0]!r}, which it names" if meant else f"one of {', '.join(sorted(self._names))}"
                raise ConfigError(f"memory.opposites.{key}: got the operator {operator!r}, expected {tip}")

    def opposite(self, left: Iterable[str], right: Iterable[str]) -> bool:
        """Return whether an operator that only one side has and one that only the other has are a pair."""
        here, there = frozenset(left), frozenset(right)
        return any(frozenset((a, b)) in self._pairs for a in here - there for b in there - here)

    def contrast(self, left: frozenset[str], right: frozenset[str]) -> bool:
        """Return whether two sets of tags contrast: by their operators, or as one of the listed pairs."""
        if self._placed:
            return any((a <= left and b <= right) or (a <= right and b <= left) for a, b in self._placed)
        return self.opposite(operators(left), operators(right))

    def partners(self, own: frozenset[str]) -> list[str]:
        """Return the operators that some operator of a side is paired with."""
        return sorted({op for pair in self._pairs for op in pair if pair - {op} and pair - {op} <= own})

    def separates(self, node: Node, tags: frozenset[str]) -> bool:
        """Return whether an episode with these tags may not be written into a workflow, since the two contrast."""
        return self._separate and self.contrast(node.tags, tags)

    def warned(
        self, graph: Graph, workflows: Sequence[str], asked: frozenset[str], rank: Mapping[str, float]
    ) -> dict[str, str]:
        """Return which workflows of a subgraph stand under a warning, each with the side it must not be taken for.

        Of a contrasting pair the side that opposes the query is warned of, even if it was the seed. Where neither or
        both do, it is the side without the query's operators, and where that does not tell either, the lower score.
        The fittest are decided first: what is warned of itself warns of nothing.
        """
        found: dict[str, str] = {}
        procedures: list[str] = []
        for node_id in sorted(workflows, key=lambda i: self._fitness(graph.nodes[i], asked, rank[i]), reverse=True):
            joined = set(graph.targets("contrasts", node_id))
            instead = next((other for other in procedures if other in joined), None)
            if instead is None:
                procedures.append(node_id)
            else:
                found[node_id] = instead
        return found

    def _fitness(self, node: Node, asked: frozenset[str], score: float) -> tuple[bool, bool, float, int]:
        own = operators(node.tags)
        return (not self.opposite(own, asked), bool(own & asked), score, -node.number)

    def wrong_steps(self, node: Node, instead: Node, asked: frozenset[str]) -> list[str]:
        """Return the steps of a workflow warned of that make it wrong here: those that name an opposed operator.

        Opposed are its operators that contrast with the query's and with those of the workflow to follow instead;
        where no pair is known, all those that neither has.
        """
        ours = asked | operators(instead.tags)
        theirs = operators(node.tags) - ours
        opposed = {op for op in theirs if self.opposite((op,), ours)} or theirs
        named = frozenset().union(*(self._names.get(op, frozenset((op,))) for op in opposed))
        return [step for step in node.body if not named.isdisjoint(words(step))]
