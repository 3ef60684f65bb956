"""Choose the source times of a table: where straight lines between them are most wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.length_tables.rows import Row

# Error that needs no further knot, as a share of the length.
_CLOSE = 1e-5
# Digits of times.
_DIGITS = 6


def kept_times(
    rows: Sequence[Row], start: float, lengths: Sequence[float], exact: Sequence[float], count: int
) -> tuple[FloatArray, FloatArray]:
    """Return source times (P,) and output times (K, P) from the start of the clip, rounded.

    Parameters
    ----------
    rows : sequence of (output, source)
        The solved lengths.
    start : float
        Start of the clip and of its outputs.
    lengths : sequence of float
        Lengths of the rows.
    exact : sequence of float
        Source times that are kept: moments and ends of windows.
    count : int
        Number of intervals, if the exact times are fewer.
    """
    ends = rows[0][1][[0, -1]]
    asked = np.clip(np.round(np.asarray([*exact, *ends]) - start, _DIGITS) + start, *ends)
    phases = np.unique(np.concatenate([row[1] for row in rows] + [asked]).round(9))
    phases = phases[np.r_[True, np.diff(phases) > 10.0**-_DIGITS] | np.isin(phases, asked.round(9))]
    times = np.array([np.interp(phases, source, output) for output, source in rows]) - start
    share = times / np.asarray(lengths)[:, None]
    kept = sorted({int(np.abs(phases - time).argmin()) for time in asked})
    while len(kept) < count + 1:
        at = phases[kept]
        off = np.abs([np.interp(phases, at, row[kept]) - row for row in share]).max(axis=0)
        if off.max() < _CLOSE:
            break
        kept = sorted([*kept, int(off.argmax())])
    out = times[:, kept].round(_DIGITS)
    out[:, 0], out[:, -1] = 0.0, lengths
    # Rounding may put equal times of two rows in the wrong order.
    return (phases[kept] - start).round(_DIGITS), np.maximum.accumulate(out, axis=0)
