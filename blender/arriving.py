"""Arriving: keyed controls turned until a bone is at a place, as the rig itself shows it.

The engine moves the joints of a body. Controls of a torso move several joints together, so that a
pose put on them comes out differently. Here the rig is asked what each control does.
"""

import numpy as np

from .fitting import bent, has_key
from .keys import Keys
from .rekey import with_own_handles

# A channel is tried with this change: radians, and lengths of the armature.
_TRIED = 1e-3
# A step turns a channel by at most this, radians; a length of the armature counts as a radian.
_MOST = 0.4
# Rounds of corrections, and how near is near enough: lengths of the armature.
_ROUNDS, _NEAR = 6, 5e-4
# Damping of a step: where controls hardly move a bone, they stay.
_DAMPING = 0.02


def channels_of(armature, animated, rig, joint):
    """List the keyed channels that may move a joint: (bone, property, index, F-curve)."""
    above = rig.above(joint)
    names = [n for n in sorted(rig.keyed - rig.poles) if rig.timing.get(n) in above]
    bones = [armature.pose.bones[n] for n in names if n in armature.pose.bones]
    return [row for bone in bones for row in _keyed_channels(bone, animated)]


def _keyed_channels(bone, animated):
    """List a bone's channels that have keys; a single key is a setting for all frames."""
    if bone.rotation_mode == "AXIS_ANGLE":
        return []
    rotation = "rotation_quaternion" if bone.rotation_mode == "QUATERNION" else "rotation_euler"
    out = []
    for channel in ("location", rotation):
        path = bone.path_from_id(channel)
        curves = [(k, animated.find(path, k)) for k in range(len(getattr(bone, channel)))]
        out += [(bone, channel, k, c) for k, c in curves if c and len(c.keyframe_points) > 1]
    return out


def arrived(context, armature, channels, joint, wanted):
    """Change channels at the current frame until a joint is at a place in the armature.

    Return the change of each channel; those that help little stay.
    """
    start = np.array([getattr(b, channel)[k] for b, channel, k, _ in channels])
    size = max(armature.dimensions) / max(max(np.abs(armature.scale)), 1e-9) or 1.0
    # Locations are in units of the armature, rotations in radians: a step counts both alike.
    unit = np.array([size if channel == "location" else 1.0 for _, channel, *_ in channels])

    def shown(values):
        for (bone, channel, k, _), value in zip(channels, values, strict=True):
            getattr(bone, channel)[k] = value
        context.view_layer.update()
        seen = armature.evaluated_get(context.evaluated_depsgraph_get())
        return np.array(seen.pose.bones[joint].head)

    best, place = start, shown(start)
    for _ in range(_ROUNDS):
        miss = wanted - place
        if np.linalg.norm(miss) < _NEAR * size:
            break
        tried = np.eye(len(best)) * _TRIED * unit
        slope = np.stack([(shown(best + by) - place) / (_TRIED * size) for by in tried], axis=1)
        inner = slope @ slope.T + _DAMPING**2 * np.eye(3)
        step = slope.T @ np.linalg.solve(inner, miss / size)
        step *= min(1.0, _MOST / max(np.abs(step).max(), 1e-9))
        moved = best + step * unit
        new = shown(moved)
        if np.linalg.norm(wanted - new) >= np.linalg.norm(miss):
            break
        best, place = moved, new
    return best - start


def put_on_keys(channels, frame, changes):
    """Change curves at a frame: its keys, or the handles beside it."""
    for (*_, curve), by in zip(channels, changes, strict=True):
        if abs(by) < 1e-6:
            continue
        keys = Keys.read(curve)
        if has_key(keys, frame):
            k = int(np.abs(keys.co[:, 0] - frame).argmin())
            for points in (keys.co, keys.handle_left, keys.handle_right):
                points[k, 1] += by
            keys = with_own_handles(keys)
        else:
            keys, _ = bent(keys, frame, by)
        keys.write(curve)
