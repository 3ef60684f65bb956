"""Torques, limits and feasible regions of a body on the ground."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.keywords import takes
from retime.methods.physics import outcome
from retime.methods.physics.figure.dynamics import Added, Torques, moved
from retime.methods.physics.figure.loads import added_loads, moved_centres
from retime.methods.physics.gravity import EARTH, parse_gravity
from retime.methods.physics.limits.flights import Flight
from retime.methods.physics.limits.measure import Measured, measure
from retime.methods.physics.limits.recorded import RecordedForces
from retime.methods.physics.limits.regions import MOST_CHANGE, Bounds, Flat, Regions
from retime.methods.physics.limits.strength import (
    holding_limits,
    joint_limits,
    lent_limits,
    root_limits,
    with_accelerations,
)
from retime.methods.physics.parameters import (
    ModelParameters,
    TorqueLimits,
)
from retime.methods.physics.search.durations import Extremes, extreme_timings
from retime.methods.physics.search.request import SLOWEST
from retime.methods.physics.world import World
from retime.motion import Motion
from retime.notes import Note

__all__ = ["OF_PHYSICS", "CapableBody", "TorqueLimits"]

# Values that depend on the physics.
OF_PHYSICS = (
    "residual",
    "torques",
    "limits",
    "_lending",
    "_own_limits",
    "regions",
    "extremes",
    "_kept",
    "_usual",
)

# Largest factor of a segment's mass.
_MOST_SCALE = 1000.0


class CapableBody:
    """Abilities of a body along a motion: sections 3.1 to 3.3.

    Parameters
    ----------
    motion : Motion
        The clip; any articulated figure.
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
        self._forgives = True  # missing forces on the root of a recording are measurement errors
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
            if not 0 < factor <= _MOST_SCALE:
                raise InputError(
                    f"the mass of {name} is scaled by {factor:g}; the factor must be above 0 and "
                    f"at most {_MOST_SCALE:g}"
                )
            if name not in m.figure.bodies:
                raise InputError(f"{name!r} has no mass to scale")
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
    ) -> Self:
        """Return the motion under other physics, without another pass over it.

        Parameters
        ----------
        gravity, mass_scale, load, strength, friction
            As of the model. Default: as they are.
        """
        given = {
            "gravity": gravity, "mass_scale": mass_scale, "load": load, "strength": strength,
            "friction": friction,
        }  # fmt: skip
        return self._with(self.world.changed(given))

    def _with(self, world: World) -> Self:
        other = copy.copy(self)
        for name in OF_PHYSICS:
            other.__dict__.pop(name, None)
        if world.friction != self.friction:
            other._recorded = RecordedForces(self._measured, world.friction)
        other._set_world(world)
        return other

    # ---- properties of the motion

    @property
    def _measured(self) -> Measured:
        return self._recorded.measured

    @property
    def friction(self) -> float:
        """Coefficient between feet and ground."""
        return self._recorded.friction

    @property
    def motion(self) -> Motion:
        """The clip, sampled at equal intervals at 120 frames per second at most."""
        return self._measured.motion

    @property
    def times(self) -> FloatArray:
        """Source times of the frames, (F,)."""
        return np.asarray(self.motion.times)

    @property
    def step(self) -> float:
        """Seconds between frames."""
        return float(self.times[1] - self.times[0])

    @property
    def notes(self) -> tuple[Note, ...]:
        """Assumptions about the figure, the gravity of its flights, and tolerated errors."""
        return (*self._measured.notes, *outcome.forgiven_notes(self))

    @property
    def _scale(self) -> FloatArray:
        return self._measured.dynamics.scale(self.mass_scale)

    @property
    def mass(self) -> float:
        """Total mass with scaled parts, kilograms."""
        own = float((self._measured.dynamics.masses * self._scale).sum())
        return own + sum(a.solid.mass for a in self.added)

    @property
    def flight(self) -> npt.NDArray[np.bool_]:
        """Frames (F,) without contacts."""
        return self._recorded.flight

    @property
    def held(self) -> npt.NDArray[np.bool_]:
        """Frames (F,) in which an undetected contact holds the figure."""
        return self._recorded.held

    @property
    def flights(self) -> tuple[Flight, ...]:
        """The flights, with their recorded gravity."""
        return self._measured.flights.listed

    @property
    def usual_speeds(self) -> FloatArray:
        """x* = p'^2 at which each frame of the recording is assumed correct, (F,)."""
        return self._recorded.speeds

    @property
    def weight(self) -> float:
        """Weight on earth without scaled masses, newtons: the unit of forces."""
        return self._recorded.weight

    @property
    def maps(self) -> Sequence[FloatArray]:
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
    def residual(self) -> FloatArray:
        """Force and moment (F, 6) that the contacts cannot explain with the present masses."""
        return self._recorded.residual_of(self._scale, self.added)

    @cached_property
    def torques(self) -> Torques:
        """G, A and B of every frame (F, dofs) under the model's physics; eq. 6."""
        scale, added = self._with_moved_centres()
        out = self._measured.dynamics.torques(self.gravity, scale, added)
        if self._forgives:
            error = self.residual.copy()
            if self.shifts:
                # In flight nothing but gravity acts, so that a shifted body falls as recorded too.
                error[self.flight] = self._recorded.residual_of(scale, added)[self.flight]
            if self.mass_scale or self.added:
                lean = self._recorded.imbalance_of(self._scale, self.added)
                out.gravity[:, :6] -= lean * float(np.linalg.norm(self.gravity)) / EARTH
                error = error - lean
            out.speed[:, :6] -= error / self.usual_speeds[:, None]
        return out

    def _with_moved_centres(self) -> tuple[FloatArray, tuple[Added, ...]]:
        """Return masses and added solids, with replaced segments whose centre was moved.

        Outside of flights, the tolerated errors are still those of the recorded centres of mass.
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
        """Largest torque of each row, (F, dofs); that of the root is the slack."""
        return self._lending[0]

    @property
    def lent(self) -> float:
        """Factor by which limits were raised, so that changed masses can move as recorded."""
        return self._lending[1]

    @cached_property
    def _own_limits(self) -> FloatArray:
        """Largest torque of each row as recorded, (F, dofs): the unit of efforts."""
        out = np.empty((len(self.times), self._measured.figure.dofs))
        out[:, :6] = root_limits(self._recorded, self.slack, self.gravity)
        others = [RecordedForces(m, self.friction) for m in self._others]
        out[:, 6:] = joint_limits(self._recorded, self.torque_limits, self.limit_factor, others)
        return out

    @cached_property
    def _lending(self) -> tuple[FloatArray, float]:
        out, lent, t = self._own_limits, 1.0, self.torques
        if self.mass_scale or self.added or self.shifts:
            needed = t.gravity + t.speed * self.usual_speeds[:, None]
            out, lent = lent_limits(out, needed, self.maps, self.weight)
        out, held = holding_limits(out, t.gravity, self.maps, self.weight, self.strength)
        return out, lent * held

    # ---- feasible regions

    @cached_property
    def regions(self) -> Regions:
        """The feasible timings of every frame."""
        bounds = self.torques, self.maps, self.limits
        if self.acceleration_limit is not None:
            path = self._measured.dynamics.path
            bounds = with_accelerations(*bounds, path, self.acceleration_limit)
        within = Bounds(*bounds, self.weight, self.reference_torques)
        return Regions(within, self.usual_speeds)

    @property
    def _flat(self) -> Flat:
        return self.regions.flat

    @property
    def empty_frames(self) -> npt.NDArray[np.int64]:
        """Frames for which no timing is feasible."""
        return np.flatnonzero(np.diff(self._flat[0]) == 0)

    @cached_property
    def extremes(self) -> Extremes:
        """The fastest and the slowest feasible timing."""
        return self.extremes_with(())

    @property
    def least_rate(self) -> float:
        """The least playback speed: time does not stop, and flights may be slower on a moon."""
        fall = np.sqrt(self.usual_speeds.min() * np.linalg.norm(self.gravity) / EARTH)
        return min(SLOWEST, 0.5 * float(fall))

    def extremes_with(
        self, speeds: Sequence[tuple[float, float]], most_change: float | None = None
    ) -> Extremes:
        """Return the extremes with given playback speeds, (source s, rate), and a bound of p''."""
        most = MOST_CHANGE if most_change is None else min(most_change, MOST_CHANGE)
        return extreme_timings(self._flat, self.times, speeds, most, least=self.least_rate)

    def minimum_duration(self) -> float | None:
        """Return the shortest feasible duration, seconds, or ``None`` if no timing is feasible."""
        return self.extremes.minimum(self.times)

    def maximum_duration(self) -> float | None:
        """Return the longest feasible duration, seconds, or ``None`` if time may stop.

        Only motions that cannot stop anywhere have one, such as a run with flights.
        """
        return self.extremes.maximum(self.times)


def _clip(given: Any) -> Motion:
    if isinstance(given, Motion):
        return given
    from retime.io import read

    if not isinstance(given, str | Path):
        raise InputError(f"a clip is a motion or a path, not {type(given).__name__}")
    return read(given)
