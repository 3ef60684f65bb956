"""Baking: the retimed pose of single bones as keys on every frame."""

import numpy as np
from mathutils import Matrix, Quaternion

from .capture import composed, continuous, decomposed, inverted
from .keys import LINEAR, Keys

_LOCATION, _SCALE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
# A channel whose values stay this near to rest needs no curve.
_STILL = 1e-6


def baked(armature, animated, result, names):
    """Return the curves of bones: (data path, index, group, keys) of all that they need.

    ``animated`` is the armature's action, which says what is keyed already; ``names`` are the
    bones.
    """
    out = []
    poses = {}
    for name in names:
        bone = armature.pose.bones[name]
        places, turns, sizes = decomposed(_basis(armature, result, name, poses))
        path = bone.path_from_id()
        out += _channel(animated, result, f"{path}.location", places, _LOCATION, name)
        values, channel, rest = _rotations(bone, animated, result, continuous(turns))
        out += _channel(animated, result, f"{path}.{channel}", values, rest, name, always=True)
        out += _channel(animated, result, f"{path}.scale", sizes, _SCALE, name)
    return out


def _channel(animated, result, path, values, rest, group, always=False):
    """Key one property on every frame, unless it stays at rest and has no curves."""
    known = any(animated.find(path, k) is not None for k in range(values.shape[1]))
    if not (always or known or np.abs(values - np.array(rest)).max() > _STILL):
        return []
    return [
        (path, k, group, Keys.made(result.frames, values[:, k], LINEAR))
        for k in range(values.shape[1])
    ]


def _basis(armature, result, name, poses):
    """Return what the bone's own channels must be, as matrices (F, 4, 4)."""
    capture = result.capture
    bone = armature.data.bones[name]
    local = _within(result, name)
    rest = capture.rest[capture.names.index(name)]
    plain = bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location
    if plain or bone.parent is None:
        return inverted(rest) @ local
    parents = _pose(result, bone.parent.name, poses)
    own = parents @ local
    above = bone.parent.matrix_local

    def channels(k):
        pose, parent = Matrix(own[k]), Matrix(parents[k])
        return bone.convert_local_to_pose(
            pose, bone.matrix_local, parent_matrix=parent, parent_matrix_local=above, invert=True
        )

    return np.array([np.array(channels(k)) for k in range(len(own))])


def _within(result, name):
    """Return a joint's matrices; of one without a parent, within the armature."""
    capture = result.capture
    local = result.local(name)
    if capture.parents[capture.names.index(name)] >= 0:
        return local
    return inverted(_world(result)) @ local


def _world(result):
    """Return the object's own matrices at the result's frames: it follows the body."""
    capture = result.capture
    if np.abs(capture.world - capture.world[0]).max() < 1e-9:
        return np.tile(capture.world[0], (len(result), 1, 1))
    at = np.clip(result.warp.body.source(result.frames) - capture.first, 0, len(capture.world) - 1)
    k = np.minimum(at.astype(int), max(len(capture.world) - 2, 0))
    u = (at - k)[:, None]
    places, turns, sizes = decomposed(capture.world)
    turns = continuous(turns)
    q = turns[k] + u * (turns[k + 1] - turns[k])
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return composed(places[k] + u * (places[k + 1] - places[k]), q, sizes[k])


def _pose(result, name, poses):
    """Return a joint's matrices within the armature, each worked out once."""
    if name not in poses:
        capture = result.capture
        own, parent = _within(result, name), capture.parents[capture.names.index(name)]
        above = None if parent < 0 else _pose(result, capture.names[parent], poses)
        poses[name] = own if above is None else above @ own
    return poses[name]


def _rotations(bone, animated, result, turns):
    """Return rotations in the mode of the bone: values, the property, and its rest value."""
    mode = bone.rotation_mode
    if mode == "QUATERNION":
        return _nearest(bone, animated, result, turns), "rotation_quaternion", (1.0, 0, 0, 0)
    if mode == "AXIS_ANGLE":
        out = np.empty((len(turns), 4))
        for k, q in enumerate(turns):
            axis, angle = Quaternion(q).to_axis_angle()
            out[k] = (angle, *axis)
        return out, "rotation_axis_angle", (0, 0, 1.0, 0)
    near = bone.rotation_euler.copy()
    near.order = mode
    path = bone.path_from_id("rotation_euler")
    start = result.warp.of(bone.name).source(result.frames[:1])[0]
    for k in range(3):
        curve = animated.find(path, k)
        if curve is not None:
            near[k] = curve.evaluate(start)
    out = np.empty((len(turns), 3))
    for k, q in enumerate(turns):
        near = Quaternion(q).to_euler(mode, near)
        out[k] = near
    return out, "rotation_euler", (0.0, 0.0, 0.0)


def _nearest(bone, animated, result, turns):
    """Choose the sign of the first quaternion that the bone's own curves have."""
    path = bone.path_from_id("rotation_quaternion")
    curves = [animated.find(path, k) for k in range(4)]
    if any(c is None for c in curves) or not len(turns):
        return turns
    start = result.warp.of(bone.name).source(result.frames[:1])[0]
    old = np.array([c.evaluate(start) for c in curves])
    return -turns if old @ turns[0] < 0 else turns
