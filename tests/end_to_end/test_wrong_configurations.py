"""A typo costs one message: exit code 2, before any folder exists, alone and inside a sweep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hydra.core.global_hydra import GlobalHydra

from scripts.run import main

ROOT = Path(__file__).resolve().parents[2]
SEARCH = f"hydra.searchpath=[file://{ROOT / 'tests' / 'configs'}]"

WRONG = {
    "a misspelt key": (["sed=3"], "sed: unknown key; did you mean seed?"),
    "a misspelt key with a plus": (["+sed=3"], "sed: unknown key; did you mean seed?"),
    "a misspelt key with two": (["++env.lenght=3"], "env.lenght: unknown key; did you mean length?"),
    "a misspelt key of a group": (["env.max_step=3"], "env.max_step: unknown key; did you mean max_steps?"),
    "a key deep down": (["stream.protocl=online"], "stream.protocl: unknown key; did you mean protocol?"),
    "a word for a number": (["env.max_steps=many"], "env.max_steps: got 'many' (str)"),
    "a float for an integer": (["seed=1e3"], "seed: got 1000.0 (float)"),
    "a number out of range": (["env.max_steps=0"], "env.max_steps: got 0"),
    "an unknown choice": (["stream.protocol=offline"], "stream.protocol: got 'offline'"),
    "a missing value": (["backbone=litellm"], "backbone.model: missing; set it with backbone.model=..."),
    "a broken interpolation": (["memory=flat", "memory.k=${nothing.here}"], "memory.k: broken interpolation"),
    "an unknown group": (["envv=corridor"], "envv: unknown key; did you mean env?"),
    "an unknown member": (["memory=flatt"], "memory: no member 'flatt'; did you mean flat?"),
    "a leftover key of another member": (["memory=none", "memory.k=3"], "memory.k: unknown key"),
    "a store that is needed": (["stream.protocol=frozen"], "stream.store: missing"),
    "spaces around the equals sign": (["memory", "=", "flat"], "'memory': expected key=value, without spaces"),
    "an unknown task": (["env.tasks=[nowhere]"], "no task 'nowhere'"),
    "an unknown experiment": (["experiment=quickstrt"], "experiment: no member 'quickstrt'; did you mean quickstart"),
    "a name where a member is chosen otherwise": (["memory.backbone=expert"], "backbone@memory.backbone=NAME"),
    "a name where a judge is chosen": (["judge.backbone=expert"], "backbone@judge.backbone=NAME"),
    "a name where an environment to learn from is chosen": (["train=corridor"], "env@train=NAME"),
    "a number that the memory itself refuses": (["memory=flat", "memory.k=0"], "k and max_actions must be 1 or more"),
    "a number that the agent itself refuses": (["agent.block_steps=0"], "block_steps must be 1 or more"),
    "a limit in dollars without prices": (
        [
            "backbone=litellm",
            "backbone.model=openai/unheard-of",
            "backbone.api_base=http://localhost:9/v1",
            "limits.max_cost_usd=1",
        ],
        "leave out limits.max_cost_usd, or give limits.max_tokens",
    ),
    "a replay of nothing": (["replay=nowhere"], "nowhere: no call store there"),
    "two experiments at once": (["experiment=quickstart,ci"], "experiment: got several"),
    "no row at all": (["row=null"], "row: got no member; leave row= out"),
    "a group left empty": (["memory="], "memory: got no member; leave memory= out"),
    "a row of another memory": (["row=t2_no_tag", "memory=flat"], "row=t2_no_tag is a row of memory=strata"),
    "a row unsaid": (["row=t2_no_tag", "memory.drop=[]"], "row=t2_no_tag sets memory.drop to ['tag'], but it is []"),
    "half an override": (["seed"], "seed"),
}


def run(arguments: list[str], out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    GlobalHydra.instance().clear()
    code = main([SEARCH, "env=corridor", "backbone=random", f"out={out}", *arguments])
    return code, capsys.readouterr().err


@pytest.fixture(autouse=True)
def _argv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["scripts.run"])


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("sweep", [[], ["-m", "seed=0,1"]], ids=["alone", "in a sweep"])
def test_a_wrong_configuration_runs_nothing(
    name: str, sweep: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, said = WRONG[name]
    out = tmp_path / "runs"
    code, told = run([*sweep, *arguments], out, capsys)
    assert code == 2, told
    assert said in told
    assert "Traceback" not in told
    assert not out.exists()


def test_a_root_where_no_folder_can_be_made_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    code, told = run(["env.tasks=1"], tmp_path / "file" / "runs", capsys)
    assert code == 2, told
    assert "out: no folder can be made at" in told


def test_two_equal_cells_are_one_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = run(["-m", "seed=3,3"], tmp_path / "runs", capsys)
    assert code == 2
    assert "holds the same stream twice" in told
    code, told = run(["-m", "stream.max_attempts=2,3"], tmp_path / "runs", capsys)
    assert code == 2, "settings that cannot change results make no second stream"
    assert not (tmp_path / "runs").exists()


def test_one_bad_cell_keeps_the_good_ones_from_starting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = run(["-m", "memory=flat,none", "memory.k=2"], tmp_path / "runs", capsys)
    assert code == 2
    assert "memory.k: unknown key" in told
    assert "memory=none" in told, "the message names the cell"
    assert not (tmp_path / "runs").exists()


def test_a_key_that_only_a_memorys_model_needs_is_missed_before_the_first_cell_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, told = run(["-m", "backbone@memory.backbone=expert,gpt_4o_mini"], tmp_path / "runs", capsys)
    assert code == 2
    assert "OPENAI_API_KEY" in told
    assert not (tmp_path / "runs").exists()


def test_the_memory_of_another_method_is_refused_before_a_folder_exists(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["memory=flat", "env.tasks=1"], tmp_path / "first", capsys)[0] == 0
    [store] = (tmp_path / "first").glob("corridor-*")
    other = ["memory=memory_bank", "stream.protocol=transfer", f"stream.store={store}"]
    code, told = run(other, tmp_path / "runs", capsys)
    assert code == 2, told
    assert "got a memory of baselines.flat.FlatMemory" in told
    assert not (tmp_path / "runs").exists()


def test_several_mistakes_are_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = run(["memory=flat", "memory.kk=1", "env.lenth=2", "agent.block_steps=no"], tmp_path / "runs", capsys)
    assert code == 2
    for part in ("memory.kk", "env.lenth", "agent.block_steps"):
        assert part in told


def test_the_command_line_itself_answers_the_same_way(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.run", "sed=3", f"out={tmp_path / 'runs'}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.strip() == "error: sed: unknown key; did you mean seed?"
    assert not (tmp_path / "runs").exists()


def test_help_is_light_and_lists_every_group() -> None:
    program = (
        "import sys; from scripts.run import main; code = main(['--help']);"
        "heavy = {'litellm', 'pandas', 'wandb', 'hydra', 'submitit', 'joblib', 'ray', 'numpy'} & set(sys.modules);"
        "assert not heavy, heavy; sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    default = next(line for line in done.stdout.splitlines() if line.startswith("Without arguments"))
    chosen = (ROOT / "configs" / "config.yaml").read_text(encoding="utf-8")
    for group in ("env", "memory", "backbone"):
        member = default.split(f"{group}=")[1].split()[0]
        assert f"  - {group}: {member}\n" in chosen
    for word in ("env=", "memory=", "backbone=", "scienceworld", "alfworld", "Exit codes"):
        assert word in done.stdout
