"""Torques along the path: what gravity, speed and change of speed each ask for (eq. 6).

``tau = G + A p'^2 + B p''`` splits exactly, and each part is linear in gravity and in the bodies'
masses: kept for every body apart, a change of either needs no other pass over the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.physics.figure import Figure, Path, load_pinocchio

__all__ = ["Dynamics", "Torques", "measure_dynamics"]

# Figures of more degrees of freedom are kept as a whole: parts of each body would fill the memory.
_APART_DOFS = 200
# Inertial parameters of a body: mass, three first moments, six second moments.
_PARAMETERS = 10


@dataclass(frozen=True, eq=False)
class Torques:
    """Generalised forces of every frame, (F, dofs) each; the root's six as force and moment.

    Parameters
    ----------
    gravity, speed, change : array (F, dofs)
        G, A and B: at rest, by p'^2, and by p''. The first six are the world's force and moment
        about the centre of mass that the ground must give.
    """

    gravity: FloatArray
    speed: FloatArray
    change: FloatArray


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Each body's part of the torques, and where it is.

    Parameters
    ----------
    gravity : array (F, 3, B, dofs)
        G for a gravity of 1 along each of the world's axes; one part for all where there are many.
    speed, change : array (F, B, dofs)
        A and B.
    centres : array (F, B, 3)
        Each body's centre of mass in the world, metres.
    masses : array (B,)
        Kilograms.
    root : array (F, 3), array (F, 3, 3)
        The root's place and rotation.
    """

    gravity: FloatArray
    speed: FloatArray
    change: FloatArray
    centres: FloatArray
    masses: FloatArray
    root: tuple[FloatArray, FloatArray]
    bodies: tuple[str, ...]

    @cached_property
    def centre_of_mass(self) -> FloatArray:
        """The recorded figure's centre of mass, (F, 3)."""
        out: FloatArray = np.einsum("fbi,b->fi", self.centres, self.masses) / self.masses.sum()
        return out

    def scale(self, mass_scale: Mapping[str, float]) -> FloatArray:
        """Return the factor of each body's mass (B,)."""
        return np.array([float(mass_scale.get(n, 1.0)) for n in self.bodies])

    @cached_property
    def to_world(self) -> FloatArray:
        """Maps (F, 6, 6) from the root's rows to world force and moment about the mass centre.

        Under changed masses the moment stays about the recorded centre: what is balanced there is
        balanced anywhere.
        """
        place, turn = self.root
        arm = self.centre_of_mass - place
        out = np.zeros((len(place), 6, 6))
        out[:, :3, :3] = turn
        out[:, 3:, 3:] = turn
        x, y, z = arm.T
        zero = np.zeros_like(x)
        cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
        out[:, 3:, :3] = -cross @ turn
        return out

    def torques(self, gravity: FloatArray, scale: FloatArray) -> Torques:
        """Combine the bodies' parts for a gravity (3,) and scaled masses (B,)."""
        if self.speed.shape[1] == 1:
            if (scale != scale[0]).any():
                raise InputError(
                    "a figure of so many joints is kept as a whole: change its masses by body_data"
                )
            scale = scale[:1]
        at_rest = np.einsum("fibd,i,b->fd", self.gravity, gravity, scale)
        speed = np.einsum("fbd,b->fd", self.speed, scale)
        change = np.einsum("fbd,b->fd", self.change, scale)
        for rows in (at_rest, speed, change):
            rows[:, :6] = np.einsum("fij,fj->fi", self.to_world, rows[:, :6])
        return Torques(at_rest, speed, change)


def measure_dynamics(figure: Figure, path: Path) -> Dynamics:
    """Pass over the motion once: every body's part of every frame's torques."""
    apart = figure.dofs <= _APART_DOFS
    torques_of = _by_regressor(figure) if apart else _by_recursion(figure, path)
    count, dofs = len(path.q), figure.dofs
    parts = len(figure.bodies) if apart else 1
    at_rest = np.zeros((count, 3, parts, dofs))
    speed, change = np.zeros((count, parts, dofs)), np.zeros((count, parts, dofs))
    still, nothing = np.zeros(dofs), np.zeros(3)
    for k, q in enumerate(path.q):
        velocity = path.velocity[k]
        speed[k] = torques_of(k, q, velocity, path.acceleration[k], nothing)
        change[k] = torques_of(k, q, still, velocity, nothing)
        for axis in range(3):
            at_rest[k, axis] = torques_of(k, q, still, still, np.eye(3)[axis])
    turns, places = path.world_frames(figure)
    owners, masses = figure.owners - 1, figure.inertias[:, 0]
    levers = figure.inertias[:, 1:4] / masses[:, None]
    centres = places[:, owners] + np.einsum("fbik,bk->fbi", turns[:, owners], levers)
    root = places[:, 0].copy(), turns[:, 0].copy()
    return Dynamics(at_rest, speed, change, centres, masses, root, figure.bodies)


Parts = Callable[[int, FloatArray, FloatArray, FloatArray, FloatArray], FloatArray]


def _by_regressor(figure: Figure) -> Parts:
    """Split torques by body: they are linear in each one's inertial parameters (Pinocchio)."""
    pin = load_pinocchio()
    model, data = figure.model, figure.data
    columns = (figure.owners - 1)[:, None] * _PARAMETERS + np.arange(_PARAMETERS)

    def parts(_: int, q: FloatArray, v: FloatArray, a: FloatArray, gravity: FloatArray) -> Any:
        model.gravity.linear = gravity
        regressor = pin.computeJointTorqueRegressor(model, data, q, v, a)
        return np.einsum("dbp,bp->bd", regressor[:, columns], figure.inertias)

    return parts


def _by_recursion(figure: Figure, path: Path) -> Parts:
    """Torques of the whole, by an own recursion: Pinocchio's memory is cubic in the joints."""
    from retime.methods.physics.tree_kernels import newton_euler

    turns, places = path.local_frames(figure)
    _, _, masses, centres, inertias = figure.tree

    def parts(k: int, _: FloatArray, v: FloatArray, a: FloatArray, gravity: FloatArray) -> Any:
        out = np.empty((1, figure.dofs))
        newton_euler(
            figure.parents, np.ascontiguousarray(turns[k]), places[k], masses, centres, inertias,
            v, a, gravity, out[0],
        )  # fmt: skip
        return out

    return parts


def required_force(dynamics: Dynamics, gravity: FloatArray) -> Any:
    """Return the force that the recorded motion needs from outside, (F,), in its own weights."""
    ones = np.ones(len(dynamics.bodies))
    torques = dynamics.torques(gravity, ones)
    force = np.linalg.norm((torques.gravity + torques.speed)[:, :3], axis=1)
    return force / (dynamics.masses.sum() * max(float(np.linalg.norm(gravity)), 1e-9))
