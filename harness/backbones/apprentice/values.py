"""One value for one field of a JSON schema, chosen by the field's name and type from what a prompt says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.backbones.apprentice.facts import Facts
from harness.backbones.apprentice.words import content, in_order, stem

Spec = Mapping[str, Any]

_DEPTH = 6
_STEPS = {"procedure", "step", "stage", "plan", "workflow", "script", "action", "trajectory", "recipe"}
_PITFALL = {"pitfall", "avoid", "mistake", "failure", "caution", "warn", "warning", "error"}
_OP, _OBJ = {"op", "operation", "verb"}, {"obj", "object", "entity", "noun"}
_TAG, _KEY = {"tag", "label", "facet", "topic"}, {"keyword", "term", "concept", "word"}
_INDEX = {"index", "indice", "idx", "id", "connection", "link", "neighbor", "neighbour", "candidate", "relat", "target"}
_NAME = {"title", "name", "intent", "goal", "task", "query", "question", "when", "condition", "instruction"}
_VERDICT = {"outcome", "result", "status", "verdict", "success", "solv", "solved", "correct", "complete", "pass"}
_RELATION = {"should", "evolve", "relevant", "duplicate", "same", "merge", "match", "similar", "update"} | _INDEX
_GRADE = {"score", "rating", "rate", "importance", "confidence", "quality", "utility", "weight", "relevance", "reward"}
_COUNT = {"count", "number", "length", "num", "total"}
_GOOD = {"success", "succe", "solv", "solved", "true", "yes", "pass", "correct", "positive", "good", "won", "complete"}
_BAD = {"failure", "fail", "false", "no", "incorrect", "negative", "bad", "lost", "wrong", "unsolv", "incomplete"}
_JOIN = {"merge", "update", "link", "same", "duplicate", "strengthen", "reinforce", "extend", "refine", "evolve"}
_FRESH = {"add", "new", "create", "insert", "keep", "distinct", "separate", "append"}


def fill(name: str, spec: Spec, facts: Facts, defs: Spec, depth: int = 0) -> Any:
    """Return a value for a field; what the prompt does not tell is as small as the schema allows."""
    spec = _resolved(spec, defs)
    if depth > _DEPTH:
        return minimal(spec, defs)
    if "const" in spec:
        return spec["const"]
    if "enum" in spec:
        return _option(spec["enum"], facts)
    kinds: dict[str, Callable[[], Any]] = {
        "object": lambda: _object(spec, facts, defs, depth),
        "array": lambda: _array(name, spec, facts, defs, depth),
        "string": lambda: _string(name, facts)[: spec.get("maxLength")].ljust(spec.get("minLength", 0), "."),
        "integer": lambda: _number(name, spec, facts, whole=True),
        "number": lambda: _number(name, spec, facts, whole=False),
        "boolean": lambda: _boolean(name, facts),
    }
    kind = kinds.get(str(spec.get("type")))
    return kind() if kind is not None else minimal(spec, defs)


def minimal(spec: Spec, defs: Spec, depth: int = 0) -> Any:
    """Return the smallest value of a schema that can be told from its types and bounds."""
    if any(option.get("type") == "null" for option in spec.get("anyOf", ())):
        return None
    spec = _resolved(spec, defs)
    if "const" in spec or "enum" in spec:
        return spec["const"] if "const" in spec else spec["enum"][0]
    kind = spec.get("type")
    if kind == "object" and depth <= _DEPTH:
        properties = spec.get("properties", {})
        return {key: minimal(properties.get(key, {}), defs, depth + 1) for key in spec.get("required", ())}
    if kind == "array" and depth <= _DEPTH:
        given = list(spec.get("prefixItems", ())) or [spec.get("items", {})] * spec.get("minItems", 0)
        return [minimal(item, defs, depth + 1) for item in given]
    if kind in ("integer", "number"):
        return _bounded(0, spec, whole=kind == "integer")
    samples = {"date": "2000-01-01", "date-time": "2000-01-01T00:00:00Z", "time": "00:00:00Z", "uri": "http://a.b"}
    text = samples.get(str(spec.get("format")), "").ljust(spec.get("minLength", 0), ".")
    return {"string": text, "boolean": False, "object": {}, "array": []}.get(str(kind))


def lesson(facts: Facts) -> str:
    """Return one sentence: the procedure that worked, what to avoid, or the task itself."""
    task = facts.task.rstrip(".")
    if facts.procedure:
        return f"{task}: {' -> '.join(facts.procedure)}."
    if facts.failed is not None:
        return f"{task}: avoid {facts.failed}."
    return f"{task}." if task else ""


def _resolved(spec: Spec, defs: Spec) -> Spec:
    """Follow references, and take the first alternative that is not null."""
    for _ in range(_DEPTH):
        if "$ref" in spec:
            spec = defs.get(str(spec["$ref"]).rsplit("/", 1)[-1], {})
        elif options := [
            o for key in ("anyOf", "oneOf", "allOf") for o in spec.get(key, ()) if o.get("type") != "null"
        ]:
            spec = options[0]
        elif isinstance(spec.get("type"), list):
            spec = {**spec, "type": next((t for t in spec["type"] if t != "null"), "null")}
        else:
            break
    return spec


def _about(name: str) -> set[str]:
    """Return the stems of the words in a field's name, snake or camel case."""
    return {stem(w) for w in re.findall(r"[A-Za-z][a-z]*|[A-Z]+", name)}


