"""Runs of true flags, and medians."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

Mask = npt.NDArray[np.bool_]


def runs(flags: Mask) -> list[tuple[int, int]]:
    """Return the runs of true flags, as the first index and the one past the last."""
    padded = np.zeros(len(flags) + 2, dtype=bool)
    padded[1:-1] = flags
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def middle(values: FloatArray) -> FloatArray:
    """Return the upper median of values (N, ...)."""
    half = len(values) // 2
    out: FloatArray = np.partition(values, half, axis=0)[half]
    return out
