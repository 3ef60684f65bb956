"""The outcome of a detector: contacts, flights and frames that remain unexplained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.contacts.found import FoundContacts, floor_under
from retime.body.contacts.points import Point
from retime.body.contacts.stretches import middle, runs
from retime.motion import Motion
from retime.motion.contact import Contact

# Shortest contact and gap, seconds.
SHORTEST = 0.07
# Force below which a body falls and above which it is supported, in body weights.
FALLS, STANDS = 0.3, 0.5


@dataclass(frozen=True, eq=False)
class Outcome:
    """Points of a body, and whether each touches something."""

    points: list[Point]
    """Points that can touch."""
    times: FloatArray
    """Times at equal intervals, seconds. Shape (F,)."""
    rate: float
    """Frames per second."""
    force: FloatArray
    """External force on the body, in body weights. Shape (F,)."""
    height: FloatArray
    """Height of each point, metres. Shape (P, F)."""
    speed: FloatArray
    """Speed of each point, m/s. Shape (P, F)."""
    score: FloatArray
    """Score of each point; contact is likely above 0. Shape (P, F)."""
    near: FloatArray
    """Score for the distance from a surface alone. Shape (P, F)."""
    down: npt.NDArray[np.bool_]
    """Whether each point touches. Shape (P, F)."""

    def _flights(self) -> list[tuple[int, int]]:
        free = np.asarray(~self.down.any(axis=0) if self.points else self.force < FALLS)
        long = [(a, b) for a, b in runs(free) if b - a >= 0.7 * SHORTEST * self.rate]
        # Short flights are smeared by the windows that accelerations are taken over.
        return [(a, b) for a, b in long if np.median(self.force[a:b]) < FALLS + 0.1]

    def _airborne(self) -> list[tuple[int, int]]:
        """List stretches in which no contact is seen and no part is near to any surface."""
        if not self.points:
            return self._flights()
        able = np.array([p.able for p in self.points])
        close = (self.near > 0) & able
        seen = self.down & (self.score > 0)
        free = np.asarray(~(close | seen).any(axis=0))
        return [(a, b) for a, b in runs(free) if b - a >= SHORTEST * self.rate]

    def unseen(self) -> float:
        """Return the fraction of frames with a force in which a contact was only inferred."""
        sure = (self.down & (self.score > 0)).any(axis=0)
        return float((~sure & (self.force > STANDS)).mean())

    def unknown(self) -> float:
        """Return the fraction of frames in which nothing touches but the body does not fall."""
        if not self.points:
            return 0.0
        free = int((~self.down.any(axis=0)).sum())
        return (free - sum(b - a for a, b in self._flights())) / len(self.times)

    def found(
        self, motion: Motion, *, better_rate: float = 0.0, drift: FloatArray | None = None
    ) -> FoundContacts:
        """Return the results at the frames of a motion."""
        unknown = self.unknown()
        ground = (0.0, 0.0, 0.0) if drift is None else (float(drift[0]), 0.0, float(drift[2]))
        down = [(p, a, b) for p in range(len(self.points)) for a, b in runs(self.down[p])]
        down = [(p, a, b) for p, a, b in down if b - a >= 2]
        near = np.clip(np.searchsorted(self.times, motion.times - 1e-9), 0, len(self.times) - 1)
        return FoundContacts(
            tuple(self._contact(motion, p, a, b, ground) for p, a, b in down),
            tuple(self._span(a, b) for a, b in self._flights()),
            tuple(self._span(a, b) for a, b in self._airborne()),
            unknown,
            floor_under(self._spots(down), unknown),
            {point.name: self.down[p][near] for p, point in enumerate(self.points)},
            self.force[near],
            better_rate,
            ground,
        )

    def _span(self, a: int, b: int) -> tuple[float, float]:
        """Return the first and last time of a run."""
        return float(self.times[a]), float(self.times[b - 1])

    def _contact(
        self, motion: Motion, p: int, a: int, b: int, ground: tuple[float, float, float]
    ) -> Contact:
        point = self.points[p]
        sure = 0.5 + 0.5 * float(np.clip(self.score[p, a:b], -1, 1).mean())
        height = float(middle(self.height[p, a:b]))
        joint = motion.skeleton.names[point.joint]
        return Contact(joint, *self._span(a, b), point.name, sure, height, ground)

    def _spots(self, down: list[tuple[int, int, int]]) -> FloatArray:
        """Return position, length and speed of the contacts of feet, (N, 5)."""
        spots = [
            [*middle(self.points[p].place[a:b]), b - a, middle(self.speed[p, a:b])]
            for p, a, b in down
            if self.points[p].kind in ("ball", "end")
        ]
        return np.array(spots).reshape(-1, 5)