def _object(spec: Spec, facts: Facts, defs: Spec, depth: int) -> dict[str, Any]:
    return {key: fill(key, field, facts, defs, depth + 1) for key, field in spec.get("properties", {}).items()}


def _array(name: str, spec: Spec, facts: Facts, defs: Spec, depth: int) -> list[Any]:
    if "prefixItems" in spec:
        return [fill(name, item, facts, defs, depth + 1) for item in spec["prefixItems"]]
    item = _resolved(spec.get("items", {}), defs)
    kind, about = item.get("type"), _about(name)
    values: Sequence[Any]
    if "enum" in item:
        values = [_option(item["enum"], facts)]
    elif kind == "string":
        values = [v[: item.get("maxLength")] for v in _strings(about, facts)]
    elif kind == "integer":
        values = [int(i) for i in facts.related if i.isdigit()] if about & _RELATION else []
    elif kind == "object" and about & _STEPS:
        values = [fill(name, item, replace(facts, actions=(a,)), defs, depth + 1) for a in facts.procedure]
    else:
        values = [fill(name, item, facts, defs, depth + 1)] if kind in ("object", "array") and facts.task else []
    values = list(values)[: spec.get("maxItems")]
    return values + [minimal(item, defs)] * (spec.get("minItems", 0) - len(values))


def _strings(about: set[str], facts: Facts) -> list[str]:
    """Return the values of a list of strings, by what its name is about."""
    marked = [f"op:{stem(w)}" for w in facts.verbs], [f"obj:{stem(w)}" for w in facts.nouns]
    if about & _PITFALL:
        return [facts.failed] if facts.failed is not None else []
    if about & _STEPS:
        return facts.procedure
    if about & _OP:
        return marked[0]
    if about & _OBJ:
        return marked[1]
    if about & _TAG:
        return marked[0] + marked[1]
    if about & _KEY:
        return facts.verbs + facts.nouns
    if about & _INDEX:
        return facts.related
    return [text] if (text := lesson(facts)) else []


def _string(name: str, facts: Facts) -> str:
    about = _about(name)
    if about & (_PITFALL | _STEPS | _OP | _OBJ | _TAG | _KEY):
        values = _strings(about, facts)
        numbered = [f"{i}. {v}" for i, v in enumerate(values, 1)] if about & _STEPS and len(values) > 1 else values
        return "\n".join(numbered) if about & _STEPS else " ".join(numbered[:1] if about & (_OP | _OBJ) else numbered)
    if about & _NAME:
        return facts.task
    if about & _VERDICT:
        return "unknown" if facts.success is None else "success" if facts.success else "failure"
    if about & _INDEX:
        return facts.related[0] if facts.related else ""
    return lesson(facts)


def _option(options: Sequence[Any], facts: Facts) -> Any:
    """Choose by the verdict, by whether something related is listed, by words of the prompt, else the first."""
    words = [(option, _about(str(option))) for option in options]
    sides = ((_GOOD, _BAD), (_JOIN, _FRESH))
    for (yes, no), truth in zip(sides, (facts.success is True, bool(facts.related)), strict=True):
        for_yes = [o for o, w in words if w & yes and not w & no]
        for_no = [o for o, w in words if w & no and not w & yes]
        if for_yes and for_no:
            return (for_yes if truth else for_no)[0]
    told = [line for line in facts.text.splitlines() if sum(str(o).lower() in line.lower() for o in options) < 2]
    said = list(map(stem, in_order("\n".join(told))))
    known = set(said) | content(facts.task)
    return max(words, key=lambda pair: len(pair[1] & known))[0]


def _boolean(name: str, facts: Facts) -> bool:
    about = _about(name)
    if about & _BAD:
        return facts.success is False
    return facts.success is True if about & _VERDICT else bool(facts.related) if about & _RELATION else False


def _number(name: str, spec: Spec, facts: Facts, *, whole: bool) -> float:
    about = _about(name)
    if about & _GRADE:
        low, high = spec.get("minimum", 0), spec.get("maximum", 10 if whole else 1)
        return _bounded(low + (high - low) * (0.8 if facts.success else 0.3), spec, whole=whole)
    if about & _COUNT or (about & _STEPS):
        return _bounded(len(facts.actions), spec, whole=whole)
    if about & _INDEX and facts.related and facts.related[0].isdigit():
        return _bounded(int(facts.related[0]), spec, whole=whole)
    return _bounded(0, spec, whole=whole)


def _bounded(value: float, spec: Spec, *, whole: bool) -> float:
    """Return the value nearest to the wanted one within the schema's bounds."""
    gap = 1 if whole else 1e-6
    low = spec.get("minimum", spec["exclusiveMinimum"] + gap if "exclusiveMinimum" in spec else None)
    high = spec.get("maximum", spec["exclusiveMaximum"] - gap if "exclusiveMaximum" in spec else None)
    value = value if low is None else max(value, low)
    value = value if high is None else min(value, high)
    if step := spec.get("multipleOf"):
        value = -(-value // step) * step
    return int(value) if whole else float(value)
