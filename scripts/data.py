"""Fetches and checks what is not in the repository: ``python -m scripts.data [NAME...]``; without names, what there is.

Exit codes: 0 all there; 2 unknown name or wrong data; 3 could not be fetched, try again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from envs.wiki.published import fetch_fever, fetch_hotpotqa, find_fever, find_hotpotqa
from harness.backbones.weights import fetch_model, find_weights
from harness.errors import HarnessError, policy


@dataclass(frozen=True, slots=True)
class Dataset:
    """Something that can be fetched."""

    what: str
    fetch: Callable[[], Path]
    """Fetches what is missing and returns where it is."""
    find: Callable[[], Path | None]
    """Returns where it is, or None."""


TABLE = {
    "model": Dataset("SmolLM2-135M-Instruct, 93 MB, Apache-2.0: for backbone=embedded", fetch_model, find_weights),
    "hotpotqa": Dataset(
        "HotpotQA's 7,405 development questions (distractor), 46 MB, CC BY-SA 4.0: env.data of env=hotpotqa",
        fetch_hotpotqa,
        find_hotpotqa,
    ),
    "fever": Dataset(
        "FEVER's 9,999 development claims and its wiki of 2017, 1.7 GB, CC BY-SA 3.0: env.data of env=fever",
        fetch_fever,
        find_fever,
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Fetch the data sets named, or list all with their state; return the exit code."""
    names = list(sys.argv[1:] if argv is None else argv)
    if any(name in ("-h", "--help") for name in names):
        print(__doc__)
        return 0
    for name in names:
        if name not in TABLE:
            close = get_close_matches(name, TABLE, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(TABLE)}."
            print(f"unknown data set {name!r}: {hint}", file=sys.stderr)
            return 2
    for name in names:
        try:
            print(f"{name}: {TABLE[name].fetch()}")
        except HarnessError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return policy(error).exit_code
    if not names:
        for name, data in TABLE.items():
            found = data.find()
            print(f"{name}: {data.what}\n    {found or f'missing; fetch with: python -m scripts.data {name}'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
