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
CODE_BYTES = 1 << 20
"""Largest new file that is read at a start."""
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
    new = [name for name in (_run("ls-files", "-z", "--others", "--exclude-standard", *CODE) or "").split("\0") if name]
    diff = _run("diff", "HEAD", *CODE) or ""
    changed = hashlib.sha256(os.fsencode(diff))
    for name in sorted(new):
        changed.update(os.fsencode(name) + b"\0" + _content(ROOT / name))
    dirty = bool(diff or new)
    return {"sha": head, "dirty": dirty, "diff_sha256": changed.hexdigest() if dirty else None}


def _content(path: Path) -> bytes:
    """Return a new file's bytes; nothing of a large one, a folder, or one that is gone: those are no code."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= CODE_BYTES else b""
    except OSError:
        return b""


def _run(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
