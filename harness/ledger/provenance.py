"""Where a run was made: code, versions, machine. Recorded at every start; never part of a run's identity."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CODE = ("--", ".", ":(exclude)results")
"""What can change a run; tables made from earlier runs cannot."""
PACKAGES = (
    "agent-memory-harness", "hydra-core", "omegaconf", "pydantic", "numpy", "litellm", "xllamacpp", "wordllama",
    "alfworld", "textworld", "scienceworld", "browsergym-core", "browsergym-webarena", "pddl", "bm25s", "networkx",
    "rustworkx", "graspologic-native",
)  # fmt: skip


def provenance() -> dict[str, Any]:
    """Return what a reader needs to make the run again: JSON values, no environment variables, no host name."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "git": _git(),
        "versions": _versions(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "hash_seed": os.environ.get("PYTHONHASHSEED", "random"),
        "argv": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _git() -> Mapping[str, Any] | None:
    """Describe the checkout this file lies in, never the one the user stands in; None outside a checkout."""
    head = _run("rev-parse", "HEAD")
    top = _run("rev-parse", "--show-toplevel")
    if head is None or top is None or Path(top).resolve() != ROOT:
        return None
    new = (_run("ls-files", "--others", "--exclude-standard", *CODE) or "").splitlines()
    diff = _run("diff", "HEAD", *CODE) or ""
    changed = hashlib.sha256(diff.encode())
    for name in sorted(new):
        changed.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    dirty = bool(diff or new)
    return {"sha": head, "dirty": dirty, "diff_sha256": changed.hexdigest() if dirty else None}


def _run(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
