"""Full-body inverse kinematics: move hands, feet, head, elbows, knees and fingers to positions.

Every joint contributes according to its stiffness: limbs first, then clavicles and spine, then the
pelvis over planted feet. Planted joints stay in place, and knees and elbows bend as hinges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.contacts import find_contacts
from retime.body.model.body import Body, LimbName, find_body
from retime.body.solve.hinges import Hinge, bones, find_hinges, hinge_angle
from retime.motion import Motion, Units, quat
from retime.motion.contact import Contact
from retime.motion.kinematics import carriers, global_rotations, positions

Help = Literal["limb", "torso", "body"]
# Cost of a rotation by one radian, and largest rotation from the pose in degrees, for each part.
# Those of the trunk are shared by all of its joints.
_STIFFNESS: dict[str, tuple[float, float]] = {
    "hips": (3.0, 80.0),
    "trunk": (6.0, 130.0),
    "neck": (1.0, 45.0),
    "head": (1.0, 50.0),
    "shoulder": (5.0, 30.0),
    "upper_arm": (1.0, 150.0),
    "lower_arm": (1.0, 180.0),
    "hand": (1.5, 75.0),
    "upper_leg": (0.3, 120.0),
    "lower_leg": (0.3, 180.0),
    "foot": (0.3, 60.0),
    "toe": (2.0, 60.0),
}
_OTHER = (2.0, 80.0)
# Cost of moving the pelvis by a metre, and the largest distance in metres.
_MOVING, _FARTHEST = 10.0, 1.5
# Squared errors are divided by these: for target positions, planted joints, and the orientations of
# hands, feet and head.
_TARGET, _PLANTED, _TURNED = 1e-8, 1e-10, 0.5
_ROUNDS, _SETTLING, _LARGEST_STEP = 60, 8, 0.5
# A target closer than this, in metres, is met exactly in a last step, as planted joints are.
_NEARLY = 1e-3
# Radians or metres below which a variable is a rounding error.
_NO_TURN = 1e-13


@dataclass(frozen=True, eq=False)
class Posed:
    """A solved pose.

    Parameters
    ----------
    rotations : array (J, 4)
        Local rotations.
    move : array (3,)
        Translation of the whole figure, metres, Y up.
    missed : mapping of int to float
        Remaining distance of each target joint from its target, metres.
    slipped : float
        Largest distance that a planted joint moved, metres.
    rounds : int
        Iterations of the solver.
    """

    rotations: FloatArray
    move: FloatArray
    missed: Mapping[int, float]
    slipped: float
    rounds: int

    def file_move(self, units: Units) -> FloatArray:
        """Return the translation in a file's units and axes."""
        x, y, z = self.move / units.metres
        return np.array([x, -z, y] if units.up == "Z" else [x, y, z])


def pose_figure(
    motion: Motion,
    targets: Mapping[int, FloatArray],
    *,
    planted: Collection[int] = (),
    help: Help = "body",
    stiffness: Mapping[int, float] | None = None,
    source: Motion | None = None,
) -> Posed:
    """Move joints to target positions with the least change of pose.

    Parameters
    ----------
    motion : Motion
        Its first frame is the pose to start from.
    targets : mapping of int to array (3,)
        Target positions of joints, metres, Y up.
    planted : collection of int
        Joints that keep their position and orientation in space.
    help : {"limb", "torso", "body"}
        Joints that may rotate: those of the limb; also the clavicles and the spine; or also the
        pelvis and the legs, if something is planted.
    stiffness : mapping of int to float, optional
        Factors on the stiffness of joints; a joint with factor 2 contributes half as much.
    source : Motion, optional
        Clip from which the hinge axes of knees and elbows are found. Default: ``motion``.
    """
    body = find_body(motion)
    figure = _Figure.of(motion)
    free = _Variables.of(figure, body, targets, planted, help, stiffness or {}, source or motion)
    goals = _goals(figure, body, targets, planted, free.joint)
    given = (
        figure.parents, figure.below, figure.offsets, figure.rotations,
        free.joint, free.axis, free.weight, free.low, free.high,
    )  # fmt: skip
    q, rounds = _native.posing.solve_pose(
        *given, goals.joint, goals.is_turn, goals.wanted, goals.give, _ROUNDS, _LARGEST_STEP
    )

    def distances(places: FloatArray) -> dict[int, float]:
        """Return the distance of each target joint from its target."""
        return {j: float(np.linalg.norm(places[j] - p)) for j, p in targets.items()}

    near = [j for j, d in distances(figure.placed(free, q)[0]).items() if d < _NEARLY]
    exact = goals.planted | (np.isin(goals.joint, near) & ~goals.is_turn)
    if exact.any():
        q = _native.posing.settle_pose(
            *given, goals.joint[exact], goals.is_turn[exact], goals.wanted[exact], q,
            _SETTLING,
        )  # fmt: skip
    q[np.abs(q) < _NO_TURN] = 0.0
    places, turns, vectors = figure.placed(free, q)
    slips = [float(np.linalg.norm(places[j] - figure.places[j])) for j in planted]
    move = (q[free.joint < 0, None] * free.axis[free.joint < 0]).sum(axis=0)
    return Posed(
        _local(motion, figure, turns, vectors),
        move,
        distances(places),
        max(slips, default=0.0),
        rounds,
    )


