"""Make poses comparable, independent of the performer's position, heading and size.

Two poses are compared after the turn about the vertical and the shift along the ground that bring
one nearest to the other, in closed form. That needs no hips and no shoulders: any joints that are
seen will do.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.align.joints import Recording

# All bodies are brought to this much bone between the tracked joints, in metres: "common size".
_BONES = 4.0
# How many poses a bone's length is averaged over, and how many tell where to begin.
_SIZED_OVER, _FIRST = 250, 7
# Bones whose lengths differ by less than this, in metres, are of one body.
_SAME_LENGTH = 0.0003
# A joint farther away than this, in metres, is no joint.
_FARTHEST = 1e6
_LEGS = ("left_lower_leg", "right_lower_leg", "left_foot", "right_foot")
_FEET = ("left_toe", "right_toe", "left_foot", "right_foot")
# Floors that differ by less than this, in metres, are one: shoes and markers differ by as much. A
# floor is the median height of the feet over this many seconds, less the recorded one.
_SAME_FLOOR, _FLOOR_SECONDS = 0.06, 0.7
# No body rises or falls by this much, in metres, between poses closer than this, in seconds. All
# joints do so within the third, in metres: after a skip in the recording, they do not.
_LEAP, _LEAP_SECONDS, _TOGETHER = 0.2, 0.05, 0.1
# With fewer bones in sight than this, the head's height tells the size.
_LEAST_BONES = 3

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LivePose:
    """One live pose (J, 3), centred on the ground, on the recording's bones at common size."""

    points: FloatArray
    visible: Mask
    rise: float = 0.0
    """How far the performer's floor is above the recorded one at common size, in metres. It is
    taken out of the points."""


def bone_lengths(points: FloatArray, bones: npt.NDArray[np.int64]) -> FloatArray:
    """Return lengths (..., B) of bones."""
    out: FloatArray = np.linalg.norm(
        points[..., bones[:, 1], :] - points[..., bones[:, 0], :], axis=-1
    )
    return out


def centred(points: FloatArray, visible: Mask) -> FloatArray:
    """Move points (..., J, 3) along the ground so that those visible are about the origin."""
    out = points.copy()
    out[..., [0, 2]] -= points[..., visible, :][..., [0, 2]].mean(axis=-2, keepdims=True)
    return out


def turned_onto(target: FloatArray, points: FloatArray) -> FloatArray:
    """Turn centred points (..., J, 3) about the vertical to lie nearest to a target."""
    x, z = points[..., 0], points[..., 2]
    along = (x * target[..., 0] + z * target[..., 2]).sum(axis=-1)
    across = (x * target[..., 2] - z * target[..., 0]).sum(axis=-1)
    length = np.hypot(along, across)
    cos = np.where(length > 0, along / np.where(length > 0, length, 1), 1.0)[..., None]
    sin = np.where(length > 0, across / np.where(length > 0, length, 1), 0.0)[..., None]
    return np.stack([cos * x - sin * z, points[..., 1], sin * x + cos * z], axis=-1)


