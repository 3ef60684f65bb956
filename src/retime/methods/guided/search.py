"""The search: the path of least cost through pairs of frames (section 3.3), exact."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InfeasibleError

__all__ = ["Path", "cost_of", "find_free_path", "find_path", "find_priced_path"]

Frames = npt.NDArray[np.int64]
KeyFrames = Sequence[tuple[int, int]]

# Costs are all kept while they fit; beyond, about a square root, and the rest made again.
_COST_BYTES = 256 << 20
# A priced search looks this many frames to either side of its guess.
_MARGIN = 20


@dataclass(frozen=True, eq=False)
class Path:
    """Input frames that an output shows, what they cost, and how far from the least that may be.

    ``gap`` is a certified bound: (cost - lower bound) / cost; 0 for an exact search.
    """

    frames: Frames
    cost: float
    gap: float = 0.0


def cost_of(frames: Frames, step_costs: FloatArray) -> float:
    """Sum the objective (1) along a path."""
    step = np.diff(frames)
    return float(step_costs[step[:-1] - 1, step[1:] - 1, frames[1:-1]].astype(np.float64).sum())


def corridor(n: int, m: int, steps: int, keys: KeyFrames) -> tuple[Frames, Frames]:
    """Return the input frames that each output frame can show: least and most, (m,) each.

    ``keys`` are (output frame, input frame), in order, both ends included.
    """
    low, high = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for (t0, q0), (t1, q1) in itertools.pairwise(keys):
        t = np.arange(t0, t1 + 1)
        low[t] = np.maximum(q0 + (t - t0), q1 - steps * (t1 - t))
        high[t] = np.minimum(q0 + steps * (t - t0), q1 - (t1 - t))
    return low, high


def find_path(
    step_costs: FloatArray, m: int, keys: KeyFrames, *, near: Frames | None = None, margin: int = 0
) -> Path:
    """Find the best path of ``m`` frames through key frames.

    Parameters
    ----------
    step_costs : array (steps, steps, n)
        From ``cost_table``.
    m : int
        Frames of the output.
    keys : sequence of (output frame, input frame)
        What is fixed, in order, both ends included; each step between them must be possible.
    near : array (m,), optional
        Look only within ``margin`` frames of this path, which rises from 0 to n - 1.
    """
    from retime.methods.guided.search_kernels import fewest_cost_path

    steps, _, n = step_costs.shape
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
    cost, frames = fewest_cost_path(step_costs, early, late, keep)
    if not np.isfinite(cost):
        raise InfeasibleError(
            "no timing meets all limits of speed; widen them, or move or drop a keytime"
        )
    return Path(frames, cost_of(frames, step_costs))


def find_free_path(step_costs: FloatArray, price: float) -> Path:
    """Find the best path of any length; every frame costs ``price`` on top."""
    from retime.methods.guided.search_kernels import free_path

    cost, frames = free_path(step_costs, price)
    if not np.isfinite(cost):
        raise InfeasibleError("no timing meets all limits of speed; widen them")
    return Path(frames, cost_of(frames, step_costs))


def find_priced_path(step_costs: FloatArray, m: int, *, rounds: int = 60) -> Path | None:
    """Find a path of ``m`` frames by a price per frame, and a bound on how far from the best it is.

    A price makes long or short paths better; the right one makes the best path of any length have
    ``m`` frames, and then that path is the best of that length. Where no price does, the path is
    sought near those just shorter and longer. ``None`` where that fails.
    """
    from retime.methods.guided.search_kernels import free_path

    most = float(np.max(step_costs, where=np.isfinite(step_costs), initial=0.0))
    least = -most
    shorter: Frames | None = None
    longer: Frames | None = None
    bound = -np.inf
    for round_ in range(rounds):
        if shorter is not None and longer is not None:
            # Where the two paths' lines cross, the dual is not straight yet: look there.
            price = (cost_of(shorter, step_costs) - cost_of(longer, step_costs)) / (
                len(longer) - len(shorter)
            )
        else:
            price = 0.0 if round_ == 0 else (least + most) / 2
        cost, frames = free_path(step_costs, price)
        bound = max(bound, cost - price * (m - 2))
        if len(frames) == m:
            return _with_gap(frames, cost_of(frames, step_costs), bound)
        known = shorter if len(frames) < m else longer
        if known is not None and len(known) == len(frames):
            break  # no price between: that length is not on the hull
        if len(frames) < m:
            shorter, most = frames, price
        else:
            longer, least = frames, price
    if shorter is None or longer is None:
        return None
    n = step_costs.shape[2]
    x = np.linspace(0, 1, m)
    guess = [np.interp(x, np.linspace(0, 1, len(p)), p) for p in (shorter, longer)]
    share = (m - len(shorter)) / (len(longer) - len(shorter))
    near = np.round((1 - share) * guess[0] + share * guess[1]).astype(np.int64)
    keys = [(0, 0), (m - 1, n - 1)]
    try:
        found = find_path(step_costs, m, keys, near=near, margin=_MARGIN)
    except InfeasibleError:
        return None
    return _with_gap(found.frames, found.cost, bound)


def _with_gap(frames: Frames, cost: float, bound: float) -> Path:
    return Path(frames, cost, max(cost - bound, 0.0) / max(cost, 1e-12))
