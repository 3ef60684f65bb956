"""The problem of a timing search, its solution, and the legs between keytimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.limits.regions import UNIT
from retime.methods.physics.search.objective import Baked
from retime.one_line import one_line
from retime.pictured import Pictured

# Change of the objective that is not visible.
UNSEEN = 1e-4
# Relative gap below which a timing is optimal.
_BEST = 1e-3
# Power of the time factor by which smoothness is weighted in slow-downs.
_SLOW_SMOOTH = 3


@dataclass(frozen=True, eq=False)
class TimingProblem:
    """A timing problem.

    Parameters
    ----------
    nodes : array (K,)
        Source times of the nodes, seconds.
    baked : Baked
        The objective at every node.
    legs : sequence of (int, float)
        End node and length of each leg; the first begins at node 0. The part after the last one has
        no fixed length.
    fixed : sequence of (int, float)
        Nodes whose speed p' is given.
    slowest : float
        Least p'.
    fastest : array (K,)
        Largest p' of each node.
    loop : bool
        The speed at the last node is that at the first.
    alpha, beta, gamma : float
        Weights of feasibility, of torques and of smoothness.
    usual : array (K,), optional
        x*, the p'^2 that smoothness is relative to. Default: 1.
    most_change : float
        Largest |p''|, 1/s.
    by_time : bool
        Whether the objective is a cost over the time of the result even if its length is free.
        Otherwise each interval counts then for as long as it took in the recording.
    """

    nodes: FloatArray
    baked: Baked
    legs: Sequence[tuple[int, float]]
    fixed: Sequence[tuple[int, float]]
    slowest: float
    fastest: FloatArray
    loop: bool
    alpha: float
    beta: float
    gamma: float = 0.0
    usual: FloatArray | None = None
    most_change: float = np.inf
    by_time: bool = False


@one_line()
@dataclass(frozen=True, eq=False, repr=False)
class Solution(Pictured):
    """Solution of a timing problem."""

    square_speed: FloatArray
    """b = p'^2 at the nodes. Shape (K,)."""
    times: FloatArray
    """Output time of each node from 0, seconds. Shape (K,)."""
    objective: float
    """Its value (14)."""
    bound: float
    """Lower bound for any timing; 0 if unknown."""
    steps: int
    """Number of Newton steps."""
    missed: float = 0.0
    """Error of the legs' times before the last correction, seconds."""
    convex: bool = False
    """Whether the problem is convex."""
    ended: bool = True
    """Whether the search converged."""

    @property
    def gap(self) -> float:
        """Relative gap between the objective and its lower bound."""
        return (self.objective - self.bound) / max(self.objective, 1e-12)

    @property
    def certified(self) -> bool:
        """Whether no timing is visibly better."""
        return self.objective - self.bound <= max(_BEST * self.objective, UNSEEN)


def objective_of(problem: TimingProblem, square_speed: FloatArray) -> float:
    """Return the objective (14) of speeds b (K,)."""
    legs, baked = Legs(problem), problem.baked
    terms = _native.physics_timing.objective_terms(
        square_speed, legs.steps, UNIT, baked.starts, baked.corners, baked.matching,
        problem.alpha * baked.firmness, problem.beta, legs.given, legs.usual, legs.gammas,
    )  # fmt: skip
    return float(terms.sum())


class Legs:
    """The legs of intervals, and values that depend on them."""

    def __init__(self, problem: TimingProblem) -> None:
        self.loop = problem.loop
        self.steps = np.diff(problem.nodes)
        count = len(problem.nodes)
        self.of = np.zeros(count - 1, np.int64)
        first = 0
        for number, (last, _) in enumerate(problem.legs):
            self.of[first:last] = number
            first = last
        # The part after the last leg is another leg, without a given time.
        self.of[first:] = len(problem.legs)
        self.wanted = np.array([seconds for _, seconds in problem.legs])
        self.usual = np.ones(count) if problem.usual is None else problem.usual
        self.mean = np.r_[self.sums(self.steps) / self.wanted, 1.0]
        # The objective depends on the length of the whole, not on keytimes, so that another keytime
        # is only another constraint: it never lowers the optimum.
        free = first < count - 1
        # Without a given time a mismatch that cannot be avoided must not count less for being
        # shorter, or a heavier figure would hurry: every interval counts as long as recorded.
        recorded = self.steps / np.sqrt(0.5 * (self.usual[1:] + self.usual[:-1]))
        self.given = recorded * (free and not problem.by_time)
        # A uniform change of length changes nothing of the smoothness. Slow-downs have many local
        # optima, in which time waits in every step: smoothness counts more there.
        whole = 1.0 if free else float(self.steps.sum() / self.wanted.sum())
        slower = min(whole, 1.0) ** _SLOW_SMOOTH
        self.gammas = np.full(count - 1, problem.gamma / (whole**2 * slower))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of the intervals' values by leg."""
        sums = np.bincount(self.of, values, len(self.wanted) + 1)
        return np.asarray(sums[: len(self.wanted)])

    def spread(self, values: FloatArray) -> FloatArray:
        """Return the value of the leg of each node; the last value is for the part after them."""
        return np.asarray(np.r_[values[self.of], values[self.of[-1]]])

    def missed(self, b: FloatArray, spent: FloatArray) -> FloatArray:
        """Return the errors of the legs' times and of the seam of a loop."""
        legs = self.sums(spent) - self.wanted
        out: FloatArray = np.r_[legs, b[-1] - b[0]] if self.loop else legs
        return out

    def rows(self, of_time: FloatArray) -> FloatArray:
        """Return the derivatives (K, C) of the constraints."""
        out = np.empty((len(of_time) + 1, len(self.wanted) + 1))
        _native.physics_search.time_rows(of_time, self.of, out)
        out = out[:, : len(self.wanted) + self.loop]
        if self.loop:
            out[:, -1] = 0.0
            out[-1, -1], out[0, -1] = 1.0, -1.0
        return out
