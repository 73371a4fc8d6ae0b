"""From the published files to a folder to play in, with a local server in the publishers' place."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from envs.download import Remote
from envs.fever import Fever
from envs.hotpotqa import HotpotQA
from envs.wiki import published
from envs.wiki.data import Claim, PageRow, load_rows
from harness.errors import ConfigError
from tests.unit.envs.serving import Reply, Request, Served, serving

CLAIMS = [
    {"id": 1, "label": "SUPPORTS", "claim": "It is far.", "evidence": [[[1, 1, "Far_-LRB-town-RRB-", 0]]]},
    {"id": 2, "label": "NOT ENOUGH INFO", "claim": "It is odd.", "evidence": [[[2, None, None, None]]]},
]
DUMP = {
    "wiki-pages/wiki-001.jsonl": [
        {"id": "", "text": "", "lines": ""},
        {"id": "Empty", "text": "", "lines": "0\t"},
        {
            "id": "Far_-LRB-town-RRB-",
            "text": "Far is far . It -LRB- is -RRB- a town .",
            "lines": "0\tFar is far .\tFar\tFar\n1\t\n2\tIt -LRB- is -RRB- a town .\n3\t",
        },
    ],
    "wiki-pages/wiki-002.jsonl": [
        {"id": f"Other_{number}", "text": "x", "lines": f"0\tPage {number} .\n1\t"} for number in range(50)
    ],
}


def _zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, rows in DUMP.items():
            archive.writestr(name, "".join(json.dumps(row) + "\n" for row in rows))
    return path


def _claims(path: Path) -> Path:
    path.write_text("".join(json.dumps(claim) + "\n" for claim in CLAIMS), encoding="utf-8")
    return path


def test_the_wiki_is_cut_to_the_evidence_and_a_repeatable_choice_of_other_pages(tmp_path: Path) -> None:
    dump, claims = _zip(tmp_path / "wiki.zip"), _claims(tmp_path / "claims.jsonl")
    published.cut_wiki(dump, claims, tmp_path / "pages.jsonl", n_distractors=5)
    pages = {row.title: row.sentences for row in load_rows(tmp_path / "pages.jsonl", PageRow)}
    others = sorted((f"Other {n}" for n in range(50)), key=lambda title: hashlib.sha256(title.encode()).hexdigest())
    assert list(pages) == sorted(["Far (town)", *others[:5]])
    assert pages["Far (town)"] == ["Far is far .", "It ( is ) a town ."]
    published.cut_wiki(dump, claims, tmp_path / "all.jsonl")
    assert len(list(load_rows(tmp_path / "all.jsonl", PageRow))) == 51
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "claims.jsonl", "pages.jsonl", "wiki.zip"]


def test_a_damaged_dump_is_bad_input_and_leaves_no_pages(tmp_path: Path) -> None:
    (tmp_path / "wiki.zip").write_bytes(b"PK no zip")
    with pytest.raises(ConfigError, match="delete it and fetch it again"):
        published.cut_wiki(tmp_path / "wiki.zip", _claims(tmp_path / "claims.jsonl"), tmp_path / "pages.jsonl")
    assert not (tmp_path / "pages.jsonl").exists()


def _serve(contents: dict[str, bytes], server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the three published files come from a local server."""
    for constant in ("HOTPOTQA", "FEVER_CLAIMS", "FEVER_WIKI"):
        remote: Remote = getattr(published, constant)
        content = contents[remote.name]
        local = replace(
            remote,
            url=f"{server.url}/{remote.name}",
            sha256=hashlib.sha256(content).hexdigest(),
            n_bytes=len(content),
        )
        monkeypatch.setattr(published, constant, local)


def test_what_was_fetched_is_found_and_can_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    packed = io.BytesIO(_zip(tmp_path / "wiki.zip").read_bytes())
    question = {
        "_id": "q", "question": "Who?", "answer": "Ada", "type": "bridge", "supporting_facts": [["A", 0]],
        "context": [["A", ["It was Ada."]]],
    }  # fmt: skip
    contents = {
        published.HOTPOTQA.name: json.dumps([question]).encode(),
        published.FEVER_CLAIMS.name: _claims(tmp_path / "claims.jsonl").read_bytes(),
        published.FEVER_WIKI.name: packed.getvalue(),
    }

    def answer(request: Request) -> Reply:
        return Reply(contents[request.path[1:]])

    with serving(answer) as server:
        _serve(contents, server, monkeypatch)
        assert published.find_hotpotqa() is None
        assert published.find_fever() is None
        for fetch, find in (
            (published.fetch_hotpotqa, published.find_hotpotqa),
            (published.fetch_fever, published.find_fever),
        ):
            assert fetch() == fetch() == find()
        assert len(server.requests) == 3
    assert "wiki-pages.zip" in capsys.readouterr().err
    assert [task.id for task in HotpotQA(data="$HARNESS_CACHE/hotpotqa").tasks()] == ["q"]
    fever = Fever(data="$HARNESS_CACHE/fever")
    assert [task.id for task in fever.tasks()] == ["claim-1", "claim-2"]
    with fever.start(fever.tasks()[0]) as session:
        assert session.step("Search[far (TOWN)]").observation == "Far is far . It ( is ) a town ."


def test_the_hash_of_the_claims_is_that_of_the_file_which_papers_use(shared: Path) -> None:
    file = shared / "data" / "fever" / "paper_dev.jsonl"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == published.FEVER_CLAIMS.sha256
    assert file.stat().st_size == published.FEVER_CLAIMS.n_bytes
    assert len(list(load_rows(file, Claim))) == 9999
