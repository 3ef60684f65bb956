"""Contact forces that hold the root, and bring torques near to a target."""

from __future__ import annotations

import numpy as np

from retime import _native
from retime.arrays import FloatArray

# Rows of the root in fits of contact forces: they must be met, moments a little more.
MUST_BE_MET = 1e3 * np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])
# Small cost of forces, so that the least of equivalent forces are chosen.
FORCE_COST = 0.02


def least_forces(
    torque: FloatArray, support: FloatArray, weight: float, target: FloatArray, scale: FloatArray
) -> FloatArray:
    """Find contact forces (L,), in weights, that meet the root's rows and target torques nearly."""
    return np.asarray(
        _native.physics_contacts.least_contact_forces(
            support, weight, MUST_BE_MET / weight, scale, FORCE_COST, torque, target
        )
    )
