"""Knees and elbows as hinges: about which axis they bend, how far, and to which side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray, freeze
from retime.body.model.body import Body, Limb, find_body
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions, cached_rotations
from retime.motion.memory import last, memory

# A hinge bends at least this far, whatever its clip shows, radians.
FULL_BEND = np.radians(150.0)
# Below this sine of its angle a bend does not tell its axis.
_CLEAR = 0.05
# A bone whose turn about itself from one frame to the next has less than this cosine, 120 degrees,
# has turned by half a turn.
_HALF_TURN = -0.5
# How sharply a change ends at a joint's limit. With 4, a change that would take half of the room is
# delivered to 98 %, one that would take all of it to 84 %.
_SOFT = 4
# Smaller angles are rounding, radians.
_ROUNDING = 1e-9
# Axes are measured on this many frames at most.
_FRAMES = 256


@dataclass(frozen=True)
class Hinge:
    """A knee or an elbow.

    Parameters
    ----------
    limb : Limb
        Whose.
    axis : array (3,)
        The usual axis in the frame of the joint's parent: a turn about it bends the limb.
    low, high : float
        Smallest and largest angle between its bones, radians: 0 is straight, and less than that
        only where the clip shows it.
    """

    limb: Limb
    axis: FloatArray
    low: float
    high: float

    def axis_in(self, points: FloatArray, turns: FloatArray, parent: int) -> FloatArray:
        """Return the axis in the parent's frame at a pose of places (J, 3) and turns (J, 4)."""
        upper, lower = bones(points, self.limb)
        usual = quat.rotate(turns[parent], self.axis)
        normal = np.cross(upper, lower)
        if np.linalg.norm(normal) < _CLEAR:
            normal = usual - (usual @ lower) * lower
        normal = normal / max(float(np.linalg.norm(normal)), 1e-12)
        own = normal if normal @ usual >= 0 else -normal
        return quat.rotate(quat.conjugate(turns[parent]), own)


def bones(points: FloatArray, limb: Limb) -> tuple[FloatArray, FloatArray]:
    """Return the directions of a limb's two bones, (..., 3), for places (..., J, 3)."""
    upper = points[..., limb.lower, :] - points[..., limb.upper, :]
    lower = points[..., limb.end, :] - points[..., limb.lower, :]
    return _unit(upper), _unit(lower)


def hinge_angle(upper: FloatArray, lower: FloatArray, axis: FloatArray) -> FloatArray:
    """Return how far a hinge is bent, radians; negative is past straight."""
    across = np.cross(upper, lower)
    size = np.linalg.norm(across, axis=-1)
    sign = np.where((across * axis).sum(-1) < 0, -1.0, 1.0)
    out: FloatArray = sign * np.arctan2(size, (upper * lower).sum(-1))
    return out


def find_hinges(motion: Motion) -> dict[int, Hinge]:
    """Find a figure's knees and elbows by their joints; a clip is measured once."""
    kept: dict[str, dict[int, Hinge]] = memory(motion, "hinges")
    if "found" not in kept:
        kept["found"] = _measured(motion, find_body(motion))
    return kept["found"]


