"""Feasible timings of a body: a polygon in the plane of (p'', p'^2) for every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.figure.dynamics import Torques
from retime.methods.physics.limits.forces import least_forces
from retime.one_line import one_line
from retime.pictured import Pictured

# Where each region's corners begin (F + 1,), and the corners of all as (p'' / unit, p'^2).
Flat = tuple[np.ndarray[tuple[int], np.dtype[np.int64]], FloatArray]

# Bounds of p'^2 and |p''|, because any speed is feasible for a still figure.
MOST_SPEED: float = 16.0
MOST_CHANGE: float = 60.0
# Largest contact force, in body weights: opposite forces cancel at any size. It is far above
# what a glitch of a recording needs (33), so that the recorded timing stays feasible there too.
_MOST_FORCE = 100.0
# Unit of p'', 1/s, and tolerance for dropping corners.
UNIT = 5.0
_TOLERANCE = 1e-4
# Distance of the centre of a region from its edge.
_INWARDS = 1e-3


@one_line()
@dataclass(frozen=True, eq=False, repr=False)
class Region(Pictured):
    """The feasible timings of one frame."""

    corners: FloatArray
    """(p'', p'^2) against the clock; none where nothing is feasible. Shape (V, 2)."""
    centre: FloatArray
    """The feasible timing nearest to the recorded one, (0, 1). Shape (2,)."""
    within: Bounds = field(repr=False)
    """Its limits."""
    frame: int = field(repr=False)
    """Its frame."""

    @cached_property
    def forces(self) -> FloatArray:
        """Magnitudes of the contacts' basis forces at each corner, newtons. Shape (V, L)."""
        return self.within.polygon(self.frame)[1]

    @cached_property
    def centre_forces(self) -> FloatArray:
        """Plausible forces at the centre. Shape (L,)."""
        return self.within.plausible_forces(self.frame, self.centre)

    @property
    def empty(self) -> bool:
        """Whether no timing of this frame is feasible."""
        return not len(self.corners)

    def __contains__(self, timing: tuple[float, float]) -> bool:
        return self.distance(timing) <= 1e-9

    def distance(self, timing: tuple[float, float]) -> float:
        """Return the distance of a timing (p'', p'^2) from the region, p'' in 5/s; 0 inside."""
        if self.empty:
            return float("inf")
        y, x = self.nearest(timing)
        return float(np.hypot((timing[0] - y) / UNIT, timing[1] - x))

    def nearest(self, timing: tuple[float, float]) -> tuple[float, float]:
        """Return the feasible timing nearest to one."""
        inside, y, x = _native.physics_polygons.nearest_point(
            self.corners / [UNIT, 1.0], timing[0] / UNIT, timing[1]
        )
        return timing if inside else (y * UNIT, x)

    def forces_at(self, timing: tuple[float, float]) -> FloatArray:
        """Return contact forces (L,) at a timing, interpolated from the centre outwards (3.4).

        The corners around the centre make triangles; within one, forces are linear (figure 5).
        """
        if len(self.corners) < 3:
            return self.centre_forces
        corners, centre = self.corners / [UNIT, 1.0], self.centre / [UNIT, 1.0]
        at = np.array([timing[0] / UNIT, timing[1]]) - centre
        for i in range(len(corners)):
            j = (i + 1) % len(corners)
            edges = np.array([corners[i] - centre, corners[j] - centre]).T
            if abs(np.linalg.det(edges)) < 1e-12:
                continue
            a, b = np.linalg.solve(edges, at)
            if a >= -1e-9 and b >= -1e-9:
                scale = max(a + b, 1.0)  # outside, the edge's own
                a, b = a / scale, b / scale
                part: FloatArray = (1 - a - b) * self.centre_forces
                out: FloatArray = part + a * self.forces[i] + b * self.forces[j]
                return out
        return self.centre_forces


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits of the timing of every frame.

    Parameters
    ----------
    torques : Torques
        G, A and B of every frame.
    maps : sequence of array (dofs, L)
        N of every frame.
    limits : array (F, dofs)
        Most torque of each row; the root's are the slack.
    weight : float
        The figure's weight in newtons.
    target : array (F, joints' dofs)
        Torques that plausible forces come near to.
    """

    torques: Torques
    maps: Sequence[FloatArray]
    limits: FloatArray
    weight: float
    target: FloatArray

    def polygon(self, frame: int) -> tuple[FloatArray, FloatArray]:
        """Return a frame's polygon (V, 2) and the forces (V, L) at its corners, newtons."""
        t, scale = self.torques, self.limits[frame]
        corners, forces = _native.physics_polygons.polygon(
            t.gravity[frame] / scale, t.speed[frame] / scale, t.change[frame] / scale,
            np.ascontiguousarray(self.maps[frame] * self.weight / scale[:, None]),
            MOST_CHANGE, MOST_SPEED, _MOST_FORCE,
        )  # fmt: skip
        kept = _native.physics_polygons.fewer_vertices(corners, 2 * UNIT, _TOLERANCE)
        return corners[kept], self.weight * forces[kept]

    def plausible_forces(self, frame: int, timing: FloatArray) -> FloatArray:
        """Return the contact forces (L,) at a timing whose torques are nearest to the target."""
        t, rows = self.torques, 6 + self.target.shape[1]
        at = t.gravity[frame] + t.change[frame] * timing[0] + t.speed[frame] * timing[1]
        return self.weight * least_forces(
            at[:rows], self.maps[frame][:rows], self.weight, self.target[frame],
            self.limits[frame, 6:rows],
        )  # fmt: skip


class Regions(Sequence[Region]):
    """The regions of all frames; those that are looked at are kept, with their forces.

    Parameters
    ----------
    within : Bounds
        Their limits.
    usual : array (F,)
        x*, the recorded p'^2.
    """

    def __init__(self, within: Bounds, usual: FloatArray) -> None:
        polygons = [within.polygon(frame)[0] for frame in range(len(usual))]
        self.within = within
        self.starts = np.r_[0, np.cumsum([len(p) for p in polygons])].astype(np.int64)
        self.corners = np.concatenate(polygons).reshape(-1, 2)
        self.centres = np.array(
            [nearest_inside(p, np.array([0.0, x])) for p, x in zip(polygons, usual, strict=True)]
        )
        self._made: dict[int, Region] = {}

    @cached_property
    def flat(self) -> Flat:
        """Where each region's corners begin, and the corners of all, scaled."""
        return self.starts, np.ascontiguousarray(self.corners / [UNIT, 1.0])

    def __len__(self) -> int:
        return len(self.centres)

    def __getitem__(self, frame: Any) -> Any:
        if isinstance(frame, slice):
            return [self[k] for k in range(*frame.indices(len(self)))]
        k = range(len(self))[frame]
        if k not in self._made:
            corners = self.corners[self.starts[k] : self.starts[k + 1]]
            self._made[k] = Region(corners, self.centres[k], self.within, k)
        return self._made[k]


def nearest_inside(corners: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the point of a polygon nearest to another, slightly inside its edge."""
    if not len(corners):
        return wanted.copy()
    inside, y, x = _native.physics_polygons.nearest_point(
        corners / [UNIT, 1.0], wanted[0] / UNIT, wanted[1]
    )
    if inside:
        return wanted.copy()
    found = np.array([y * UNIT, x])
    if len(corners) >= 3:
        found = found + _INWARDS * (corners.mean(axis=0) - found)
    return found
