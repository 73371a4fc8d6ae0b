"""Bar charts of tables, as PNG and PDF; matplotlib is loaded when one is drawn, and is an extra."""

from __future__ import annotations

import importlib.util
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BAR = 0.8
"""Width of a group of bars; groups are 1 apart."""
NO_MATPLOTLIB = "no chart was drawn: matplotlib is not installed (make setup EXTRAS=report, or pip install matplotlib)"
_OURS = ("#1b6ca8", "#3f9b6d", "#7a5195", "#b8860b")
_PAPER = ("#9a9a9a", "#c8c8c8")


@dataclass(frozen=True, slots=True)
class Series:
    """Bars of one colour."""

    name: str
    values: dict[str, tuple[float, float | None]]
    """Height and standard deviation by group; a group without a figure has no bar."""
    paper: bool = False
    """Whether a paper printed them: grey and hatched."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One axis of a chart."""

    title: str
    unit: str
    """Label of the vertical axis."""
    groups: tuple[str, ...]
    series: tuple[Series, ...]


def can_draw() -> bool:
    """Tell whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_bars(panels: Sequence[Panel], title: str, stem: Path) -> list[Path]:
    """Draw panels beside each other under one title, into STEM.png and STEM.pdf; return the files.

    Equal panels give equal bytes with one version of matplotlib.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * len(panels), 4.2), layout="constrained")
    colours = _colours(panels)
    for panel, axes in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        _draw(axes, panel, colours)
    shown: dict[str, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        shown |= dict(zip(labels, handles, strict=True))
    if shown:
        figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle(textwrap.fill(title, 40 * len(panels)), fontsize="medium")
    stem.parent.mkdir(parents=True, exist_ok=True)
    files = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "pdf")]
    for file, dateless in zip(files, ({"Software": None}, {"CreationDate": None}), strict=True):
        figure.savefig(file, dpi=150, metadata=dateless)
    return files


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    found: dict[str, str] = {}
    for paper, palette in ((False, _OURS), (True, _PAPER)):
        names = dict.fromkeys(s.name for panel in panels for s in panel.series if s.paper == paper)
        found |= {name: palette[at % len(palette)] for at, name in enumerate(names)}
    return found


def _draw(axes: Any, panel: Panel, colours: dict[str, str]) -> None:
    """Draw one panel: groups beside each other, their bars in the order of the series."""
    width = BAR / max(len(panel.series), 1)
    for at, series in enumerate(panel.series):
        places = [panel.groups.index(group) - BAR / 2 + (at + 0.5) * width for group in series.values]
        heights = [height for height, _ in series.values.values()]
        spreads = [math.nan if spread is None else spread for _, spread in series.values.values()]
        axes.bar(
            places, heights, width, yerr=spreads, label=series.name, capsize=2,
            color=colours[series.name], edgecolor="white", hatch="//" if series.paper else None,
        )  # fmt: skip
    axes.set_title(panel.title, fontsize="medium")
    axes.set_ylabel(panel.unit)
    axes.set_ylim(bottom=0)
    axes.set_xticks(range(len(panel.groups)), [group.replace("+", "\n+") for group in panel.groups])
    axes.spines[["top", "right"]].set_visible(False)