def planted_joints(
    motion: Motion,
    contacts: Iterable[Contact] | None,
    at: Mapping[str, float],
    targets: Collection[int] = (),
) -> tuple[int, ...]:
    """Return the joints that stay in place while others move: feet, and hands that hold something.

    Parameters
    ----------
    motion : Motion
        The clip.
    contacts : iterable of Contact, optional
        Known contacts. Default: detected.
    at : mapping of str to float
        Time of the pose in the clip, for each joint.
    targets : collection of int
        Joints with targets; their limbs are not planted.
    """
    body = find_body(motion)
    moving = {body.limb_of(j) for j in targets} | {_limb_with(body, j) for j in targets}
    out: set[int] = set()
    for contact in find_contacts(motion).contacts if contacts is None else contacts:
        if contact.start <= at[contact.joint] <= contact.end and contact.confidence >= 0.5:
            joint = motion.skeleton.index(contact.joint)
            name = body.limb_of(joint)
            if name is None:
                out |= {joint} - set(targets)
            elif name not in moving:
                limb = body.limbs[name]
                out.update(j for j in (limb.end, limb.tip) if j is not None)
    return tuple(sorted(out))


def _limb_with(body: Body, joint: int) -> LimbName | None:
    """Return the limb of a hip, knee, shoulder or elbow."""
    found = (name for name, limb in body.limbs.items() if joint in (limb.upper, limb.lower))
    return next(found, None)


