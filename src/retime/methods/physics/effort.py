"""Effort of a timing: the ground force, and the fraction of every joint's strength."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics.model import PhysicsModel


def _contact_forces(model: PhysicsModel, timing: FloatArray) -> list[FloatArray]:
    return [
        r.forces_at((t[0], t[1])) if len(r.centre_forces) else r.centre_forces
        for r, t in zip(model.regions, timing, strict=True)
    ]


def ground_force(model: PhysicsModel, timing: FloatArray) -> FloatArray:
    """Return the size of the ground's force (F,) in weights for a timing (F, 2) of (p'', p'^2)."""
    forces = _contact_forces(model, timing)
    return np.array(
        [
            np.linalg.norm((n @ f)[:3]) if len(f) else 0.0
            for n, f in zip(model.maps, forces, strict=True)
        ]
    ) / float(model.weight)


def joint_effort(model: PhysicsModel, timing: FloatArray) -> dict[str, FloatArray]:
    """Return the fraction (F,) of the torque limit that each joint needs; above 1 is infeasible."""
    y, x = timing[:, :1], timing[:, 1:]
    needed = model.torques.gravity + model.torques.change * y + model.torques.speed * x  # (9)
    for k, (support, force) in enumerate(
        zip(model.maps, _contact_forces(model, timing), strict=True)
    ):
        if len(force):
            needed[k] -= support @ force
    share = np.abs(needed) / model.limits
    out: dict[str, FloatArray] = {}
    for row in range(6, share.shape[1]):
        name = model._measured.figure.joint_of(row)
        out[name] = np.maximum(out.get(name, 0.0), share[:, row])
    return out
