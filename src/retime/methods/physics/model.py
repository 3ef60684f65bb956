"""Physics of a motion: feasible timings, and the best of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.keywords import describes, takes
from retime.methods.physics import outcome
from retime.methods.physics.answer import Shortfall, answer
from retime.methods.physics.capable import OF_PHYSICS, CapableBody
from retime.methods.physics.explain import Explanation, explain_timing
from retime.methods.physics.gravity import EARTH
from retime.methods.physics.limits.regions import UNIT
from retime.methods.physics.limits.supports import BLOCK
from retime.methods.physics.outcome import TOLERANCE
from retime.methods.physics.parameters import (
    ModelParameters,
    ModelWarpParameters,
    RequestParameters,
    SearchParameters,
    TorqueLimits,
)
from retime.methods.physics.search.change import most_change
from retime.methods.physics.search.objective import (
    FLIGHT_FIRMNESS,
    Baked,
    Effort,
    effort_of,
    matching,
)
from retime.methods.physics.search.problem import Solution
from retime.methods.physics.search.request import Request, at_nodes
from retime.methods.physics.search.solve import solve
from retime.motion import Motion
from retime.motion.edits import apply
from retime.motion.kinematics import positions
from retime.one_line import one_line
from retime.pacing import locked_spans
from retime.pictured import Pictured
from retime.sentences import Moment
from retime.timing import TimeWarp

__all__ = ["PhysicsModel", "TorqueLimits"]

# Tolerance of durations, seconds.
_MISSED = 0.01
# Largest weight of feasibility where a timing must exceed the limits, and the largest change of the
# rate there in 33 ms.
_SOFT, _MOST_CHANGE = 100.0, 0.39
# Room of a bound of the change, relative to what given speeds need.
_ROOM = 1.05
# Factor of the weight of feasibility if anything infeasible is refused: the distance of a feasible
# length's timing from its regions is then below 0.005 in p'^2, and 0.06 otherwise.
_STRICT = 100.0
# Slack for motions without a source, relative to that of timings.
_MEASURED = 2.0


@one_line(lambda m: m._facts())
@describes(ModelParameters)
class PhysicsModel(CapableBody, Pictured):
    """The physics of a motion (sections 3.1 to 3.5).

    Parameters
    ----------
    motion : Motion
        The clip; any articulated figure.

    Examples
    --------
    >>> from retime import PhysicsModel, samples
    >>> model = PhysicsModel(samples.toss(), cutoff=0, gravity=9.81 / 4)
    >>> warp = model.warp(duration="free")
    >>> round(float(warp.rate(0.5)), 2)             # a quarter of gravity: half the speed
    0.5
    """

    def _facts(self) -> list[str]:
        fall = f"gravity {float(np.linalg.norm(self.gravity)):.4g} m/s^2"
        return [f"{len(self.times)} frames", f"{self.mass:.4g} kg", fall]

    # ---- evaluation of timings

    def explain(
        self, timing: TimeWarp | Motion | None = None, *, tolerance: float = TOLERANCE
    ) -> Explanation:
        """Explain why a timing is impossible: what limits it, where, and the smallest fix.

        Parameters
        ----------
        timing : TimeWarp or Motion, optional
            A warp of this motion, or a motion made from it by any edits, which is evaluated
            unchanged. Default: the recorded timing.
        tolerance : float
            Tolerance of feasibility, in p'^2.

        Returns
        -------
        Explanation
        """
        if isinstance(timing, Motion):
            return self.like(timing).explain(tolerance=tolerance)
        if timing is None:
            recorded = np.tile([0.0, 1.0], (len(self.times), 1))
            return explain_timing(self, recorded, tolerance)
        if timing.per_channel:
            return self.explain(apply(self.motion, timing), tolerance=tolerance)
        return explain_timing(self, self.timing_of(timing), tolerance)

    def timing_of(self, warp: TimeWarp) -> FloatArray:
        """Return (p'', p'^2) of a warp at the frames, (F, 2), by the intervals beside each.

        Frames that the warp leaves out count as recorded.
        """
        spent = np.diff(np.asarray(warp.inverse(self.times)))
        left_out = np.abs(spent) < 1e-9
        spent = np.where(left_out, np.diff(self.times), spent)
        speed = np.diff(self.times) / spent
        y = np.r_[0.0, 2 * np.diff(speed) / (spent[1:] + spent[:-1]), 0.0]
        y[[0, -1]] = y[[1, -2]]
        square = 0.5 * (np.r_[speed[0], speed] ** 2 + np.r_[speed, speed[-1]] ** 2)
        return np.stack([y, square], axis=1)

    def distances(self, timing: FloatArray) -> FloatArray:
        """Return the distance of a timing from the region of each frame."""
        return _native.physics_polygons.distances(*self._flat, timing / [UNIT, 1.0])

    def _same_body(self, motion: Motion) -> PhysicsModel:
        """Return a model of another motion with the mass, data and filter of this one."""
        return PhysicsModel(
            motion,
            gravity=tuple(self.gravity),
            gravity_from="recording",
            friction=self.friction,
            slack=self.slack,
            **self._body,
        )

    def like(self, motion: Motion, own: PhysicsModel | None = None) -> PhysicsModel:
        """Return a model of another motion of this figure, as strong and as heavy as this one.

        Its accelerations are not corrected, because there is no recorded timing.

        Parameters
        ----------
        motion : Motion
            Of the same figure.
        own : PhysicsModel, optional
            Its own model, where that is available.
        """
        other = self._same_body(motion) if own is None else copy.copy(own)
        for name in OF_PHYSICS:
            other.__dict__.pop(name, None)
        if other.joints != self.joints:
            raise InputError("only a motion of the same figure can be explained by this model")
        other._set_world(self.world.changed({"gravity": tuple(self.gravity)}))
        other._forgives = False
        limits = other.limits.copy()
        limits[:, 6:] = self.limits[:, 6:].max(axis=0)
        # No errors are tolerated, because there is no recorded timing.
        weight = self.weight * float(np.linalg.norm(self.gravity)) / EARTH
        limits[:, :6] = np.maximum(limits[:, :6], _MEASURED * self.slack * weight)
        other.limits = limits
        return other

    def rest_of(self, timing: FloatArray) -> FloatArray:
        """Return the residual force and moment (F, 6) of a timing (F, 2)."""
        needed = self.torques.at(timing[:, 0], timing[:, 1])[:, :6]
        out: FloatArray = needed - self._recorded.given(needed)
        return out

    # ---- retiming

    def effort(self, part: slice = slice(None)) -> Effort:
        """Return the joints' torques as functions of the timing, in a part of the frames."""
        return effort_of(self.torques, self.maps, self.regions, self.limits, part)

    @cached_property
    def _usual(self) -> PhysicsModel:
        """The effort on ground with normal friction."""
        usual = self._recorded.usual
        if usual is self._recorded:
            return self
        other = self.changed(friction=usual.friction)
        other._recorded = usual
        return other

    def baked(self, objective: Any = "auto") -> Baked:
        """Bake the objective (14) for target torques: recorded, none, or another motion's."""
        target, usual, speeds = self._target(objective), self._usual, self.usual_speeds
        rows = []
        for first in range(0, len(speeds), BLOCK):
            part = slice(first, first + BLOCK)
            effort = usual.effort(part)
            wanted, scale = target(effort, part), usual.limits[part, 6:]
            rows.append(matching(effort, wanted, scale, speeds[part]))
        firmness = np.where(self.flight, FLIGHT_FIRMNESS, 1.0)
        return Baked(*self._flat, np.concatenate(rows), firmness)

    def _target(self, objective: Any) -> Callable[[Effort, slice], FloatArray]:
        """Return the target torques of an objective by effort and part of the frames."""
        if isinstance(objective, tuple) and len(objective) == 2:
            given = self._target_of(*objective)
            return lambda _, part: given[part]
        if objective == "auto":
            objective = "load" if self.added or self.mass_scale else "match"
        if objective == "match":
            return lambda _, part: self.reference_torques[part]
        if objective == "effort":
            return lambda _, part: np.zeros_like(self.reference_torques[part])
        if objective == "load":
            # The weight of the load is supported; the recorded torques of the movement are matched.
            plain = self._usual
            if self.mass_scale or self.added:
                plain = plain.changed(mass_scale={}, load=())
            usual = self.usual_speeds[:, None]
            return lambda own, part: own.still + plain.effort(part).speed * usual[part]
        raise InputError(
            f"the objective is {objective!r}; it can be 'match', 'effort', 'load' or (motion, warp)"
        )

    def _baked(self, objective: Any) -> Baked:
        """Return the baked objective, cached for dragged keytimes."""
        if not isinstance(objective, str):
            return self.baked(objective)
        kept: dict[str, Baked] = self.__dict__.setdefault("_kept", {})
        if objective not in kept:
            kept[objective] = self.baked(objective)
        return kept[objective]

    def _target_of(self, motion: Motion, warp: TimeWarp) -> FloatArray:
        """Return the torques of another motion; the warp maps this motion's time to its time."""
        if not (isinstance(motion, Motion) and isinstance(warp, TimeWarp)):
            raise InputError("another motion's effort is given as (motion, warp to its time)")
        other = self._same_body(motion)
        torques = other.reference_torques
        if other.joints != self.joints:
            raise InputError("torques can only be matched to a motion of the same figure")
        at = np.clip(warp(self.times), other.times[0], other.times[-1])
        return np.stack([np.interp(at, other.times, c) for c in torques.T], axis=1)

    @takes(SearchParameters)
    def solve(self, p: SearchParameters) -> tuple[FloatArray, Solution]:
        """Find the best timing; return the source times of the nodes and the solution."""
        return self._solve(p, self._request(p))

    def given_speeds(self, p: RequestParameters) -> list[tuple[float, float]]:
        """Return the playback speeds of a request, (source s, rate), with those of locked spans."""
        rates = [*p.rates, *((s, self._rate_for(s, j, v)) for s, j, v in p.joint_speeds)]
        span = float(self.times[0]), float(self.times[-1])
        for part in locked_spans(p.locked, span):
            inside = self.times[(self.times > part.start) & (self.times < part.end)]
            rates += [(float(t), 1.0) for t in (part.start, *inside, part.end)]
        return rates

    def _request(self, p: RequestParameters) -> Request:
        """Return a valid request, or raise."""
        span = float(self.times[0]), float(self.times[-1])
        return Request.of(span, p.duration, p.keytimes, self.given_speeds(p))

    def _solve(
        self,
        p: SearchParameters,
        request: Request,
        *,
        short: Shortfall | None = None,
        strict: bool = False,
        faster: float = 1.0,
    ) -> tuple[FloatArray, Solution]:
        """Solve a request, which may be too ``short`` for the body, or be played ``faster``.

        A ``strict`` solution stays within the limits if that is possible.
        """
        nodes = request.nodes(self.times)
        usual = np.interp(nodes, self.times, self.usual_speeds)
        # Where no timing is feasible, the nearest timing must not distort the motion (section 3.5),
        # and hurry is no remedy.
        stuck = self.extremes.stuck >= 0
        heavier = float(np.linalg.norm(self.gravity)) > EARTH * (1 + 1e-6)
        change = np.inf if p.most_change is None else p.most_change
        if stuck or short or faster > 1:
            change = most_change(_MOST_CHANGE, self.step) / faster**2
        alpha = min(p.alpha, _SOFT) if stuck or short else p.alpha * (_STRICT if strict else 1.0)
        problem = request.problem(
            nodes, at_nodes(self._baked(p.objective), self.times, nodes), usual,
            slowest=self.least_rate, loop=p.loop,
            weights=(alpha, p.beta, p.smoothness),
            by_time=isinstance(p.objective, str) and p.objective == "effort",
            hurries=heavier or not stuck,
            most_change=max(change, _ROOM * request.least_change),
        )  # fmt: skip
        first = None
        if p.start is not None:
            first = np.asarray(p.start.rate(p.start.inverse(nodes))) ** 2
        found = solve(problem, first, p.watch)
        if found.missed > _MISSED and p.watch is None:
            if short is not None:
                raise InfeasibleError(short.note)
            raise outcome.unmet(found.missed, rates=bool(request.fixed), keytimes=bool(p.keytimes))
        return nodes, found

    def _rate_for(self, moment: float, joint: str, speed: float) -> float:
        """Return the rate at which a joint has a speed in m/s at a moment of the source."""
        (name,) = self._measured.body.find_joints([joint])
        place = positions(self.motion)[:, self.motion.skeleton.index(name)]
        own = np.linalg.norm(np.gradient(place, self.times, axis=0), axis=1)
        here = float(np.interp(moment, self.times, own))
        if here < 1e-3:
            raise InputError(
                "{name} is still at {moment}: no rate gives it {speed:g} m/s",
                name=name,
                moment=Moment(moment),
                speed=speed,
            )
        return speed / here

    @takes(ModelWarpParameters)
    def warp(self, p: ModelWarpParameters) -> TimeWarp:
        """Find a timing within the limits of body, gravity and ground, near the recorded effort.

        Returns
        -------
        TimeWarp
            Its notes report whether it is the global optimum, and infeasible parts.
        """
        return answer(self, p)
