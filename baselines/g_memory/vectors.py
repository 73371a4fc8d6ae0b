"""Unit vectors in the order they came, and their cosines with a query."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.errors import LedgerError

Row = NDArray[np.float32]


class Vectors:
    """A float32 array of shape (n, dim) that grows; its rows have length 1, or 0 for a text without content.

    Args:
        dim: length of a vector.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self.rows: NDArray[np.float32] = np.zeros((0, dim), np.float32)

    def add(self, row: Row) -> None:
        """Append a row."""
        self.rows = np.concatenate([self.rows, row.reshape(1, self._dim)])

    def replace(self, at: int, row: Row) -> None:
        """Put another row in a place."""
        self.rows[at] = row

    def keep(self, places: list[int]) -> None:
        """Drop all rows but these, in this order."""
        self.rows = self.rows[places]

    def cosines(self, query: Row) -> NDArray[np.float64]:
        """Return the cosine of each row with a query, shape (n,), to six digits.

        Row by row in float64 and rounded: equal rows score equally wherever they stand, on every machine.
        """
        products: NDArray[np.float64] = (self.rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
        return products.round(6)

    def save(self, path: Path) -> None:
        """Write the array as .npy."""
        with path.open("wb") as file:
            np.save(file, self.rows, allow_pickle=False)

    def load(self, path: Path, count: int) -> None:
        """Read ``count`` rows. Raises LedgerError where the file holds another number or another length."""
        rows: NDArray[np.float32] = np.load(path, allow_pickle=False)
        if rows.shape != (count, self._dim):
            raise LedgerError(
                f"{path}: got vectors of shape {rows.shape} for {count} items and an embedder of {self._dim} "
                "dimensions: load the memory with the embedder that wrote it"
            )
        self.rows = rows
