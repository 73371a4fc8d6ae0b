"""The doctor's own words."""

import pytest

from harness.config.overrides import CONFIGS
from scripts.doctor import PURPOSES, main


def test_no_environment_that_is_there_is_called_planned() -> None:
    planned = [word for word in PURPOSES.values() if word.endswith("(planned)")]
    there = {f"env={path.stem} (planned)" for path in (CONFIGS / "env").glob("*.yaml")}
    assert not there & set(planned)


def test_help_explains_and_examines_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert "what this machine lacks" in said
    assert "GB free" not in said
