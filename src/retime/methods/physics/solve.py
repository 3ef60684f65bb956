"""The optimal speed along the path: b(s) = p'^2 at every node, durations and keytimes exact.

For a duration that is to be met from above (a speed-up) the problem is convex in b, and what the
Newton steps end at is the global optimum: linearised over the box of all b it gives a lower bound.
A slow-down is not convex; there the end is a good local optimum, and a floor keeps time from
standing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.physics.objective import Baked
from retime.methods.physics.regions import UNIT

__all__ = ["Solution", "TimingProblem", "solve"]

_MOST_STEPS = 120
# Durations are met to this many seconds before the last correction, which makes them exact.
_TIME = 1e-6
# A step that gains less than this share of the objective is the last.
_GAIN = 1e-11
# Less than this in the objective makes no difference to be seen.
_UNSEEN = 1e-4
# Of its value, b may lose or gain so much in one step: the time model bends with it.
_LOSE, _WIN, _WIN_MORE = 0.7, 2.0, 0.2

Watch = Callable[[int, FloatArray, float], FloatArray | bool | None]


@dataclass(frozen=True, eq=False)
class TimingProblem:
    """What is to be solved.

    Parameters
    ----------
    nodes : array (K,)
        Source times of the nodes, seconds.
    baked : Baked
        The objective at every node.
    legs : sequence of (int, float)
        The node at which each leg ends, and how long it may take; the first begins at node 0. What
        follows the last may take what it takes.
    fixed : sequence of (int, float)
        Nodes whose speed p' is given.
    slowest, fastest : float
        Bounds of p'.
    loop : bool
        The speed at the last node is that at the first.
    alpha, beta : float
        Weights of feasibility and of torques.
    """

    nodes: FloatArray
    baked: Baked
    legs: Sequence[tuple[int, float]]
    fixed: Sequence[tuple[int, float]]
    slowest: float
    fastest: float
    loop: bool
    alpha: float
    beta: float


@dataclass(frozen=True, eq=False)
class Solution:
    """The speeds that were found, and how good they are.

    Parameters
    ----------
    square_speed : array (K,)
        b = p'^2 at the nodes.
    times : array (K,)
        Output time of each node from 0, seconds.
    objective : float
        Its value (14).
    bound : float
        What no other timing can go below; 0 where no more is known.
    steps : int
        Newton steps that were taken.
    missed : float
        By how many seconds the legs' times were missed before they were made exact.
    """

    square_speed: FloatArray
    times: FloatArray
    objective: float
    bound: float
    steps: int
    missed: float = 0.0

    @property
    def certified(self) -> bool:
        """Whether no timing is better by a thousandth, or by more than can be seen."""
        return self.objective - self.bound <= max(1e-3 * self.objective, _UNSEEN)


class _Terms:
    """The objective's terms and derivatives, in memory that is used again."""

    def __init__(self, problem: TimingProblem) -> None:
        self.p = problem
        self.steps = np.diff(problem.nodes)
        count = len(problem.nodes)
        self.leg = np.zeros(count - 1, np.int64)
        first = 0
        for number, (last, _) in enumerate(problem.legs):
            self.leg[first:last] = number
            first = last
        # What lies behind the last leg is a leg of its own, without a time to meet.
        self.leg[first:] = len(problem.legs)
        self.wanted = np.array([seconds for _, seconds in problem.legs])
        self.value, self.spent = np.zeros(count - 1), np.zeros(count - 1)
        self.gradient, self.of_time = np.zeros(count), np.zeros((count - 1, 2))
        self.diagonal, self.beside = np.zeros(count), np.zeros(count - 1)

    def at(self, b: FloatArray, prices: FloatArray, second: bool = True) -> None:
        from retime.methods.physics.timing_kernels import retiming_terms

        p, baked = self.p, self.p.baked
        retiming_terms(
            b, self.steps, UNIT, baked.starts, baked.corners, baked.matching,
            p.alpha * baked.firmness, p.beta,
            np.r_[prices, 0.0][self.leg], self.value, self.spent, self.gradient, self.of_time,
            self.diagonal, self.beside, second,
        )  # fmt: skip

    def missed(self, b: FloatArray) -> FloatArray:
        """Return by how much the legs' times, and the loop's seam, are missed."""
        legs = self.by_leg(self.spent) - self.wanted
        out: FloatArray = np.r_[legs, b[-1] - b[0]] if self.p.loop else legs
        return out

    def by_leg(self, values: FloatArray) -> FloatArray:
        """Sum the intervals' values by leg."""
        sums = np.bincount(self.leg, values, len(self.wanted) + 1)
        return np.asarray(sums[: len(self.wanted)])

    def rows(self, count: int) -> FloatArray:
        """Return the derivatives (K, C) of what must be met."""
        out = np.zeros((count, len(self.wanted) + 1))
        out[np.arange(count - 1), self.leg] += self.of_time[:, 0]
        out[np.arange(1, count), self.leg] += self.of_time[:, 1]
        out = out[:, : len(self.wanted) + self.p.loop]
        if self.p.loop:
            out[:, -1] = 0.0
            out[-1, -1], out[0, -1] = 1.0, -1.0
        return out


