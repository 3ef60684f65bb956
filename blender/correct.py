"""Correcting: changed poses put on keyed bones, at the keys that they have.

Where a method changed poses, each keyed bone is moved as the joint that it governs was moved, and
back by what its parent already did. Values of keys change; keys and curves stay as many.
"""

from dataclasses import dataclass

import numpy as np
from mathutils import Euler, Matrix, Quaternion

from .capture import composed, continuous, decomposed
from .following import followed, shifted
from .keys import Keys
from .rekey import with_keys

# A bone that is moved by less than this keeps its values: radians, and armature units.
_LEAST = 1e-4
# A curve follows a change within this, radians or shares of a quaternion, and metres.
_FOLLOWS = 0.02, 0.005
_ROTATIONS = {
    "QUATERNION": ("rotation_quaternion", 4),
    "AXIS_ANGLE": ("rotation_axis_angle", 4),
}


class Poses:
    """Poses of a result in the armature's space, at any frame: with changed poses, and without."""

    def __init__(self, result):
        self.result, self.capture = result, result.capture
        self._known, self._sent = {}, {}

    def changed(self, joint, frames):
        """Return a joint's matrices (N, 4, 4) at output frames, as the result has them."""
        at = np.asarray(frames) - self.capture.first
        return self._composed("changed", joint, frames, lambda n: _at(self.result.local(n), at))

    def warped(self, joint, frames):
        """Return the same where only time changed."""
        return self._composed("warped", joint, frames, lambda n: self._warped(n, frames))

    def source(self, joint, frames):
        """Return a joint's matrices at source frames."""
        at = np.asarray(frames) - self.capture.first
        world = _at(self.capture.world, at)
        return self._composed("source", joint, frames, lambda n: _at(self._local(n), at), world)

    def _local(self, name):
        """Return a joint's matrices as the engine was told them: small stretches left out."""
        if name not in self._sent:
            local = self.capture.local[:, self.capture.names.index(name)]
            places, turns, sizes = decomposed(local)
            if not self.result.moves(name):
                places = np.tile(self.result.offset(name), (len(local), 1))
            if not self.result.grows(name):
                sizes = np.ones_like(sizes)
            self._sent[name] = composed(places, turns, sizes)
        return self._sent[name]

    def control(self, name, frames):
        """Return a keyed bone's matrices at source frames."""
        if name in self.capture.controls:
            return _at(self.capture.controls[name], np.asarray(frames) - self.capture.first)
        return self.source(name, frames)

    def _warped(self, name, frames):
        capture, warp = self.capture, self.result.warp
        local = self._local(name)
        turned = _at(local, warp.of(name).source(frames) - capture.first)
        if capture.parents[capture.names.index(name)] < 0:
            moved = _at(local, warp.of(f"{name}:translation").source(frames) - capture.first)
            turned[:, :3, 3] = moved[:, :3, 3]
        return turned

    def _composed(self, kind, joint, frames, local, world=None):
        frames = np.asarray(frames, dtype=float)
        key = kind, joint, frames.tobytes()
        if key not in self._known:
            capture = self.capture
            own, parent = local(joint), capture.parents[capture.names.index(joint)]
            if parent < 0:
                if world is None:
                    times = self.result.warp.body.source(frames)
                    world = _at(capture.world, times - capture.first)
                above = np.linalg.inv(world)
            else:
                above = self._composed(kind, capture.names[parent], frames, local, world)
            self._known[key] = above @ own
        return self._known[key]

    def moved(self, joint, frames):
        """Return how a joint was moved in space, beyond its timing, (N, 4, 4); ``None`` is not."""
        if joint is None:
            return np.tile(np.eye(4), (len(frames), 1, 1))
        return self.changed(joint, frames) @ np.linalg.inv(self.warped(joint, frames))