def _measured(motion: Motion, body: Body) -> dict[int, Hinge]:
    every = max(1, -(-len(motion) // _FRAMES))
    points, rotations = cached_positions(motion)[::every], cached_rotations(motion)[::every]
    out = {}
    for limb in body.limbs.values():
        parent = int(motion.skeleton.parents[limb.lower])
        upper, lower = bones(points, limb)
        if parent < 0 or limb.linked or not (upper.any() and lower.any()):
            continue
        normal = np.cross(upper, lower)
        usual = quat.rotate(quat.conjugate(rotations[:, parent]), normal).sum(axis=0)
        if np.linalg.norm(normal, axis=1).max() < _CLEAR or np.linalg.norm(usual) < 1e-9:
            # Straight throughout: knees bend where toes point, elbows backwards and down.
            out_to = np.array([0.0, -1.0, -1.0])
            if limb.tip is not None:
                out_to = points[0, limb.tip] - points[0, limb.end]
            usual = quat.rotate(quat.conjugate(rotations[0, parent]), np.cross(upper[0], -out_to))
        axis = _unit(usual)
        world = quat.rotate(rotations[:, parent], np.broadcast_to(axis, upper.shape))
        angle = hinge_angle(upper, lower, world)
        low, high = min(float(angle.min()), 0.0), max(float(angle.max()), FULL_BEND)
        out[limb.lower] = Hinge(limb, axis, low, high)
    return out


def hinge_axis(
    motion: Motion, limb: Limb, *, known: tuple[FloatArray, FloatArray] | None = None
) -> FloatArray | None:
    """Return the axis (3,) of a limb's middle joint in its first bone's frame.

    A leg that never bends would bend toward its toes; ``None`` for other limbs that do not.
    ``known`` are places and rotations in space, where they are known.
    """
    points, rotations = known or (cached_positions(motion), cached_rotations(motion))
    above = rotations[:, limb.upper]
    hip, knee, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
    sides = half_turns(above, knee - hip, end - knee)[:, None]

    def mean(axes: FloatArray, least: float) -> FloatArray | None:
        local = quat.rotate(quat.conjugate(above), sides * axes).mean(axis=0)
        size = float(np.linalg.norm(local))
        return np.asarray(local / size) if size > least else None

    found = mean(np.cross(_unit(knee - hip), _unit(end - knee)), 1e-4)
    if found is None and limb.tip is not None:
        found = mean(np.cross(points[:, limb.tip] - end, end - hip), 1e-6)
    return found


def half_turns(turns: FloatArray, bone: FloatArray, lower: FloatArray) -> FloatArray:
    """Return 1 or -1, (F,), which changes where a bone turns about itself by half a turn at once.

    Recordings of straight limbs have such frames: the thigh turns one way and the shin back, and
    nothing is seen of it. The hinge's axis, which the thigh carries, must not turn with it. Where
    the whole leg jumps, it does.

    Parameters
    ----------
    turns : array (F, 4)
        Rotations of the bone in space.
    bone, lower : array (F, 3)
        This bone and the next in space.
    """
    line = _unit(bone)
    # Any axis across the bone, as the bone sees it: that which is most across in the first frame.
    own = quat.rotate(quat.conjugate(turns[0]), line[0])
    across = np.eye(3)[np.abs(own).argmin()]
    axis = quat.rotate(turns, np.broadcast_to(across - (across @ own) * own, line.shape))
    carried = quat.rotate(quat.between(line[:-1], line[1:]), axis[:-1])
    size = np.linalg.norm(axis[:-1], axis=1) * np.linalg.norm(axis[1:], axis=1)
    turned = (carried * axis[1:]).sum(axis=1) < _HALF_TURN * size
    bend = quat.rotate(quat.conjugate(turns), np.cross(line, _unit(lower)))
    clear = np.linalg.norm(bend, axis=1) > _CLEAR
    along = clear[:-1] & clear[1:] & ((bend[:-1] * bend[1:]).sum(axis=1) > 0)
    return np.concatenate([[1.0], np.where(np.cumsum(turned & ~along) % 2, -1.0, 1.0)])


def within_hinges(base: Motion, made: Motion) -> Motion:
    """Keep knees and elbows between straight and fully bent, or within what the source shows.

    A change becomes less the more of the room to its limit it takes, so that nothing stops at once.
    """
    local = made.rotations.copy()
    for j, (vectors, axis, low, high) in last(
        base, "turns of hinges", None, lambda: _ranges(base)
    ).items():
        found = _nearest_turn(quat.log(local[:, j]), vectors)
        bend, own = found @ axis, vectors @ axis
        change = bend - own
        room = np.maximum(np.where(change > 0, high - own, own - low), 1e-12)
        past = change * (1 - (1 + (np.abs(change) / room) ** _SOFT) ** (-1 / _SOFT))
        bent = np.abs(past) > _ROUNDING
        if bent.any():
            local[bent, j] = quat.exp(found - past[:, None] * axis)[bent]
    if np.array_equal(local, made.rotations):
        return made
    return replace(made, rotations=freeze(local))


def _ranges(motion: Motion) -> dict[int, tuple[FloatArray, FloatArray, float, float]]:
    """Return the rotation vectors (F, 3) of knees and elbows, their axes (3,) and ranges."""
    out = {}
    for limb in find_body(motion).limbs.values():
        vectors = quat.log(motion.rotations[:, limb.lower])
        middle = vectors.mean(axis=0)
        spread = vectors - middle
        axis = np.linalg.svd(spread, full_matrices=False)[2][0] if len(vectors) > 2 else middle
        size = float(np.linalg.norm(axis))
        if size < 1e-9:
            continue
        axis = axis / size
        along = vectors @ axis
        axis, along = (axis, along) if np.median(along) >= 0 else (-axis, -along)
        low = min(float(along.min()), 0.0)
        out[limb.lower] = (vectors, axis, low, max(float(along.max()), FULL_BEND))
    return out


def _nearest_turn(vectors: FloatArray, near: FloatArray) -> FloatArray:
    """Return rotation vectors (F, 3), past half a turn where that is nearer to others.

    A fully bent elbow that bends farther would otherwise count as bent backwards.
    """
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    other = vectors * (1 - 2 * np.pi / np.maximum(angle, 1e-9))
    nearer = np.linalg.norm(other - near, axis=1) < np.linalg.norm(vectors - near, axis=1)
    return np.where(nearer[:, None], other, vectors)


def _unit(v: FloatArray) -> FloatArray:
    out: FloatArray = v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)
    return out
