"""How strong a figure is: the most torque of every joint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.physics.dynamics import Torques
from retime.methods.physics.figure import Path
from retime.methods.physics.gravity import EARTH
from retime.methods.physics.parameters import TorqueLimits
from retime.methods.physics.recorded import RecordedForces, joint_torques
from retime.motion import Motion

__all__ = ["joint_limits", "lent_limits", "root_limits", "with_accelerations"]

# The slack across and ahead, up, and of the moments, as shares of the given one; moments are in
# weights times a metre. In flight only air could give it.
_SLACK, _FLIGHT_SLACK = np.array([0.5, 1.0, 0.5, 1.0, 1.0, 1.0]), 0.02
_UNBOUNDED = 1e9
# A figure whose masses were changed is lent so much more than it needs to move as recorded.
_LENT = 1.02

# Torques that a joint is given at the least, newton metres: a clip may not use some at all.
_LEAST_LIMIT = 15.0


def joint_limits(
    recorded: RecordedForces,
    given: TorqueLimits,
    factor: float,
    others: Sequence[RecordedForces] = (),
) -> FloatArray:
    """Return the most torque of the joints' rows: (joints' dofs), or by pose (F, joints' dofs).

    Parameters
    ----------
    recorded : RecordedForces
        Of the motion.
    given, factor
        ``torque_limits`` and ``limit_factor`` of the model.
    others : sequence of RecordedForces
        Of further clips of the figure, whose torques count as observed.
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
    named = dict(m.named_limits)
    if isinstance(given, Mapping):
        named |= {
            n: coerce(v, float, "torque_limits")
            for key, v in given.items()
            for n in m.body.find_joints([key])
        }
    for name, strength in named.items():
        rows = m.figure.rows(name, m.motion.skeleton)
        if rows is not None and rows.start >= 6:
            values[(rows.start - 6) // 3] = strength
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise InputError("torque limits must be above 0 Nm")
    return np.repeat(values, 3)


def root_limits(recorded: RecordedForces, slack: float, gravity: FloatArray) -> FloatArray:
    """Return the force and moment on the root that need no source, (F, 6).

    It is a fraction of the weight under the model's gravity, along the body's own axes; nothing is
    asked of frames that something unseen holds.
    """
    weight = recorded.weight * float(np.linalg.norm(gravity)) / EARTH
    out = np.where(recorded.flight[:, None], _FLIGHT_SLACK, _SLACK) * slack * weight
    out[recorded.held] = _UNBOUNDED
    return out


def lent_limits(
    limits: FloatArray, needed: FloatArray, maps: Sequence[FloatArray], weight: float
) -> tuple[FloatArray, float]:
    """Raise limits (F, dofs) to what a changed body needs to move as recorded, (F, dofs).

    Returns the limits and the largest factor that was lent.
    """
    torques = _LENT * np.abs(joint_torques(needed, list(maps), weight, limits[:, 6:]))
    out = limits.copy()
    out[:, 6:] = np.maximum(limits[:, 6:], torques.max(axis=0))
    return out, float((out[:, 6:] / limits[:, 6:]).max(initial=1.0))


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
    """Return another clip's torques by this one's joints: some stand still in one of the two."""
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
