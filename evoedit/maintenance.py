"""What a decision does to the insight graph: each rule of evidence is one function, and stands here only.

The rules are from a complete reading of the paper by a third party; the text at hand states the operations alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from baselines.g_memory.insights import Edit as Operation
from baselines.g_memory.queries import QueryNode
from evoedit.controller import Decision, Ruling
from evoedit.insight_graph import Evidence, InsightGraph


@dataclass(slots=True)
class Applied:
    """What an episode changed."""

    counts: Counter[str] = field(default_factory=Counter)
    """Edits by operation."""
    written: list[str] = field(default_factory=list)
    """Ids of the insights made or changed."""


def apply_decision(
    graph: InsightGraph, decision: Decision, evidence: Evidence, *, negatives_on_failure: bool = False
) -> Applied:
    """Carry out a whole decision; nothing in it can fail half-way."""
    done = Applied()
    evidence = evidence if decision.readable else replace(evidence, by="default")
    for ruling in decision.rulings:
        _rule(graph, ruling, evidence, done)
        if negatives_on_failure and ruling.verb == "KEEP" and not evidence.resolved:
            _oppose_after_failure(graph, ruling, evidence, done)
    if decision.added is not None:
        _add(graph, decision, evidence, done)
    return done


def _rule(graph: InsightGraph, ruling: Ruling, evidence: Evidence, done: Applied) -> None:
    """Equation (11). KEEP, ARCHIVE and REVISE hold whether the task was resolved or not."""
    done.counts[ruling.verb] += 1
    done.written.append(ruling.insight)
    if ruling.verb == "KEEP":
        graph.keep(ruling.insight, evidence)
    elif ruling.verb == "ARCHIVE":
        graph.archive(ruling.insight, evidence)
    else:
        done.written.append(graph.revise(ruling.insight, ruling.text, evidence).id)


def _add(graph: InsightGraph, decision: Decision, evidence: Evidence, done: Applied) -> None:
    """Equation (12): add the insight, whether the task was resolved or not; connect it only where it was.

    A hyper-edge of equation (5) leads from each kept retrieved insight to the new one, mediated by the task's query.
    """
    new = graph.add(str(decision.added), evidence)
    done.counts["ADD"] += 1
    done.written.append(new.id)
    if evidence.resolved:
        for ruling in decision.rulings:
            if ruling.verb == "KEEP":
                graph.connect(ruling.insight, new.id, evidence.queries[0])
                done.counts["edges"] += 1


def _oppose_after_failure(graph: InsightGraph, ruling: Ruling, evidence: Evidence, done: Applied) -> None:
    """Variant ``negatives_on_failure``, ours: an insight kept in a failed task gains the query in Omega- as well.

    The query then counts on both sides of equation (8): lambda says by how much the failure outweighs the ruling.
    """
    graph.oppose(ruling.insight, replace(evidence, by="negatives_on_failure"))
    done.counts["OPPOSE"] += 1


def apply_operation(
    graph: InsightGraph, operation: Operation, queries: Sequence[QueryNode], *, clock: int, done: Applied
) -> None:
    """Variant ``gmemory_finetune``, ours: carry out an operation of G-Memory's fine-tuning on the editable graph.

    ADD and AGREE give positive evidence and EDIT revises, each with all queries compared; REMOVE adds negatives to a
    node that stays active, as G-Memory's lowers a score without dropping the rule at once.
    """
    evidence = Evidence(
        queries=tuple(query.id for query in queries), tasks=tuple(query.task_id for query in queries),
        resolved=all(query.resolved for query in queries), clock=clock, by="gmemory_finetune",
    )  # fmt: skip
    done.counts[f"finetune_{operation.verb}"] += 1
    if operation.verb == "ADD":
        done.written.append(graph.add(operation.text, evidence).id)
        return
    target = str(operation.target)
    done.written.append(target)
    if operation.verb == "AGREE":
        graph.keep(target, evidence)
    elif operation.verb == "EDIT":
        done.written.append(graph.revise(target, operation.text, evidence).id)
    else:
        graph.oppose(target, evidence)
