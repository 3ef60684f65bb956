"""Rigid-body model of a motion: Pinocchio's model of the figure, the path and derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body
from retime.errors import InputError, MissingDependencyError
from retime.methods.physics.segments import Solid, bone_scale
from retime.motion import Motion, quat
from retime.motion.edits import apply
from retime.motion.kinematics import global_rotations, local_translations, positions
from retime.numeric import Spline, low_pass
from retime.timing import TimeWarp

# Joints that rotate less than this, radians, are fixed to their parent.
_STILL = 1e-3
# Highest frame rate that is useful below the filter's cutoff.
_MOST_FPS = 120.0
_LEAST_FRAMES = 8
# Extension of the clip beyond its ends for the filter, seconds.
_PAD_SECONDS = 0.5


def load_pinocchio() -> Any:
    """Import Pinocchio, or raise an error with the install command."""
    try:
        import pinocchio
    except ImportError:
        raise MissingDependencyError("physics-based retiming", "physics") from None
    return pinocchio


def even_motion(motion: Motion) -> Motion:
    """Return a motion at equal intervals, at most 120 frames per second, with the same ends."""
    if len(motion) < _LEAST_FRAMES:
        raise InputError(
            f"a clip of {len(motion)} frames is too short to measure accelerations; at least "
            f"{_LEAST_FRAMES} are needed"
        )
    start, end = motion.domain
    steps = round((end - start) * min(motion.rate, _MOST_FPS))
    if motion.sample_times is None and motion.rate <= _MOST_FPS * (1 + 1e-9):
        return motion
    times = np.linspace(start, end, max(steps, _LEAST_FRAMES) + 1)
    return apply(motion, TimeWarp.identity(start, end), times=times)


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure as a Pinocchio model."""

    model: Any
    """A free root and a spherical joint for every joint that turns."""
    moving: tuple[int, ...]
    """The skeleton's joints that have a joint of their own there, the root first."""
    places: dict[int, tuple[int, Any]]
    """Where each of the skeleton's joints is: on which of the model's joints, and how placed."""
    bodies: tuple[str, ...]
    """Names of the joints that have mass, in the order of ``inertias``."""
    owners: Any
    """The model's joint that each body moves with. Shape (B,)."""
    inertias: FloatArray
    """Inertial parameters of each body in that joint's frame: mass, first moments, and second
    moments about the frame's origin (xx, xy, yy, xz, yz, zz). Shape (B, 10).
    """
    names: tuple[str, ...]
    """The skeleton's joints."""

    @cached_property
    def data(self) -> Any:
        """Pinocchio's working memory, which grows with the cube of the degrees of freedom."""
        return self.model.createData()

    @cached_property
    def parents(self) -> Any:
        """The parent of each of the model's joints (J,), the root's -1."""
        return np.array(list(self.model.parents)[1:], dtype=np.int64) - 1

    @cached_property
    def tree(self) -> tuple[Any, ...]:
        """Placements, masses, centres and inertias (about the centres) of the model's joints."""
        joints = range(1, self.model.njoints)
        rest = [self.model.jointPlacements[j] for j in joints]
        solids = [self.model.inertias[j] for j in joints]
        return (
            np.array([x.rotation for x in rest]),
            np.array([x.translation for x in rest]),
            np.array([i.mass for i in solids]),
            np.array([i.lever for i in solids]),
            np.array([i.inertia for i in solids]),
        )

    @property
    def dofs(self) -> int:
        """Degrees of freedom: six for the root, three a joint."""
        return int(self.model.nv)

    def placed(self, name: str, solid: Solid) -> tuple[int, FloatArray]:
        """Return the model's joint that carries a solid, and the inertia (10,) in its frame."""
        owner, frame = self.places[self.names.index(name)]
        pin = load_pinocchio()
        inertia = frame.act(pin.Inertia(solid.mass, solid.centre, solid.inertia))
        return owner, np.asarray(inertia.toDynamicParameters())

    def rows(self, name: str, skeleton: Any) -> slice | None:
        """Return the torques of a skeleton's joint; ``None`` if it has none of its own."""
        j = skeleton.index(name)
        if j not in self.moving:
            return None
        first = int(self.model.joints[self.places[j][0]].idx_v)
        return slice(first, first + (6 if j == self.moving[0] else 3))


