"""Correcting: changed poses put on keyed bones, at the keys that they have.

Where a method changed poses, each keyed bone is moved as the joint that it governs was moved, and
back by what its parent already did. Values and handles of keys change. Curves stay as many, and
keys too, unless new ones are asked for.
"""

from dataclasses import dataclass, field

import numpy as np
from mathutils import Euler, Matrix, Quaternion

from .capture import inverted
from .fitting import bent, farthest, fitted, has_key
from .following import followed, shifted
from .keys import Keys
from .poses import Poses
from .rekey import with_keys

# A bone that is moved by less than this keeps its values: radians, and armature units.
_LEAST = 1e-4
# A curve follows a change within this, radians or shares of a quaternion, and metres.
FOLLOWS = 0.02, 0.005
_ROTATIONS = {
    "QUATERNION": ("rotation_quaternion", 4),
    "AXIS_ANGLE": ("rotation_axis_angle", 4),
}


@dataclass(frozen=True)
class Manner:
    """How changed poses are put on curves."""

    keys_at: tuple = ()
    """Frames of the result whose poses were edited."""
    follow: bool = False
    """Whether curves follow the result between keys too."""
    add_keys: bool = False
    """Whether curves get keys where the result needs them; otherwise handles shape them."""
    new_curves: bool = False
    """Whether a keyed bone gets the channels that it lacks."""


@dataclass
class Corrections:
    """Changes of curves, and their distance from the result."""

    bones: list = field(default_factory=list)
    """Bones whose curves changed."""
    bent: int = 0
    """Curves that were shaped by handles, because the edited frame has no key."""
    moved: set = field(default_factory=set)
    """Frames of keys that moved because they are nearest to the edited frame."""
    turn: float = 0.0
    place: float = 0.0
    """Largest distances of curves from the result: radians, and armature units."""

    def off(self, channel, far):
        """Take a curve's distance from the result into account."""
        if channel == "location":
            self.place = max(self.place, far)
        elif channel.startswith("rotation"):
            double = 2.0 if channel == "rotation_quaternion" else 1.0
            self.turn = max(self.turn, double * far)


def corrected(armature, animated, result, rows, manner, made):
    """Put changed poses on the keys of curves: rows as a plan holds them, changed.

    ``rows`` are (data path, index, group, keys) of the curves that are rewritten anyway. Returns
    all rows; ``made``, the ``Corrections``, is filled.
    """
    rig, poses = result.capture.rig, Poses(result)
    table = {(path, index): (group, keys) for path, index, group, keys in rows}
    for name in sorted(rig.keyed):
        joint = rig.carried.get(name)
        if name in rig.poles or joint is None or name not in armature.pose.bones:
            continue
        parent = armature.pose.bones[name].parent
        above = None if parent is None else rig.carried.get(parent.name)
        if joint == above:
            continue

        def turn(frames, sources, name=name, joint=joint, above=above):
            offset = inverted(poses.source(joint, sources)) @ poses.control(name, sources)
            own = poses.warped(joint, frames) @ offset
            moved = inverted(poses.moved(above, frames)) @ poses.moved(joint, frames) @ own
            return inverted(own) @ moved, moved[:, :3, 3] - own[:, :3, 3]

        def axes(sources, parent=parent):
            if parent is None:
                return np.tile(np.eye(3), (len(sources), 1, 1))
            return poses.control(parent.name, sources)[:, :3, :3]

        way = _Way(armature.pose.bones[name], animated, result, turn, axes)
        if _correct_bone(way, table, manner, made):
            made.bones.append(name)
    return [(path, index, *rest) for (path, index), rest in table.items()]


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
    known: dict = field(default_factory=dict)
    """Changes that are worked out, by channel and frames."""

    def graph(self, channel):
        """Return the time of a channel."""
        result = self.result
        return result.warp.of(result.capture.rig.channel(self.bone.path_from_id(channel)))

    def offsets(self, channel, index, frames):
        """Return by how much a channel changes at output frames; beyond the result by nothing."""
        at = channel, frames.tobytes()
        if at not in self.known:
            self.known[at] = self._offsets(channel, frames)
        return self.known[at][:, index]

    def _offsets(self, channel, frames):
        bone, result = self.bone, self.result
        inside = (frames >= result.frames[0] - 0.5) & (frames <= result.frames[-1] + 0.5)
        off = np.zeros((len(frames), len(_value(bone, channel))))
        if inside.any():
            sources = self.graph(channel).source(frames[inside])
            turns, shifts = self.turn(frames[inside], sources)
            if channel == "location" and not bone.bone.use_local_location:
                # The location is along the parent's axes, whichever way the bone points.
                off[inside] = np.linalg.solve(self.axes(sources), shifts[..., None])[..., 0]
            else:
                off[inside] = _offsets(bone, self.animated, sources, turns, channel)
        return off

    def changed(self, keys, channel, index, manner, made):
        """Return a curve's keys, changed in a manner; ``None`` if nothing changes."""
        if manner.follow:
            return self._following(keys, channel, index, manner, made)
        if manner.keys_at:
            return self._at_frames(keys, channel, index, manner, made)
        off = self.offsets(channel, index, keys.co[:, 0])
        if _is_small(off):
            return None
        keys = keys.take(slice(None))
        for part in ("co", "handle_left", "handle_right"):
            keys.arrays[part][:, 1] += off
        return keys

    def _at_frames(self, keys, channel, index, manner, made):
        """Change the poses at frames: at their keys, at new ones, or by the handles beside."""
        if manner.add_keys:
            keys = with_keys(keys, manner.keys_at)
        # A single key is a setting for all frames, and new keys are put between keys alone.
        reached = not manner.add_keys and len(keys) > 1
        lacking = [f for f in manner.keys_at if reached and not has_key(keys, f)]
        off = self.offsets(channel, index, np.r_[keys.co[:, 0], lacking])
        if _is_small(off):
            return None
        if not lacking:
            return shifted(keys, lambda frames: self.offsets(channel, index, frames))
        for frame, by in zip(lacking, off[len(keys) :], strict=True):
            keys, moved = bent(keys, frame, by)
            made.moved |= {moved} - {None}
        made.bent += 1
        return keys

    def _following(self, keys, channel, index, manner, made):
        """Follow a change of all frames: by keys that it needs, or by the handles there are."""
        frames = self.result.frames.astype(float)
        off = self.offsets(channel, index, frames)
        if _is_small(off):
            return None
        far = FOLLOWS[1] / self.result.capture.scale if channel == "location" else FOLLOWS[0]
        if manner.add_keys and not manner.keys_at:
            return followed(keys, off, frames, far)
        if manner.add_keys:
            keys = with_keys(keys, manner.keys_at)
        curve = self.animated.find(self.bone.path_from_id(channel), index)
        wanted = off + [curve.evaluate(float(f)) for f in self.graph(channel).source(frames)]
        keys = fitted(keys, lambda at: self.offsets(channel, index, at), wanted, frames, far)
        made.off(channel, farthest(keys, wanted, frames))
        return keys

    def new_keys(self, channel, index):
        """Return keys on every frame for a channel that has no curve."""
        frames = self.result.frames.astype(float)
        off = self.offsets(channel, index, frames)
        if _is_small(off):
            return None
        return Keys.made(frames, np.array(_value(self.bone, channel))[index] + off)


