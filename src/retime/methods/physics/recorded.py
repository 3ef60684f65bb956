"""Forces of a motion as it was recorded, with what its measurement cannot explain."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.physics.dynamics import Torques
from retime.methods.physics.gravity import DOWN
from retime.methods.physics.measure import Measured
from retime.methods.physics.objective import least_forces
from retime.methods.physics.supports import support_maps

__all__ = ["RecordedForces"]


class RecordedForces:
    """What ground and joints gave while a motion was recorded, on earth, its masses as they are.

    Parameters
    ----------
    measured : Measured
        The motion.
    friction : float
        Coefficient between feet and ground.
    """

    def __init__(self, measured: Measured, friction: float) -> None:
        self.measured, self.friction = measured, friction

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that have torques, in order."""
        m = self.measured
        return tuple(m.motion.skeleton.names[j] for j in m.figure.moving[1:])

    @property
    def weight(self) -> float:
        """Weight in newtons: what forces are measured in."""
        return float(self.measured.dynamics.masses.sum() * 9.81)

    @property
    def flight(self) -> npt.NDArray[np.bool_]:
        """Frames (F,) in which nothing touches."""
        if self.measured.hangs:
            return np.zeros(len(self.measured.motion), bool)
        return self.measured.supports.flight

    @cached_property
    def maps(self) -> list[FloatArray]:
        """N of every frame, (dofs, L): generalised forces of the contacts' basis forces (11)."""
        m = self.measured
        out = support_maps(m.figure, m.path, m.supports, self.friction)
        for to_world, found in zip(m.dynamics.to_world, out, strict=True):
            found[:6] = to_world @ found[:6]
        return out

    @cached_property
    def residual(self) -> FloatArray:
        """What the recorded motion lacks at the root, (F, 6): error of its accelerations."""
        from scipy.optimize import nnls

        if self.measured.hangs:
            return np.zeros((len(self.measured.motion), 6))
        right = (self._needed.gravity + self._needed.speed)[:, :6]
        out = right.copy()
        rows = np.array([1.0, 1, 1, 3, 3, 3])
        for k, support in enumerate(self.maps):
            if support.shape[1]:
                part = support[:6] * self.weight
                found = nnls(rows[:, None] * part, rows * right[k])[0]
                out[k] = right[k] - part @ found
        return out

    @cached_property
    def torques(self) -> FloatArray:
        """Torques of the joints, (F, joints' dofs), with the least contact forces."""
        at = self._needed.gravity + self._needed.speed
        at[:, :6] -= self.residual
        out = at[:, 6:].copy()
        zero, scale = np.zeros(out.shape[1]), np.full(out.shape[1], 100.0)
        for k, support in enumerate(self.maps):
            if support.shape[1]:
                forces = least_forces(at[k], support, self.weight, zero, scale)
                out[k] -= support[6:] @ forces * self.weight
        return out

    @cached_property
    def _needed(self) -> Torques:
        m = self.measured
        return m.dynamics.torques(np.array(DOWN), np.ones(len(m.figure.bodies)))
