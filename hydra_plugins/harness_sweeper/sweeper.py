"""A sweep whose every cell is checked, and told apart from every other, before the first one starts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser

from harness.config.overrides import forced
from harness.errors import ConfigError


class CheckingSweeper(BasicSweeper):
    """Hydra's grid sweeper, less its habit of starting cells before it has read the others."""

    def sweep(self, arguments: list[str]) -> Any:
        """Check all cells, launch them, report them; leaves the process with the worst exit code."""
        from harness.stream.sweep import check_cells, run_sweep

        assert self.hydra_context is not None  # noqa: S101 - set up by Hydra; the same guards stand in the base class
        assert self.launcher is not None  # noqa: S101
        params = [forced(line) for line in self._parse_config()]
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        overrides = parser.parse_overrides([*params, *arguments])
        if any(override.key_or_group == "experiment" and override.is_sweep_override() for override in overrides):
            raise ConfigError("experiment: got several; each is a sweep of its own, so run one after the other")
        [batch] = self.split_arguments(overrides, None)
        cells = check_cells(self._compose, batch)
        launcher = self.launcher
        sys.exit(run_sweep(cells, lambda: launcher.launch(batch, initial_job_idx=0)))

    def _compose(self, overrides: Sequence[str]) -> Any:
        assert self.hydra_context is not None  # noqa: S101
        assert self.config is not None  # noqa: S101
        return self.hydra_context.config_loader.load_sweep_config(self.config, list(overrides))
