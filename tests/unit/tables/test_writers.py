"""Markdown, CSV and LaTeX say the same, whatever is in the labels; the golden files say what that is."""

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.ledger.reading import find_runs
from harness.tables.catalog import find_table, write_table
from harness.tables.model import Table
from harness.tables.paper import read_paper
from harness.tables.to_csv import to_csv
from harness.tables.to_latex import to_latex
from harness.tables.to_markdown import to_markdown
from tests.run_folders import record, run_folder, stream

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "tables"
HOSTILE = r"50% of $x_1 & {y}\z #1 | <b>*~^"
LATEX = {
    r"\textbackslash{}": "\\", r"\textasciicircum{}": "^", r"\textasciitilde{}": "~", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"$\pm$": "±", r"$^{\dagger}$": "†", r"$^{\ddagger}$": "‡",
    r"$\approx$": "≈", r"$\cdot$": "·", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#", r"\%": "%",
    r"\_": "_",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for memory, mode, solved in (("none", "paper", (1, 2)), ("flat", "paper", (3, 4)), ("a_mem", "repo", (3, 2))):
        for seed, n in enumerate(solved):
            episodes = stream([i < n for i in range(4)], says=f"{memory} {seed}")
            if memory == "a_mem" and seed:
                episodes[3] = record(3, lost=True, family="melt")
            changes = {"memory__name": memory, "memory__mode": mode, "seed": seed, "env__metrics": ["sr"]}
            run_folder(tmp_path, f"{memory}-{seed}", episodes, **changes)
    run_folder(tmp_path, "strata-0", stream([True] * 4), memory__name="strata", env__metrics=["sr"])
    target = {"_target_": "harness.backbones.apprentice.backbone.Apprentice"}
    changes = {"backbone__id": "apprentice-p0.7-q0.9", "backbone__real": False, "asked__backbone": target}
    run_folder(tmp_path, "app-0", stream([False, True], says="a"), env__metrics=["sr"], **changes)
    return tmp_path


def built(folder: Path, name: str) -> Table:
    return find_table(name)(find_runs(folder), read_paper())


def from_markdown(text: str) -> list[list[str]]:
    lines = [line for line in text.split("## ")[0].splitlines() if line.startswith("|")]
    rows = [re.split(r"(?<!\\) \| ", line.removeprefix("| ").removesuffix(" |")) for line in [lines[0], *lines[2:]]]
    unbold = [[re.sub(r"^\*\*(.*)\*\*", r"\1", cell.strip()) for cell in row] for row in rows]
    return [[re.sub(r"\\([\\`*<>\[\]|])", r"\1", cell) for cell in row] for row in unbold]


def from_latex(text: str) -> list[list[str]]:
    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0]
    lines = [line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r"\\")]
    return [[_plain(cell) for cell in line.split(" & ")] for line in lines]


def _plain(cell: str) -> str:
    text = re.sub(r"^\\textbf\{([^}]*)\}", r"\1", cell)
    return re.sub("|".join(map(re.escape, LATEX)), lambda found: LATEX[found.group()], text)


def from_csv(text: str, labels: int) -> list[list[str]]:
    signs = {"short": "†", "tie": "≈", "derived": "‡"}
    lines = list(csv.DictReader(io.StringIO(text)))
    names = list(lines[0])[:labels]
    columns = list(dict.fromkeys(line["column"] for line in lines))
    rows = []
    for start in range(0, len(lines), len(columns)):
        chunk = lines[start : start + len(columns)]
        marks = ["".join(signs[m] for m in sorted(line["marks"].split(), key=list(signs).index)) for line in chunk]
        rows.append([*(chunk[0][n] for n in names), *(c["text"] + m for c, m in zip(chunk, marks, strict=True))])
    return [[*names, *columns], *rows]


def assert_agree(table: Table) -> None:
    markdown, latex = from_markdown(to_markdown(table)), from_latex(to_latex(table))
    found = from_csv(to_csv(table), len(table.label_titles))
    assert markdown == latex
    assert markdown[1:] == found[1:]
    assert [title.lower() for title in markdown[0]] == [title.lower() for title in found[0]]
    assert len(markdown) == 1 + len(table.rows)


@pytest.mark.parametrize("name", ["1", "3"])
def test_the_three_formats_agree_cell_by_cell(folder: Path, name: str) -> None:
    assert_agree(built(folder, name))


def test_hostile_labels_come_through_every_format_unchanged(folder: Path) -> None:
    table = built(folder, "1")
    rows = [replace(row, labels=(HOSTILE, *row.labels[1:])) for row in table.rows]
    hostile = replace(table, rows=tuple(rows))
    assert_agree(hostile)
    assert from_markdown(to_markdown(hostile))[1][0] == HOSTILE


def test_a_label_with_a_newline_cannot_break_a_row(folder: Path) -> None:
    table = built(folder, "1")
    broken = replace(table, rows=(replace(table.rows[0], labels=("a\n| b", "x\r\ny", "z")), *table.rows[1:]))
    assert from_markdown(to_markdown(broken))[1][:2] == ["a | b", "x y"]
    assert from_latex(to_latex(broken))[1][:2] == ["a | b", "x y"]


def test_csv_carries_the_unrounded_figures_the_counts_and_the_title(folder: Path) -> None:
    table = built(folder, "1")
    lines = list(csv.DictReader(io.StringIO(to_csv(table))))
    lost = next(line for line in lines if line["method"] == "A-Mem" and line["n_seeds"] == "2")
    counts = [lost[key] for key in ("seeds", "n_planned", "n_scored", "n_infrastructure")]
    assert counts == ["0 1", "8", "7", "1"]
    assert float(lost["value"]) == pytest.approx((75 + 200 / 3) / 2)
    assert {line["title"] for line in lines} == {table.title}
    assert all(line[key] for line in lines for key in ("value", "sd", "n_seeds", "text"))


def test_latex_groups_balance_and_sections_are_ruled(folder: Path) -> None:
    text = to_latex(built(folder, "3"))
    bare = text.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert text.count(r"\midrule") == 1 + 2 + 1


def test_files_are_written_whole_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "tables"
    files = write_table(built(folder, "1"), out)
    write_table(built(folder, "1"), out)
    assert sorted(path.name for path in out.iterdir()) == ["1.csv", "1.md", "1.tex"] == sorted(f.name for f in files)


@pytest.mark.parametrize("name", ["1", "3"])
def test_a_table_is_what_its_golden_files_say(folder: Path, name: str) -> None:
    """UPDATE_GOLDEN=1 writes them anew: read the difference before you commit it."""
    table = built(folder, name)
    texts: Sequence[tuple[str, str]] = [("md", to_markdown(table)), ("csv", to_csv(table)), ("tex", to_latex(table))]
    for suffix, text in texts:
        path = GOLDEN / f"{name}.{suffix}"
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text
