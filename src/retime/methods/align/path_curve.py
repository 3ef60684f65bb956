"""A smooth curve through an aligned path: at which moments, and how it goes between (figure 3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.timing import TimeWarp
from retime.timing.curves import BezierCurve

# A path that stays longer than this many steps keeps both ends of the stall (figure 3 keys runs
# of one or two by where they end).
_SHORT_RUN = 2


def keys_of_path(
    path: npt.NDArray[np.int64], costs: FloatArray, first: npt.NDArray[np.int64], longest: float
) -> FloatArray:
    """Choose the moments (K, 2) that a smooth curve passes (figure 3), in frames of b and of a.

    Both are in step again where an insertion or deletion is followed by a substitution; between
    frames by the costs around. Long stalls keep both their ends, and where neither comes for
    ``longest`` frames, there is a key all the same.
    """
    rows = len(path)
    moved = np.r_[True, path[1:, 0] > path[:-1, 1]]  # else the row stalls
    single = path[:, 0] == path[:, 1]
    keys: list[tuple[float, float]] = [(0.0, float(path[0, 0]))]
    stalled = 0
    for i in range(1, rows - 1):
        if not moved[i]:
            stalled += 1
            continue
        if stalled > _SHORT_RUN:
            keys.append((i - 1.0 - stalled, float(path[i - 1 - stalled, 1])))
            keys.append((i - 1.0, float(path[i - 1, 1])))
        substitution = moved[i + 1] and single[i + 1]
        due = i - keys[-1][0] >= longest
        if ((stalled or not single[i]) and substitution) or due:
            # Of a run of a's frames, the one that is most alike.
            run = costs[i, path[i, 0] - first[i] : path[i, 1] - first[i] + 1]
            best = int(path[i, 0] - first[i] + np.argmin(run))
            keys.append((float(i), _between(costs[i], best) + first[i]))
        stalled = 0
    if stalled > _SHORT_RUN:
        keys.append((rows - 2.0 - stalled, float(path[rows - 2 - stalled, 1])))
    keys.append((rows - 1.0, float(path[-1, 1])))
    out = [keys[0]]
    for row, column in keys[1:]:
        if row > out[-1][0] and (column >= out[-1][1]):
            out.append((row, column))
    if out[-1][0] < rows - 1:
        out[-1] = keys[-1]
    return np.array(out)


def _between(costs: FloatArray, c: int) -> float:
    """Return where a row's cost is least around a column, by a parabola through three."""
    if not 0 < c < len(costs) - 1:
        return float(c)
    if costs[c + 1] > 1e200 or costs[c] < 1e-3 * (costs[c - 1] + costs[c + 1]):
        return float(c)
    # Distances meet in a wedge, their squares in a parabola.
    left, here, right = costs[c - 1 : c + 2] ** 2
    bend = left - 2 * here + right
    if bend <= 0:
        return float(c)
    return c + float(np.clip((left - right) / (2 * bend), -0.5, 0.5))


def warp_through(output: FloatArray, source: FloatArray, *, loop: bool) -> TimeWarp:
    """Pass a Bezier curve with G1 joins through the keys; slopes are those of chords, bounded."""
    chord = np.diff(source) / np.diff(output)
    slope = np.empty(len(output))
    slope[0], slope[-1] = chord[0], chord[-1]
    if len(output) > 2:
        slope[1:-1] = (source[2:] - source[:-2]) / (output[2:] - output[:-2])
        # Steeper than three times a neighbour, a piece would turn back.
        slope[1:-1] = np.minimum(slope[1:-1], 3 * np.minimum(chord[:-1], chord[1:]))
    warp = BezierCurve.from_slopes(np.c_[output, source], slope).to_warp()
    return TimeWarp(warp.body.x, warp.body.y, loop=loop)
