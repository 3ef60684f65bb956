"""The search for the best timing: b(s) = p'^2 at every node, durations and keytimes exact.

Distances from the regions, torques and smoothness over the time they last are convex in b, and so
is a duration that is to be met from above (a speed-up). An interior-point method ends at the global
optimum there, and the tangent of the objective, over the box of all b and over all regions, is a
lower bound that proves it. A slow-down is not convex; there the end is a good local optimum, and a
floor keeps time from standing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.limits.regions import UNIT
from retime.methods.physics.limits.walls import Walls
from retime.methods.physics.search.change import ChangeBounds
from retime.methods.physics.search.problem import (
    UNSEEN,
    Legs,
    Solution,
    TimingProblem,
    objective_of,
)

_MOST_STEPS = 120
# Tolerance of durations before the last correction makes them exact, seconds.
_TIME = 1e-7
# Relative gap, and barrier, at which the search ends.
_PROVED, _LOWEST = 2e-6, 1e-12
# Relative gain at a low barrier below which the search ends.
_GAIN, _IDLE = 1e-7, 2
# Largest relative decrease and increase of b in one step.
_LOSE, _WIN, _WIN_MORE = 0.7, 2.0, 0.2
# Share of the distance to a constraint that remains after a step. Factors on the barrier: after a
# good step, after a shortened one, and after one that hardly moved.
_KEEP, _LOWER, _LOWER_LITTLE, _RAISE = 0.005, 0.1, 0.4, 10.0
# Steps that had to be shortened make the next ones more careful, by factors of the curvature.
_CAREFUL, _MORE_CAREFUL = 1e-3, 10.0

Watch = Callable[[int, FloatArray, float], FloatArray | bool | None]


def solve(
    problem: TimingProblem, start: FloatArray | None = None, watch: Watch | None = None
) -> Solution:
    """Find the speeds that minimise the objective and meet the times of all legs.

    Parameters
    ----------
    problem : TimingProblem
        What to solve.
    start : array (K,), optional
        Initial b, such as the last solution. Default: uniform speed on every leg.
    watch : callable, optional
        Called after every step with its number, b and the objective; true ends the search, and an
        array continues from there.
    """
    return _Search(problem, start, watch).run()


class _Search:
    """State and Newton steps of an interior-point method."""

    def __init__(
        self, problem: TimingProblem, start: FloatArray | None, watch: Watch | None
    ) -> None:
        self.problem, self.watch = problem, watch
        self.legs, self.walls = Legs(problem), Walls.of(problem.baked)
        self.change = ChangeBounds(self.legs.steps, problem.most_change)
        count = len(problem.nodes)
        self.low = np.full(count, problem.slowest**2)
        self.high = problem.fastest**2
        self.free = np.ones(count, bool)
        self.alphas = problem.alpha * problem.baked.firmness
        b = self.legs.spread(self.legs.mean) ** 2 if start is None else np.array(start, float)
        if start is None and not len(self.legs.wanted):
            b = b * self.legs.usual
        b = self._inside(b)
        if start is not None:
            # Start close to the times of the legs, because steps that correct them are short.
            spent = 2 * self.legs.steps / (np.sqrt(b[1:]) + np.sqrt(b[:-1]))
            factor = np.r_[self.legs.sums(spent) / self.legs.wanted, 1.0] ** 2
            b = self._inside(b * self.legs.spread(factor))
        for node, speed in problem.fixed:
            b[node] = speed**2
            self.free[node] = False
        b = self.change.gentle(b, self.free)
        self.price = np.zeros(len(self.legs.wanted) + problem.loop)
        self.penalty, self.care, self.number = 1.0, 0.0, 0
        self.told, self.ended = False, False
        self._make_room(count)
        self._begin(b)

    def _inside(self, b: FloatArray) -> FloatArray:
        """Move speeds slightly inside their bounds."""
        room = 1e-3 * (self.high - self.low)
        return np.asarray(
            np.clip(b, self.low + np.minimum(room, 1e-2 * self.low), self.high - room)
        )

    def _make_room(self, count: int) -> None:
        sizes = np.diff(self.walls.starts)
        each = np.stack([sizes[:-1], sizes[1:]], axis=1).ravel()
        self.sides = np.r_[0, np.cumsum(each)]
        self.duals = np.zeros(int(self.sides[-1]))
        self.dual_way, self.room = np.zeros_like(self.duals), np.zeros_like(self.duals)
        self.points, self.point_way = np.zeros((count - 1, 2, 2)), np.zeros((count - 1, 2, 2))
        self.value, self.spent = np.zeros(count - 1), np.zeros(count - 1)
        self.gradient, self.plain = np.zeros(count), np.zeros(count)
        self.of_time, self.own = np.zeros((count - 1, 2)), np.zeros((count - 1, 2, 5))
        self.diagonal, self.beside = np.zeros(count), np.zeros(count - 1)

    def _begin(self, b: FloatArray) -> None:
        """Initialise points and multipliers for speeds b."""
        w = self.walls
        self.b = b
        _native.physics_search.start_points(
            b, self.legs.steps, UNIT, w.starts, w.normals, w.offsets, w.middles, self.points
        )
        self.floor_dual, self.roof_dual = np.zeros(len(b)), np.zeros(len(b))
        objective, _ = self._merit(b, self.points)
        self.count = len(self.duals) + 2 * int(self.free.sum()) + self.change.duals.size
        self.barrier = float(np.clip(0.1 * objective / max(self.count, 1), 1e-7, 1.0))
        self._centre_duals()

    def _rooms(self) -> FloatArray:
        """Return the distances of all sides from their walls, flat."""
        w = self.walls
        _native.physics_search.wall_rooms(
            w.starts, w.normals, w.offsets, self.points, self.sides, self.room
        )
        return self.room

    def _merit(self, b: FloatArray, points: FloatArray) -> tuple[float, float]:
        p, w = self.problem, self.walls
        objective, logs = _native.physics_search.merit_terms(
            b, self.legs.steps, UNIT, w.starts, w.normals, w.offsets, p.baked.matching,
            self.alphas, p.beta, self.legs.given, self.legs.usual, self.legs.gammas, points,
            self.spent, self.low, self.high, self.free,
        )  # fmt: skip
        return float(objective), float(logs) + self.change.logs(b)

    def run(self) -> Solution:
        """Take steps until the optimum is certified, or no step improves the objective."""
        idle = 0
        for self.number in range(1, _MOST_STEPS + 1):
            gained = self._step()
            if gained is None:
                break
            if self._watched():
                continue
            if self.told:
                break
            objective, _ = self._merit(self.b, self.points)
            met = np.abs(self.legs.missed(self.b, self.spent)).max(initial=0.0) < _TIME
            low = self.barrier * self.count < max(_PROVED * objective, _LOWEST)
            idle = idle + 1 if met and gained < _GAIN * max(objective, UNSEEN) else 0
            if met and low and (idle >= _IDLE or self._proved(objective)):
                self.ended = True
                break
        return self._finished()

    def _watched(self) -> bool:
        """Call the watcher; return whether it changed the speeds."""
        if self.watch is None:
            return False
        told = self.watch(self.number, self.b.copy(), objective_of(self.problem, self.b))
        if isinstance(told, np.ndarray):
            b = self._inside(told)
            b[~self.free] = self.b[~self.free]
            self._begin(self.change.gentle(b, self.free))
            return True
        self.told = bool(told)
        return False

    def _step(self) -> float | None:
        """Take a step; return the decrease of the merit, or ``None`` if no step is possible."""
        p, w, b = self.problem, self.walls, self.b
        legs = len(self.legs.wanted)
        # Only a positive multiplier on time keeps the objective convex.
        positive = np.maximum(self.price[:legs], 0.0)
        _native.physics_search.newton_system(
            b, self.legs.steps, UNIT, w.starts, w.normals, w.offsets, p.baked.matching, self.alphas,
            p.beta, np.r_[positive, 0.0][self.legs.of], self.legs.given, self.legs.usual,
            self.legs.gammas, self.points, self.sides, self.duals, self.barrier, self.spent,
            self.value, self.gradient, self.plain, self.of_time, self.diagonal, self.beside,
            self.own,
        )  # fmt: skip
        above = np.where(self.free, b - self.low, 1.0)
        below = np.where(self.free, self.high - b, 1.0)
        rows, missed = self.legs.rows(self.of_time), self.legs.missed(b, self.spent)
        slope = self.gradient - rows[:, :legs] @ positive
        slope += np.where(self.free, self.barrier / below - self.barrier / above, 0.0)
        slope += self.change.pull(b, self.barrier / self.change.rooms(b))
        self.change.stiffen(b, self.diagonal, self.beside)
        curved = (1 + self.care) * self.diagonal + np.where(
            self.free, self.floor_dual / above + self.roof_dual / below, 1e14
        )
        solved = self._solved(curved, np.c_[slope, rows])
        if solved is None:
            return None
        by_row = np.ascontiguousarray(solved[:, 1:])
        coupling = np.linalg.inv(rows.T @ by_row + 1e-14 * np.eye(len(self.price)))
        price = coupling @ (missed - rows.T @ solved[:, 0])
        way = -solved[:, 0] - by_row @ price
        way[~self.free] = 0.0
        far, dual_far = _native.physics_search.point_steps(
            b, way, self.legs.steps, UNIT, w.starts, w.normals, w.offsets, self.alphas,
            self.legs.given, self.points, self.sides, self.duals, self.barrier, self.own, _KEEP,
            self.point_way, self.dual_way,
        )  # fmt: skip
        bounds = self.low, self.high, self.free, self.floor_dual, self.roof_dual, self.barrier
        room, dual_far = _native.physics_search.bound_steps(
            b, way, *bounds, _KEEP, _LOSE, _WIN, _WIN_MORE, dual_far
        )
        change_room, change_far, change_way = self.change.steps_to(b, way, self.barrier, _KEEP)
        far, dual_far = min(far, room, change_room), min(dual_far, change_far)
        dear = 2 * float(np.abs(price).max(initial=0.0)) + 1e-3
        self.penalty = max(dear, 0.3 * self.penalty)
        length, gained = self._along(way, far, by_row @ coupling, missed)
        _native.physics_search.move_duals(b, way, *bounds, self.duals, self.dual_way, dual_far)
        self.change.duals = self.change.duals + dual_far * change_way
        self.price = self.price + max(length, 0.1) * (price - self.price)
        self._lower(length, length / far)
        return gained

    def _solved(self, diagonal: FloatArray, right: FloatArray) -> FloatArray | None:
        for attempt in range(12):
            out = right.copy()
            if _native.physics_search.tridiagonal(diagonal, self.beside, out):
                return out
            diagonal = diagonal + 1e-3 * 10**attempt
        return None

    def _along(
        self, way: FloatArray, far: float, back: FloatArray, missed: FloatArray
    ) -> tuple[float, float]:
        """Move along a step as far as the merit decreases, and correct the times of the legs.

        ``back`` (K, C) is the change of speeds that corrects the times.
        """
        merit = self._whole(self.b, self.points, missed)
        length = far
        least = self.low + _KEEP * (self.b - self.low)
        most = self.high - _KEEP * (self.high - self.b)
        for _ in range(30):
            points = self.points + length * self.point_way
            b = self.b + length * way
            if len(self.price):
                speed = np.sqrt(b)
                spent = 2 * self.legs.steps / (speed[1:] + speed[:-1])
                met = b - back @ self.legs.missed(b, spent)
                met = np.where(self.free, np.minimum(np.maximum(met, least), most), b)
                b = met if (self.change.rooms(met) > 0).all() else b
            now = self._whole(b, points, None)
            if now < merit or length * np.abs(way).max(initial=0.0) < 1e-14:
                break
            length *= 0.5
        if np.isfinite(now):
            self.b, self.points = b, points
        return length, merit - now

    def _whole(self, b: FloatArray, points: FloatArray, missed: FloatArray | None) -> float:
        """Return the merit: objective, barrier and errors of the legs' times."""
        objective, logs = self._merit(b, points)
        missed = self.legs.missed(b, self.spent) if missed is None else missed
        return objective - self.barrier * logs + self.penalty * float(np.abs(missed).sum())

    def _lower(self, length: float, share: float) -> None:
        """Lower the barrier according to the length of the step."""
        together = _native.physics_search.complementarity(
            self.b, self.low, self.high, self.free, self.floor_dual, self.roof_dual,
            self._rooms(), self.duals,
        )  # fmt: skip
        together += float((self.change.duals * self.change.rooms(self.b)).sum())
        if share < 0.3:
            self.care = max(_MORE_CAREFUL * self.care, _CAREFUL)
        else:
            self.care = self.care / _MORE_CAREFUL if self.care > _CAREFUL else 0.0
        if length < 0.1:  # the barrier is too low: restart from farther inside
            self.barrier *= _RAISE
            self._centre_duals()
            return
        lower = _LOWER if length > 0.7 else _LOWER_LITTLE
        self.barrier = min(self.barrier, lower * together / max(self.count, 1))
        self.barrier = max(self.barrier, _LOWEST / max(self.count, 1))

    def _centre_duals(self) -> None:
        self.duals[:] = self.barrier / self._rooms()
        self.floor_dual[:] = self.barrier / np.maximum(self.b - self.low, 1e-9)
        self.roof_dual[:] = self.barrier / np.maximum(self.high - self.b, 1e-9)
        self.change.centre(self.b, self.barrier)

    def _tangent(self) -> float:
        """Return a lower bound of the objective if the problem is convex; otherwise 0."""
        p, w, legs = self.problem, self.walls, len(self.legs.wanted)
        price = self.price[:legs]
        if self.problem.loop or (price < -1e-9).any():
            return 0.0
        price = np.maximum(price, 0.0)
        _native.physics_search.newton_system(
            self.b, self.legs.steps, UNIT, w.starts, w.normals, w.offsets, p.baked.matching,
            self.alphas, p.beta, np.r_[price, 0.0][self.legs.of], self.legs.given, self.legs.usual,
            self.legs.gammas, self.points, self.sides, self.duals, 0.0, self.spent, self.value,
            self.gradient, self.plain, self.of_time, self.diagonal, self.beside, self.own,
        )  # fmt: skip
        over = float(price @ self.legs.missed(self.b, self.spent)[:legs])
        over -= float((self.change.duals * self.change.rooms(self.b)).sum())
        slope = self.plain + self.change.pull(self.b, self.change.duals)
        low, high = np.where(self.free, self.low, self.b), np.where(self.free, self.high, self.b)
        loss = float(np.maximum(slope * (self.b - low), slope * (self.b - high)).sum())
        loss += float(
            _native.physics_search.joint_bound(
                self.b,
                self.legs.steps,
                UNIT,
                w.corner_starts,
                w.corners,
                self.alphas,
                self.legs.given,
                self.points,
            )
        )
        return max(float(self.value.sum()) + over - loss, 0.0)

    def _proved(self, objective: float) -> bool:
        return objective - self._tangent() <= _PROVED * max(objective, UNSEEN)

    def _finished(self) -> Solution:
        """Make the times of the legs exact, and compute the lower bound."""
        objective = objective_of(self.problem, self.b)
        self._merit(self.b, self.points)
        spent = self.spent.copy()
        missed = float(np.abs(self.legs.sums(spent) - self.legs.wanted).max(initial=0.0))
        factor = np.r_[self.legs.wanted / self.legs.sums(spent), 1.0]
        times = np.r_[0.0, np.cumsum(spent * factor[self.legs.of])]
        legs = len(self.legs.wanted)
        convex = not self.problem.loop and bool((self.price[:legs] >= -1e-9).all())
        bound = self._tangent() if convex else 0.0
        return Solution(self.b, times, objective, bound, self.number, missed, convex, self.ended)
