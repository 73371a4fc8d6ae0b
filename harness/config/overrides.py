"""Command-line overrides, prepared so that every typo reaches one check with one message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import ConfigError

FLAGS = {"--junit": "junit", "--fail-under": "fail_under"}
HYDRA_FLAGS_WITH_VALUE = (
    *("--cfg", "-c", "--package", "-p", "--info", "-i"),
    *("--config-name", "-cn", "--config-path", "-cp", "--config-dir", "-cd"),
)
HYDRA_FLAGS_THAT_RUN_NOTHING = frozenset(
    ["--cfg", "-c", "--info", "-i", "--hydra-help", "--version", "--shell-completion", "-sc"]
)
MODES = frozenset(["--multirun", "-m", "--run", "-r"])
CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def groups() -> frozenset[str]:
    """Return the names of the config groups."""
    return frozenset(path.name for path in CONFIGS.iterdir() if path.is_dir() and path.name != "hydra")


def forced(override: str) -> str:
    """Return ``key=value`` as ``++key=value``, unless it chooses a group member or speaks to Hydra.

    Hydra answers an unknown key in one way, an unknown key with a plus in another (it accepts it), and knows nothing
    of what a class takes. Added by force, all of them end in harness.config.cell, which knows. Raises ConfigError for
    a group without a member.
    """
    key, equals, value = override.partition("=")
    bare = key.lstrip("+")
    if not equals or key.startswith("~") or bare.startswith("hydra"):
        return override
    if bare.partition("@")[0].replace(".", "/") in groups():
        if value.strip() in ("", "null"):
            raise ConfigError(
                f"{bare}: got no member; leave {bare}= out, or take out what an experiment sets: '~{bare}'"
            )
        return f"{bare}{override[len(key) :]}"
    return f"++{bare}{override[len(key) :]}"


def prepare(argv: Sequence[str]) -> list[str]:
    """Return the arguments as Hydra takes them: flags first, overrides prepared, this project's own flags among them.

    Everything that runs is a sweep, if only of one, so that all of it is checked on the same road. Raises ConfigError
    for a flag without its value.
    """
    words, flags, overrides = iter(argv), [], []
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in FLAGS:
            given = value if equals else next(words, None)
            if given is None:
                raise ConfigError(f"{flag}: expected a value after it")
            overrides.append(f"++{FLAGS[flag]}={given}")
        elif word in HYDRA_FLAGS_WITH_VALUE:
            flags += [word, *([value] if (value := next(words, "")) else [])]
        elif word.startswith("-"):
            flags += [word] if word not in MODES else []
        else:
            overrides.append(forced(word))
    runs = HYDRA_FLAGS_THAT_RUN_NOTHING.isdisjoint(flag.partition("=")[0] for flag in flags)
    return [*(["--multirun"] if runs else []), *flags, *overrides]