def _at(matrices, places):
    """Interpolate matrices (F, 4, 4) at places between frames, held beyond the ends."""
    last = len(matrices) - 1
    at = np.clip(np.asarray(places, dtype=float), 0, last)
    near = np.round(at)
    if np.abs(at - near).max(initial=0) < 1e-6:
        return matrices[near.astype(int)].copy()
    k = np.minimum(at.astype(int), max(last - 1, 0))
    u = (at - k)[:, None]
    places, turns, sizes = decomposed(matrices)
    turns = continuous(turns)
    q = turns[k] + u * (turns[k + 1] - turns[k])
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return composed(
        places[k] + u * (places[k + 1] - places[k]), q, sizes[k] + u * (sizes[k + 1] - sizes[k])
    )


def corrected(armature, animated, result, rows, *, new_curves, keys_at=(), follow=False):
    """Put changed poses on the keys of curves: rows as a plan holds them, changed.

    ``rows`` are (data path, index, group, keys) of the curves that are rewritten anyway. With
    ``new_curves`` a bone that is keyed gets the channels that it lacks. Curves that change get a
    key at the frames ``keys_at``, where they have none; to ``follow`` they get as many keys as the
    change needs. Returns all rows, and the names of the bones that were corrected.
    """
    rig, poses = result.capture.rig, Poses(result)
    table = {(path, index): (group, keys) for path, index, group, keys in rows}
    names = []
    for name in sorted(rig.keyed):
        joint = rig.carried.get(name)
        if name in rig.poles or joint is None or name not in armature.pose.bones:
            continue
        parent = armature.pose.bones[name].parent
        above = None if parent is None else rig.carried.get(parent.name)
        if joint == above:
            continue

        def turn(frames, sources, name=name, joint=joint, above=above):
            offset = np.linalg.inv(poses.source(joint, sources)) @ poses.control(name, sources)
            own = poses.warped(joint, frames) @ offset
            moved = np.linalg.inv(poses.moved(above, frames)) @ poses.moved(joint, frames) @ own
            return np.linalg.inv(own) @ moved, moved[:, :3, 3] - own[:, :3, 3]

        def axes(sources, parent=parent):
            if parent is None:
                return np.tile(np.eye(3), (len(sources), 1, 1))
            return poses.control(parent.name, sources)[:, :3, :3]

        way = _Way(armature.pose.bones[name], animated, result, turn, axes)
        if _correct_bone(way, table, new_curves, keys_at, follow):
            names.append(name)
    return [(path, index, *rest) for (path, index), rest in table.items()], names


@dataclass
class _Way:
    """How one bone is moved."""

    bone: object
    animated: object
    result: object
    turn: object
    """From output and source frames to turns of the bone's own axes, and shifts in space."""
    axes: object
    """From source frames to the axes along which its location is."""

    def offsets(self, channel, index, frames):
        """Return by how much a channel changes at output frames; beyond the result by nothing."""
        bone, result = self.bone, self.result
        graph = result.warp.of(result.capture.rig.channel(bone.path_from_id(channel)))
        inside = (frames >= result.frames[0] - 0.5) & (frames <= result.frames[-1] + 0.5)
        off = np.zeros(len(frames))
        if inside.any():
            sources = graph.source(frames[inside])
            turns, shifts = self.turn(frames[inside], sources)
            if channel == "location" and not bone.bone.use_local_location:
                # The location is along the parent's axes, whichever way the bone points.
                along = np.linalg.solve(self.axes(sources), shifts[..., None])
                off[inside] = along[:, index, 0]
            else:
                mode = bone.rotation_mode
                off[inside] = _offsets(bone, self.animated, mode, sources, turns, channel, index)
        return off

    def shifted(self, keys, channel, index, keys_at):
        """Return a curve's keys moved by the change, with keys at frames; ``None``: none is."""
        if len(keys_at):
            keys = with_keys(keys, keys_at)
        off = self.offsets(channel, index, keys.co[:, 0])
        if _is_small(off):
            return None
        if len(keys_at):
            return shifted(keys, lambda frames: self.offsets(channel, index, frames))
        keys = keys.take(slice(None))
        for part in ("co", "handle_left", "handle_right"):
            keys.arrays[part][:, 1] += off
        return keys

    def followed(self, keys, channel, index):
        """Return a curve's keys moved by the change, and as many more as it needs."""
        frames = self.result.frames.astype(float)
        off = self.offsets(channel, index, frames)
        if _is_small(off):
            return None
        far = _FOLLOWS[1] / self.result.capture.scale if channel == "location" else _FOLLOWS[0]
        return followed(keys, off, frames, far)

    def new_keys(self, channel, index):
        """Return keys on every frame for a channel that has no curve."""
        frames = self.result.frames.astype(float)
        off = self.offsets(channel, index, frames)
        if _is_small(off):
            return None
        return Keys.made(frames, np.array(_value(self.bone, channel))[index] + off)


