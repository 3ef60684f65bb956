"""The figure as a tree of rigid bodies: a free root, and ball joints below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import Body
from retime.methods.physics.figure.segments import Solid, bone_scale
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, local_translations, positions

# Joints that rotate less than this, radians, are fixed to their parent.
_STILL = 1e-3
# Order of second moments among the inertial parameters: xx, xy, yy, xz, yz, zz.
_MOMENTS = ((0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2))

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Frame:
    """A placement in another frame: a rotation (3, 3), and a position (3,) in metres."""

    turn: FloatArray
    place: FloatArray

    def __matmul__(self, inner: Frame) -> Frame:
        """Return the placement of a frame that is placed in this one."""
        return Frame(self.turn @ inner.turn, self.place + self.turn @ inner.place)

    def inertia(self, solid: Solid) -> FloatArray:
        """Return the inertial parameters (10,) of a solid of this frame in the outer one."""
        centre = self.place + self.turn @ solid.centre
        about_centre = self.turn @ solid.inertia @ self.turn.T
        moments = about_centre + solid.mass * (
            centre @ centre * np.eye(3) - np.outer(centre, centre)
        )
        return np.asarray(np.r_[solid.mass, solid.mass * centre, moments[_MOMENTS]])


_HERE = Frame(np.eye(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of rigid bodies."""

    names: tuple[str, ...]
    """The skeleton's joints."""
    moving: tuple[int, ...]
    """The skeleton's joints that turn, the root first. Others are fixed to the one above."""
    parents: Index
    """Index of each moving joint's parent among them, -1 for the root. Shape (J,)."""
    rest: tuple[Frame, ...]
    """Placement of each moving joint in its parent, before it turns."""
    places: Mapping[int, tuple[int, Frame]]
    """The moving joint that each of the skeleton's joints is fixed to, and its placement there."""
    bodies: tuple[str, ...]
    """Names of the joints that have mass, in the order of ``inertias``."""
    owners: Index
    """Index of the moving joint of each body. Shape (B,)."""
    inertias: FloatArray
    """Inertial parameters of each body in the frame of its moving joint: mass, first moments, and
    second moments about the origin (xx, xy, yy, xz, yz, zz). Shape (B, 10).
    """

    @property
    def dofs(self) -> int:
        """Degrees of freedom: six for the root, three a joint."""
        return 3 + 3 * len(self.moving)

    def placed(self, name: str, solid: Solid) -> tuple[int, FloatArray]:
        """Return the moving joint that carries a solid, and the inertia (10,) in its frame."""
        owner, frame = self.places[self.names.index(name)]
        return owner, frame.inertia(solid)

    def rows(self, name: str) -> slice | None:
        """Return the torques of one of the skeleton's joints; ``None`` if it does not turn."""
        joint = self.names.index(name)
        if joint not in self.moving:
            return None
        first = 3 + 3 * self.moving.index(joint)
        return slice(first if first > 3 else 0, first + 3)

    def joint_of(self, row: int) -> str:
        """Return the name of the joint that a row of the torques belongs to."""
        return self.names[self.moving[max(row // 3 - 1, 0)]]


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


def make_figure(motion: Motion, body: Body, solids: Mapping[str, Solid]) -> Figure:
    """Build the rigid bodies of the figure in a motion; other trees of joints are left out.

    Fingers, parts of the head and still joints are fixed to the joint above them.
    """
    skeleton, root = motion.skeleton, base_joint(motion, body)
    ends = [body.roles[r] for r in ("left_hand", "right_hand", "head") if r in body.roles]
    arms = local_translations(motion).mean(axis=0) * bone_scale(motion)[: len(skeleton), None]
    moving, parents, rest = [root], [-1], [_HERE]
    places = {root: (0, _HERE)}
    for j in range(root + 1, len(skeleton)):  # parents come first
        above = skeleton.chain(j)[1:]
        if root not in above:
            continue
        parent, frame = places[above[0]]
        at = frame @ Frame(np.eye(3), arms[j])
        mean = quat.normalize(motion.rotations[:, j].mean(axis=0))
        still = quat.angle(mean, motion.rotations[:, j]).max() < _STILL
        if still or any(end in above for end in ends):
            places[j] = (parent, at @ Frame(quat.to_matrix(mean), np.zeros(3)))
            continue
        places[j] = (len(moving), _HERE)
        moving.append(j)
        parents.append(parent)
        rest.append(at)
    for foot, shin in _linked_feet(body):
        if foot not in places and shin in places:
            parent, frame = places[shin]
            places[foot] = (parent, frame @ _relative(motion, shin, foot))
    carried = {n: (*places[skeleton.index(n)], s) for n, s in solids.items()
               if skeleton.index(n) in places}  # fmt: skip
    return Figure(
        tuple(skeleton.names), tuple(moving), np.array(parents, np.int64), tuple(rest), places,
        tuple(carried), np.array([owner for owner, _, _ in carried.values()], np.int64),
        np.array([frame.inertia(solid) for _, frame, solid in carried.values()]).reshape(-1, 10),
    )  # fmt: skip


def _linked_feet(body: Body) -> list[tuple[int, int]]:
    """Return pairs of joints of a foot that is not parented to its shin, and the shin."""
    out = []
    for limb in body.limbs.values():
        if limb.linked:
            out += [(j, limb.lower) for j in (limb.end, limb.tip) if j is not None]
    return out


def _relative(motion: Motion, base: int, joint: int) -> Frame:
    """Return the placement of a joint in the frame of another, at the first frame."""
    turns, points = global_rotations(motion)[0], positions(motion)[0]
    back = quat.conjugate(turns[base])
    turn = quat.to_matrix(quat.multiply(back, turns[joint]))
    return Frame(turn, quat.rotate(back, points[joint] - points[base]))
