"""Use the input as its own reference: search gradually changing speeds, then refine.

The paper's search may jump from any speed to any other, and a moving average smears the jumps: what
is delivered is not what was searched. Here two steps in a row differ by at most a bound, so nothing
has to be averaged; cells are fractions of a frame; and the polish finds the least cost between
them. The cost is that of the delivered curve.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.guided.costs import FeatureWeights, ReferenceFrames, cost_table
from retime.methods.guided.features import TAU
from retime.methods.guided.parameters import Limit
from retime.methods.guided.polish import Polish, Pricing
from retime.methods.guided.pose_curve import FINE
from retime.methods.guided.problem import (
    Found,
    Problem,
    key_cells,
    must_keep_speeds,
    steepest,
)
from retime.methods.guided.search import Path, find_path, find_priced_path
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

# Cells per frame, for clips that get shorter and for those that are stretched somewhere.
_CELLS, _STRETCHED_CELLS, _MOST_CELLS = 4, 8, 64
# Highest speed where time is stretched, or 1.5 times that required by keytimes.
_FASTEST_STRETCHED = 4.0
# Largest change of rate between frames at 30 fps, relative to the mean rate.
_CHANGE, _CHANGE_RATE = 0.25, 30.0
# Costs of changes of rate, and of those beyond the bound, relative to the speed of the motion.
_CHANGE_PRICE, _WALL = 0.2, 10.0
# Weight of the steps at the ends, which are part of one triple; others are part of two.
_ENDS = 2.0
# Number of cells above which a search with a Lagrange multiplier on the length runs first, and its
# margin in frames.
_LONG, _MARGIN = 3000, 20
# Largest number of values in the table of costs (half a gigabyte), and in one that is cached.
_MOST_TABLE, _KEPT_TABLE = 1 << 27, 1 << 22
# Number of pairs of steps and reference frames above which cells are coarser and speeds fewer.
_MUCH, _COARSE_CELLS = 1e10, 2


def keep_own_timing(problem: Problem, length: float) -> Found:
    """Find the warp of a given length that changes the timing of the input least."""
    p = problem.p
    m = problem.frames_of(length)
    weights = FeatureWeights.of(TAU, 1 / problem.rate)
    reference = problem.curve.last(
        "reference frames", weights, lambda: ReferenceFrames.of(problem.references, weights)
    )
    reference.must_offer(p.neighbours)

    def cost(warp: TimeWarp) -> float:
        return reference.score(problem.curve.at(problem.shown(warp, m)), p.neighbours)

    spline = problem.spline(length)
    straight = problem.shown(spline, m)
    unchanged = np.abs(np.diff(straight) - 1).max() < 1e-9 and problem.own
    if unchanged and problem.allows(spline):
        return Found(spline, cost)
    must_keep_speeds(problem, length)
    straightened = problem.straightened(spline)
    if m < 4:  # there is only one timing
        return Found(straightened, cost)
    first, change, gap, notes = _first_timing(problem, length, straightened)
    polish = Polish(
        problem.curve,
        reference,
        p.neighbours,
        _pricing(problem, change),
        problem.pins(length),
        partial(problem.rate_bounds, length),
        p.loop,
    )
    best = problem.frames_drawn(polish.run(first), length)
    least, spline_cost = cost(best), cost(spline)
    if notes and not (problem.allows(best) and least <= cost(straightened)):
        best, least = straightened, cost(straightened)
    if least > spline_cost and problem.allows(spline):
        # In rare cases a refined spline is better than any path of cells.
        other = problem.frames_drawn(polish.run(straight), length)
        tried = [(least, best), (cost(other), other), (spline_cost, spline)]
        least, best = min(tried, key=lambda pair: pair[0])
    if not (p.speed_limits or problem.allows(best)):
        best = problem.straightened(best)
        least = cost(best)
    return Found(best, cost, {"guided": least, "spline": spline_cost}, gap, notes=notes)


def _first_timing(
    problem: Problem, length: float, straightened: TimeWarp
) -> tuple[FloatArray, float, float, tuple[Note, ...]]:
    """Search for a timing to refine; use the spline if the search is not possible.

    Returns source frames, the largest change of rate, the optimality gap, and notes.
    """
    try:
        path, change, cells = _search(problem, length)
        return path.frames / cells, change, path.gap, ()
    except (InfeasibleError, _TooLargeError) as e:
        # Keytimes may be on one frame of the search or at a limit, or there are too many cells. The
        # curve through the keytimes is still valid, unless limits of a part of the clip forbid it.
        if not problem.allows(straightened):
            raise
        m = problem.frames_of(length)
        shown = problem.shown(straightened, m)
        return shown, _usual_change(problem, m), 0.0, (_unsearched(problem, e),)


class _TooLargeError(InputError):
    """The search would need more memory than is allowed."""


def _unsearched(problem: Problem, why: Exception) -> Note:
    large = isinstance(why, _TooLargeError)
    keyed = bool(problem.p.keytimes)
    cause = "keytimes leave" if keyed else "the duration leaves"
    start = "the spline through the keytimes" if keyed else "uniform speed"
    return Note(
        f"{'the search would be too large' if large else f'{cause} the search no room'}: the warp "
        f"was refined from {start}",
        Remedy(parameter="search_fps") if large else None,
        code="guided-unsearched",
    )


def _pricing(problem: Problem, most: float) -> Pricing:
    """Return the weights, scaled by the speed of the input, so that body size has no effect."""
    change = np.diff(problem.curve.poses, axis=0)
    mean = float(np.einsum("ij,ij->", change, change)) / len(change)
    speed = max(FINE * problem.rate * TAU * np.sqrt(mean), 1e-9)
    return Pricing(_CHANGE_PRICE * speed, _WALL * speed, most, _ENDS)


def _usual_change(problem: Problem, m: int) -> float:
    """Return the largest change of rate between frames without an extra cost."""
    return _CHANGE * problem.curve.frames / (m - 1) * (_CHANGE_RATE / problem.rate)


def _search(problem: Problem, length: float) -> tuple[Path, float, int]:
    """Search for the best path; return it, the largest change of rate, and the cells per frame."""
    m = problem.frames_of(length)
    cells, steps = _resolution(problem, length)
    keys = key_cells(problem, length, cells, steps)
    usual = _usual_change(problem, m)
    # Limits are rounded to cells here, and kept exactly by the refinement.
    for wide in (False, True):
        change = usual
        while True:
            reach = min(max(round(change * cells), 1), steps - 1)
            table = _table(problem, cells, steps, reach, wide=wide)
            try:
                return _path(table, m, keys, reach, cells), change, cells
            except InfeasibleError:
                if reach >= steps - 1:
                    break
                change *= 2  # keytimes and limits may require more
    raise InfeasibleError(
        "no timing meets all limits of speed; widen them, or move or drop a keytime"
    )


def _resolution(problem: Problem, length: float) -> tuple[int, int]:
    """Return the cells per frame, and the largest step in cells."""
    p = problem.p
    start, end = problem.domain
    slow, fast = steepest([(start, start), *p.keytimes, (start + length, end)])
    slow = max([slow, *(1 / max(f, 1e-3) for *_, f in p.speed_limits)])
    work = problem.curve.frames * _CELLS**2 * 8.0 * 3 * sum(map(len, problem.references))
    if slow <= 1 + 1e-9 and work <= _MUCH:
        cells, fastest = _CELLS, p.max_speed
    elif slow <= 1 + 1e-9:
        cells, fastest = _COARSE_CELLS, min(p.max_speed, max(_FASTEST_STRETCHED, 1.5 / fast))
    else:
        cells = int(min(max(_STRETCHED_CELLS, np.ceil(2 * slow)), _MOST_CELLS))
        needed = max([1.5 / fast, *(s for _, _, s, _ in p.speed_limits)])
        fastest = min(p.max_speed, max(_FASTEST_STRETCHED, needed))
    return cells, min(max(int(np.ceil(fastest * cells - 1e-9)), 1), problem.curve.frames * cells)


def _table(problem: Problem, cells: int, steps: int, reach: int, *, wide: bool) -> FloatArray:
    """Return the costs of all triples of cells, infinite where limits forbid them."""
    n = problem.curve.frames * cells + 1
    if n * steps * min(2 * reach + 1, steps) > _MOST_TABLE:
        raise _TooLargeError(
            f"{n} cells with steps up to {steps} are too many; lower the search rate or the "
            "largest speed"
        )
    key = (cells, steps, reach, problem.p.neighbours, problem.rate)
    if n * steps * reach > _KEPT_TABLE:
        table = _costs(problem, cells, steps, reach)
    else:
        table = problem.curve.last("costs", key, lambda: _costs(problem, cells, steps, reach))
    bounds = [_cells_between(limit, cells, wide) for limit in problem.limits()]
    if all(low <= 1 and high >= steps for _, low, high in bounds):
        return table
    table = table.copy()
    before = np.arange(steps)
    after = _after(steps, reach)
    times = np.linspace(*problem.domain, n)
    for (first, last), low, high in bounds:
        bad = (1 + before < low) | (1 + before > max(high, 1))
        forbidden = bad[:, None] | bad[np.minimum(after, steps - 1)]
        inside = (times >= first - 1e-9) & (times <= last + 1e-9)
        table[forbidden[:, :, None] & inside] = np.inf
    return table


def _cells_between(
    limit: Limit, cells: int, wide: bool
) -> tuple[tuple[float, float], float, float]:
    """Return the span of a limit, and the smallest and largest step that it allows, in cells."""
    first, last, slowest, fastest = limit
    low, high = np.ceil(slowest * cells - 1e-9), np.floor(fastest * cells + 1e-9)
    if wide or low > high:
        low, high = np.floor(slowest * cells), np.ceil(fastest * cells)
    return (first, last), float(low), float(high)


def _after(steps: int, reach: int) -> npt.NDArray[np.int64]:
    """Return the second step, less one, of every entry (steps, width) of a table of costs."""
    lowest = np.maximum(np.arange(steps) - reach, 0)
    return lowest[:, None] + np.arange(min(2 * reach + 1, steps))


def _costs(problem: Problem, cells: int, steps: int, reach: int) -> FloatArray:
    """Return the costs of all triples; those at the ends have a larger weight."""
    table = cost_table(
        problem.curve.cells(cells),
        problem.references,
        steps,
        FeatureWeights.of(TAU, 1 / problem.rate),
        reach=reach,
        neighbours=problem.p.neighbours,
        precision="single",
    )
    n = table.shape[2]
    for a in range(min(steps, n - 1)):
        table[a, :, a + 1] *= _ENDS
    for (a, column), b in np.ndenumerate(_after(steps, reach)):
        if n - 2 - b >= 0:
            table[a, column, n - 2 - b] *= _ENDS
    return table


def _path(table: FloatArray, m: int, keys: list[tuple[int, int]], reach: int, cells: int) -> Path:
    if table.shape[2] > _LONG:
        found = find_priced_path(table, m, keys, reach=reach, margin=_MARGIN * cells)
        if found is not None:
            return found
    return find_path(table, m, keys, reach=reach)