def _is_small(off):
    return np.abs(off).max(initial=0) < _LEAST


def _correct_bone(way, table, new_curves, keys_at, follow):
    """Correct one bone's keys in a table; return whether anything changed."""
    bone, animated = way.bone, way.animated
    rotation, count = _ROTATIONS.get(bone.rotation_mode, ("rotation_euler", 3))
    channels = (("location", 3), (rotation, count))
    # Keys of a bone's constraints or custom properties alone do not make it a control.
    new_curves = new_curves and any(
        animated.find(bone.path_from_id(channel), k) is not None
        for channel, size in channels
        for k in range(size)
    )
    changed = False
    for channel, size in channels:
        path = bone.path_from_id(channel)
        for index in range(size):
            curve = animated.find(path, index)
            has_keys = curve is not None and len(curve.keyframe_points)
            if not has_keys and not new_curves:
                continue
            group, keys = table.get((path, index), ("", None))
            if keys is None and has_keys:
                keys = Keys.read(curve)
            if keys is None:
                made = way.new_keys(channel, index)
                group = bone.name
            elif follow:
                made = way.followed(keys, channel, index)
            else:
                made = way.shifted(keys, channel, index, keys_at)
            if made is None:
                continue
            table[path, index] = group, made
            changed = True
    return changed


def _value(bone, channel):
    return [float(v) for v in getattr(bone, channel)]


def _offsets(bone, animated, mode, sources, turns, channel, index):
    """Return by how much one channel of a bone changes at source frames, turned by matrices."""
    out = np.empty(len(sources))
    curves = {
        name: [animated.find(bone.path_from_id(name), k) for k in range(len(_value(bone, name)))]
        for name in ("location", _ROTATIONS.get(mode, ("rotation_euler", 3))[0], "scale")
    }
    still = {name: _value(bone, name) for name in curves}
    for n, (frame, turn) in enumerate(zip(sources, turns, strict=True)):
        now = {
            name: [_at_frame(c, frame, v) for c, v in zip(listed, still[name], strict=True)]
            for name, listed in curves.items()
        }
        old = _quaternion(mode, now)
        basis = Matrix.LocRotScale(now["location"], old, now["scale"])
        place, rotation, _ = (basis @ Matrix(turn)).decompose()
        if channel == "location":
            out[n] = place[index] - now["location"][index]
        elif mode == "QUATERNION":
            if rotation.dot(old) < 0:
                rotation.negate()
            size = max(sum(v * v for v in now["rotation_quaternion"]) ** 0.5, 1e-9)
            out[n] = rotation[index] * size - now["rotation_quaternion"][index]
        elif mode == "AXIS_ANGLE":
            axis, angle = rotation.to_axis_angle()
            out[n] = (angle, *axis)[index] - now["rotation_axis_angle"][index]
        else:
            near = Euler(now["rotation_euler"], mode)
            out[n] = rotation.to_euler(mode, near)[index] - now["rotation_euler"][index]
    return out


def _at_frame(curve, frame, still):
    return still if curve is None else curve.evaluate(float(frame))


def _quaternion(mode, now):
    if mode == "QUATERNION":
        return Quaternion(now["rotation_quaternion"]).normalized()
    if mode == "AXIS_ANGLE":
        angle, *axis = now["rotation_axis_angle"]
        return Quaternion(axis, angle)
    return Euler(now["rotation_euler"], mode).to_quaternion()