@dataclass(frozen=True, eq=False)
class _Figure:
    """A pose in metres, Y up: positions and orientations of joints, and bones between them."""

    parents: npt.NDArray[np.int64]
    below: npt.NDArray[np.bool_]
    offsets: FloatArray
    rotations: FloatArray
    places: FloatArray
    turns: FloatArray
    parts: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, motion: Motion) -> _Figure:
        places, turns = positions(motion)[0], global_rotations(motion)[0]
        parents = np.asarray(motion.skeleton.parents, dtype=np.int64)
        roots = parents < 0
        back = quat.conjugate(turns[parents])
        back[roots] = [1.0, 0.0, 0.0, 0.0]
        # Scales and translation tracks are part of the positions, and so of the bones.
        offsets = np.where(roots[:, None], places, quat.rotate(back, places - places[parents]))
        below = np.eye(len(parents), dtype=bool)
        for j, p in enumerate(parents):
            if p >= 0:
                below[:, j] |= below[:, p]
        return cls(parents, below, offsets, quat.multiply(back, turns), places, turns)

    def placed(self, free: _Variables, q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions, orientations and rotation vectors of the joints at variables (n,)."""
        return _native.posing.forward_pose(
            self.parents, self.offsets, self.rotations, free.joint, free.axis, q
        )

    def above(self, joint: int) -> set[int]:
        """Return a joint and its ancestors."""
        return set(np.flatnonzero(self.below[:, joint]).tolist())


# A variable: its joint (-1 for the whole figure), axis, stiffness, and bounds.
_Row = tuple[int, FloatArray, float, float, float]


def _local(motion: Motion, figure: _Figure, turns: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return local rotations in the file's axes; joints that did not turn keep theirs exactly."""
    out: FloatArray = motion.rotations[0].copy()
    turned = vectors.any(axis=1)
    own = quat.multiply(quat.exp(vectors), figure.rotations)
    if motion.units.up == "Z":
        up = quat.from_axis_angle([1, 0, 0], np.pi / 2)
        roots = figure.parents < 0
        own[roots] = quat.multiply(up, own[roots])
    sign = np.where((own * out).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    out[turned] = quat.normalize(sign * own)[turned]
    return out


@dataclass(frozen=True, eq=False)
class _Variables:
    """Joints that may rotate, with axes, stiffness and limits."""

    joint: npt.NDArray[np.int64]
    axis: FloatArray
    weight: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(
        cls,
        figure: _Figure,
        body: Body,
        targets: Mapping[int, FloatArray],
        planted: Collection[int],
        help: Help,
        stiffness: Mapping[int, float],
        source: Motion,
    ) -> _Variables:
        hinges = find_hinges(source)
        rows: list[_Row] = []
        for j in _free_joints(figure, body, targets, planted, help):
            weight, most = _stiffness_of(figure, body, j)
            weight *= stiffness.get(j, 1.0)
            if j in hinges:
                rows.append((j, *_hinge_limits(figure, hinges[j], j, weight)))
            else:
                turn = np.radians(most)
                rows += [(j, axis, weight, -turn, turn) for axis in np.eye(3)]
        if help == "body" and planted:
            rows += [(-1, axis, _MOVING, -_FARTHEST, _FARTHEST) for axis in np.eye(3)]
        joint, axes, weights, lows, highs = zip(*rows, strict=True) if rows else ((),) * 5
        return cls(
            np.array(joint, dtype=np.int64),
            np.array(axes, dtype=float).reshape(-1, 3),
            np.array(weights, dtype=float),
            np.array(lows, dtype=float),
            np.array(highs, dtype=float),
        )


def _hinge_limits(
    figure: _Figure, hinge: Hinge, joint: int, weight: float
) -> tuple[FloatArray, float, float, float]:
    """Return the axis of a knee or an elbow, its stiffness, and how far it may still turn."""
    parent = int(figure.parents[joint])
    axis = hinge.axis_in(figure.places, figure.turns, parent)
    upper, lower = bones(figure.places, hinge.limb)
    now = float(hinge_angle(upper, lower, quat.rotate(figure.turns[parent], axis)))
    return axis, weight, min(hinge.low - now, 0.0), max(hinge.high - now, 0.0)


def _free_joints(
    figure: _Figure,
    body: Body,
    targets: Mapping[int, FloatArray],
    planted: Collection[int],
    help: Help,
) -> list[int]:
    """Return the joints that may turn: those above targets and above planted joints."""
    skeleton, hips = body.skeleton, body.roles.get("hips", body.skeleton.roots[0])
    # Turning a target does not move it, so only parts that keep their orientation may turn.
    never = {j for j in targets if _part(figure, body, j) not in _KEEP_TURN}
    never |= set(carriers(skeleton)) - {hips}
    ends = list(targets)
    if help == "body" and planted:
        ends += planted
    else:
        never |= figure.above(hips)
    if help != "limb":
        ends += _watching(body, targets)
    above = set[int]().union(*map(figure.above, ends))
    if help == "limb":
        never |= {j for j in above if _part(figure, body, j) in ("trunk", "shoulder")}
    return sorted(above - never)


def _watching(body: Body, targets: Mapping[int, FloatArray]) -> list[int]:
    """Return the head if no target moves it: it keeps its orientation."""
    head = body.roles.get("head")
    return (
        [] if head is None or not targets.keys().isdisjoint(body.skeleton.chain(head)) else [head]
    )


# Parts that keep their orientation in space as far as possible when they are moved.
_KEEP_TURN = ("hand", "foot", "head")


def _part(figure: _Figure, body: Body, joint: int) -> str:
    """Return the part whose stiffness a joint has: a role without its side, "trunk", or ""."""
    if not figure.parts:
        figure.parts.update(_parts(figure, body))
    return figure.parts[joint]


def _parts(figure: _Figure, body: Body) -> dict[int, str]:
    out = dict.fromkeys(range(len(figure.parents)), "")
    hips = body.roles.get("hips")
    heads = [body.roles[r] for r in ("neck", "head") if r in body.roles]
    if hips is not None and heads:
        between = np.flatnonzero(figure.below[hips] & figure.below[:, heads[0]])
        out |= dict.fromkeys(between.tolist(), "trunk")
    for role, joint in reversed([*body.roles.items()]):  # the first role of a joint counts
        part = role.removeprefix("left_").removeprefix("right_")
        out[joint] = "trunk" if part in ("spine", "chest", "upper_chest") else part
    return out


def _stiffness_of(figure: _Figure, body: Body, joint: int) -> tuple[float, float]:
    part = _part(figure, body, joint)
    weight, most = _STIFFNESS.get(part, _OTHER)
    if part == "trunk":
        # A bend of the spine costs the same for any number of joints.
        count = sum(_part(figure, body, j) == "trunk" for j in range(len(figure.parents)))
        return weight * count, min(most / count, 60.0)
    return weight, most


@dataclass(frozen=True, eq=False)
class _Goals:
    """Wanted positions and orientations of joints."""

    joint: npt.NDArray[np.int64]
    is_turn: npt.NDArray[np.bool_]
    wanted: FloatArray
    give: FloatArray
    planted: npt.NDArray[np.bool_]


def _goals(
    figure: _Figure,
    body: Body,
    targets: Mapping[int, FloatArray],
    planted: Collection[int],
    variables: npt.NDArray[np.int64],
) -> _Goals:
    rows: list[tuple[int, bool, FloatArray, float, bool]] = []
    for j, place in targets.items():
        rows.append((j, False, np.r_[place, 0.0], _TARGET, False))
        if j in variables and _part(figure, body, j) in _KEEP_TURN:
            rows.append((j, True, figure.turns[j], _TURNED, False))
    for head in _watching(body, targets):
        if head in variables:
            rows.append((head, True, figure.turns[head], _TURNED, False))
    whole = (variables < 0).any()
    for j in (p for p in planted if whole or figure.below[variables, p].any()):
        if int(figure.parents[j]) not in planted:  # a toe's position follows from its foot
            rows.append((j, False, np.r_[figure.places[j], 0.0], _PLANTED, True))
        rows.append((j, True, figure.turns[j], _PLANTED, True))
    joint, turn, wanted, give, is_planted = zip(*rows, strict=True) if rows else ((),) * 5
    return _Goals(
        np.array(joint, dtype=np.int64),
        np.array(turn, dtype=bool),
        np.array(wanted, dtype=float).reshape(-1, 4),
        np.repeat(np.array(give, dtype=float), 3),
        np.array(is_planted, dtype=bool),
    )
