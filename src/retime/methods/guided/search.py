"""The search: the path of least cost through pairs of frames (section 3.3), exact."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InfeasibleError

Frames = npt.NDArray[np.int64]
KeyFrames = Sequence[tuple[int, int]]

# Memory for all costs; beyond it, about their square root is kept and the rest recomputed.
_COST_BYTES = 256 << 20
# Number of prices that are tried.
_ROUNDS = 60
# Margin of the search with a multiplier on either side of its guess, frames.
_MARGIN = 20


@dataclass(frozen=True, eq=False)
class Path:
    """Input frames of an output, their cost, and a bound on the optimality gap.

    ``gap`` is a certified bound: (cost - lower bound) / cost; 0 for an exact search.
    """

    frames: Frames
    cost: float
    gap: float = 0.0


def cost_of(frames: Frames, step_costs: FloatArray, reach: int | None = None) -> float:
    """Sum the objective (1) along a path."""
    reach = step_costs.shape[0] - 1 if reach is None else reach
    before, after = np.diff(frames)[:-1] - 1, np.diff(frames)[1:] - 1
    column = after - np.maximum(before - reach, 0)
    return float(step_costs[before, column, frames[1:-1]].astype(np.float64).sum())


def corridor(n: int, m: int, steps: int, keys: KeyFrames) -> tuple[Frames, Frames]:
    """Return the first and last input frame that each output frame can show, (m,) each.

    ``keys`` are (output frame, input frame), in order, both ends included.
    """
    low, high = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for (t0, q0), (t1, q1) in itertools.pairwise(keys):
        t = np.arange(t0, t1 + 1)
        low[t] = np.maximum(q0 + (t - t0), q1 - steps * (t1 - t))
        high[t] = np.minimum(q0 + steps * (t - t0), q1 - (t1 - t))
    return low, high


def find_path(
    step_costs: FloatArray,
    m: int,
    keys: KeyFrames,
    *,
    reach: int | None = None,
    near: Frames | None = None,
    margin: int = 0,
) -> Path:
    """Find the best path of ``m`` frames through key frames.

    Parameters
    ----------
    step_costs : array (steps, width, n)
        From ``cost_table``.
    m : int
        Frames of the output.
    keys : sequence of (output frame, input frame)
        Fixed points, in order, including both ends; each step between them must be possible.
    reach : int, optional
        Largest difference of two steps in a row, as the table was made for.
    near : array (m,), optional
        Look only within ``margin`` frames of this path, which rises from 0 to n - 1.
    """
    from retime.methods.guided.search_kernels import fewest_cost_path

    steps, _, n = step_costs.shape
    reach = steps - 1 if reach is None else reach
    if m == 2:
        return Path(np.array([0, n - 1]), 0.0)
    low, high = corridor(n, m, steps, keys)
    if near is not None:
        low, high = np.maximum(low, near - margin), np.minimum(high, near + margin)
    # Seen from the input: the first and last output frame that can show each of its frames.
    early = np.searchsorted(high, np.arange(n), "left")
    late = np.searchsorted(low, np.arange(n), "right") - 1
    whole = steps * int((high - low + 1).sum()) * step_costs.itemsize
    keep = n if whole <= _COST_BYTES else int(np.sqrt(steps * n))
    cost, frames = fewest_cost_path(step_costs, reach, early, late, keep)
    if not np.isfinite(cost):
        raise InfeasibleError(
            "no timing meets all limits of speed; widen them, or move or drop a keytime"
        )
    return Path(frames, cost_of(frames, step_costs, reach))


def find_free_path(step_costs: FloatArray, price: float) -> Path:
    """Find the best path of any length, with an additional cost of ``price`` per frame."""
    from retime.methods.guided.search_kernels import free_path

    cost, frames = free_path(step_costs, step_costs.shape[0] - 1, price)
    if not np.isfinite(cost):
        raise InfeasibleError("no timing meets all limits of speed; widen them")
    return Path(frames, cost_of(frames, step_costs))


def find_priced_path(
    step_costs: FloatArray,
    m: int,
    keys: KeyFrames | None = None,
    *,
    reach: int | None = None,
    margin: int = _MARGIN,
) -> Path | None:
    """Find a path of ``m`` frames with a multiplier per frame, with a bound on its optimality gap.

    A multiplier (a cost per frame) favours short or long paths. If the best path at some price has
    ``m`` frames, it is the best path of that length. If no price gives that length, or there are
    key frames, the path is searched within ``margin`` frames of the priced paths between key
    frames; the margin grows while the path touches it. Returns ``None`` if that fails.
    """
    steps, _, n = step_costs.shape
    reach = steps - 1 if reach is None else reach
    keys = [(0, 0), (m - 1, n - 1)] if keys is None else keys
    near, bound = np.zeros(m), 0.0
    for (t0, q0), (t1, q1) in itertools.pairwise(keys):
        # A lower bound, because the costs at the key frames themselves are left out.
        found = _priced(step_costs[:, :, q0 : q1 + 1], t1 - t0 + 1, reach)
        if found is None:
            return None
        guess, least = found
        if len(keys) == 2 and guess.dtype == np.int64:
            return _with_gap(guess, cost_of(guess, step_costs, reach), least)
        near[t0 : t1 + 1] = q0 + guess
        bound += least
    around = np.round(near).astype(np.int64)
    while margin < n:
        try:
            path = find_path(step_costs, m, keys, reach=reach, near=around, margin=margin)
        except InfeasibleError:
            path = None
        if path is not None and np.abs(path.frames - around).max() < margin - 1:
            return _with_gap(path.frames, path.cost, bound)
        margin *= 4
    return None


def _priced(step_costs: FloatArray, m: int, reach: int) -> tuple[npt.NDArray[Any], float] | None:
    """Find the price whose best path has ``m`` frames; return the path and a lower bound.

    If no price gives ``m`` frames, the path is interpolated between the next shorter and longer
    paths, and is not of integers.
    """
    from retime.methods.guided.search_kernels import free_path

    n = step_costs.shape[2]
    if m < 3 or n < 3:
        return np.linspace(0, n - 1, m), 0.0
    step_costs = np.ascontiguousarray(step_costs)
    most = float(np.max(step_costs, where=np.isfinite(step_costs), initial=0.0))
    least = -most
    price = 0.0
    shorter: Frames | None = None
    longer: Frames | None = None
    bound = -np.inf
    for _ in range(_ROUNDS):
        cost, frames = free_path(step_costs, reach, price)
        if not np.isfinite(cost):
            return None
        bound = max(bound, cost - price * (m - 2))
        if len(frames) == m:
            return frames, bound
        known = shorter if len(frames) < m else longer
        if known is not None and len(known) == len(frames):
            break  # no multiplier in between: that length is not on the convex hull
        if len(frames) < m:
            shorter, most = frames, price
        else:
            longer, least = frames, price
        price = (least + most) / 2
        if shorter is not None and longer is not None:
            price = _equal_price(step_costs, reach, shorter, longer)
    if shorter is None or longer is None:
        return None
    return _interpolated(shorter, longer, m), bound


def _equal_price(step_costs: FloatArray, reach: int, shorter: Frames, longer: Frames) -> float:
    """Return the price per frame at which two paths cost the same."""
    costs = [cost_of(path, step_costs, reach) for path in (shorter, longer)]
    return (costs[0] - costs[1]) / (len(longer) - len(shorter))


def _interpolated(shorter: Frames, longer: Frames, m: int) -> FloatArray:
    """Return a path of ``m`` frames between two paths, (m,)."""
    x = np.linspace(0, 1, m)
    one, other = (np.interp(x, np.linspace(0, 1, len(p)), p) for p in (shorter, longer))
    share = (m - len(shorter)) / (len(longer) - len(shorter))
    out: FloatArray = (1 - share) * one + share * other
    return out


def _with_gap(frames: Frames, cost: float, bound: float) -> Path:
    return Path(frames, cost, max(cost - bound, 0.0) / max(cost, 1e-12))