def _is_small(off):
    return np.abs(off).max(initial=0) < _LEAST


def _correct_bone(way, table, manner, made):
    """Correct one bone's keys in a table; return whether anything changed."""
    channels = _channels(way.bone)
    curves = {at: way.animated.find(way.bone.path_from_id(at[0]), at[1]) for at in channels}
    # Keys of a bone's constraints or custom properties alone do not make it a control.
    new_curves = manner.new_curves and any(c is not None for c in curves.values())
    changed = {}
    for (channel, index), curve in curves.items():
        at = way.bone.path_from_id(channel), index
        group, keys = table.get(at) or ("", _keys_of(curve))
        if keys is not None:
            changed[at] = group, way.changed(keys, channel, index, manner, made)
        elif new_curves:
            changed[at] = way.bone.name, way.new_keys(channel, index)
    changed = {at: row for at, row in changed.items() if row[1] is not None}
    table |= changed
    return bool(changed)


def _keys_of(curve):
    return Keys.read(curve) if curve is not None and len(curve.keyframe_points) else None


def _channels(bone):
    """List the channels of a bone that poses change, and their indices."""
    rotation, count = _ROTATIONS.get(bone.rotation_mode, ("rotation_euler", 3))
    return [(c, k) for c, size in (("location", 3), (rotation, count)) for k in range(size)]


def _value(bone, channel):
    return [float(v) for v in getattr(bone, channel)]


def _offsets(bone, animated, sources, turns, channel):
    """Return by how much a channel of a bone changes at source frames, turned by matrices."""
    mode = bone.rotation_mode
    curves = {
        name: [animated.find(bone.path_from_id(name), k) for k in range(len(_value(bone, name)))]
        for name in ("location", _ROTATIONS.get(mode, ("rotation_euler", 3))[0], "scale")
    }
    still = {name: _value(bone, name) for name in curves}
    out = np.empty((len(sources), len(still[channel])))
    for n, (frame, turn) in enumerate(zip(sources, turns, strict=True)):
        now = {
            name: [_at_frame(c, frame, v) for c, v in zip(listed, still[name], strict=True)]
            for name, listed in curves.items()
        }
        old = _quaternion(mode, now)
        basis = Matrix.LocRotScale(now["location"], old, now["scale"])
        place, rotation, _ = (basis @ Matrix(turn)).decompose()
        new = place if channel == "location" else _rotated(mode, rotation, old, now)
        out[n] = np.subtract(new, now[channel])
    return out


def _rotated(mode, rotation, old, now):
    """Return a rotation as a bone's mode has it, near to what it was."""
    if mode == "QUATERNION":
        if rotation.dot(old) < 0:
            rotation.negate()
        return rotation * max(sum(v * v for v in now["rotation_quaternion"]) ** 0.5, 1e-9)
    if mode == "AXIS_ANGLE":
        axis, angle = rotation.to_axis_angle()
        return angle, *axis
    return rotation.to_euler(mode, Euler(now["rotation_euler"], mode))


def _at_frame(curve, frame, still):
    return still if curve is None else curve.evaluate(float(frame))


def _quaternion(mode, now):
    if mode == "QUATERNION":
        return Quaternion(now["rotation_quaternion"]).normalized()
    if mode == "AXIS_ANGLE":
        angle, *axis = now["rotation_axis_angle"]
        return Quaternion(axis, angle)
    return Euler(now["rotation_euler"], mode).to_quaternion()
