"""A body with mass, muscles and ground under its feet: what timings it could produce."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.keywords import describes, takes
from retime.methods.physics.durations import (
    fastest_speeds,
    longest_duration,
    shortest_duration,
)
from retime.methods.physics.dynamics import Torques
from retime.methods.physics.explain import Explanation, explain_timing
from retime.methods.physics.gravity import note_of_gravity, parse_gravity
from retime.methods.physics.limits import joint_limits, with_accelerations
from retime.methods.physics.measure import Measured, measure
from retime.methods.physics.objective import Baked, bake, least_forces
from retime.methods.physics.parameters import (
    ModelParameters,
    ModelWarpParameters,
    SearchParameters,
    TorqueLimits,
)
from retime.methods.physics.recorded import RecordedForces
from retime.methods.physics.regions import MOST_SPEED, Region, find_regions, nearest_inside
from retime.methods.physics.request import Request, at_nodes
from retime.methods.physics.solve import Solution, solve
from retime.motion import Motion
from retime.motion.edits import apply
from retime.motion.kinematics import positions
from retime.timing import TimeWarp

__all__ = ["PhysicsModel", "TorqueLimits"]

# Slack in flight, as a share of that on the ground: nothing but air could give it.
_FLIGHT_SHARE = 0.01
_UNBOUNDED = 1e9
# More than this, in seconds, is not met.
_MISSED = 0.01
# How far outside a region counts as within, in p'^2.
_TOLERANCE = 0.05
# What is worked out for one physics, and anew for another.
_OF_PHYSICS = ("torques", "regions", "_fastest", "_kept")


@describes(ModelParameters)
class PhysicsModel:
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

    @takes(ModelParameters)
    def __init__(self, motion: Motion, p: ModelParameters) -> None:
        cutoff = p.cutoff or None
        self._body: dict[str, Any] = {"mass": p.mass, "cutoff": p.cutoff, "body_data": p.body_data}
        self._recorded = RecordedForces(measure(motion, p, cutoff), p.friction)
        self._others = tuple(
            measure(_clip(clip), dataclasses.replace(p, contacts=None), cutoff)
            for clip in p.limit_clips
        )
        self._forgives = True  # what a recording lacks at its root is an error of measurement
        self.slack, self.limit_factor = p.slack, p.limit_factor
        self.torque_limits, self.acceleration_limit = p.torque_limits, p.acceleration_limit
        self._set_physics(p.gravity, dict(p.mass_scale))

    def _set_physics(self, gravity: Any, mass_scale: Mapping[str, float]) -> None:
        m = self._measured
        self.gravity = parse_gravity(gravity, m.motion, m.body)
        named = {n: f for key, f in mass_scale.items() for n in m.body.find_joints([key])}
        for name, factor in named.items():
            if not (np.isfinite(factor) and factor > 0):
                raise InputError(f"the mass of {name} cannot be scaled by {factor}")
            if name not in m.figure.bodies:
                raise InputError(f"{name!r} has no mass of its own to scale")
        self.mass_scale = named

    def changed(
        self,
        *,
        gravity: Any = None,
        mass_scale: Mapping[str, float] | None = None,
        friction: float | None = None,
    ) -> PhysicsModel:
        """Return the same motion under other physics, without another pass over it.

        Parameters
        ----------
        gravity, mass_scale, friction
            As of the model; left out, as they are.
        """
        other = copy.copy(self)
        for name in _OF_PHYSICS:
            other.__dict__.pop(name, None)
        if friction is not None and friction != self.friction:
            other._recorded = RecordedForces(self._measured, friction)
            other.__dict__.pop("limits", None)
        other._set_physics(
            self.gravity if gravity is None else gravity,
            self.mass_scale if mass_scale is None else mass_scale,
        )
        return other

    # ---- what is known of the motion

    @property
    def _measured(self) -> Measured:
        return self._recorded.measured

    @property
    def friction(self) -> float:
        """Coefficient between feet and ground."""
        return self._recorded.friction

    @property
    def motion(self) -> Motion:
        """The clip, evenly sampled at 120 frames a second at most."""
        return self._measured.motion

    @property
    def times(self) -> FloatArray:
        """Source times of the frames, (F,)."""
        return np.asarray(self.motion.times)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed of the figure."""
        return self._measured.notes

    @property
    def mass(self) -> float:
        """Kilograms of the whole, scaled."""
        m = self._measured.dynamics
        return float((m.masses * m.scale(self.mass_scale)).sum())

    @property
    def flight(self) -> npt.NDArray[np.bool_]:
        """Frames (F,) in which nothing touches."""
        return self._recorded.flight

    @property
    def weight(self) -> float:
        """Weight in newtons, unscaled, on earth: what forces are measured in."""
        return self._recorded.weight

    @property
    def maps(self) -> list[FloatArray]:
        """N of every frame, (dofs, L): generalised forces of the contacts' basis forces (11)."""
        return self._recorded.maps

    @property
    def reference_torques(self) -> FloatArray:
        """Torques of the motion as recorded, (F, joints' dofs), with the least contact forces."""
        return self._recorded.torques

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that have torques, in the order of limits by pose."""
        return self._recorded.joints

    @cached_property
    def torques(self) -> Torques:
        """G, A and B of every frame (F, dofs) under the model's physics; eq. 6."""
        m = self._measured
        out = m.dynamics.torques(self.gravity, m.dynamics.scale(self.mass_scale))
        if self._forgives:
            out.speed[:, :6] -= self._recorded.residual
        return out

    @cached_property
    def limits(self) -> FloatArray:
        """Most torque of every row, (F, dofs); the root's are the slack."""
        m = self._measured
        out = np.empty((len(self.times), m.figure.dofs))
        root = _UNBOUNDED if m.hangs else self.slack * self.weight
        out[:, :6] = np.where(self.flight, _FLIGHT_SHARE, 1.0)[:, None] * root
        others = [RecordedForces(m, self.friction) for m in self._others]
        out[:, 6:] = joint_limits(self._recorded, self.torque_limits, self.limit_factor, others)
        return out

    # ---- feasible regions

    @cached_property
    def regions(self) -> list[Region]:
        """The feasible timings of every frame."""
        out = []
        bounds = self.torques, self.maps, self.limits
        if self.acceleration_limit is not None:
            bounds = with_accelerations(*bounds, self._measured.path, self.acceleration_limit)
        found = find_regions(*bounds, self.weight)
        recorded = np.array([0.0, 1.0])
        zero = self.reference_torques
        for k, (corners, forces) in enumerate(found):
            centre = nearest_inside(corners, recorded)
            at = (
                self.torques.gravity[k]
                + self.torques.change[k] * centre[0]
                + self.torques.speed[k] * centre[1]
            )
            scale = self.limits[k, 6:]
            least = least_forces(at, self.maps[k], self.weight, zero[k], scale) * self.weight
            out.append(Region(corners, forces, centre, least))
        return out

    @property
    def empty_frames(self) -> npt.NDArray[np.int64]:
        """Frames for which no timing is feasible."""
        return np.flatnonzero([r.empty for r in self.regions])

    @cached_property
    def _fastest(self) -> FloatArray | None:
        return fastest_speeds(self.regions, self.times)

    def minimum_duration(self) -> float | None:
        """Return the shortest feasible duration, seconds; ``None`` where no timing is feasible."""
        return None if self._fastest is None else shortest_duration(self._fastest, self.times)

    def maximum_duration(self) -> float | None:
        """Return the longest feasible duration, seconds; ``None`` where time may stand still.

        Only what can stop nowhere has one: a flight from the first frame to the last.
        """
        return longest_duration(self.regions, self.times)

    def joint_of(self, row: int) -> str:
        """Return the name of the joint that a row of the torques belongs to."""
        m = self._measured
        for j in m.figure.moving:
            name = m.motion.skeleton.names[j]
            rows = m.figure.rows(name, m.motion.skeleton)
            if rows is not None and rows.start <= row < rows.stop:
                return name
        raise InputError(f"there is no row {row} of torques")

    def explain(
        self, timing: TimeWarp | Motion | None = None, *, tolerance: float = _TOLERANCE
    ) -> Explanation:
        """Explain why a timing is impossible: what limits it, where, and the smallest mend.

        Parameters
        ----------
        timing : TimeWarp or Motion, optional
            A warp of this motion, or a motion that was made of it by edits of any kind, which is
            judged as it is; left out, the recorded timing.
        tolerance : float
            How far outside a region counts as within, in p'^2.

        Returns
        -------
        Explanation
        """
        if isinstance(timing, Motion):
            return self._like(timing).explain(tolerance=tolerance)
        if timing is None:
            recorded = np.tile([0.0, 1.0], (len(self.times), 1))
            return explain_timing(self, recorded, tolerance)
        if timing.per_channel:
            return self.explain(apply(self.motion, timing), tolerance=tolerance)
        return explain_timing(self, self._timing(timing), tolerance)

    def _timing(self, warp: TimeWarp) -> FloatArray:
        """Return (p'', p'^2) of a warp at the frames, (F, 2)."""
        at = warp.inverse(self.times)
        out: FloatArray = np.c_[warp.acceleration(at), warp.rate(at) ** 2]
        return out

    def distances(self, timing: FloatArray) -> FloatArray:
        """Return how far a timing is outside of each frame's region."""
        return np.array(
            [r.distance((t[0], t[1])) for r, t in zip(self.regions, timing, strict=True)]
        )

    def _same_body(self, motion: Motion) -> PhysicsModel:
        """Return a model of another motion with this one's mass, data and filter."""
        return PhysicsModel(
            motion,
            gravity=tuple(self.gravity),
            friction=self.friction,
            slack=self.slack,
            **self._body,
        )

    def _like(self, motion: Motion) -> PhysicsModel:
        """Return a model of another motion of this figure, as strong and as heavy as this one.

        Its accelerations are taken as they are: there is no recorded timing to forgive.
        """
        other = self._same_body(motion)
        if other.joints != self.joints:
            raise InputError("only a motion of the same figure can be explained by this model")
        limits = other.limits.copy()
        limits[:, 6:] = self.limits[0, 6:]
        limits[:, :6] = self.slack * self.weight  # its flights were measured, not timed
        other._set_physics(self.gravity, self.mass_scale)
        other.limits, other._forgives = limits, False
        return other

    # ---- retiming

    def baked(self, objective: Any = "match") -> Baked:
        """Bake the objective (14) for target torques: recorded, none, or another motion's."""
        if isinstance(objective, str) and objective == "match":
            target = self.reference_torques
        elif isinstance(objective, str) and objective == "effort":
            target = np.zeros_like(self.reference_torques)
        elif isinstance(objective, tuple) and len(objective) == 2:
            target = self._target_of(*objective)
        else:
            raise InputError(
                f"the objective is {objective!r}; it can be 'match', 'effort' or (motion, warp)"
            )
        return bake(self.torques, self.maps, self.regions, self.limits, self.weight, target)

    def _baked(self, objective: Any) -> Baked:
        """Bake once for each kind of objective: a dragged keytime must not wait for it."""
        if not isinstance(objective, str):
            return self.baked(objective)
        kept: dict[str, Baked] = self.__dict__.setdefault("_kept", {})
        if objective not in kept:
            kept[objective] = self.baked(objective)
        return kept[objective]

    def _target_of(self, motion: Motion, warp: TimeWarp) -> FloatArray:
        """Take over another motion's torques, by a warp from this one's time to its."""
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
        """Find the best timing: the nodes' source times, and what was found for them."""
        return self._solve(p)

    def _solve(self, p: SearchParameters) -> tuple[FloatArray, Solution]:
        rates = [*p.rates, *((s, self._rate_for(s, j, v)) for s, j, v in p.joint_speeds)]
        span = float(self.times[0]), float(self.times[-1])
        request = Request.of(span, p.duration, p.keytimes, rates)
        nodes = request.nodes(self.times)
        problem = request.problem(
            nodes, at_nodes(self._baked(p.objective), self.times, nodes),
            loop=p.loop, alpha=p.alpha, beta=p.beta,
        )  # fmt: skip
        first = None
        if p.start is not None:
            first = np.asarray(p.start.rate(p.start.inverse(nodes))) ** 2
        found = solve(problem, first, p.watch)
        if found.missed > _MISSED and p.watch is None:
            raise InfeasibleError(
                f"the times and rates asked for cannot be met together: {found.missed:.2g} s are "
                "missing; give a rate up, or another duration"
            )
        return nodes, found

    def _rate_for(self, moment: float, joint: str, speed: float) -> float:
        """Return the rate at which a joint has a speed in m/s at a moment of the source."""
        (name,) = self._measured.body.find_joints([joint])
        place = positions(self.motion)[:, self.motion.skeleton.index(name)]
        own = np.linalg.norm(np.gradient(place, self.times, axis=0), axis=1)
        here = float(np.interp(moment, self.times, own))
        if here < 1e-3:
            raise InputError(f"{name} stands at {moment:g} s: no rate gives it {speed:g} m/s")
        return speed / here

    @takes(ModelWarpParameters)
    def warp(self, p: ModelWarpParameters) -> TimeWarp:
        """Find the timing that a body could have produced, nearest to the recorded effort.

        Returns
        -------
        TimeWarp
            Its notes say whether it is the global optimum, and what is not feasible.
        """
        notes = [*self.notes, *note_of_gravity(self.gravity)]
        asked = None if p.duration in (None, "free") else float(p.duration)
        least = self.minimum_duration() if asked is not None else None
        if asked is not None and least is not None and asked < least * (1 - 1e-6):
            text = f"{asked:.3g} s is shorter than a body could be: {least:.3g} s is the least"
            most = float(np.sqrt(MOST_SPEED))
            if least < (1 + 1e-3) * float(np.ptp(self.times)) / most:
                text = f"{asked:.3g} s is too fast: at most {most:g} times the speed is looked at"
            if p.strict:
                raise InfeasibleError(text)
            notes.append(f"{text}; the best there is was taken")
        nodes, found = self._solve(p)
        if len(self.empty_frames):
            frames = self.empty_frames
            notes.append(
                f"{len(frames)} of {len(self.times)} frames have no feasible timing at all (from "
                f"{self.times[frames[0]]:.3g} s on); there only torques counted"
            )
        kind = "the global optimum" if found.certified else "a local optimum"
        notes.append(f"objective {found.objective:.4g} after {found.steps} steps: {kind}")
        begin = float(self.times[0])
        output = begin + found.times
        if asked is not None:
            output[-1] = begin + asked
        warp = TimeWarp(output, nodes, loop=p.loop)
        if p.watch is None:
            notes += self._beyond(warp)
        return warp.with_notes(*notes)

    def _beyond(self, warp: TimeWarp) -> list[str]:
        """Say where a timing that was found is not feasible all the same."""
        distance = self.distances(self._timing(warp))
        outside = np.flatnonzero(np.isfinite(distance) & (distance > _TOLERANCE))
        if not len(outside):
            return []
        return [
            f"{len(outside)} of {len(self.times)} frames ask a little more than a body could do "
            f"(from {self.times[outside[0]]:.3g} s on)"
        ]


def _clip(given: Any) -> Motion:
    if isinstance(given, Motion):
        return given
    from retime.io import read

    if not isinstance(given, str | Path):
        raise InputError(f"a clip is a motion or a path, not {type(given).__name__}")
    return read(given)
