"""Mirror poses across the body's plane of symmetry; the heading stays."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.model.body import Body, find_body
from retime.errors import InputError
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions, upright
from retime.motion.memory import memory

# A mirror across the YZ plane reverses rotations about Y and Z.
_REFLECT = np.array([1.0, 1.0, -1.0, -1.0])


def mirrored_rotations(motion: Motion, source: Motion | None = None) -> FloatArray:
    """Return the local rotations of a mirrored pose, (J, 4), in the file's axes.

    Rotations are taken relative to the rest pose and the heading of the hips. The axes of bones do
    not matter, but the rest pose must be symmetric.

    Parameters
    ----------
    motion : Motion
        Its first frame is the pose.
    source : Motion, optional
        Clip that the pose comes from; its pairs of joints are cached.
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
    above = np.where((parents < 0)[:, None], upright(motion.units), world[parents])
    local = quat.multiply(quat.conjugate(above), world)
    sign = np.where((local * motion.rotations[0]).sum(-1, keepdims=True) < 0, -1.0, 1.0)
    return quat.normalize(sign * local)


def mirror_pairs(motion: Motion) -> npt.NDArray[np.int64]:
    """Return the opposite joint of each joint (J,); joints in the middle are their own."""
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
    """Return orientations (J, 4) of the first frame, relative to the body's heading."""
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
    known = _pairs_by_role(body)
    out = np.arange(len(skeleton))
    out[list(known)] = list(known.values())
    for joint in range(len(skeleton)):  # parents come first
        own, across = (
            [c for c in skeleton.children[j] if c not in known] for j in (joint, int(out[joint]))
        )
        for a, b in _matched(places, own, across):
            out[a] = b
    # A joint that is opposite to two others would get two poses.
    uneven = out[out] != np.arange(len(out))
    out[uneven] = np.flatnonzero(uneven)
    return out


def _pairs_by_role(body: Body) -> dict[int, int]:
    """Return the opposite joints of those with a role on one side, and of those above them."""
    twins = {joint: _opposite(role) for role, joint in body.roles.items()}
    known = {joint: body.roles[twin] for joint, twin in twins.items() if twin in body.roles}
    chain = body.skeleton.chain
    # Joints above a pair are a pair too, up to the joint where both chains meet.
    for a, b in list(known.items()):
        chains = zip(chain(a)[1:], chain(b)[1:], strict=False)
        for up, across in itertools.takewhile(lambda pair: pair[0] != pair[1], chains):
            known.setdefault(up, across)
    return known


def _opposite(role: str) -> str:
    """Return the role on the other side; empty for one in the middle."""
    side, _, part = role.partition("_")
    return {"left": f"right_{part}", "right": f"left_{part}"}.get(side, "")


def _matched(places: FloatArray, own: list[int], across: list[int]) -> list[tuple[int, int]]:
    """Match each joint with the one nearest to its mirrored position, one to one."""
    from scipy.optimize import linear_sum_assignment

    if not own or not across:
        return []
    seen = places[own] * [-1.0, 1.0, 1.0]
    cost = np.linalg.norm(seen[:, None] - places[across][None], axis=-1)
    # Joints at the same position, such as fingers without bones, have the same order on both sides.
    cost += 1e-6 * np.abs(np.arange(len(own))[:, None] - np.arange(len(across)))
    rows, columns = linear_sum_assignment(cost)
    return [(own[r], across[c]) for r, c in zip(rows.tolist(), columns.tolist(), strict=True)]
