"""The help text, made from the config folder itself and from nothing that takes time to import."""

from __future__ import annotations

from pathlib import Path

from harness.config.overrides import CONFIGS, groups

ORDER = ("env", "memory", "backbone", "embedder", "agent", "tracking", "row", "experiment")


def help_text() -> str:
    """Return what ``--help`` prints: usage, every group with its members, exit codes."""
    listed = [group for group in ORDER if group in groups()] + sorted(groups() - set(ORDER))
    lines = [f"  {group + '=':<13}{_members(CONFIGS / group)}" for group in listed]
    template = (CONFIGS / "help.md").read_text(encoding="utf-8")
    return template.replace("{groups}", "\n".join(lines)).rstrip()


def _members(folder: Path) -> str:
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    lines, width = [""], 100
    for name in names:
        if len(lines[-1]) + len(name) > width:
            lines.append("")
        lines[-1] += f"{name}  "
    return ("\n" + " " * 15).join(line.rstrip() for line in lines)
