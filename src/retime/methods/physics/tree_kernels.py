"""The recursive Newton-Euler algorithm for figures too large for Pinocchio's memory."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

__all__ = [
    "newton_euler",
]


@kernel
def newton_euler(  # type: ignore[no-untyped-def]
    parents, turns, arms, masses, centres, inertias, velocity, acceleration, pull, torques
):
    """Fill the generalised forces (dofs,) of one frame: a free root, spherical joints below it.

    ``turns`` (J, 3, 3) and ``arms`` (J, 3) place each joint in its parent's frame, the root in the
    world; velocities and accelerations are in each joint's own frame, the root's first six linear
    then angular; ``pull`` (3,) is gravity in the world. Masses, centres and inertias (about the
    centres) are those of what moves with each joint.
    """
    count = parents.shape[0]
    spin = np.zeros((count, 3))
    change = np.zeros((count, 3))
    linear = np.zeros((count, 3))
    force = np.zeros((count, 3))
    moment = np.zeros((count, 3))
    for j in range(count):
        back = turns[j].T
        p = parents[j]
        if p < 0:
            spin[j] = velocity[3:6]
            change[j] = acceleration[3:6]
            linear[j] = acceleration[:3] + _cross(spin[j], velocity[:3]) - back @ pull
        else:
            at = 3 + 3 * j
            turned = back @ spin[p]
            own = velocity[at : at + 3]
            spin[j] = turned + own
            change[j] = back @ change[p] + _cross(turned, own) + acceleration[at : at + 3]
            arm = arms[j]
            linear[j] = back @ (
                linear[p] + _cross(change[p], arm) + _cross(spin[p], _cross(spin[p], arm))
            )
        c = centres[j]
        force[j] = masses[j] * (
            linear[j] + _cross(change[j], c) + _cross(spin[j], _cross(spin[j], c))
        )
        momentum = inertias[j] @ spin[j]
        moment[j] = inertias[j] @ change[j] + _cross(spin[j], momentum) + _cross(c, force[j])
    for j in range(count - 1, -1, -1):
        p = parents[j]
        if p < 0:
            torques[:3] = force[j]
            torques[3:6] = moment[j]
        else:
            torques[3 + 3 * j : 6 + 3 * j] = moment[j]
            carried = turns[j] @ force[j]
            force[p] += carried
            moment[p] += turns[j] @ moment[j] + _cross(arms[j], carried)


@kernel
def _cross(a, b):  # type: ignore[no-untyped-def]
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out
