"""Stretches of frames: where flags are true, and the middle of what is measured there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

Mask = npt.NDArray[np.bool_]


def runs(flags: Mask) -> list[tuple[int, int]]:
    """List the stretches of true flags: first, and past the last."""
    padded = np.zeros(len(flags) + 2, dtype=bool)
    padded[1:-1] = flags
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def middle(values: FloatArray) -> FloatArray:
    """Return the middle of values (N, ...) by size: the median, but for an even number of them."""
    half = len(values) // 2
    out: FloatArray = np.partition(values, half, axis=0)[half]
    return out
