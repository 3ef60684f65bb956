"""Projection of joint paths onto a plane (section 3.1), and distances along bones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body
from retime.errors import InputError
from retime.motion import Motion
from retime.motion.edits import apply
from retime.motion.kinematics import positions
from retime.sentences import Moment, Span
from retime.timing import TimeWarp

__all__ = ["View", "seen_at", "topological_distances"]


@dataclass(frozen=True, eq=False)
class View:
    """A plane across the time direction, through the root: x across, y up, in metres.

    Parameters
    ----------
    across, up, along : array (3,)
        Unit vectors; ``along`` is the time direction.
    """

    across: FloatArray
    up: FloatArray
    along: FloatArray

    @classmethod
    def of(cls, motion: Motion, body: Body, direction: tuple[float, float, float] | None) -> View:
        """Return the view along a direction. Default: the first heading of the figure."""
        if direction is None:
            first = _frames(motion, 1)
            heading = float(body.frame(first)[1][0])
            along = np.array([np.sin(heading), 0.0, np.cos(heading)])
        else:
            along = np.asarray(direction, dtype=float)
            along = along / np.linalg.norm(along)
        vertical = np.array([0.0, 1.0, 0.0])
        if abs(along @ vertical) > 0.95:  # seen from above: up on paper is the heading
            vertical = np.array([0.0, 0.0, 1.0])
        across = np.cross(vertical, along)
        across /= np.linalg.norm(across)
        return cls(across, np.cross(along, across), along)

    def project(self, points: FloatArray, root: int) -> FloatArray:
        """Project joints (F, J, 3) on the plane through their root, (F, J, 2)."""
        # The root is the origin, so that a figure that walks does not leave its own surface.
        local = points - points[:, root : root + 1]
        return np.stack([local @ self.across, local @ self.up], axis=-1)


def _frames(motion: Motion, count: int) -> Motion:
    return replace(
        motion,
        rotations=motion.rotations[:count],
        translations={n: t[:count] for n, t in motion.translations.items()},
        scales={n: t[:count] for n, t in motion.scales.items()},
        sample_times=None,
    )


def seen_at(motion: Motion, times: Sequence[float]) -> FloatArray:
    """Return joint positions at times of the source, (K, J, 3) metres."""
    start, end = motion.domain
    for time in times:
        if not start - 1e-9 <= time <= end + 1e-9:
            raise InputError(
                "the key at {time} is outside the clip, {clip}",
                time=Moment(time),
                clip=Span(start, end),
            )
    return positions(apply(motion, TimeWarp.identity(start, end), times=times))


def topological_distances(body: Body, joint: int, points: FloatArray) -> FloatArray:
    """Return the distances along the bones from a joint to all others, (J,) metres (eq. 7)."""
    count = len(points)
    # A foot whose parent is the root is linked to its shin.
    above = np.array([body.parent(j) for j in range(count)])
    length = np.linalg.norm(points - points[above], axis=1)
    ways: list[list[int]] = [[] for _ in range(count)]
    for j in np.flatnonzero(above >= 0).tolist():
        ways[j].append(int(above[j]))
        ways[above[j]].append(j)
    out = np.full(count, np.inf)
    out[joint] = 0.0
    open_ = [joint]
    while open_:
        j = open_.pop()
        for other in ways[j]:
            if np.isinf(out[other]):  # in a tree, the first path is the only one
                out[other] = out[j] + (length[j] if above[j] == other else length[other])
                open_.append(other)
    return out