@dataclass(frozen=True, eq=False)
class Path:
    """A motion's configurations and their derivatives by source time, (F, nq), (F, nv) each."""

    q: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    def local_frames(self, figure: Figure) -> tuple[FloatArray, FloatArray]:
        """Return each joint's rotation (F, J, 3, 3) and position (F, J, 3) in its parent."""
        rest, arms, *_ = figure.tree
        quaternions = np.empty((len(self.q), len(rest), 4))
        quaternions[:, 0] = self.q[:, [6, 3, 4, 5]]
        tail = self.q[:, 7:].reshape(len(self.q), -1, 4)
        quaternions[:, 1:] = tail[..., [3, 0, 1, 2]]
        turns = rest @ quat.to_matrix(quaternions)
        places = np.broadcast_to(arms, (len(self.q), *arms.shape)).copy()
        places[:, 0] = self.q[:, :3]
        return turns, places

    def world_frames(self, figure: Figure) -> tuple[FloatArray, FloatArray]:
        """Return each joint's rotation (F, J, 3, 3) and position (F, J, 3) in the world."""
        turns, places = self.local_frames(figure)
        for j, p in enumerate(figure.parents):
            if p >= 0:
                places[:, j] = places[:, p] + np.einsum("fik,fk->fi", turns[:, p], places[:, j])
                turns[:, j] = turns[:, p] @ turns[:, j]
        return turns, places


def base_joint(motion: Motion, body: Body) -> int:
    """Return the joint that carries a figure: the hips; otherwise the root of its largest tree.

    Joints above it only place it, and other trees do not belong to the figure.
    """
    hips = body.roles.get("hips")
    if hips is not None and body.is_biped:
        return hips
    skeleton = motion.skeleton
    sizes = {r: sum(r in skeleton.chain(j) for j in range(len(skeleton))) for r in skeleton.roots}
    return max(sizes, key=lambda r: sizes[r])


def _linked_feet(body: Body) -> list[tuple[int, int]]:
    """Return pairs of joints of a foot that is not parented to its shin, and the shin."""
    out = []
    for limb in body.limbs.values():
        if limb.linked:
            out += [(j, limb.lower) for j in (limb.end, limb.tip) if j is not None]
    return out


def _relative(pin: Any, motion: Motion, base: int, joint: int) -> Any:
    """Return the placement of a joint in the frame of another, at the first frame."""
    turns, points = global_rotations(motion)[0], positions(motion)[0]
    back = quat.conjugate(turns[base])
    turn = quat.to_matrix(quat.multiply(back, turns[joint]))
    return pin.SE3(turn, quat.rotate(back, points[joint] - points[base]))


def make_figure(motion: Motion, body: Body, solids: dict[str, Solid]) -> Figure:
    """Build the rigid-body model of the body in a motion; other trees of joints are left out."""
    pin = load_pinocchio()
    skeleton = motion.skeleton
    model = pin.Model()
    places, moving = _add_joints(pin, model, motion, body)
    for j, shin in _linked_feet(body):
        if j not in places and shin in places:
            owner, frame = places[shin]
            places[j] = (owner, frame * _relative(pin, motion, shin, j))
    bodies, owners, inertias = [], [], []
    for name, solid in solids.items():
        j = skeleton.index(name)
        if j not in places:
            continue
        owner, frame = places[j]
        inertia = frame.act(pin.Inertia(solid.mass, solid.centre, solid.inertia))
        model.appendBodyToJoint(owner, inertia, pin.SE3.Identity())
        bodies.append(name)
        owners.append(owner)
        inertias.append(inertia.toDynamicParameters())
    return Figure(
        model, tuple(moving), places, tuple(bodies), np.array(owners), np.array(inertias),
        tuple(skeleton.names),
    )  # fmt: skip


