"""A table as LaTeX, for booktabs; every text in it is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from harness.tables.model import COVERAGE, Column, Row, Table

_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "±": r"$\pm$", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$", "≈": r"$\approx$", "·": r"$\cdot$",
    "…": r"\ldots{}",
})  # fmt: skip


def to_latex(table: Table) -> str:
    """Return a table environment: caption, figures, what stands behind them, notes."""
    head = [*table.label_titles, *(column.heading for column in table.columns)]
    lines = [
        r"\begin{table}", r"\centering", rf"\caption{{{escape(table.title)}.}}", rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{'l' * len(table.label_titles)}{'r' * len(table.columns)}}}", r"\toprule",
        _line(_all(head)), r"\midrule", *_body(table), r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    if table.coverage:
        lines += [
            r"\par\medskip\footnotesize", rf"\begin{{tabular}}{{ll{'r' * (len(COVERAGE) - 2)}}}", r"\toprule",
            _line(_all(COVERAGE)), r"\midrule", *(_line(_all(line)) for line in table.coverage),
            r"\bottomrule", r"\end{tabular}",
        ]  # fmt: skip
    said = [*table.legend(), *table.notes]
    if said:
        items = [rf"\item {escape(note)}" for note in said]
        lines += [r"\begin{itemize}\footnotesize", *items, r"\end{itemize}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def escape(text: str) -> str:
    """Return text that LaTeX prints as it is, on one line."""
    return " ".join(text.split()).translate(_ESCAPES)


def _all(texts: Sequence[str]) -> list[str]:
    """Escape each text of a line."""
    return [escape(text) for text in texts]


def _body(table: Table) -> list[str]:
    lines: list[str] = []
    for before, row in zip([None, *table.rows], table.rows, strict=False):
        if before is not None and before.section != row.section:
            lines.append(r"\midrule")
        lines.append(_line([*_all(row.labels), *(_cell(row, column) for column in table.columns)]))
    return lines


def _cell(row: Row, column: Column) -> str:
    cell = row.cell(column)
    text = escape(cell.text(column.places))
    return (rf"\textbf{{{text}}}" if cell.best else text) + escape(cell.signs)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
