"""Capturing: the evaluated pose of an armature, frame by frame, as the engine's motion file.

Joints are the bones, in their own rest pose. The motion of the object is added to the bones without
a parent, so that the engine gets the figure in world space, Z up.
"""

import io
import json
from dataclasses import dataclass, field, replace

import numpy as np

from .actions import Animated, animation_of
from .declared import LABELS
from .rig import keyed_bones, rig_of

# A bone whose place or scale changes less than this has none of its own: armature units, factor.
_MOVES, _SCALES = 1e-5, 1e-5
# The same for a body that controls move: what stretches a little is for its mesh alone.
_MOVES_OF_CONTROLS, _SCALES_OF_CONTROLS = 2e-3, 0.02


@dataclass(eq=False)
class Capture:
    """Captured data of an armature."""

    names: list
    parents: list
    """Bones, parents first, and the place of each one's parent (-1 for none)."""
    local: np.ndarray
    """Each bone relative to its parent; without a parent, to the world over the object's scale.
    Shape (F, J, 4, 4).
    """
    rest: np.ndarray
    """The same at rest, within the armature. Shape (J, 4, 4)."""
    world: np.ndarray
    """The object's own matrix, its scale taken out. Shape (F, 4, 4)."""
    lengths: np.ndarray
    """Of the bones. Shape (J,)."""
    first: int
    """The scene's first frame."""
    fps: float
    """Frames per second."""
    scale: float
    """Metres per unit of the armature."""
    size: float = 1.0
    """The object's own scale, which lengths are captured without."""
    rig: object = None
    """What is body and what is control."""
    rest_frames: tuple = ()
    """The frames of rest poses that stand before the motion."""
    controls: dict = field(default_factory=dict)
    """Poses of a control rig's keyed bones in the armature's space, (F, 4, 4) each; and of the
    parents whose axes their locations follow.
    """

    @property
    def last(self):
        """The scene's last frame."""
        return self.first + len(self.local) - 1

    def time(self, frame):
        """Return a scene frame's time in the motion, seconds."""
        return (frame - self.first) / self.fps

    def places(self, names, frame):
        """Return where joints are at a frame, by name, in the world over the object's scale."""
        out = {}
        for name in names:
            at = self.names.index(name)
            matrix = self.local[frame - self.first, at]
            while self.parents[at] >= 0:
                at = self.parents[at]
                matrix = self.local[frame - self.first, at] @ matrix
            out[name] = matrix[:3, 3]
        return out

    @property
    def words(self):
        """Return the entries of a request that make its answer use frames and our labels."""
        return {"in_frames": [self.first, self.fps], "labels": LABELS}

    def after_rest(self, count):
        """Return what was seen after some frames with rest poses."""
        controls = {n: m[count:] for n, m in self.controls.items()}
        return replace(
            self, local=self.local[count:], world=self.world[count:], first=self.first + count,
            controls=controls, rest_frames=tuple(range(self.first, self.first + count)),
        )  # fmt: skip

    def parts(self):
        """Return the header and the arrays of a motion file."""
        places, turns, sizes = decomposed(self.local)
        rest_places, rest_turns, _ = decomposed(self.rest)
        move, grow = self._own_channels(places - rest_places, sizes)
        leaves = set(range(len(self.names))) - set(self.parents)
        about = {
            "format": "retime-motion",
            "version": 1,
            "names": self.names,
            "file_names": self.names,
            "end_sites": [[j, 0.0, float(self.lengths[j]), 0.0, ""] for j in sorted(leaves)],
            "fps": self.fps,
            "start": 0.0,
            "units": [self.scale, "Z", "declared"],
            "translations": [self.names[j] for j in move],
            "scales": [self.names[j] for j in grow],
            "rest_pose": None,
            "roles": {},
            "notes": [],
        }
        count = len(self.local)
        arrays = {
            "parents": np.array(self.parents, dtype=np.int64),
            "offsets": rest_places,
            "rest_rotations": rest_turns,
            "rest_scales": np.ones((len(self.names), 3)),
            "rotations": continuous(turns),
            "translations": np.stack([places[:, j] for j in move]),
            "scales": np.stack([sizes[:, j] for j in grow]) if grow else np.zeros((0, count, 3)),
        }
        return about, arrays

    def _own_channels(self, moved, sizes):
        """List the joints that have a location of their own, and those that have a scale."""
        far, larger = _MOVES, _SCALES
        if self.rig is not None and self.rig.is_control:
            far, larger = _MOVES_OF_CONTROLS, _SCALES_OF_CONTROLS
        moves = np.abs(moved).max(axis=(0, 2)) > far
        moves |= np.array(self.parents) < 0
        grows = np.abs(sizes - 1).max(axis=(0, 2)) > larger
        return [int(j) for j in np.flatnonzero(moves)], [int(j) for j in np.flatnonzero(grows)]

    def write(self, path):
        """Write the motion file."""
        about, arrays = self.parts()
        text = json.dumps(about).encode()
        buffer = io.BytesIO()
        np.savez(buffer, about=np.frombuffer(text, dtype=np.uint8), **arrays)
        with open(path, "wb") as file:
            file.write(buffer.getvalue())


