"""Packaging, make targets and the pages a newcomer follows agree with what is in the repository."""

from __future__ import annotations

import ast
import fnmatch
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = ("harness", "envs", "baselines", "strata", "evoedit", "scripts")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def constraints() -> dict[str, str]:
    return dict(line.split("==") for line in read("constraints.txt").splitlines())


def requirements() -> list[Requirement]:
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"], *(line for each in extras.values() for line in each)]
    return [each for each in map(Requirement, lines) if each.name != PROJECT["project"]["name"]]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))


def test_constraints_are_exact_versions_and_nothing_else():
    lines = read("constraints.txt").splitlines()
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][\w.+!]*", line) for line in lines)
    assert list(constraints()) == sorted(constraints())


def test_constraints_hold_a_fitting_version_of_every_dependency():
    pinned = constraints()
    unmet = [
        str(each)
        for each in requirements()
        if not each.specifier.contains(pinned.get(canonicalize_name(each.name), "0"), prereleases=True)
    ]
    assert not unmet


def test_all_is_the_union_of_the_other_extras():
    extras = PROJECT["project"]["optional-dependencies"]
    (line,) = extras["all"]
    assert Requirement(line).extras == set(extras) - {"all"}


def test_appworld_is_no_dependency_because_it_cannot_share_an_environment():
    assert "appworld" not in {*constraints(), *(each.name for each in requirements())}


def test_every_library_that_our_packages_import_is_a_declared_dependency():
    distributions = metadata.packages_distributions()
    declared = {canonicalize_name(each.name) for each in requirements()}
    undeclared = set()
    for path in (path for room in (*ROOMS, "hydra_plugins") for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for top in {name.split(".")[0] for name in names} - set(sys.stdlib_module_names):
                owners = {canonicalize_name(owner) for owner in distributions.get(top, [])}
                if owners and not owners & declared and top not in (*ROOMS, "hydra_plugins"):
                    undeclared.add(f"{path.relative_to(ROOT)} imports {top} of {sorted(owners)}")
    bundled = ("py4j", "fast_downward", "tatsu")  # come with scienceworld and alfworld, whose versions are exact
    assert not {line for line in undeclared if not any(f"imports {name} " in line for name in bundled)}


def test_every_core_dependency_is_imported_somewhere():
    distributions = metadata.packages_distributions()
    source = "\n".join(path.read_text(encoding="utf-8") for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    used = {top for top in distributions if re.search(rf"^\s*(?:import|from) {re.escape(top)}\b", source, re.MULTILINE)}
    owners = {canonicalize_name(owner) for top in used for owner in distributions[top]}
    core = {canonicalize_name(Requirement(line).name) for line in PROJECT["project"]["dependencies"]}
    assert core - owners == {"hydra-joblib-launcher"}, "a plugin, which Hydra imports by itself"


def test_what_is_installed_is_the_rooms_and_never_tests_results_or_benchmarks():
    """Patterns, so that a new environment of several modules needs no line here."""
    find = PROJECT["tool"]["setuptools"]["packages"]["find"]
    assert sorted(find["include"]) == sorted(f"{room}*" for room in (*ROOMS, "hydra_plugins", "configs"))
    others = {path.name for path in ROOT.iterdir() if path.is_dir()} - {*ROOMS, "hydra_plugins", "configs"}
    assert not [name for name in others for pattern in find["include"] if fnmatch.fnmatch(name, pattern)]
    assert not list((ROOT / "hydra_plugins").glob("*.py")), "an __init__.py would hide the launchers' own hydra_plugins"


def test_an_editable_install_is_a_plain_path_where_hydra_finds_plugins_from_any_folder():
    """Behind setuptools' import hook, `python -m scripts.run` outside the checkout did not find the sweeper."""
    assert PROJECT["tool"]["setuptools"]["package-dir"] == {"": "."}


def test_the_package_can_not_be_uploaded_by_accident():
    assert "Private :: Do Not Upload" in PROJECT["project"]["classifiers"]


def test_make_without_a_target_lists_every_target_with_a_sentence():
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True)
    listed = dict(re.findall(r"^  make (\S+) +(\S.*)$", done.stdout, re.MULTILINE))
    assert set(listed) == targets()
    assert "\x1b" not in done.stdout


def test_every_make_target_is_phony():
    (phony,) = re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)
    assert set(phony.split()) == targets()


