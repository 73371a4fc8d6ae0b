"""Hydra's and OmegaConf's own complaints about a configuration, in this project's words."""

from __future__ import annotations

import re

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from harness.config.overrides import groups
from harness.config.signature import meant
from harness.errors import ConfigError

_NO_MEMBER = re.compile(r"(?:Could not find|In '[^']*': Could not find) '(?P<path>[^']+)'")
_BROKEN_OVERRIDE = re.compile(r"Error parsing override '(?P<word>[^']*)'")
_AVAILABLE = re.compile(r"Available options in '(?P<group>[^']+)':\n(?P<names>(?:\t.*\n?)+)")


def as_config_error(error: Exception) -> ConfigError | None:
    """Return the error as a ConfigError if Hydra or OmegaConf raised it about the input, else None."""
    if not isinstance(error, HydraException | OmegaConfBaseException):
        return None
    text = str(error)
    missing, available = _NO_MEMBER.search(text), _AVAILABLE.search(text)
    if missing and available:
        names = [name.strip() for name in available["names"].splitlines()]
        group = available["group"]
        name = missing["path"].removeprefix(f"{group}/")
        return ConfigError(f"{group}: no member {name!r}{meant(name, names)}")
    if missing:
        return ConfigError(f"no config group {missing['path']!r}{meant(missing['path'], groups())}")
    if broken := _BROKEN_OVERRIDE.search(text):
        return ConfigError(f"{broken['word']!r}: expected key=value, without spaces, quoted where the shell needs it")
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    return ConfigError(" ".join(lines[:2]) if lines[0].endswith(":") else lines[0])
