"""Mirrored poses: left becomes right across the body's own plane; where it heads stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.body import Body, find_body
from retime.errors import InputError
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions
from retime.motion.memory import memory

__all__ = ["mirror_pairs", "mirrored_rotations"]

# Turns seen in a mirror whose plane's normal is X: those about Y and Z go the other way round.
_REFLECT = np.array([1.0, 1.0, -1.0, -1.0])


def mirrored_rotations(motion: Motion, source: Motion | None = None) -> FloatArray:
    """Return the local rotations of a mirrored pose, (J, 4), in the file's axes.

    A turn is seen from the rest pose, in the frame of the hips' heading; so axes of bones do not
    matter, as long as the rest pose itself is even on both sides.

    Parameters
    ----------
    motion : Motion
        Its first frame is the pose.
    source : Motion, optional
        The clip that it is of, which remembers what is on which side.
    """
    clip = motion if source is None else source
    body = find_body(clip)
    rest = _rest(motion)
    pairs = _remembered_pairs(clip, body, rest)
    now, then = (_in_heading(m, body) for m in (motion, rest))
    turns = quat.multiply(now, quat.conjugate(then))
    seen = np.empty_like(turns)
    seen[pairs] = turns * _REFLECT
    yaw = quat.from_axis_angle([0.0, 1.0, 0.0], body.frame(motion)[1][0])
    world = quat.multiply(yaw, quat.multiply(seen, then))
    parents = motion.skeleton.parents
    up = -np.pi / 2 if motion.units.up == "Z" else 0.0
    above = np.where(
        (parents < 0)[:, None], quat.from_axis_angle([1.0, 0.0, 0.0], up), world[parents]
    )
    local = quat.multiply(quat.conjugate(above), world)
    sign = np.where((local * motion.rotations[0]).sum(-1, keepdims=True) < 0, -1.0, 1.0)
    return quat.normalize(sign * local)


def mirror_pairs(motion: Motion) -> npt.NDArray[np.int64]:
    """Return, for each joint, the one on the other side; itself where it is in the middle."""
    return _remembered_pairs(motion, find_body(motion), _rest(motion))


def _remembered_pairs(clip: Motion, body: Body, rest: Motion) -> npt.NDArray[np.int64]:
    kept = memory(clip, "mirror pairs")
    if "found" not in kept:
        kept["found"] = _pairs(body, rest)
    found: npt.NDArray[np.int64] = kept["found"]
    return found


def _rest(motion: Motion) -> Motion:
    """Return one frame in the rest pose."""
    skeleton = motion.skeleton
    places = {skeleton.names[r]: skeleton.offsets[[r]] for r in skeleton.roots}
    return replace(
        motion,
        rotations=skeleton.rest_rotations[None],
        translations=places,
        scales={},
        sample_times=None,
        origin=None,
        notes=(),
    )


def _in_heading(motion: Motion, body: Body) -> FloatArray:
    """Return turns (J, 4) of the first frame, seen along the body's heading."""
    yaw = quat.from_axis_angle([0.0, 1.0, 0.0], body.frame(motion)[1][:1])
    return quat.multiply(quat.conjugate(yaw), global_rotations(motion)[0])


def _pairs(body: Body, rest: Motion) -> npt.NDArray[np.int64]:
    """Pair joints down the skeleton by role, or by their mirrored rest positions."""
    if not {"left_upper_leg", "right_upper_leg"} <= set(body.roles):
        raise InputError("a pose is mirrored across the hips, and no legs were found")
    skeleton = body.skeleton
    ground, heading = body.frame(rest)
    yaw = quat.from_axis_angle([0.0, 1.0, 0.0], -heading[0])
    places = quat.rotate(yaw, positions(rest)[0] - ground[0])
    other = {}
    for role, joint in body.roles.items():
        side, _, part = role.partition("_")
        twin = {"left": f"right_{part}", "right": f"left_{part}"}.get(side)
        if twin is not None and twin in body.roles:
            other[joint] = body.roles[twin]
    # What leads to a paired joint is paired too, as far as both ways are alike.
    for a, b in list(other.items()):
        for up, across in zip(skeleton.chain(a)[1:], skeleton.chain(b)[1:], strict=False):
            if up == across:
                break
            other.setdefault(up, across)
    out = np.arange(len(skeleton))
    out[list(other)] = list(other.values())
    children: dict[int, list[int]] = {}
    for j, parent in enumerate(skeleton.parents.tolist()):
        children.setdefault(parent, []).append(j)
    for parent in range(len(skeleton)):  # parents come first
        own = [j for j in children.get(parent, []) if j not in other]
        beside = [j for j in children.get(int(out[parent]), []) if j not in other]
        for a, b in _matched(places, own, beside):
            out[a] = b
    # A pair that is not one both ways would give one joint two poses.
    uneven = out[out] != np.arange(len(out))
    out[uneven] = np.flatnonzero(uneven)
    return out


def _matched(places: FloatArray, own: list[int], across: list[int]) -> list[tuple[int, int]]:
    """Match joints with those that are nearest to where a mirror puts them, one to one."""
    from scipy.optimize import linear_sum_assignment

    if not own or not across:
        return []
    seen = places[own] * [-1.0, 1.0, 1.0]
    cost = np.linalg.norm(seen[:, None] - places[across][None], axis=-1)
    # Joints of one place, as fingers without bones, are in the same order on both sides.
    cost += 1e-6 * np.abs(np.arange(len(own))[:, None] - np.arange(len(across)))
    rows, columns = linear_sum_assignment(cost)
    return [(own[r], across[c]) for r, c in zip(rows.tolist(), columns.tolist(), strict=True)]
