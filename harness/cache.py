"""Where files are kept that any run may use again: weights, recorded pages, gold paths."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return ``$HARNESS_CACHE``, or this project's folder among the user's caches; it need not exist."""
    return Path(os.environ.get("HARNESS_CACHE") or Path.home() / ".cache" / "agent-memory-harness")