def captured(context, armature, first, last):
    """Look at an armature frame by frame: a generator that yields shares and returns a Capture.

    The scene's current frame is put back, also when it is closed early.
    """
    scene = context.scene
    rig = rig_of(armature, _keyed(armature))
    bones = [armature.data.bones[n] for n in rig.joints]
    rest_pose = np.array([np.array(b.matrix_local) for b in bones])
    rest = relative(rest_pose[None], rig.parents)[0]
    seen_bones = [*rig.joints, *(_controls(armature, rig) if rig.is_control else [])]
    order = [armature.pose.bones.find(n) for n in seen_bones]
    count = last - first + 1
    poses, world = np.empty((count, len(order), 4, 4)), np.empty((count, 4, 4))
    buffer = np.empty(16 * len(armature.pose.bones), dtype=np.float32)
    before, between = scene.frame_current, scene.frame_subframe
    try:
        for k in range(count):
            scene.frame_set(first + k)
            seen = armature.evaluated_get(context.evaluated_depsgraph_get())
            seen.pose.bones.foreach_get("matrix", buffer)
            poses[k] = buffer.reshape(-1, 4, 4).transpose(0, 2, 1)[order]
            world[k] = np.array(seen.matrix_world)
            yield (k + 1) / count
    finally:
        scene.frame_set(before, subframe=between)
    controls = dict(
        zip(seen_bones[len(bones) :], poses[:, len(bones) :].swapaxes(0, 1), strict=True)
    )
    places, turns, sizes = decomposed(world)
    scale = float(np.abs(sizes).mean()) or 1.0
    world = composed(places / scale, turns, np.ones_like(sizes))
    local = relative(poses[:, : len(bones)], rig.parents)
    for j, p in enumerate(rig.parents):
        if p < 0:
            local[:, j] = world @ local[:, j]
    render = scene.render
    unit = scene.unit_settings.scale_length * scale
    return Capture(
        rig.joints, rig.parents, local, rest, world, np.array([b.length for b in bones]), first,
        render.fps / render.fps_base, unit, scale, rig, (), controls,
    )  # fmt: skip


def _controls(armature, rig):
    """Name the keyed bones, and the parents of those whose location is not along their own axes."""
    bones = armature.data.bones
    above = {
        bones[n].parent.name
        for n in rig.keyed
        if bones[n].parent is not None and not bones[n].use_local_location
    }
    return sorted(rig.keyed | above)


