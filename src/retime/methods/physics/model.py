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
from retime.methods.physics import outcome
from retime.methods.physics.durations import Extremes, extreme_timings
from retime.methods.physics.dynamics import Added, Torques, moved
from retime.methods.physics.explain import Explanation, explain_timing
from retime.methods.physics.flights import Flight
from retime.methods.physics.gravity import EARTH, note_of_gravity, parse_gravity
from retime.methods.physics.limits import (
    joint_limits,
    lent_limits,
    root_limits,
    with_accelerations,
)
from retime.methods.physics.loads import added_loads, moved_centres
from retime.methods.physics.measure import Measured, measure
from retime.methods.physics.objective import Baked, Effort, bake, effort_of, least_forces
from retime.methods.physics.parameters import (
    ModelParameters,
    ModelWarpParameters,
    SearchParameters,
    TorqueLimits,
)
from retime.methods.physics.recorded import RecordedForces
from retime.methods.physics.regions import Flat, Region, find_regions, flattened, nearest_inside
from retime.methods.physics.request import Request, at_nodes
from retime.methods.physics.search import Solution, solve
from retime.methods.physics.world import World
from retime.motion import Motion
from retime.motion.edits import apply
from retime.motion.kinematics import positions
from retime.notes import Note
from retime.timing import TimeWarp

__all__ = ["PhysicsModel", "TorqueLimits"]

