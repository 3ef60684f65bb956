"""Pose signals: joint positions relative to the character's position and heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import ROLES, find_body
from retime.body.model.size import standing_height
from retime.errors import InputError
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.motion import Motion, quat
from retime.motion.edits import apply
from retime.motion.kinematics import carriers, ground_height, positions
from retime.motion.memory import last
from retime.notes import Note, Remedy
from retime.numeric import gaussian_filter
from retime.times import whole_frames
from retime.timing import TimeWarp

# Frame rate of the features.
RATE_HZ = 30.0
# Smoothing of features by a Gaussian, seconds: one frame at the paper's 30 Hz.
SMOOTHING = 1 / 30
# The time constant of the features [y, tau y', tau^2 y''], seconds.
TAU = 0.1
# Least variation of a coordinate that is used, metres.
_STILL = 1e-6
# A reference whose joints differ from the motion's by less, in body heights, is the motion itself.
_SAME = 0.01
# Least number of joints that a reference and the motion have in common.
_LEAST_JOINTS = 4
# Largest difference of bones and rest poses that count as equal, radians.
_ALIKE = np.radians(1.0)


@dataclass(frozen=True, eq=False)
class Signals:
    """The poses of a motion, and those of its references (R, D) at the rate of the output.

    ``own`` is whether the references are the motion itself, with unchanged timing; ``tall``
    is the figure's standing height in metres.
    """

    curve: PoseCurve
    references: tuple[FloatArray, ...]
    own: bool
    tall: float


def sampled(motion: Motion, rate: float, duration: float | None = None) -> Motion:
    """Sample a motion at equal intervals up to its end; the rate is adjusted to the duration."""
    start, end = motion.domain
    steps = max(whole_frames(duration or (end - start), rate), 1)
    return apply(motion, TimeWarp.identity(start, end), times=np.linspace(start, end, steps + 1))


def filtered(signal: FloatArray, sigma: float) -> FloatArray:
    """Smooth a signal (F, ...) in time by a Gaussian with sigma in frames; ends are extended."""
    return gaussian_filter(signal, sigma, ends="nearest")


def interpolated(signal: FloatArray, places: FloatArray) -> FloatArray:
    """Return a signal (F, D) between its samples, at places in frames."""
    before = np.clip(places.astype(int), 0, len(signal) - 2)
    share = (places - before)[:, None]
    return np.asarray((1 - share) * signal[before] + share * signal[before + 1])


def _heading_frame(motion: Motion, points: FloatArray) -> FloatArray:
    """Transform points (F, N, 3) to the frame on the ground below the hips, along the heading.

    Height and lean are kept, so that the direction of gravity is the vertical axis.
    """
    body = find_body(motion)
    origin, heading = body.frame(motion)
    cos, sin = np.cos(heading)[:, None], np.sin(heading)[:, None]
    x, y, z = np.moveaxis(points - origin[:, None], -1, 0)
    return np.stack([cos * x - sin * z, y, sin * x + cos * z], axis=-1)


def _common_joints(
    motion: Motion, references: Sequence[Motion]
) -> tuple[list[int], list[list[int]]]:
    """Match joints across skeletons, by name if most are the same, otherwise by role."""
    skeleton = motion.skeleton
    if all(r.skeleton.same_joints(skeleton) for r in references):
        above = carriers(skeleton)  # not a part of the pose
        every = [j for j in range(len(skeleton)) if j not in above]
        return every, [every for _ in references]
    shared = set(skeleton.names).intersection(*(r.skeleton.names for r in references))
    names = [n for n in skeleton.names if n in shared]
    if len(names) >= max(_LEAST_JOINTS, 0.6 * min(len(skeleton), 20)):
        own = [skeleton.index(n) for n in names]
        return own, [[r.skeleton.index(n) for n in names] for r in references]
    return _common_roles(motion, references)


def _common_roles(
    motion: Motion, references: Sequence[Motion]
) -> tuple[list[int], list[list[int]]]:
    """Match joints by common roles."""
    body, others = find_body(motion), [find_body(r) for r in references]
    shared = set(body.roles).intersection(*(o.roles for o in others))
    roles = [r for r in ROLES if r in shared]
    if len(roles) < _LEAST_JOINTS:
        raise InputError(
            Note(
                "the reference shares too few joints with the motion "
                f"({', '.join(roles) or 'none'})",
                Remedy(
                    "choose another reference, or give both a map of roles",
                    parameter="reading.roles",
                ),
                code="no-joint-in-common",
            )
        )
    return [body.roles[r] for r in roles], [[o.roles[r] for r in roles] for o in others]


def _on_skeleton(motion: Motion, reference: Motion) -> Motion:
    """Return a reference with the bones of the motion, if their rest poses agree."""
    if reference.skeleton is motion.skeleton or not _same_bones(motion, reference):
        return reference
    ratio = _size(motion) / max(_size(reference), 1e-12)
    scale = ratio * reference.units.metres / motion.units.metres
    return replace(
        reference,
        skeleton=motion.skeleton,
        translations={n: scale * t for n, t in reference.translations.items()},
        units=replace(reference.units, metres=motion.units.metres),
        origin=None,
        rest_pose=None,
    )


def _same_bones(motion: Motion, reference: Motion) -> bool:
    """Return whether both skeletons have equal joints, rest poses and axes."""
    one, other = motion.skeleton, reference.skeleton
    if not one.same_joints(other) or motion.units.up != reference.units.up:
        return False
    if float(quat.angle(one.rest_rotations, other.rest_rotations).max()) > _ALIKE:
        return False
    lengths = [np.linalg.norm(s.offsets, axis=1) for s in (one, other)]
    bones = np.flatnonzero((one.parents >= 0) & (lengths[0] > 1e-9) & (lengths[1] > 1e-9))
    along = np.einsum("ij,ij->i", one.offsets[bones], other.offsets[bones])
    return bool((along > np.cos(_ALIKE) * lengths[0][bones] * lengths[1][bones]).all())


def _size(motion: Motion) -> float:
    """Return the length of all bones in metres."""
    bones = np.linalg.norm(motion.skeleton.offsets[motion.skeleton.parents >= 0], axis=1)
    return float(bones.sum()) * motion.units.metres


def pose_signals(
    motion: Motion,
    references: Sequence[Motion],
    *,
    rate: float,
    floor: float | None = None,
) -> Signals:
    """Compute the pose signals of a motion and its references.

    Parameters
    ----------
    motion : Motion
        The input; it is sampled ``FINE`` times as densely as the output.
    references : sequence of Motion
        The references.
    rate : float
        Frames per second of the output and the references.
    floor : float, optional
        Height of the motion's floor, to which references are moved. Default: they are not moved.
    """
    own, theirs = _common_joints(motion, references)
    pairs = zip(references, theirs, strict=True)
    joints = [_smoothed(motion, clip, each, rate, level=floor is not None) for clip, each in pairs]
    fine = sampled(motion, rate * FINE, whole_frames(motion.duration, rate) / rate)
    points = _heading_frame(fine, positions(fine))[:, own]
    moving = _moving(points, motion, own)
    raw = points[:, moving].reshape(len(points), -1)
    itself = filtered(raw[::FINE], SMOOTHING * rate)
    up = np.array([0.0, floor or 0.0, 0.0])
    tall = _reach(points - up)
    signals = tuple(
        itself
        if place is None
        else (place[:, moving] * (tall if resized else 1.0) + up).reshape(len(place), -1)
        for place, resized in joints
    )
    size = standing_height(motion) or tall
    same = all(z.shape == itself.shape and np.abs(z - itself).max() < _SAME * size for z in signals)
    return Signals(PoseCurve(filtered(raw, SMOOTHING * rate * FINE)), signals, bool(same), size)


def _reach(points: FloatArray) -> float:
    """Return the median height of the highest point of a figure above its floor."""
    return max(float(np.median(points[..., 1].max(axis=1))), 1e-9)


def _smoothed(
    motion: Motion, reference: Motion, joints: list[int], rate: float, *, level: bool
) -> tuple[FloatArray | None, bool]:
    """Return the smoothed positions of a reference's joints, and whether they were resized."""
    if reference is motion and not level:
        return None, False
    place = _places(motion, reference, rate)
    if level:
        place = place - np.array([0.0, ground_height(place), 0.0])
    place = place[:, joints]
    resized = not _same_bones(motion, reference)
    place = place / _reach(place) if resized else place
    return filtered(place, SMOOTHING * rate), resized


def _places(motion: Motion, reference: Motion, rate: float) -> FloatArray:
    """Return positions (R, J, 3) of a reference, on the motion's bones if joints are the same."""
    bones = motion.skeleton

    def make() -> FloatArray:
        even = sampled(_on_skeleton(motion, reference), rate)
        return _heading_frame(even, positions(even))

    shape = [a.tobytes() for a in (bones.offsets, bones.rest_rotations, bones.rest_scales)]
    # References are the same from clip to clip of a batch, and so are often the bones.
    return last(reference, "places", (rate, motion.units, shape), make)


def _moving(points: FloatArray, motion: Motion, joints: list[int]) -> npt.NDArray[np.int64]:
    """Return the indices of joints that move and are not at their parent's position."""
    parents = motion.skeleton.parents
    place = {j: k for k, j in enumerate(joints)}
    keep = []
    for k, j in enumerate(joints):
        parent = place.get(int(parents[j]))
        on_parent = parent is not None and np.abs(points[:, k] - points[:, parent]).max() < _STILL
        if not on_parent and points[:, k].std(axis=0).max() >= _STILL:
            keep.append(k)
    return np.array(keep or [0], dtype=np.int64)
