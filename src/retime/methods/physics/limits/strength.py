"""Torque limits of joints, and limits of the forces on the root."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.physics.figure.dynamics import Torques
from retime.methods.physics.figure.path import Path
from retime.methods.physics.gravity import EARTH
from retime.methods.physics.limits.recorded import RecordedForces, joint_torques
from retime.methods.physics.parameters import TorqueLimits
from retime.motion import Motion

# Factors on the slack of forces (horizontal and vertical) and moments (weight times a metre), and
# the factor in flight, where only air resistance remains.
_SLACK, _FLIGHT_SLACK = np.array([0.5, 1.0, 0.5, 1.0, 1.0, 1.0]), 0.02
_UNBOUNDED = 1e9
# Margin of the limits of a figure with changed masses, over the torques of the recorded motion.
_LENT = 1.02

# Least torque limit, newton metres, because a clip may not use some joints.
_LEAST_LIMIT = 15.0


def joint_limits(
    recorded: RecordedForces,
    given: TorqueLimits,
    factor: float,
    others: Sequence[RecordedForces] = (),
) -> FloatArray:
    """Return the torque limits of the joints' degrees of freedom, (N,), or by pose (F, N).

    Parameters
    ----------
    recorded : RecordedForces
        Forces of the motion.
    given, factor
        ``torque_limits`` and ``limit_factor`` of the model.
    others : sequence of RecordedForces
        Forces of other clips of the figure, whose torques count as observed.
    """
    if callable(given):
        return _by_pose(recorded, given)
    observed = np.concatenate(
        [np.abs(recorded.torques), *(np.abs(_by_name(recorded, o)) for o in others)]
    )
    by_joint = observed.reshape(len(observed), -1, 3).max(axis=(0, 2))
    if given == "observed" or isinstance(given, Mapping):
        values = np.maximum(factor * by_joint, _LEAST_LIMIT)
    else:
        values = np.full(len(by_joint), coerce(given, float, "torque_limits"))
    m = recorded.measured
    for name, strength in _named_limits(recorded, given).items():
        rows = m.figure.rows(name)
        if rows is not None and rows.start >= 6:
            values[(rows.start - 6) // 3] = strength
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise InputError("torque limits must be above 0 Nm")
    return np.repeat(values, 3)


def _named_limits(recorded: RecordedForces, given: TorqueLimits) -> dict[str, float]:
    """Return the torque limits that are given by joint."""
    m = recorded.measured
    named = dict(m.named_limits)
    if isinstance(given, Mapping):
        named |= {
            n: coerce(v, float, "torque_limits")
            for key, v in given.items()
            for n in m.body.find_joints([key])
        }
    return named


def root_limits(recorded: RecordedForces, slack: float, gravity: FloatArray) -> FloatArray:
    """Return the limits of unexplained forces and moments on the root, (F, 6).

    They are a fraction of the weight under the model's gravity, along the axes of the body. Frames
    in which an undetected contact holds the body have no limits.
    """
    weight = recorded.weight * float(np.linalg.norm(gravity)) / EARTH
    out = np.where(recorded.flight[:, None], _FLIGHT_SLACK, _SLACK) * slack * weight
    out[recorded.held] = _UNBOUNDED
    return out


def lent_limits(
    limits: FloatArray, needed: FloatArray, maps: Sequence[FloatArray], weight: float
) -> tuple[FloatArray, float]:
    """Raise limits (F, dofs) to the torques of the recorded motion with a changed body.

    Returns the limits and the largest factor by which one was raised.
    """
    torques = _LENT * np.abs(joint_torques(needed, maps, weight, limits[:, 6:]))
    out = limits.copy()
    out[:, 6:] = np.maximum(limits[:, 6:], torques.max(axis=0))
    return out, float((out[:, 6:] / limits[:, 6:]).max(initial=1.0))


def holding_limits(
    limits: FloatArray,
    still: FloatArray,
    maps: Sequence[FloatArray],
    weight: float,
    strength: float,
) -> tuple[FloatArray, float]:
    """Scale the limits of joints (F, dofs) by a strength, but not below what holds the poses.

    No timing changes the torques ``still`` (F, dofs) that a pose needs at rest, so a body that
    cannot hold a pose could only rush through it. Returns the limits and the largest factor by
    which one was raised.
    """
    if strength == 1:
        return limits, 1.0
    out = limits.copy()
    out[:, 6:] *= strength
    if strength > 1:
        return out, 1.0
    held = _LENT * np.abs(joint_torques(still, maps, weight, limits[:, 6:]))
    raised = np.minimum(np.maximum(out[:, 6:], held), limits[:, 6:])
    factor = float((raised / out[:, 6:]).max(initial=1.0))
    out[:, 6:] = raised
    return out, factor


def _by_pose(recorded: RecordedForces, given: Callable[[Motion], Any]) -> FloatArray:
    motion = recorded.measured.motion
    values = np.asarray(given(motion), dtype=float)
    if values.shape != (len(motion), len(recorded.joints)) or not (values > 0).all():
        raise InputError(
            f"torque limits by pose must be ({len(motion)}, {len(recorded.joints)}) newton "
            f"metres above 0, not {values.shape}"
        )
    return np.repeat(values, 3, axis=1)


def _by_name(recorded: RecordedForces, other: RecordedForces) -> FloatArray:
    """Return the torques of another clip for the joints of this one; 0 for joints it lacks."""
    if not set(recorded.joints) & set(other.joints):
        raise InputError("the clips for torque limits must be of the same figure")
    torques = other.torques
    out = np.zeros((len(torques), 3 * len(recorded.joints)))
    for k, name in enumerate(other.joints):
        if name in recorded.joints:
            at = 3 * recorded.joints.index(name)
            out[:, at : at + 3] = torques[:, 3 * k : 3 * k + 3]
    return out


def with_accelerations(
    torques: Torques, maps: Sequence[FloatArray], limits: FloatArray, path: Path, most: float
) -> tuple[Torques, list[FloatArray], FloatArray]:
    """Add rows for joint accelerations, limited in rad/s^2, to those of torques."""
    count, rows = path.velocity[:, 6:].shape
    both = Torques(
        np.c_[torques.gravity, np.zeros((count, rows))],
        np.c_[torques.speed, path.acceleration[:, 6:]],
        np.c_[torques.change, path.velocity[:, 6:]],
    )
    bare = [np.r_[n, np.zeros((rows, n.shape[1]))] for n in maps]
    return both, bare, np.c_[limits, np.full((count, rows), most)]
