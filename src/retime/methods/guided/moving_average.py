"""The moving average of section 3.4, exact at ends and keytimes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray


def moving_average(
    values: FloatArray, fixed: Sequence[int], window: int, *, loop: bool = False
) -> FloatArray:
    """Average an increasing sequence over a window without moving its fixed points.

    Between fixed points the sequence is mirrored about them, point by point, so that the average
    there is the point itself; what rises stays rising.

    Parameters
    ----------
    values : array (m,)
        Rising.
    fixed : sequence of int
        Indices that stay, in order, both ends included.
    window : int
        Number of averaged values; odd.
    loop : bool
        The sequence is one cycle: its ends are continued by the cycle itself.
    """
    out = values.astype(float)
    half = window // 2
    for a, b in itertools.pairwise(fixed):
        part = values[a : b + 1].astype(float)
        reach = min(half, b - a)
        if reach < 1:
            continue
        if loop and a == 0 and b == len(values) - 1:
            before = part[-1 - reach : -1] - (part[-1] - part[0])
            after = part[1 : 1 + reach] + (part[-1] - part[0])
        else:
            before = 2 * part[0] - part[reach:0:-1]
            after = 2 * part[-1] - part[-2 : -2 - reach : -1]
        long = np.concatenate([before, part, after])
        kernel = np.ones(2 * reach + 1) / (2 * reach + 1)
        mean = np.convolve(long, kernel, mode="valid")
        # Both ends of a cycle move together, and are restored together.
        out[a : b + 1] = mean - (mean[0] - part[0]) if loop else mean
        out[[a, b]] = part[[0, -1]]
    return out
