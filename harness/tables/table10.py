"""STRATA's Table 10: every hyper-parameter with its source, as the configuration has it, beside the paper's value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.config.overrides import CONFIGS
from harness.errors import ConfigError
from harness.ledger.reading import Run
from harness.tables.model import Cell, Column, Row, Table
from harness.tables.paper import Reported, figures

NEEDS_RUNS = False
SWITCHES = "switches"
CONFIG = CONFIGS / "memory" / "strata.yaml"
SYMBOLS: Mapping[str, str] = {
    "W_c": "weights.content", "W_i": "weights.index", "W_t": "weights.tag", "W_l": "weights.lexical",
    "theta_min": "retrieval.gate", "beta_layer": "retrieval.layer_bonus",
    "kappa": "bands.kappa", "p_lo": "bands.low_quantile", "p_hi": "bands.high_quantile",
    "G_low": "bands.low_prior", "G_high": "bands.high_prior",
    "w_A": "forgetting.activation_weight", "w_G": "forgetting.age_weight", "alpha": "forgetting.alpha",
    "gamma": "forgetting.gamma", "hysteresis": "forgetting.hysteresis",
    "kappa_E": "linking.kappa", "edge_intra_default": "linking.intra", "edge_cross": "linking.cross",
    "knn": "linking.neighbours", "louvain_resolution": "induction.resolution",
    "conductance_max": "induction.conductance", "R_meta": "induction.radius",
}  # fmt: skip
"""Where each symbol of results/paper/reported.csv stands in the configuration."""
NOTES = (
    "Read from configs/memory/strata.yaml, line by line: paper says that the value, or that there is such a choice, "
    "stands in the paper's text; reconstructed that the text is silent or its formula was lost, and the value is ours. "
    "A value that is no number stands beside its setting.",
    "The paper's own table is lost; its values are those its text gives. n/a: the text gives no number.",
)
_LINE = re.compile(r"( *)([\w.]+): *(.*?)(?: # (paper|reconstructed): (.*))?")


class Setting(NamedTuple):
    """One line of the configuration."""

    key: str
    """Dotted."""
    value: str
    """As it is written."""
    source: str
    """paper | reconstructed."""
    meaning: str

    @property
    def part(self) -> str:
        """The group it stands in; top-level settings are the switches."""
        return self.key.partition(".")[0] if "." in self.key else SWITCHES


def build(runs: Sequence[Run], paper: Sequence[Reported]) -> Table:
    """Make the table; it rests on no run. Raises ConfigError where the configuration cannot be read so."""
    settings = list(read_settings(CONFIG))
    theirs = {SYMBOLS[figure.row]: figure.value for figure in figures(paper, "strata", "10") if figure.row in SYMBOLS}
    return Table(
        name="10",
        title="Table 10. Hyper-parameters of STRATA, each with its source",
        label_titles=("Part", "Source", "Setting", "Meaning"),
        columns=(Column("ours", ("Here",), "", 2, None), Column("paper", ("Paper",), "", 2, None)),
        rows=tuple(_row(each, theirs.get(each.key)) for each in settings),
        notes=(*NOTES, *_differences(settings, theirs)),
    )


def _row(each: Setting, theirs: float | None) -> Row:
    number = _number(each.value)
    name = each.key.removeprefix(f"{each.part}.")
    setting = name if number is not None else f"{name} = {each.value}"
    cells = {"ours": Cell(number), "paper": Cell(theirs)}
    return Row((each.part, each.source, setting, each.meaning), cells, section=each.part)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?[\d.]+", text) else None


def read_settings(path: Path) -> Iterator[Setting]:
    """Yield the values of a configuration whose comments name their source.

    Raises ConfigError, naming the line, for a value without one.
    """
    above: list[tuple[int, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _LINE.fullmatch(line.rstrip())
        if found is None or found[2] == "_target_":
            continue
        depth, key, value = len(found[1]), found[2], found[3]
        above = [(indent, name) for indent, name in above if indent < depth]
        if not value or value.startswith("#"):
            above.append((depth, key))
            continue
        if found[4] is None:
            raise ConfigError(
                f"{path}:{number}: got {line.strip()!r}, expected '# paper: ...' or '# reconstructed: ...'"
            )
        yield Setting(".".join([*(name for _, name in above), key]), value, found[4], found[5])


def _differences(settings: Sequence[Setting], theirs: Mapping[str, float]) -> list[str]:
    """Return a warning for each value that is not the paper's though the paper gives one."""
    ours = {each.key: each.value for each in settings}
    return [
        f"WARNING: {key} is {ours.get(key, 'not set')} here and {value:g} in the paper."
        for key, value in theirs.items()
        if key not in ours or _number(ours[key]) != value
    ]