def _keyed(armature):
    """Name the bones that an armature's action, or its strips, have keys for."""
    animated = animation_of(armature)
    if animated is not None:
        return keyed_bones(animated.curves)
    data, out = armature.animation_data, set()
    for track in data.nla_tracks if data is not None else ():
        for strip in track.strips:
            if strip.action is not None:
                slot = getattr(strip, "action_slot", None)
                out |= keyed_bones(Animated(armature, strip.action, slot).curves)
    return out


# ---- matrices


def inverted(matrices):
    """Invert matrices (..., 4, 4) of places, rotations and scales, by cofactors.

    That takes a thirtieth of the time of a general inverse.
    """
    a, b, c = (matrices[..., k, :3] for k in range(3))
    out = np.zeros_like(matrices, dtype=float)
    for k, (one, other) in enumerate(((b, c), (c, a), (a, b))):
        for i in range(3):
            m, n = (i + 1) % 3, (i + 2) % 3
            out[..., i, k] = one[..., m] * other[..., n] - one[..., n] * other[..., m]
    size = a[..., 0] * out[..., 0, 0] + a[..., 1] * out[..., 1, 0] + a[..., 2] * out[..., 2, 0]
    out[..., :3, :3] /= size[..., None, None]
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", out[..., :3, :3], matrices[..., :3, 3])
    out[..., 3, 3] = 1.0
    return out


def relative(poses, parents):
    """Bring matrices (F, J, 4, 4) in one space to each joint's parent."""
    out = poses.copy()
    inverse = inverted(poses)
    for j, p in enumerate(parents):
        if p >= 0:
            out[:, j] = inverse[:, p] @ poses[:, j]
    return out


def decomposed(matrices):
    """Take matrices (..., 4, 4) apart: places, rotations wxyz, scales."""
    places = matrices[..., :3, 3].copy()
    axes = matrices[..., :3, :3]
    sizes = np.linalg.norm(axes, axis=-2)
    sizes = np.where(np.linalg.det(axes)[..., None] < 0, -sizes, sizes)
    axes = axes / np.where(np.abs(sizes) > 1e-12, sizes, 1.0)[..., None, :]
    return places, _quaternions(_orthogonal(axes)), sizes


def _orthogonal(axes):
    """Take out shear, which unevenly scaled parents cause; what is orthogonal stays."""
    gram = axes.swapaxes(-1, -2) @ axes
    if np.abs(gram - np.eye(3)).max() < 1e-5:
        return axes
    u, _, v = np.linalg.svd(axes)
    return u @ v


def _quaternions(m):
    """Turn rotation matrices into quaternions, by the largest of the four numbers."""
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    squares = np.stack([trace, *(2 * m[..., i, i] - trace for i in range(3))], axis=-1)
    largest = squares.argmax(axis=-1)
    w = np.stack([1 + trace, m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0],
                  m[..., 1, 0] - m[..., 0, 1]], axis=-1)  # fmt: skip
    rows = [w]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        row = [None] * 4
        row[0] = m[..., k, j] - m[..., j, k]
        row[1 + i] = 1 + 2 * m[..., i, i] - trace
        row[1 + j] = m[..., i, j] + m[..., j, i]
        row[1 + k] = m[..., i, k] + m[..., k, i]
        rows.append(np.stack(row, axis=-1))
    q = np.take_along_axis(np.stack(rows, axis=-2), largest[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def continuous(q):
    """Choose signs (F, ..., 4) so that neighbours in time agree."""
    flips = np.einsum("f...i,f...i->f...", q[1:], q[:-1]) < 0
    sign = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * sign[..., None]])


def composed(places, q, sizes):
    """Put matrices (..., 4, 4) together."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    out = np.zeros((*q.shape[:-1], 4, 4))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2] = (
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w))  # fmt: skip
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2] = (
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w))  # fmt: skip
    out[..., 2, 0], out[..., 2, 1], out[..., 2, 2] = (
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))  # fmt: skip
    out[..., :3, :3] *= sizes[..., None, :]
    out[..., :3, 3] = places
    out[..., 3, 3] = 1.0
    return out
