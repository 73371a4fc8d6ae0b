"""Say what this machine lacks, what each thing is for, and the command that gets it: ``python -m scripts.doctor``."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Any

from harness.backbones.weights import find_weights

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_EXTRAS = ("alfworld", "scienceworld")
"""What `make run` and `make test` use; the doctor's exit code speaks for these and the core only."""
LEAST_FREE_GB = 2.0
DESCRIPTION = "Say what this machine lacks, what each thing is for, and the command that gets it."
PURPOSES = {
    "alfworld": "env=alfworld",
    "scienceworld": "env=scienceworld",
    "webarena": "env=webarena (planned)",
    "qa": "env=hotpotqa, env=fever",
    "pddl": "env=pddl",
    "wandb": "tracking=wandb",
    "slurm": "hydra/launcher=submitit_slurm",
    "ray": "hydra/launcher=ray",
    "minilm": "embedder=minilm",
    "leiden": "community detection on large graphs",
    "report": "figures",
    "dev": "make test, make check",
}


@dataclass(frozen=True)
class Finding:
    """One thing looked for."""

    name: str
    ok: bool
    needed: bool
    """Whether the quickstart fails without it."""
    purpose: str
    state: str
    """What was found."""
    fix: str = ""
    """The exact command, where it is not ok."""

    @property
    def mark(self) -> str:
        """One word for the state."""
        return "ok" if self.ok else "missing" if self.needed else "optional"


def examine() -> list[Finding]:
    """Look at everything, in the order in which it is needed. Imports nothing heavy and reads no key's value."""
    requirements = _requirements()
    compiled = not _unmet(requirements.get("alfworld", []))
    return [
        _python(),
        _program(
            "git", ["git", "--version"], "which code made a run (lock.json)", needed=False, debian="git", mac="git"
        ),
        _program(
            "java", ["java", "-version"], "env=scienceworld", needed=True, debian="default-jre-headless", mac="temurin"
        ),
        *(
            _program(name, [name, "--version"], "building env=alfworld", needed=not compiled, debian="build-essential")
            for name in ("gcc", "g++")
        ),
        *_packages(requirements),
        _weights(),
        _disk(),
        *_keys(),
    ]


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    fits = (3, 11) <= sys.version_info[:2] < (3, 13)
    return Finding("python", fits, True, "everything", found, "" if fits else "make setup PYTHON=python3.11")


def _program(
    name: str, command: Sequence[str], purpose: str, *, needed: bool, debian: str, mac: str | None = None
) -> Finding:
    """Run a program's version command: macOS has stubs that exist and only say where to get the real thing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        lines = (done.stdout or done.stderr).strip().splitlines()
        return Finding(name, True, needed, purpose, lines[0] if lines else "found")
    except (OSError, subprocess.SubprocessError):
        brew = f"brew install {mac}" if mac else "xcode-select --install"
        fix = brew if sys.platform == "darwin" else f"sudo apt-get install {debian}"
        return Finding(name, False, needed, purpose, "not on PATH", fix)


def _requirements() -> dict[str, list[str]]:
    """Return the requirements by extra (core: ``""``), of pyproject.toml: the installed metadata may be older."""
    project: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: list(lines) for name, lines in project["optional-dependencies"].items() if name != "all"}
    return {"": list(project["dependencies"]), **extras}


def _unmet(requirements: Iterable[str]) -> list[str]:
    """Return the requirements that no installed distribution of a fitting version meets."""
    if util.find_spec("packaging") is None:
        return list(requirements)
    from packaging.requirements import Requirement

    unmet = []
    for line in requirements:
        requirement = Requirement(line)
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            version = None
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            unmet.append(f"{requirement.name} {'is not there' if version is None else version + ' does not fit'}")
    return unmet


def _packages(requirements: Mapping[str, list[str]]) -> Iterator[Finding]:
    for extra, lines in requirements.items():
        unmet = _unmet(lines)
        state = f"{len(lines)} packages" if not unmet else "; ".join(unmet)
        name, needed = (f"[{extra}]", extra in DEFAULT_EXTRAS) if extra else ("core packages", True)
        fix = "make setup" if needed or extra == "dev" else f".venv/bin/pip install -c constraints.txt -e '.[{extra}]'"
        yield Finding(name, not unmet, needed, PURPOSES.get(extra, "everything"), state, fix if unmet else "")


def _weights() -> Finding:
    weights = find_weights()
    state = f"{weights.name}, {weights.stat().st_size / 1e6:.0f} MB" if weights else "not there"
    fix = "" if weights else "python -m scripts.data model"
    return Finding("model weights", bool(weights), False, "backbone=embedded (make run fetches them)", state, fix)


def _disk() -> Finding:
    free_gb = shutil.disk_usage(ROOT).free / 1e9
    fits = free_gb >= LEAST_FREE_GB
    fix = "" if fits else f"free {LEAST_FREE_GB:g} GB, or point out=DIR at another disk"
    return Finding("disk", fits, True, "runs, call stores", f"{free_gb:.1f} GB free", fix)


def _keys() -> Iterator[Finding]:
    """Look which of the keys that configs/backbone names are set; their values are never read out."""
    users: dict[str, list[str]] = {}
    for path in sorted((ROOT / "configs" / "backbone").glob("*.yaml")):
        for name in re.findall(r"^api_key_env: *([A-Z][A-Z0-9_]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            users.setdefault(name, []).append(f"backbone={path.stem}")
    for name, purposes in [*sorted(users.items()), ("WANDB_API_KEY", ["tracking=wandb, mode=online"])]:
        there = bool(os.environ.get(name))
        fix = "" if there else f"export {name}=..."
        yield Finding(name, there, False, ", ".join(purposes), "set" if there else "not set", fix)


def _show(findings: Sequence[Finding]) -> None:
    """Print a table, and below it one unwrapped line for each command, ready to copy."""
    rows = [(each.mark, each.name, each.state, each.purpose) for each in findings]
    if util.find_spec("rich") is None:
        print("\n".join(f"{mark:9} {name}: {state} (for {purpose})" for mark, name, state, purpose in rows))
    else:
        _print_table(rows)
    commands = [(each.name, each.fix) for each in findings if each.fix]
    width = max((len(name) for name, _ in commands), default=0)
    if commands:
        print("\nTo get what is missing:")
    for name, fix in commands:
        print(f"  {name:{width}}  {fix}")


def _print_table(rows: Iterable[tuple[str, str, str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colours = {"ok": "green", "missing": "bold red", "optional": "yellow"}
    table = Table("", "what", "found", "for", box=None, header_style="bold", pad_edge=False)
    for mark, *cells in rows:
        table.add_row(Text(mark, style=colours[mark]), *map(Text, cells))
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the findings; return 0 if the quickstart can run, 2 if not."""
    argparse.ArgumentParser(prog="python -m scripts.doctor", description=DESCRIPTION).parse_args(argv)
    if not (ROOT / "pyproject.toml").is_file():
        print("the doctor looks at a checkout of the repository, and this is none: run it there", file=sys.stderr)
        return 2
    findings = examine()
    _show(findings)
    lacking = [each.name for each in findings if each.needed and not each.ok]
    print(f"\nmissing for the quickstart: {', '.join(lacking)}" if lacking else "\nThe quickstart can run: make run")
    return 2 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