def test_set_up_on_a_bare_machine_names_all_that_is_missing_and_installs_nothing(tmp_path: Path):
    """PATH holds a shell's bare tools only: no Python, no Java, no compiler."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "cat", "printf"):
        (tools / name).symlink_to(f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}")
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "scripts" / "setup.sh")],
        cwd=tmp_path,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    for words in ("Python 3.11 or 3.12", "Java", "g++", "apt-get install default-jre-headless", "brew install"):
        assert words in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_set_up_without_scienceworld_does_not_ask_for_java(tmp_path: Path):
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "scripts" / "setup.sh"), "dev"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert "Python" in done.stderr
    assert "Java" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_of_a_page_exists(page: Path):
    text = page.read_text(encoding="utf-8")
    scripts = set(re.findall(r"scripts\.([a-z_]+)", text))
    assert not [name for name in scripts if not (ROOT / "scripts" / f"{name}.py").exists()]
    assert set(re.findall(r"\bmake ([a-z]+)\b(?=[`\s]*(?:$|[A-Z#]))", text, re.MULTILINE)) <= targets()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_group_member_in_a_command_of_a_page_exists(page: Path):
    """Only lines that are commands: prose may speak of what is planned."""
    missing = []
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.strip().startswith(("python -m", ".venv/bin/python -m")):
            continue
        for group, names in re.findall(r"\b(env|memory|backbone|experiment|row)=([\w,]+)", line):
            known = {path.stem for path in (ROOT / "configs" / group).glob("*.yaml")}
            missing += [f"{group}={name}" for name in names.split(",") if name.islower() and name not in known]
    assert not [name for name in missing if name not in EXAMPLES]


EXAMPLES = ("env=counting", "memory=last_plan")
"""What docs/ teaches to write."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    broken = [link for link in links if not re.match(r"\w+:", link) and not (page.parent / link).exists()]
    assert not broken


def test_every_workflow_step_is_a_command_that_exists():
    workflow = yaml.safe_load(read("docs/ci-workflow.yml"))
    runs = [step["run"] for step in workflow["jobs"]["ci"]["steps"] if "run" in step]
    assert any("experiment=ci" in run for run in runs)
    assert {run.split()[1] for run in runs if run.startswith("make ")} <= targets()


def test_every_promise_names_a_test_file():
    promises = re.findall(r"^\| \*\*.*$", read("README.md").partition("## Promises")[2], re.MULTILINE)
    assert len(promises) == 6
    assert all("](tests/" in promise for promise in promises)


def test_every_decision_is_listed():
    pages = {path.name for path in (ROOT / "docs" / "decisions").glob("0*.md")}
    assert set(re.findall(r"\]\((0[^)]+)\)", read("docs/decisions/README.md"))) == pages


def test_the_hooks_run_nothing_that_is_fetched():
    assert re.findall(r"- repo: (.*)", read(".pre-commit-config.yaml")) == ["local"]


def test_the_doctor_without_java_says_how_to_get_it_and_exits_2(run_cli):
    done = run_cli("doctor", env={"PATH": os.devnull})
    assert done.returncode == 2
    assert "missing for the quickstart:" in done.stdout.splitlines()[-1]
    assert "java" in done.stdout.splitlines()[-1]
    assert re.search(r"^  java +(sudo apt-get|brew) install \S+$", done.stdout, re.MULTILINE)


def test_the_doctor_never_prints_a_key(run_cli):
    done = run_cli("doctor", env={"OPENAI_API_KEY": "sk-canary-7f3a"})
    assert re.search(r"^ok +OPENAI_API_KEY +set ", done.stdout, re.MULTILINE)
    assert "canary" not in done.stdout + done.stderr