def _add_joints(
    pin: Any, model: Any, motion: Motion, body: Body
) -> tuple[dict[int, tuple[int, Any]], list[int]]:
    """Add the joints that move to a model.

    Returns the model's joint and the placement in it of each joint, and the joints that move.
    Fingers, parts of the head and still joints are fixed to the joint above them.
    """
    skeleton, root = motion.skeleton, base_joint(motion, body)
    ends = [body.roles[r] for r in ("left_hand", "right_hand", "head") if r in body.roles]
    rest = local_translations(motion).mean(axis=0) * bone_scale(motion)[: len(skeleton), None]
    own = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), skeleton.names[root])
    places = {root: (own, pin.SE3.Identity())}
    moving = [root]
    for j in range(root + 1, len(skeleton)):  # parents come first
        chain = skeleton.chain(j)
        if root not in chain:
            continue
        parent, frame = places[chain[1]]
        at = frame * pin.SE3(np.eye(3), rest[j])
        mean = quat.normalize(motion.rotations[:, j].mean(axis=0))
        spread = quat.angle(mean, motion.rotations[:, j]).max()
        if spread < _STILL or any(end in chain[1:] for end in ends):
            places[j] = (parent, at * pin.SE3(quat.to_matrix(mean), np.zeros(3)))
        else:
            own = model.addJoint(parent, pin.JointModelSpherical(), at, skeleton.names[j])
            places[j] = (own, pin.SE3.Identity())
            moving.append(j)
    return places, moving


def filtered_path(figure: Figure, motion: Motion, cutoff: float | None) -> Path:
    """Return the path of a motion and its derivatives, after a low-pass filter without delay.

    Accelerations of unfiltered capture are noise. A Butterworth filter is run in both directions,
    with a cutoff in hertz.
    """
    rate = motion.rate
    times = np.arange(len(motion)) / rate

    def derivatives(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        curve = Spline.through(times, values, 5)
        return values, curve(times, derivative=1), curve(times, derivative=2)

    root = figure.moving[0]
    place = positions(motion)[:, root]
    count, model = len(motion), figure.model
    q = np.zeros((count, model.nq))
    velocity, acceleration = np.zeros((count, model.nv)), np.zeros((count, model.nv))
    for j in figure.moving:
        rotation = global_rotations(motion)[:, j] if j == root else motion.rotations[:, j]
        # The filter needs continuous signs.
        rotation = quat.normalize(_low_pass(quat.continuous(rotation), rate, cutoff))
        r, r1, r2 = derivatives(rotation)
        spin = 2 * quat.multiply(quat.conjugate(r), r1)[:, 1:]
        spin_change = 2 * quat.multiply(quat.conjugate(r), r2)[:, 1:]
        joint = model.joints[figure.places[j][0]]
        iq, iv = joint.idx_q, joint.idx_v
        if j == root:
            p, p1, p2 = derivatives(_low_pass(place, rate, cutoff))
            back = quat.conjugate(r)
            own = quat.rotate(back, p1)
            q[:, iq : iq + 3] = p
            velocity[:, iv : iv + 3] = own
            # The velocity of the root is in its rotating frame, hence - omega x v.
            acceleration[:, iv : iv + 3] = quat.rotate(back, p2) - np.cross(spin, own)
            iq, iv = iq + 3, iv + 3
        q[:, iq : iq + 4] = r[:, [1, 2, 3, 0]]
        velocity[:, iv : iv + 3] = spin
        acceleration[:, iv : iv + 3] = spin_change
    return Path(q, velocity, acceleration)


def _low_pass(values: FloatArray, rate: float, cutoff: float | None) -> FloatArray:
    if cutoff is None or cutoff >= 0.45 * rate:
        return np.asarray(values)
    pad = min(round(_PAD_SECONDS * rate), len(values) - 1)
    return low_pass(np.asarray(values), cutoff / rate, pad=pad)
