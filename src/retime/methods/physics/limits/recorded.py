"""Forces of a recorded motion, and their measurement errors.

At the timing (0, x*) at which a recording is correct, contacts should give the force that the root
needs. The rest r is an error of the recorded accelerations, and is tolerated: A := A - r / x*. It
is computed for the current masses of the body. In flight this leaves exactly x = x* g' / g, for any
mass of a limb. Balance that changed masses lack at a standstill is tolerated at any speed, because
people lean under a load. Missing friction is not an error of measurement, and is not tolerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.figure.dynamics import Added, Torques
from retime.methods.physics.gravity import DOWN, EARTH
from retime.methods.physics.limits.flights import Mask
from retime.methods.physics.limits.forces import least_forces
from retime.methods.physics.limits.measure import Measured
from retime.methods.physics.limits.supports import support_maps

# Least friction of the ground of a recording.
USUAL_FRICTION = 0.5
# Weight of a newton metre relative to a newton, where contacts cannot explain all forces.
_ROWS = np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])
# Unit of torques in the search for the least contact forces, newton metres.
_TORQUE = 100.0


class RecordedForces:
    """Forces of ground and joints during the recording, on earth, with the current masses.

    Parameters
    ----------
    measured : Measured
        The motion.
    friction : float
        Coefficient between feet and ground.
    """

    def __init__(self, measured: Measured, friction: float) -> None:
        self.measured, self.friction = measured, friction

    @cached_property
    def usual(self) -> RecordedForces:
        """The forces on ground with normal friction, as in the recording."""
        if self.friction >= USUAL_FRICTION:
            return self
        return RecordedForces(self.measured, USUAL_FRICTION)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that have torques, in order."""
        m = self.measured
        return tuple(m.motion.skeleton.names[j] for j in m.figure.moving[1:])

    @property
    def weight(self) -> float:
        """Weight in newtons, the unit of forces."""
        return float(self.measured.dynamics.masses.sum() * EARTH)

    @property
    def flight(self) -> Mask:
        """Frames (F,) without contacts."""
        return self.measured.flights.mask

    @property
    def held(self) -> Mask:
        """Frames (F,) in which an undetected contact holds the root."""
        return self.measured.flights.held

    @property
    def speeds(self) -> FloatArray:
        """Correct timing of the recording, x* = p'^2 of each frame, (F,)."""
        return self.measured.flights.speeds

    @cached_property
    def maps(self) -> Sequence[FloatArray]:
        """N of every frame, (dofs, L): generalised forces of the contacts' basis forces (11)."""
        return support_maps(self.measured.dynamics, self.measured.supports, self.friction)

    def needed(self, scale: FloatArray, added: tuple[Added, ...] = ()) -> FloatArray:
        """Return the forces of the motion on earth at (0, x*), (F, dofs), for scaled masses."""
        torques: Torques = self.measured.dynamics.torques(np.array(DOWN), scale, added)
        out: FloatArray = torques.gravity + torques.speed * self.speeds[:, None]
        return out

    def residual_of(self, scale: FloatArray, added: tuple[Added, ...] = ()) -> FloatArray:
        """Return the residual at the root, (F, 6), for a body with scaled masses."""
        needed = self.needed(scale, added)[:, :6]
        out: FloatArray = needed - self.given(needed)
        if self.usual is not self:
            # Forces that need more friction than this ground has are missing.
            force = self.usual.given(needed)[:, :3]
            across = np.hypot(force[:, 0], force[:, 2])
            grip = self.friction * np.maximum(force[:, 1], 0)
            missing = np.maximum(across - grip, 0) / np.maximum(across, 1e-9)
            out[:, [0, 2]] -= missing[:, None] * force[:, [0, 2]]
        out[self.held] = 0.0
        return out

    def imbalance_of(self, scale: FloatArray, added: tuple[Added, ...] = ()) -> FloatArray:
        """Return the residual at the root, (F, 6), that changed masses add at a standstill.

        A person leans to balance a load, which the recorded poses do not show.
        """
        dynamics, ones = self.measured.dynamics, np.ones(len(self.measured.figure.bodies))
        down = np.array(DOWN)
        still = [
            dynamics.torques(down, *body).gravity[:, :6] for body in ((scale, added), (ones, ()))
        ]
        changed, own = (needed - self.given(needed) for needed in still)
        out: FloatArray = changed - own
        out[self.flight | self.held] = 0.0
        return out

    @cached_property
    def residual(self) -> FloatArray:
        """Residual of the recorded body at the root, (F, 6)."""
        return self.residual_of(np.ones(len(self.measured.figure.bodies)))

    def given(self, needed: FloatArray) -> FloatArray:
        """Return the force and moment of contacts (F, 6) nearest to the needed ones."""
        out = np.zeros_like(needed)
        for k, support in enumerate(self.maps):
            if support.shape[1]:
                out[k] = _native.physics_contacts.given_forces(
                    support, needed[k], _ROWS, self.weight
                )
        return out

    @cached_property
    def torques(self) -> FloatArray:
        """Torques of the joints, (F, joints' dofs), with the least contact forces."""
        if self.usual is not self:
            return self.usual.torques
        at = self.needed(np.ones(len(self.measured.figure.bodies)))
        at[:, :6] -= self.residual
        scale = np.full(at.shape[1] - 6, _TORQUE)
        return joint_torques(at, self.maps, self.weight, np.tile(scale, (len(at), 1)))


def joint_torques(
    at: FloatArray, maps: Sequence[FloatArray], weight: float, scale: FloatArray
) -> FloatArray:
    """Return the torques of joints (F, joints' dofs) with the least contact forces."""
    out = at[:, 6:].copy()
    nothing = np.zeros(out.shape[1])
    for k, support in enumerate(maps):
        if support.shape[1]:
            forces = least_forces(at[k], support, weight, nothing, scale[k])
            out[k] -= support[6:] @ forces * weight
    return out
