"""A smooth curve near an aligned path, without standstills."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.pacing import Character, Elastic, Key, Points, Problem, Smooth, Speed, solve
from retime.timing import TimeWarp

# The time over which speed is evened out where poses are similar (s), the slowest speed as a
# fraction of the clip's, and the distance at which sharpness is measured (s).
_EVEN, _LEAST_RATE, _LOOK = 0.05, 0.15, 0.1
# The least weight of the path.
_FAINT = 1e-3


def flowing_warp(
    path: npt.NDArray[np.int64],
    costs: FloatArray,
    first: npt.NDArray[np.int64],
    output: FloatArray,
    source: tuple[float, float],
    *,
    loop: bool,
    to: float | None = None,
) -> TimeWarp:
    """Return the smoothest warp near a path, without standstills.

    Each frame of b, at the times ``output``, is a point that weighs what it costs to leave the path
    by a tenth of a second there. In a rest, where all poses are similar, the path means little and
    time runs evenly; elsewhere it is followed. ``source`` is the time of a's first frame and the
    time between its frames; ``to`` is the last source time, by default the path's.
    """
    start, step = source
    fps = 1 / step
    wanted = _along(path, costs, first)
    weights = _sharpness(wanted, costs, first, max(round(_LOOK * fps), 1))
    moments = start + step * wanted
    moments[0] = start
    if to is not None:
        moments[-1] = to
    length = float(output[-1] - output[0])
    least = min(_LEAST_RATE, 0.5 * (moments[-1] - moments[0]) / length)
    weight = weights / (_EVEN**4 * fps)
    ends = (Key(float(output[0]), float(moments[0])), Key(float(output[-1]), float(moments[-1])))
    character = Character(
        (float(moments[0]), float(moments[-1])),
        (Points(output[1:-1], moments[1:-1], weight[1:-1]), Smooth(1.0), Elastic(np.ones_like)),
        ends,
        (Speed(float(moments[0]), float(moments[-1]), least, np.inf),),
        loop,
    )
    shown, seen = solve(Problem((character,))).curves[0]
    return TimeWarp(shown, seen, loop=loop)


def _along(
    path: npt.NDArray[np.int64], costs: FloatArray, first: npt.NDArray[np.int64]
) -> FloatArray:
    """Return the frame of a that each row shows: between frames by the costs, where it moves on."""
    out = path.mean(axis=1)
    moved = np.r_[False, path[1:, 0] > path[:-1, 1]] & (path[:, 0] == path[:, 1])
    moved[-1] = False
    for i in np.flatnonzero(moved):
        out[i] = _between(costs[i], int(path[i, 0] - first[i])) + first[i]
    return np.maximum.accumulate(out)


def _sharpness(
    wanted: FloatArray, costs: FloatArray, first: npt.NDArray[np.int64], look: int
) -> FloatArray:
    """Return how much more a row costs ``look`` frames aside, in means of all rows."""
    rows = np.arange(len(wanted))

    def at(columns: FloatArray) -> FloatArray:
        inside = np.clip(np.round(columns).astype(np.int64) - first, 0, costs.shape[1] - 1)
        found = costs[rows, inside]
        # Beyond the last frame there is no cost: the path's own stands for it.
        own = np.clip(np.round(wanted).astype(np.int64) - first, 0, costs.shape[1] - 1)
        return np.asarray(np.where(found > 1e200, costs[rows, own], found))

    rise = np.maximum((at(wanted - look) + at(wanted + look)) / 2 - at(wanted), 0.0)
    return np.asarray(np.maximum(rise / max(float(rise.mean()), 1e-12), _FAINT))


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