# More than this, in seconds, is not met.
_MISSED = 0.01
# How far outside a region counts as within, in p'^2.
TOLERANCE = 0.05
# The most weight of feasibility where no timing is feasible.
_SOFT = 100.0
# Slack of a motion that is judged as it is, in that of a timing.
_MEASURED = 2.0
# What is worked out for one physics, and again for another.
_OF_PHYSICS = (
    "torques",
    "limits",
    "_lending",
    "_own_limits",
    "regions",
    "_flat",
    "effort",
    "extremes",
    "_kept",
    "_usual",
)


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
        self._set_world(World.of(p))

    def _set_world(self, world: World) -> None:
        m = self._measured
        self.world, self.strength = world, world.strength
        self.gravity = parse_gravity(world.gravity, m.motion, m.body)
        mass_scale = dict(world.mass_scale)
        named = {n: f for key, f in mass_scale.items() for n in m.body.find_joints([key])}
        for name, factor in named.items():
            if not (np.isfinite(factor) and factor > 0):
                raise InputError(f"the mass of {name} cannot be scaled by {factor}")
            if name not in m.figure.bodies:
                raise InputError(f"{name!r} has no mass of its own to scale")
        self.mass_scale = named
        self.added = added_loads(m, world.load)
        self.shifts = moved_centres(m, world.centre_shift)

    def changed(
        self,
        *,
        gravity: Any = None,
        mass_scale: Mapping[str, float] | None = None,
        load: Any = None,
        strength: float | None = None,
        friction: float | None = None,
    ) -> PhysicsModel:
        """Return the same motion under other physics, without another pass over it.

        Parameters
        ----------
        gravity, mass_scale, load, strength, friction
            As of the model; left out, as they are.
        """
        given = {
            "gravity": gravity, "mass_scale": mass_scale, "load": load, "strength": strength,
            "friction": friction,
        }  # fmt: skip
        return self._with(self.world.changed(given))

    def _with(self, world: World) -> PhysicsModel:
        other = copy.copy(self)
        for name in _OF_PHYSICS:
            other.__dict__.pop(name, None)
        if world.friction != self.friction:
            other._recorded = RecordedForces(self._measured, world.friction)
        other._set_world(world)
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
        """What was assumed of the figure, how its flights fall, and what was forgiven."""
        return (*self._measured.notes, *outcome.forgiven_notes(self))

    @property
    def _scale(self) -> FloatArray:
        return self._measured.dynamics.scale(self.mass_scale)

    @property
    def mass(self) -> float:
        """Kilograms of the whole, scaled."""
        own = float((self._measured.dynamics.masses * self._scale).sum())
        return own + sum(a.solid.mass for a in self.added)

    @property
    def flight(self) -> npt.NDArray[np.bool_]:
        """Frames (F,) in which nothing touches."""
        return self._recorded.flight

    @property
    def held(self) -> npt.NDArray[np.bool_]:
        """Frames (F,) in which something unseen holds the figure."""
        return self._recorded.held

    @property
    def flights(self) -> tuple[Flight, ...]:
        """The flights, with the gravity that each falls with as recorded."""
        return self._measured.flights.listed

    @property
    def usual_speeds(self) -> FloatArray:
        """x* = p'^2 at which each frame of the recording is taken to be true, (F,)."""
        return self._recorded.speeds

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

    @property
    def residual(self) -> FloatArray:
        """Force and moment (F, 6) that the contacts cannot give to the body as it is now."""
        return self._recorded.residual_of(self._scale, self.added)

    @cached_property
    def torques(self) -> Torques:
        """G, A and B of every frame (F, dofs) under the model's physics; eq. 6."""
        scale, added = self._with_moved_centres()
        out = self._measured.dynamics.torques(self.gravity, scale, added)
        if self._forgives:
            error = self.residual
            if self.mass_scale or self.added:
                lean = self._recorded.imbalance_of(self._scale, self.added)
                out.gravity[:, :6] -= lean * float(np.linalg.norm(self.gravity)) / EARTH
                error = error - lean
            out.speed[:, :6] -= error / self.usual_speeds[:, None]
        return out

    def _with_moved_centres(self) -> tuple[FloatArray, tuple[Added, ...]]:
        """Return masses and what is added, with segments replaced whose centre was moved.

        What the recording lacks is still that of the centres it was recorded with.
        """
        scale, added = self._scale, self.added
        for name, shift in self.shifts.items():
            at = self._measured.figure.bodies.index(name)
            solid = self._measured.solids[name].scaled(float(scale[at]))
            added = (*added, Added(name, moved(solid, shift)))
            scale[at] = 0.0
        return scale, added

    @cached_property
    def limits(self) -> FloatArray:
        """Most torque of every row, (F, dofs); the root's are the slack."""
        return self._lending[0]

    @property
    def lent(self) -> float:
        """Factor of strength that was lent, so that changed masses can move as recorded."""
        return self._lending[1]

    @cached_property
    def _own_limits(self) -> FloatArray:
        """Most torque of every row as recorded, (F, dofs): what efforts are measured in."""
        out = np.empty((len(self.times), self._measured.figure.dofs))
        out[:, :6] = root_limits(self._recorded, self.slack, self.gravity)
        others = [RecordedForces(m, self.friction) for m in self._others]
        out[:, 6:] = joint_limits(self._recorded, self.torque_limits, self.limit_factor, others)
        return out

    @cached_property
    def _lending(self) -> tuple[FloatArray, float]:
        out, lent = self._own_limits.copy(), 1.0
        if self.mass_scale or self.added or self.shifts:
            t = self.torques
            needed = t.gravity + t.speed * self.usual_speeds[:, None]
            out, lent = lent_limits(out, needed, self.maps, self.weight)
        out[:, 6:] *= self.strength
        return out, lent

    # ---- feasible regions

    @cached_property
    def regions(self) -> list[Region]:
        """The feasible timings of every frame."""
        out = []
        bounds = self.torques, self.maps, self.limits
        if self.acceleration_limit is not None:
            bounds = with_accelerations(*bounds, self._measured.path, self.acceleration_limit)
        found = find_regions(*bounds, self.weight)
        t, target = self.torques, self.reference_torques
        for k, (corners, forces) in enumerate(found):
            centre = nearest_inside(corners, np.array([0.0, self.usual_speeds[k]]))
            at = t.gravity[k] + t.change[k] * centre[0] + t.speed[k] * centre[1]
            scale = self.limits[k, 6:]
            least = least_forces(at, self.maps[k], self.weight, target[k], scale) * self.weight
            out.append(Region(corners, forces, centre, least))
        return out

    @cached_property
    def _flat(self) -> Flat:
        return flattened(self.regions)

    @property
    def empty_frames(self) -> npt.NDArray[np.int64]:
        """Frames for which no timing is feasible."""
        return np.flatnonzero(np.diff(self._flat[0]) == 0)

    @cached_property
    def extremes(self) -> Extremes:
        """The fastest and the slowest feasible timing."""
        return extreme_timings(self._flat, self.times)

    def minimum_duration(self) -> float | None:
        """Return the shortest feasible duration, seconds; ``None`` where no timing is feasible."""
        return self.extremes.minimum(self.times)

    def maximum_duration(self) -> float | None:
        """Return the longest feasible duration, seconds; ``None`` where time may stand still.

        Only what can stop nowhere has one: a run, whose flights cannot wait.
        """
        return self.extremes.maximum(self.times)

    def joint_of(self, row: int) -> str:
        """Return the name of the joint that a row of the torques belongs to."""
        m = self._measured
        for j in m.figure.moving:
            name = m.motion.skeleton.names[j]
            rows = m.figure.rows(name, m.motion.skeleton)
            if rows is not None and rows.start <= row < rows.stop:
                return name
        raise InputError(f"there is no row {row} of torques")

    # ---- judging

    def explain(
        self, timing: TimeWarp | Motion | None = None, *, tolerance: float = TOLERANCE
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
        """Return how far a timing is outside of each frame's region."""
        return np.array(
            [r.distance((t[0], t[1])) for r, t in zip(self.regions, timing, strict=True)]
        )

    def _same_body(self, motion: Motion) -> PhysicsModel:
        """Return a model of another motion with this one's mass, data and filter."""
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

        Its accelerations are taken as they are: there is no recorded timing to forgive.

        Parameters
        ----------
        motion : Motion
            Of the same figure.
        own : PhysicsModel, optional
            Its own model, where that is at hand.
        """
        other = self._same_body(motion) if own is None else copy.copy(own)
        for name in _OF_PHYSICS:
            other.__dict__.pop(name, None)
        if other.joints != self.joints:
            raise InputError("only a motion of the same figure can be explained by this model")
        other._set_world(self.world.changed({"gravity": tuple(self.gravity)}))
        other._forgives = False
        limits = other.limits.copy()
        limits[:, 6:] = self.limits[:, 6:].max(axis=0)
        # Its forces were measured, not timed: nothing of the error is forgiven.
        weight = self.weight * float(np.linalg.norm(self.gravity)) / EARTH
        limits[:, :6] = np.maximum(limits[:, :6], _MEASURED * self.slack * weight)
        other.limits = limits
        return other

    def rest_of(self, timing: FloatArray) -> FloatArray:
        """Return the force and moment (F, 6) that contacts cannot give at a timing (F, 2)."""
        needed = self.torques.at(timing[:, 0], timing[:, 1])[:, :6]
        out: FloatArray = needed - self._recorded.given(needed)
        return out

    # ---- retiming

    @cached_property
    def effort(self) -> Effort:
        """The joints' torques as functions of the timing."""
        return effort_of(self.torques, self.maps, self.regions, self.limits, self.weight)

    @cached_property
    def _usual(self) -> PhysicsModel:
        """The same on ground with grip: less makes less feasible, but no other effort."""
        usual = self._recorded.usual
        if usual is self._recorded:
            return self
        other = self.changed(friction=usual.friction)
        other._recorded = usual
        return other

    def baked(self, objective: Any = "auto") -> Baked:
        """Bake the objective (14) for target torques: recorded, none, or another motion's."""
        target = self._target(objective)
        usual = self._usual
        return bake(usual.effort, target, usual.limits, self._flat, self.flight)

    def _target(self, objective: Any) -> FloatArray:
        """Return the torques that an objective matches, (F, joints' dofs)."""
        if isinstance(objective, tuple) and len(objective) == 2:
            return self._target_of(*objective)
        if objective == "auto":
            objective = "load" if self.added else "match"
        if objective == "match":
            return self.reference_torques
        if objective == "effort":
            return np.zeros_like(self.reference_torques)
        if objective == "load":
            # The load's own weight is borne; the recorded torque of moving is matched.
            plain = self._usual
            if self.mass_scale or self.added:
                plain = plain.changed(mass_scale={}, load=())
            moving = plain.effort.speed * self.usual_speeds[:, None]
            return np.asarray(self._usual.effort.still + moving)
        raise InputError(
            f"the objective is {objective!r}; it can be 'match', 'effort', 'load' or (motion, warp)"
        )

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
        usual = np.interp(nodes, self.times, self.usual_speeds)
        natural = float(np.sqrt(usual.min() * np.linalg.norm(self.gravity) / EARTH))
        # Where no timing is feasible, what is nearest to it must not cost all of the look (3.5).
        alpha = p.alpha if self.extremes.stuck < 0 else min(p.alpha, _SOFT)
        problem = request.problem(
            nodes, at_nodes(self._baked(p.objective), self.times, nodes), usual,
            natural=natural, loop=p.loop, weights=(alpha, p.beta, p.smoothness),
        )  # fmt: skip
        first = None
        if p.start is not None:
            first = np.asarray(p.start.rate(p.start.inverse(nodes))) ** 2
        found = solve(problem, first, p.watch)
        if found.missed > _MISSED and p.watch is None:
            raise outcome.unmet(found.missed, rates=bool(rates), keytimes=bool(p.keytimes))
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
        notes: list[str] = [*self.notes, *note_of_gravity(self.gravity)]
        p, said = outcome.natural_length(self, p)
        notes += said
        asked = None if p.duration in (None, "free") else float(p.duration)
        told = outcome.length_note(self, asked)
        if told is not None and p.strict:
            raise InfeasibleError(told)
        if told is not None and told.code == "longer-than-possible" and outcome.is_plain(p):
            return self._slow_motion(p, told)
        notes += [] if told is None else [told]
        nodes, found = self._solve(p)
        begin = float(self.times[0])
        output = begin + found.times
        if asked is not None:
            output[-1] = begin + asked
        warp = TimeWarp(output, nodes, loop=p.loop)
        notes += outcome.optimum_notes(self, found)
        if p.watch is None:
            notes += outcome.beyond_notes(self, warp)
        return warp.with_notes(*notes)

    def _slow_motion(self, p: ModelWarpParameters, told: Note) -> TimeWarp:
        """Stretch what physics suggests evenly: longer than a body could make it last."""
        duration = float(told.values["asked"])
        free = self.warp(**(vars(p) | {"duration": "free", "strict": False}))
        begin = free.output[0]
        output = begin + (free.output - begin) * duration / free.duration
        output[-1] = begin + duration
        return TimeWarp(output, free.source, loop=p.loop).with_notes(*free.notes, told)


def _clip(given: Any) -> Motion:
    if isinstance(given, Motion):
        return given
    from retime.io import read

    if not isinstance(given, str | Path):
        raise InputError(f"a clip is a motion or a path, not {type(given).__name__}")
    return read(given)
