"""Run a stream, or a sweep of them: ``python -m scripts.run [key=value ...] [-m ...]``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from harness.config.overrides import CONFIGS, prepare


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for and return the exit code: see configs/help.md."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if {"-h", "--help"} & set(arguments):
        from harness.config.help import help_text

        print(help_text())
        return 0
    from harness.config.hydra_errors import as_config_error
    from harness.errors import HarnessError, policy

    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        _hydra(prepare(arguments))
    except HarnessError as error:
        print(f"error: {error}", file=sys.stderr)
        return policy(error).exit_code
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:
        known = as_config_error(error)
        if known is None:
            raise
        print(f"error: {known}", file=sys.stderr)
        return policy(known).exit_code
    return 0


def _hydra(arguments: list[str]) -> None:
    import hydra

    sys.argv[1:] = arguments
    hydra.main(version_base="1.3", config_path=str(CONFIGS), config_name="config")(job)()


def job(config: Any) -> Any:
    """Run one cell where a launcher puts it; returns a harness.stream.launch.Result."""
    from hydra.core.hydra_config import HydraConfig

    from harness.stream.launch import run_cell
    from harness.stream.sweep import job_cell

    return run_cell(job_cell(config, HydraConfig.get()))


if __name__ == "__main__":
    sys.exit(main())
