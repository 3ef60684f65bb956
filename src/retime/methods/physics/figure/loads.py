"""Loads: 15 kilograms on the chest, in the hands, or in a backpack."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.physics.figure.dynamics import Added
from retime.methods.physics.figure.segments import Solid
from retime.methods.physics.limits.measure import Measured
from retime.motion import quat
from retime.motion.kinematics import global_rotations

# Names of places other than joints and roles.
PLACES = ("backpack", "hands")
_BACK = ("upper_chest", "chest", "spine", "hips")
# Distance of a backpack's centre behind the trunk's, metres; density of a load, kg/m^3.
_BEHIND, _DENSITY = 0.15, 500.0
# Largest load, kilograms.
_MOST_KG = 10000.0


def added_loads(m: Measured, loads: Iterable[tuple[str, float]]) -> tuple[Added, ...]:
    """Place loads on a figure.

    Parameters
    ----------
    m : Measured
        The motion's figure.
    loads : iterable of (str, float)
        Places and kilograms.
    """
    out = []
    for place, kilograms in loads:
        if not 0 < kilograms <= _MOST_KG:
            raise InputError(
                f"the load on {place} is {kilograms:g} kg; it must be above 0 and at most "
                f"{_MOST_KG:g}"
            )
        joints = _joints(m, place)
        for joint, offset in joints:
            out.append(_ball(m, joint, kilograms / len(joints), offset))
    return tuple(out)


def _joints(m: Measured, place: str) -> list[tuple[str, FloatArray]]:
    """Return the joints that carry a load, and its offset in the frame of each joint."""
    names = m.motion.skeleton.names
    if place == "hands":
        hands = _joints_of(m, ("left_hand", "right_hand"))
        if not hands:
            raise InputError("the figure has no hands to carry a load; name a joint")
        return [(names[j], np.zeros(3)) for j in hands]
    if place == "backpack":
        back = _joints_of(m, _BACK)
        if not back:
            raise InputError("the figure has no back to carry a backpack; name a joint")
        return [(names[back[0]], _behind(m, back[0]))]
    return [(n, np.zeros(3)) for n in m.body.find_joints([place])]


def _joints_of(m: Measured, roles: Iterable[str]) -> list[int]:
    return [m.body.roles[role] for role in roles if role in m.body.roles]


def _behind(m: Measured, joint: int) -> FloatArray:
    """Return the offset to a point behind a joint, in the joint's frame, metres."""
    heading = m.dynamics.headings
    behind = -np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], axis=1)
    turns = quat.conjugate(global_rotations(m.motion)[:, joint])
    mean = quat.rotate(turns, behind).mean(axis=0)
    return np.asarray(_BEHIND * mean / max(float(np.linalg.norm(mean)), 1e-9))


def _ball(m: Measured, joint: str, kilograms: float, offset: FloatArray) -> Added:
    if m.motion.skeleton.index(joint) not in m.figure.places:
        raise InputError(f"{joint!r} is not a part of the figure that can carry loads")
    own = m.solids.get(joint)
    centre = offset if own is None else own.centre + offset
    radius = (3 * kilograms / (4 * np.pi * _DENSITY)) ** (1 / 3)
    inertia = 0.4 * kilograms * radius**2 * np.eye(3)
    return Added(joint, Solid(kilograms, np.asarray(centre, float), inertia))


def moved_centres(
    m: Measured, shifts: Iterable[tuple[str, tuple[float, float, float]]]
) -> dict[str, FloatArray]:
    """Return the shift of the centre of mass of each named segment, metres in its joint's frame."""
    out = {}
    for key, shift in shifts:
        for name in m.body.find_joints([key]):
            if name not in m.figure.bodies:
                raise InputError(f"{name!r} has no mass whose centre could be moved")
            out[name] = np.array(shift, float)
    return out
