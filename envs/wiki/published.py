"""The published sets of HotpotQA and FEVER: where they are, and how they become a folder to play in."""

from __future__ import annotations

import hashlib
import heapq
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envs.download import Remote, Report, fetch
from envs.wiki.data import Claim, load_rows
from envs.wiki.titles import plain, plain_title
from envs.wiki.world import located
from harness.errors import ConfigError

HOTPOTQA = Remote(
    "http://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json",
    "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
    46_320_117,
)
FEVER_CLAIMS = Remote(
    "https://fever.ai/download/fever/paper_dev.jsonl",
    "41158707810008747946bf23471e82df53e77a513524b9e3ec1c2e674ef5ef8c",
    2_168_767,
)
FEVER_WIKI = Remote(
    "https://fever.ai/download/fever/wiki-pages.zip",
    "4b06d95da6adf7fe02d2796176c670dacccb21348da89cba4c50676ab99665f2",
    1_713_485_474,
)
"""Sizes and hashes are those that Hugging Face's dataset_infos.json recorded when it fetched these addresses."""

PAGES = "pages.jsonl"
N_DISTRACTORS = 100_000


def fetch_hotpotqa(folder: Path | None = None) -> Path:
    """Fetch the 7,405 development questions with their pages and return the folder, by default in the cache."""
    folder = folder or located("$HARNESS_CACHE/hotpotqa")
    fetch(HOTPOTQA, folder, report=_tell(HOTPOTQA))
    return folder


def find_hotpotqa(folder: Path | None = None) -> Path | None:
    """Return the folder if the questions are there, else None."""
    folder = folder or located("$HARNESS_CACHE/hotpotqa")
    return folder if (folder / HOTPOTQA.name).is_file() else None


def fetch_fever(folder: Path | None = None) -> Path:
    """Fetch the 9,999 claims and the wiki of 2017, cut the wiki down, and return the folder, by default in the cache.

    The zip of 1.7 GB stays in its subfolder ``download``, which may be deleted afterwards.
    """
    folder = folder or located("$HARNESS_CACHE/fever")
    claims = fetch(FEVER_CLAIMS, folder, report=_tell(FEVER_CLAIMS))
    if not (folder / PAGES).is_file():
        dump = fetch(FEVER_WIKI, folder / "download", report=_tell(FEVER_WIKI))
        cut_wiki(dump, claims, folder / PAGES)
    return folder


def find_fever(folder: Path | None = None) -> Path | None:
    """Return the folder if claims and pages are there, else None."""
    folder = folder or located("$HARNESS_CACHE/fever")
    return folder if (folder / FEVER_CLAIMS.name).is_file() and (folder / PAGES).is_file() else None


def cut_wiki(dump: Path, claims: Path, target: Path, n_distractors: int = N_DISTRACTORS) -> None:
    """Write the evidence pages of all claims and some other pages out of FEVER's zip, sorted by title.

    The other pages are those whose titles have the smallest sha256: a choice that anybody can repeat and that depends
    on nothing else. Five million pages would not fit into memory. Raises ConfigError where the zip is damaged.
    """
    wanted = {title for claim in load_rows(claims, Claim) for titles in claim.title_sets for title in titles}
    kept: list[tuple[str, list[str]]] = []
    others: list[tuple[int, str, list[str]]] = []
    for title, sentences in _dumped(dump):
        if title in wanted:
            kept.append((title, sentences))
            continue
        entry = (-int.from_bytes(hashlib.sha256(title.encode()).digest()), title, sentences)
        (heapq.heappush if len(others) < n_distractors else heapq.heappushpop)(others, entry)
    kept.extend((title, sentences) for _, title, sentences in others)
    scratch = target.with_name(f".{target.name}.part")
    with scratch.open("w", encoding="utf-8") as file:
        for title, sentences in sorted(kept):
            file.write(json.dumps({"title": title, "sentences": sentences}, ensure_ascii=False) + "\n")
    scratch.replace(target)


def _dumped(dump: Path) -> Iterator[tuple[str, list[str]]]:
    """Return title and sentences of each page that has any."""
    try:
        with zipfile.ZipFile(dump) as archive:
            for name in sorted(name for name in archive.namelist() if name.endswith(".jsonl")):
                with archive.open(name) as file:
                    for line in file:
                        row: dict[str, Any] = json.loads(line)
                        if sentences := _sentences(row["lines"]):
                            yield plain_title(row["id"]), sentences
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, OSError) as error:
        raise ConfigError(f"{dump} is not FEVER's wiki ({error}): delete it and fetch it again") from error


def _sentences(lines: str) -> list[str]:
    """Return the sentences of a page: the second column, without the links in those that follow."""
    columns = (line.split("\t") for line in lines.split("\n"))
    return [plain(row[1]) for row in columns if len(row) > 1 and row[0].isdecimal() and row[1].strip()]


def _tell(remote: Remote) -> Report:
    """Return what says on standard error how far a fetch is, at every tenth."""
    said = -1

    def report(have: int, of: int) -> None:
        nonlocal said
        if (tenth := 10 * have // of) > said:
            said = tenth
            print(f"{remote.name}: {have / 1e6:,.0f} of {of / 1e6:,.0f} MB", file=sys.stderr)

    return report
