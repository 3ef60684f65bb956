"""Torques along the path, due to gravity, speed and change of speed (eq. 6).

``tau = G + A p'^2 + B p''`` splits exactly. One compiled pass over the frames gives all three for
any gravity and any masses, so that a change of either costs milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.figure.path import Path
from retime.methods.physics.figure.segments import Solid
from retime.methods.physics.figure.tree import Figure


@dataclass(frozen=True, eq=False)
class Torques:
    """Generalised forces of every frame, (F, dofs) each; the root's six as force and moment.

    Parameters
    ----------
    gravity, speed, change : array (F, dofs)
        G, A and B: at rest, by p'^2, and by p''. The first six are the force and the moment about
        the centre of mass that the ground must give, along the body's axes: across, up, ahead.
    """

    gravity: FloatArray
    speed: FloatArray
    change: FloatArray

    def at(self, change: FloatArray, speed: FloatArray) -> FloatArray:
        """Return the forces (F, dofs) of timings p'' (F,) and p'^2 (F,)."""
        out: FloatArray = self.gravity + self.change * change[:, None] + self.speed * speed[:, None]
        return out


@dataclass(frozen=True)
class Added:
    """A solid that a figure carries, in the frame of one of its joints."""

    joint: str
    solid: Solid


@dataclass(frozen=True, eq=False)
class Dynamics:
    """A figure on its path, for the computation of torques.

    Parameters
    ----------
    figure : Figure
        Joints and segments.
    path : Path
        The motion.
    headings : array (F,)
        Heading of the figure, radians about the vertical.
    """

    figure: Figure
    path: Path
    headings: FloatArray

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the joints that have mass."""
        return self.figure.bodies

    @property
    def masses(self) -> FloatArray:
        """Each segment's mass (B,), kilograms."""
        return self.figure.inertias[:, 0]

    @cached_property
    def centre_of_mass(self) -> FloatArray:
        """The recorded figure's centre of mass, (F, 3).

        With changed masses, moments are still taken about this point: forces balanced there are
        balanced everywhere.
        """
        solids = self.solids(np.ones(len(self.masses)))
        out: FloatArray = np.einsum("fjik,jk->fi", self.path.turns, solids[:, 1:4]) + np.einsum(
            "fji,j->fi", self.path.places, solids[:, 0]
        )
        return out / float(self.masses.sum())

    def scale(self, mass_scale: Mapping[str, float]) -> FloatArray:
        """Return the factor of each segment's mass (B,)."""
        return np.array([float(mass_scale.get(n, 1.0)) for n in self.bodies])

    def solids(self, scale: FloatArray, added: tuple[Added, ...] = ()) -> FloatArray:
        """Return the inertial parameters (J, 10) of what each moving joint carries."""
        out = np.zeros((len(self.figure.parents), 10))
        np.add.at(out, self.figure.owners, self.figure.inertias * scale[:, None])
        for one in added:
            owner, parameters = self.figure.placed(one.joint, one.solid)
            out[owner] += parameters
        return out

    def torques(
        self, gravity: FloatArray, scale: FloatArray, added: tuple[Added, ...] = ()
    ) -> Torques:
        """Return the torques for a gravity (3,), scaled masses (B,) and loads."""
        return Torques(
            *_native.physics_figure.motion_forces(
                self.figure.parents, self.path.turns, self.path.places,
                self.solids(scale, added), self.path.velocity, self.path.acceleration,
                np.asarray(gravity, float), self.centre_of_mass, self.headings,
            )
        )  # fmt: skip

    def fall(self) -> FloatArray:
        """Return the acceleration of the recorded centre of mass, (F, 3) in m/s^2, Y up.

        The axes across and ahead are the body's.
        """
        still = self.torques(np.zeros(3), np.ones(len(self.masses)))
        out: FloatArray = still.speed[:, :3] / float(self.masses.sum())
        return out


def moved(solid: Solid, by: FloatArray) -> Solid:
    """Return a solid with another centre of mass."""
    return replace(solid, centre=solid.centre + by)
