"""The house rules that a reader of the source would otherwise have to check by eye."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("harness", "envs", "baselines", "strata", "evoedit", "hydra_plugins", "scripts")
VOCABULARY = {"types", "protocols", "errors", "seeds", "tokens", "cache"}
PARTS = {"backbones", "embedders", "agents", "ledger", "metrics", "statistics"}
MAY_IMPORT = {
    "envs": {"envs", "harness"},
    "baselines": {"baselines", "harness"},
    "strata": {"strata", "harness"},
    "evoedit": {"evoedit", "harness", "baselines.g_memory"},
    "hydra_plugins": {"harness"},
    "harness": {"harness"},
    "scripts": set(PACKAGES),
}
HEAVY = {
    *("alfworld", "textworld", "jericho", "spacy", "scienceworld", "py4j", "litellm", "openai", "wordllama", "torch"),
    *("xllamacpp", "pandas", "scipy", "wandb", "onnxruntime", "matplotlib", "playwright", "browsergym", "ray"),
    *("submitit", "networkx", "rustworkx"),
}
FILE_LINES, FUNCTION_LINES = 300, 40
ONE_PAGE = {"harness/types.py"}
"""The whole vocabulary stays on one page, however long."""
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+)/")


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def where(path: Path, node: ast.AST | None = None) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def imports(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Every absolute import, those inside functions too; ``from harness import build`` counts as harness.build."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            submodules = {file.stem for file in (ROOT / Path(*module.split("."))).glob("*")} if module else set()
            names = [f"{module}.{alias.name}" if alias.name in submodules else module for alias in node.names]
            yield from ((node, name) for name in names)


def layer(module: str) -> int:
    """0 vocabulary, 1 parts, 2 streams; ``harness`` alone is its docstring."""
    part = module.split(".")[1] if "." in module else "types"
    return 0 if part in VOCABULARY else 1 if part in PARTS else 2


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_a_lower_layer_of_the_harness_imports_nothing_from_a_higher_one():
    wrong = []
    for path in sorted((ROOT / "harness").rglob("*.py")):
        own = layer(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        wrong += [
            f"{where(path, node)} imports {name}"
            for node, name in imports(path)
            if name.split(".")[0] == "harness" and layer(name) > own
        ]
    assert not wrong


def test_each_package_imports_only_what_its_room_allows():
    ours = {*PACKAGES, "tests", "benchmarks"}
    wrong = []
    for path in modules():
        room = path.relative_to(ROOT).parts[0]
        for node, name in imports(path):
            allowed = any(name == each or name.startswith(f"{each}.") for each in MAY_IMPORT[room])
            if name.split(".")[0] in ours and not allowed:
                wrong.append(f"{where(path, node)} imports {name}")
            if room not in ("harness", "scripts", "hydra_plugins") and name.startswith("harness.") and layer(name) == 2:
                wrong.append(f"{where(path, node)} imports {name}, which belongs to the streams")
    assert not wrong


def test_imports_are_absolute():
    relative = [
        where(path, node)
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not relative


def test_no_file_and_no_function_is_longer_than_one_can_hold_in_mind():
    long = [
        f"{where(path)} {lines} lines"
        for path in modules()
        if str(path.relative_to(ROOT)) not in ONE_PAGE
        and (lines := path.read_text(encoding="utf-8").count("\n")) > FILE_LINES
    ]
    long += [
        f"{where(path, node)} {node.name}: {size} lines"
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES
    ]
    assert not long


def test_every_module_says_what_it_is_for():
    assert not [where(path) for path in modules() if not ast.get_docstring(tree(path))]


def test_no_exception_is_swallowed_in_silence():
    silent = [
        where(path, node)
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and len(node.body) == 1
        and isinstance(node.body[0], ast.Pass)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
    ]
    assert not silent


def _opens_text_without_encoding(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or "encoding" in {keyword.arg for keyword in node.keywords}:
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("read_text", "write_text"):
        return len(node.args) < (1 if node.func.attr == "read_text" else 2)
    if isinstance(node.func, ast.Name) and node.func.id == "open":
        mode = node.args[1:2]
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "open":
        mode = node.args[:1]  # of a Path; an archive's open takes a name, which is no constant mode
    else:
        return False
    constants = [each.value for each in mode if isinstance(each, ast.Constant)]
    return not mode or (bool(constants) and "b" not in str(constants[0]))


def test_every_text_file_is_opened_with_its_encoding():
    opened = [
        where(path, node) for path in modules() for node in ast.walk(tree(path)) if _opens_text_without_encoding(node)
    ]
    assert not opened


def test_nothing_committed_names_a_path_of_one_machine():
    named = []
    for path in tracked():
        if path.stat().st_size < 1_000_000 and path != Path(__file__):
            text = path.read_bytes().decode("utf-8", "replace")
            named += [f"{path.relative_to(ROOT)}: {found.group()}" for found in MACHINE_PATH.finditer(text)]
    assert not named


def _uncommented(path: Path) -> list[str]:
    """Lines that set a value and say nothing about it. Below ``defaults`` and ``hydra`` Hydra's own manual speaks."""
    found, section = [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        key = re.match(r"( *)([\w.@/-]+):(.*)", line)
        if key is None:
            continue
        if not key[1]:
            section = key[2]
        value = key[3].split("#")[0].strip()
        sets = value not in ("", "{}", "null") or (value == "null" and "#" not in key[3])
        if sets and section not in ("defaults", "hydra") and key[2] != "_target_" and "#" not in key[3]:
            found.append(f"{path.relative_to(ROOT)}:{number} {line.strip()}")
    return found


def test_every_key_of_a_class_configuration_says_its_meaning():
    """Rows and experiments override keys that are explained where they are defined; a heading explains those files."""
    bare = [
        line
        for path in sorted((ROOT / "configs").rglob("*.yaml"))
        if path.parent.name not in ("row", "experiment", "configs")
        for line in _uncommented(path)
    ]
    assert not bare


def test_every_row_and_every_experiment_begins_with_a_sentence():
    silent = [
        where(path)
        for group in ("row", "experiment")
        for path in sorted((ROOT / "configs" / group).glob("*.yaml"))
        if not re.match(r"# @package _global_\n# \S.*[.:]", path.read_text(encoding="utf-8"))
    ]
    assert not silent


def test_every_target_of_a_configuration_exists():
    missing = []
    for path in sorted((ROOT / "configs").rglob("*.yaml")):
        for target in re.findall(r"^\s*_target_: *([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            module, _, name = target.rpartition(".")
            try:
                found = hasattr(importlib.import_module(module), name)
            except ImportError:
                found = False
            if not found:
                missing.append(f"{path.relative_to(ROOT)}: {target}")
    assert not missing


ENGINES = {"envs.alfworld.engine", "envs.alfworld.worker"}
"""Modules that only an engine's own process imports."""


def _library_modules() -> list[str]:
    paths = [path for path in modules() if path.relative_to(ROOT).parts[0] not in ("scripts", "hydra_plugins")]
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths}
    return sorted(names - ENGINES)


def test_importing_everything_loads_no_heavy_library():
    program = (
        f"import importlib, sys\nfor name in {_library_modules()!r}: importlib.import_module(name)\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert sorted(HEAVY & set(done.stdout.split())) == []
