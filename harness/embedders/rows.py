"""What the local embedders share: unit rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 rows of length 1, shape (n, dim); rows of zeros stay zero."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    rows: NDArray[np.float32] = (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return rows
