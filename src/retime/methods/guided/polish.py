"""Refine a warp by Gauss-Newton steps on the objective (1), between the cells of a search.

The score of a frame is a mean of distances. With its neighbours held, iteratively reweighted least
squares make it a quadratic whose matrix has two side diagonals, because a feature sees three
frames: a step of the descent is one banded solve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.guided.costs import ReferenceFrames
from retime.methods.guided.pose_curve import PoseCurve

# Number of steps, and of further steps while keytimes and limits are not met.
_ITERATIONS, _MOST_ITERATIONS, _TRIES = 5, 30, 4
# Tolerance of keytimes and limits, frames.
_MET = 1e-3
# Relative gain of a step below which the descent ends.
_SMALL_GAIN = 2e-4
# Distance below which the cost is a parabola, metres, because its slope is undefined at 0.
_NEAR = 1e-3
# Stiffness of keytimes and limits, relative to that of changes of rate.
_STIFF = 1e3
# Number of pairs of frames above which neighbours are searched only once.
_LOOKED_UP = 1 << 23
# Lowest rate between frames.
_SLOWEST = 0.02

Bounds = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Pricing:
    """Costs in addition to the scores, in their unit (metres)."""

    change: float
    """Weight of a squared change of rate."""
    wall: float
    """Weight of the squared excess of a change of rate over ``most``."""
    most: float
    """Largest change of rate from one frame to the next."""
    ends: float = 2.0
    """Weight of the first and the last score, whose steps are part of one triple instead of two."""


@dataclass(frozen=True, eq=False)
class _State:
    """Source positions, and the terms of the objective there."""

    x: FloatArray
    poses: FloatArray
    slopes: FloatArray
    nearest: npt.NDArray[np.int64]
    distances: FloatArray
    cost: float


class _System:
    """Gradient (m,) and upper bands (3, m) of a matrix with two side diagonals."""

    def __init__(self, m: int) -> None:
        self.gradient, self.bands = np.zeros(m), np.zeros((3, m))

    def add(
        self, first: int, count: int, parts: Sequence[float], slope: Any, curvature: Any
    ) -> None:
        """Add the terms of ``parts @ x[first:]`` for ``count`` consecutive positions."""
        for i, one in enumerate(parts):
            here = slice(first + i, first + i + count)
            self.gradient[here] += one * slope
            for j in range(i + 1):
                self.bands[2 - (i - j), here] += one * parts[j] * curvature


@dataclass(frozen=True, eq=False)
class Polish:
    """Problem of polishing a warp."""

    curve: PoseCurve
    """The input."""
    reference: ReferenceFrames
    """Where the timing comes from."""
    neighbours: int
    """Number of reference frames that each frame is compared with."""
    pricing: Pricing
    """Costs in addition to the scores."""
    pins: Sequence[tuple[float, float]] = ()
    """Keytimes as (output frame, source frame), between frames too."""
    bounds: Bounds | None = None
    """Lowest and highest rates (m - 1,) of the steps of a warp."""
    loop: bool = False
    """Whether the rates at both ends are equal."""
    _stiff: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_stiff", _STIFF * max(self.pricing.wall, 1e-9))

    def run(self, x: FloatArray) -> FloatArray:
        """Refine source positions (m,); the ends stay."""
        state = self._evaluate(x.astype(float))
        held = len(x) * self.reference.count > _LOOKED_UP
        damping = 1e-3
        for iteration in range(_MOST_ITERATIONS):
            if iteration >= _ITERATIONS and self._meets(state.x):
                break
            system = self._system(state)
            before = state.cost
            for _ in range(_TRIES):
                step = self._step(system, damping)
                tried = _rising(state.x, step)
                new = self._evaluate(tried, state.nearest if held else None)
                if new.cost < state.cost - 1e-9:
                    state, damping = new, max(damping / 5, 1e-6)
                    break
                damping *= 10
            if before - state.cost < _SMALL_GAIN * before:
                break
        return state.x

    def _meets(self, x: FloatArray) -> bool:
        off = [(1 - h) * x[i] + h * x[i + 1] - q for i, h, q in self._pins(len(x))]
        return bool(np.abs([*off, *self._out_of_bounds(x)]).max() < _MET)

    def cost(self, x: FloatArray) -> float:
        """Return the objective of source positions (m,)."""
        return self._evaluate(x).cost

    def gradient(self, x: FloatArray) -> FloatArray:
        """Return the gradient of the objective, with the neighbours fixed."""
        return self._system(self._evaluate(x)).gradient

    # ---- the objective

    def _counts(self, m: int) -> FloatArray:
        counts = np.ones(m - 2)
        counts[[0, -1]] *= self.pricing.ends
        return counts

    def _evaluate(self, x: FloatArray, nearest: npt.NDArray[np.int64] | None = None) -> _State:
        poses, slopes = self.curve.with_slope(x)
        if nearest is None:
            nearest = self.reference.nearest(poses, self.neighbours)
        distances = self.reference.distances(poses, nearest)
        paid = np.where(distances > _NEAR, distances, distances**2 / (2 * _NEAR) + _NEAR / 2)
        cost = float((self._counts(len(x)) * paid.mean(axis=1)).sum()) + self._extra(x)
        return _State(x, poses, slopes, nearest, distances, cost)

    def _extra(self, x: FloatArray) -> float:
        price = self.pricing
        change = np.diff(x, 2)
        over = np.maximum(np.abs(change) - price.most, 0)
        out = price.change * (change**2).sum() + price.wall * (over**2).sum()
        out += self._stiff * (self._out_of_bounds(x) ** 2).sum()
        for i, h, q in self._pins(len(x)):
            out += self._stiff * ((1 - h) * x[i] + h * x[i + 1] - q) ** 2
        if self.loop:
            out += price.wall * _seam(x) ** 2
        return float(out)

    def _pins(self, m: int) -> list[tuple[int, float, float]]:
        whole = [min(int(t), m - 2) for t, _ in self.pins]
        return [(i, t - i, q) for i, (t, q) in zip(whole, self.pins, strict=True)]

    def _out_of_bounds(self, x: FloatArray) -> FloatArray:
        """Return the excess of each rate above, or (negative) below, its limits."""
        if self.bounds is None:
            return np.zeros(len(x) - 1)
        low, high = self.bounds(x)
        rate = np.diff(x)
        out: FloatArray = np.maximum(rate - high, 0) - np.maximum(low - rate, 0)
        return out

    # ---- its quadratic model

    def _system(self, state: _State) -> _System:
        system = _System(len(state.x))
        self._add_scores(system, state)
        self._add_extra(system, state.x)
        return system

    def _add_scores(self, system: _System, state: _State) -> None:
        from retime.methods.guided.polish_kernels import add_scores

        reference, counts = self.reference, self._counts(len(state.x))
        # IRLS: |d| is d^2 / |d|, the divisor held.
        each = counts[:, None] / (self.neighbours * np.maximum(state.distances, _NEAR))
        add_scores(
            state.poses - reference.centre,
            state.slopes,
            reference.shown,
            state.nearest,
            each,
            reference.weights.squares,
            system.gradient,
            system.bands,
        )

    def _add_extra(self, system: _System, x: FloatArray) -> None:
        price = self.pricing
        m, change = len(x), np.diff(x, 2)
        over = np.maximum(np.abs(change) - price.most, 0)
        system.add(
            0,
            m - 2,
            (1.0, -2.0, 1.0),
            2 * (price.change * change + price.wall * np.sign(change) * over),
            2 * (price.change + price.wall * (over > 0)),
        )
        if self.bounds is not None:
            out = self._out_of_bounds(x)
            stiff = 2 * self._stiff
            system.add(0, m - 1, (-1.0, 1.0), stiff * out, stiff * (out != 0))
        for i, h, q in self._pins(m):
            off = (1 - h) * x[i] + h * x[i + 1] - q
            system.add(i, 1, (1 - h, h), 2 * self._stiff * off, 2 * self._stiff)
        if self.loop:
            system.gradient[[1, -2]] += 2 * price.wall * _seam(x)

    def _step(self, system: _System, damping: float) -> FloatArray:
        """Solve for a step of all positions but the ends."""
        from scipy.linalg import solveh_banded

        bands = system.bands[:, 1:-1].copy()
        bands[2] += damping * (bands[2] + 1e-9) + 1e-6
        right = -system.gradient[1:-1]
        step = np.zeros(len(system.gradient))
        if not self.loop or len(right) < 2:
            step[1:-1] = solveh_banded(bands, right)
            return step
        # The seam connects the second position with the last but one: a rank-one update.
        tie = np.zeros(len(right))
        tie[[0, -1]] = 1.0
        plain, tied = solveh_banded(bands, np.stack([right, tie], axis=1)).T
        weight = 2 * self.pricing.wall
        step[1:-1] = plain - tied * (weight * (tie @ plain) / (1 + weight * (tie @ tied)))
        return step


def _seam(x: FloatArray) -> float:
    """Return the change of rate from a cycle's end to its start."""
    return float((x[1] - x[0]) - (x[-1] - x[-2]))


def _rising(x: FloatArray, step: FloatArray) -> FloatArray:
    """Return the largest fraction of a step that keeps time running forwards."""
    rate, change = np.diff(x), np.diff(step)
    least = np.minimum(_SLOWEST, rate / 2)
    falling = change < 0
    room = (rate - least)[falling] / -change[falling]
    share = min(1.0, float(room.min())) if len(room) else 1.0
    out: FloatArray = x + share * step
    return out