def solve(
    problem: TimingProblem, start: FloatArray | None = None, watch: Watch | None = None
) -> Solution:
    """Find the speeds that minimise the objective and meet all legs' times.

    Parameters
    ----------
    problem : TimingProblem
        What to solve.
    start : array (K,), optional
        b to start from, such as the last solution; else even speed on every leg.
    watch : callable, optional
        Called after every step with its number, b and the objective; true ends the search, and an
        array goes on from there.
    """
    from scipy.linalg import LinAlgError, solveh_banded

    terms = _Terms(problem)
    count = len(problem.nodes)
    low, high = np.full(count, problem.slowest**2), np.full(count, problem.fastest**2)
    for node, speed in problem.fixed:
        low[node] = high[node] = speed**2
    b = _even(problem, terms) if start is None else np.array(start, float)
    b = np.clip(b, low, high)
    if start is not None:
        # Bring the legs near to their times at once: steps that must do so are short.
        terms.at(b, np.zeros(len(terms.wanted)), second=False)
        factor = np.r_[terms.by_leg(terms.spent) / terms.wanted, 1.0] ** 2
        b = np.clip(b * np.r_[factor[terms.leg], factor[terms.leg[-1]]], low, high)
    free = high > low
    no_prices = np.zeros(len(terms.wanted))
    constraints = len(terms.wanted) + problem.loop
    price = np.zeros(constraints)
    penalty = 1.0
    number = 0
    for number in range(1, _MOST_STEPS + 1):
        # A price on time bends the objective the right way only where it is positive.
        legs = np.maximum(price[: len(terms.wanted)], 0.0)
        terms.at(b, legs)
        objective, missed = float(terms.value.sum()), terms.missed(b)
        rows = terms.rows(count)
        plain = terms.gradient - rows[:, : len(legs)] @ legs
        slope = plain + rows @ price
        stuck = (
            ~free | ((b <= low * 1.000001) & (slope > 0)) | ((b >= high * 0.999999) & (slope < 0))
        )
        band = np.zeros((2, count))
        band[1] = terms.diagonal + 1e-6 + 1e-3 * (np.abs(missed).sum() > 1e-3)
        band[1][stuck] = 1e14
        band[0, 1:] = terms.beside
        right = np.c_[plain, rows]
        for attempt in range(10):
            try:
                solved = solveh_banded(band, right)
                break
            except LinAlgError:
                band[1] += 1e-2 * 10**attempt
        else:
            break
        coupling = rows.T @ solved[:, 1:] + 1e-12 * np.eye(constraints)
        new_price = np.linalg.solve(coupling, missed - rows.T @ solved[:, 0])
        way = -solved[:, 0] - solved[:, 1:] @ new_price
        way = np.minimum(np.maximum(way, -_LOSE * b), _WIN * b + _WIN_MORE)
        penalty = max(penalty, 2 * float(np.abs(new_price).max(initial=0.0)) + 1e-3)
        merit = objective + penalty * float(np.abs(missed).sum())
        length = 1.0
        while True:
            tried = np.clip(b + length * way, low, high)
            terms.at(tried, no_prices, second=False)
            now = float(terms.value.sum()) + penalty * float(np.abs(terms.missed(tried)).sum())
            if now < merit - 1e-12 or length < 1e-4:
                break
            length *= 0.5
        b = tried
        price = price + max(length, 0.1) * (new_price - price)
        objective = float(terms.value.sum())
        met = np.abs(terms.missed(b)).max(initial=0.0) < _TIME
        told = None if watch is None else watch(number, b.copy(), objective)
        if isinstance(told, np.ndarray):
            b = np.clip(told, low, high)  # someone pushes
            continue
        if told:
            break
        if met and merit - now < _GAIN * max(1.0, abs(objective)):
            break
    return _finished(problem, terms, b, low, high, price[: len(terms.wanted)], number)


def _even(problem: TimingProblem, terms: _Terms) -> FloatArray:
    speed = np.r_[terms.by_leg(terms.steps) / terms.wanted, 1.0]
    return np.asarray(np.r_[speed[terms.leg], speed[terms.leg[-1]]] ** 2)


def _finished(
    problem: TimingProblem,
    terms: _Terms,
    b: FloatArray,
    low: FloatArray,
    high: FloatArray,
    price: FloatArray,
    number: int,
) -> Solution:
    """Make the legs' times exact, and bound what any other timing could reach."""
    terms.at(b, np.zeros(len(price)), second=False)
    objective = float(terms.value.sum())
    missed = float(np.abs(terms.by_leg(terms.spent) - terms.wanted).max(initial=0.0))
    factor = np.r_[terms.wanted / terms.by_leg(terms.spent), 1.0]
    spent = terms.spent * factor[terms.leg]
    bound = 0.0  # a sum of squares
    if (price >= -1e-9).all() and not problem.loop:
        # Convex: no b in the box has a Lagrangian below its tangent at this one.
        terms.at(b, np.maximum(price, 0.0), second=False)
        over = float(np.maximum(price, 0.0) @ terms.missed(b)[: len(price)])
        slope: npt.NDArray[np.float64] = terms.gradient
        loss = np.maximum(slope * (b - low), slope * (b - high)).sum()
        bound = max(bound, objective + over - float(loss))
    times = np.r_[0.0, np.cumsum(spent)]
    return Solution(b, times, objective, bound, number, missed)
