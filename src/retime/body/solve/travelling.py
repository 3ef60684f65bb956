"""Longer and shorter ways over the ground: the path of a body scaled, with feet planted on it.

The hips' way from their first place is scaled. Each plant of a foot is moved as one, by the mean of
what the hips move meanwhile, so that it does not slide; between plants the foot follows the body.
Heading, height and the width of steps stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.contacts import find_contacts
from retime.body.model.body import find_body
from retime.body.solve.flights import in_air
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.limbs import LimbSolver
from retime.body.solve.pelvis import CatchUp, frames_away, moved
from retime.body.solve.rising import too_high
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions
from retime.motion.layers import GroundShift

__all__ = ["ground_shift", "longer_path", "travelled"]

Mask = npt.NDArray[np.bool_]
# Contacts of a foot that are this near in time, in seconds, are one plant.
_ONE_PLANT = 0.15


def longer_path(base: Motion, weight: float | FloatArray) -> FloatArray:
    """Return how far a body is displaced over the ground, (F, 3) metres, if it travels farther.

    Parameters
    ----------
    base : Motion
        The motion.
    weight : float or array (F,)
        By what fraction its way is longer; 0.4 makes it 1.4 times as long, -1 keeps it in place.
    """
    hips = find_body(base).roles.get("hips", base.skeleton.roots[0])
    steps = np.diff(cached_positions(base)[:, hips], axis=0) * [1.0, 0.0, 1.0]
    each = np.broadcast_to(weight, len(base))
    path: FloatArray = np.zeros((len(base), 3))
    path[1:] = np.cumsum(0.5 * (each[1:] + each[:-1])[:, None] * steps, axis=0)
    return path


def ground_shift(base: Motion, path: FloatArray, contacts: Sequence[Contact]) -> GroundShift:
    """Return how far the ground moves under a displaced body.

    Parameters
    ----------
    base : Motion
        The motion.
    path : array (F, 3)
        Displacement of the body over the ground, metres.
    contacts : sequence of Contact
        In its time.
    """
    body, rate = find_body(base), base.rate
    by_part: dict[str, list[Contact]] = {}
    for contact in contacts:
        part = body.limb_of(base.skeleton.index(contact.joint)) or contact.joint
        by_part.setdefault(part, []).append(contact)
    joints: dict[str, FloatArray] = {}
    for group in by_part.values():
        planted = _plants(group, base)
        behind = np.zeros_like(path)
        for first, end in _runs(planted):
            behind[first:end] = path[first:end].mean(axis=0) - path[first:end]
        lag = CatchUp.of(planted, frames_away(planted, rate), rate)(behind)
        joints |= {contact.joint: path + lag for contact in group}
    return GroundShift(base.times, path, joints)


def _plants(contacts: Sequence[Contact], motion: Motion) -> Mask:
    """Mark the frames (F,) in which a part is planted, with short gaps closed."""
    times = motion.times
    out = np.zeros(len(times), dtype=bool)
    for contact in contacts:
        out |= (times >= contact.start - 1e-9) & (times <= contact.end + 1e-9)
    for first, end in _runs(~out):
        if first > 0 and end < len(out) and (end - first) / motion.rate < _ONE_PLANT:
            out[first:end] = True
    return out


def _runs(flags: Mask) -> list[tuple[int, int]]:
    """List the first and the past-the-last frame of each run that is marked."""
    edges = np.flatnonzero(np.diff(np.r_[False, flags, False]))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def travelled(base: Motion, made: Motion, shift: GroundShift) -> Motion:
    """Move a body and its planted limbs with the ground.

    Parameters
    ----------
    base : Motion
        The motion.
    made : Motion
        It with other changes of pose, on the same frames: what is returned is this one, moved.
    shift : GroundShift
        Of :func:`ground_shift`.
    """
    body = find_body(base)
    tracks = {
        name: next(
            (t for j, t in shift.joints.items() if body.limb_of(base.skeleton.index(j)) == name),
            None,
        )
        for name in body.limbs
    }
    before, out = cached_positions(made), moved(made, shift.everywhere)
    goals = before + shift.everywhere[:, None]
    for name, track in tracks.items():
        if track is not None:
            goals[:, body.limbs[name].end] = before[:, body.limbs[name].end] + track
    if {"left_leg", "right_leg"} <= set(body.limbs):
        air = in_air(base, find_contacts(base).flights)
        down = too_high(made, out, goals, air, wider=True)
        out = moved(out, -down[:, None] * np.array([0.0, 1.0, 0.0]))
    for name, track in tracks.items():
        limb = body.limbs[name]
        solver = LimbSolver.of(out, limb, hinge=hinge_axis(base, limb))
        if track is None or not solver.can_bend:
            continue
        move = goals[:, limb.end] - solver.points[:, limb.end]
        move[np.abs(move).max(axis=1) < 1e-9] = 0.0
        out, _ = solver.reach(limb.end, move, quat.identity(len(out)))
    return out