def own_heading(points: FloatArray) -> FloatArray:
    """Rotate each pose (N, J, 3) of a recording to be nearest to their mean."""
    everything = np.ones(points.shape[1], bool)
    out = centred(points, everything)
    mean = out[len(out) // 2]
    for _ in range(4):
        out = turned_onto(mean, out)
        mean = out.mean(axis=0)
    return out


def velocity(points: FloatArray, before: FloatArray, seconds: float) -> FloatArray:
    """Return velocities (..., J, 3) between poses, without travel and rotation of the body."""
    out: FloatArray = (points - turned_onto(points, before)) / seconds
    return out


def floor_of(recording: Recording) -> float:
    """Return the height that feet are hardly ever below; NaN without feet."""
    feet = [j for j, name in enumerate(recording.joints) if name in _FEET]
    if not feet or not len(recording.times):
        return np.nan
    return float(np.nanpercentile(np.nanmin(recording.points[:, feet, 1], axis=1), 5))


class Sizer:
    """Scales poses of a performer to the bones of the recording, so that they can be compared.

    Every bone of a live pose is stretched by the ratio of its length in the recording to its mean
    length in the stream, from the hips outwards; the height of the hips goes by the legs. Where the
    performer's floor lies elsewhere, they are put on the recording's: :meth:`stand` measures it at
    the place that was found.
    """

    def __init__(self, recording: Recording) -> None:
        self.bones = recording.bones
        self._count = len(recording.joints)
        self._lengths = np.median(bone_lengths(recording.points, self.bones), axis=0)
        total = float(self._lengths.sum())
        whole = len(self.bones) >= _LEAST_BONES and total > 0
        self.scale = _BONES / total if whole else 1.0
        at = {name: j for j, name in enumerate(recording.joints)}
        self._legs = np.isin(self.bones[:, 1], [at[n] for n in _LEGS if n in at])
        self._head = at.get("head")
        if self._head is not None:
            self._head_height = float(np.percentile(recording.points[:, self._head, 1], 95))
        self._feet = [at[n] for n in _FEET if n in at]
        self._floor = floor_of(recording)
        self.reset()

    def reset(self) -> None:
        """Forget the proportions of the performer."""
        self._live = np.zeros(len(self.bones))
        self._spread = np.zeros(len(self.bones))
        self._seen = np.zeros(len(self.bones), np.int64)
        self._first = np.zeros((len(self.bones), _FIRST))
        self._odd = np.zeros(len(self.bones), np.int64)
        self._highest = 0.0
        self._rise, self._leapt = 0.0, 0.0
        self._last = np.full(self._count, np.nan)
        self._heights: deque[tuple[float, float]] = deque()
        self._now = 0.0

    def measure(self, recording: Recording) -> None:
        """Learn the proportions of a performer from a whole performance."""
        self._live = np.median(bone_lengths(recording.points, self.bones), axis=0)
        self._spread[:], self._seen[:] = 0.0, _SIZED_OVER
        rise = floor_of(recording) - self._floor
        self._rise = rise if abs(rise) > _SAME_FLOOR else 0.0
        if self._head is not None:
            self._highest = float(np.percentile(recording.points[:, self._head, 1], 95))

    def learn(self, other: Sizer) -> None:
        """Copy the proportions that another instance has measured with the same joints."""
        self._live, self._seen = other._live.copy(), other._seen.copy()
        self._spread = other._spread.copy()
        self._first, self._odd = other._first.copy(), other._odd.copy()
        self._highest, self._rise, self._leapt = other._highest, other._rise, other._leapt
        self._last, self._heights = other._last.copy(), other._heights.copy()
        self._now = other._now

    def live(
        self, pose: npt.ArrayLike, seconds: float = math.inf, *, learn: bool = True
    ) -> LivePose:
        """Scale a live pose (J, 3) to the bones of the recording; NaN marks invisible joints.

        ``seconds`` is the time since the last pose.
        """
        try:
            points = np.array(pose, dtype=float)
        except (TypeError, ValueError):
            raise InputError(
                f"a pose is {self._count} positions of three numbers each, NaN where unseen"
            ) from None
        if points.shape != (self._count, 3):
            raise InputError(
                f"a pose is positions ({self._count}, 3) of the recording's joints, not "
                f"{points.shape}"
            )
        visible = (np.abs(points) < _FARTHEST).all(axis=1)
        points[~visible] = 0.0
        if learn:
            self._leap(points, visible, seconds)
        points[visible, 1] -= self._rise + self._leapt
        if learn and visible.any():
            _native.live_poses.measure_bones(
                points, visible, self.bones, self._live, self._spread, self._seen, self._odd,
                self._first, _SIZED_OVER,
            )  # fmt: skip
        if not visible.any():
            return LivePose(points, visible)
        placed = _native.live_poses.put_on_bones(
            points, visible, self.bones, self._live, self._spread, self._seen, self._lengths,
            self._legs, _SAME_LENGTH, _LEAST_BONES, self._by_height(points, visible), self.scale,
        )  # fmt: skip
        return LivePose(placed, visible, self._rise * self._leg_ratio() * self.scale)

    def _leap(self, points: FloatArray, visible: Mask, seconds: float) -> None:
        """Follow a reference that leaps: no body changes its height so quickly as a whole."""
        way = points[visible, 1] - self._last[visible]
        way = way[np.isfinite(way)]
        if seconds < _LEAP_SECONDS and way.size:
            leap = float(np.median(way))
            if abs(leap) > _LEAP and np.abs(way - leap).max() < _TOGETHER:
                self._leapt += leap
        self._last[:] = np.where(visible, points[:, 1], np.nan)

    @property
    def stands(self) -> bool:
        """Whether the performer's floor is known."""
        return bool(self._heights)

    def stand(self, live: LivePose, recorded: FloatArray, seconds: float) -> None:
        """Measure the performer's floor by the feet at the place that was found.

        ``recorded`` (J, 3) is its pose, ``seconds`` is the time since the last pose. Poses are
        compared whatever their floor, so a wrong one does no harm, and is corrected here.
        """
        feet = [j for j in self._feet if live.visible[j]]
        if not feet:
            return
        self._now += seconds
        above = float(live.points[feet, 1].min() - self.scale * recorded[feet, 1].min())
        self._heights.append((self._now, live.rise + above))
        while self._now - self._heights[0][0] > _FLOOR_SECONDS:
            self._heights.popleft()
        rise = float(np.median([height for _, height in self._heights]))
        if abs(rise - live.rise) > _SAME_FLOOR:
            self._rise = rise / (self.scale * self._leg_ratio())
            if abs(self._rise) <= _SAME_FLOOR:
                self._rise = 0.0

    def _leg_ratio(self) -> float:
        """Return the ratio of recorded to live legs, by which heights are scaled."""
        known = self._legs & (self._live > 0)
        return float(self._lengths[known].sum() / self._live[known].sum()) if known.any() else 1.0

    def _by_height(self, points: FloatArray, visible: Mask) -> float:
        """Return the ratio of sizes that the head's height tells."""
        if self._head is None:
            return 1.0
        tall = float(points[self._head, 1])
        if visible[self._head] and (not self._highest or tall < 1.5 * self._highest):
            self._highest = max(self._highest, tall)
        return self._head_height / self._highest if self._highest > 0 else 1.0
