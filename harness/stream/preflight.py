"""What can be known about the streams of a sweep before the first of them runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack

from harness.build import prepare
from harness.config.cell import Cell
from harness.errors import HarnessError
from harness.protocols import Environment


def preflight(cells: Sequence[Cell]) -> None:
    """Prepare each cell once, environments only once for all, so that whatever is missing shows before a folder exists.

    Raises ConfigError or LedgerError that names the stream.
    """
    environments: dict[str, Environment] = {}
    with ExitStack() as opened:
        trained = [cell.train for cell in cells if cell.train]
        for cell in {cell.name: cell for cell in [*trained, *cells]}.values():
            try:
                key = json.dumps(cell.env.identity(), sort_keys=True)
                if key not in environments:
                    environments[key] = cell.env.build()
                    opened.callback(environments[key].close)
                prepare(cell, environment=environments[key])
            except HarnessError as error:
                raise type(error)(f"{error}\n(in the stream {cell.name})" if len(cells) > 1 else str(error)) from error
