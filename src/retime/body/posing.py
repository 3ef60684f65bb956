"""Full-body posing: hands, feet, head, elbows, knees and fingers brought to places.

The whole body helps, each joint by its stiffness: limbs first, then clavicles and spine, then the
pelvis over planted feet. Planted joints stay, and knees and elbows bend as hinges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.body import Body, LimbName, find_body
from retime.body.contacts import find_contacts
from retime.body.hinges import bones, find_hinges, hinge_angle
from retime.motion import Motion, Units, quat
from retime.motion.contact import Contact
from retime.motion.kinematics import carriers, global_rotations, positions

__all__ = ["Help", "Posed", "planted_joints", "pose_figure"]

Help = Literal["limb", "torso", "body"]
# What a turn of one radian costs, by the part that turns, and how far it turns from the pose at
# most, degrees. The trunk's is for all of its joints together.
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
# What moving the pelvis by a metre costs, and how far it goes at most.
_MOVING, _FARTHEST = 10.0, 1.5
# Squares of misses count by the inverse of these: places asked for, places planted, and how hands,
# feet and the head are turned.
_ASKED, _PLANTED, _TURNED = 1e-8, 1e-10, 0.5
_ROUNDS, _SETTLING, _LARGEST_STEP = 60, 8, 0.5
# A target that is nearly met, metres, is met exactly in the end, as what is planted is.
_NEARLY = 1e-3
# Radians or metres below which a variable is rounding.
_NO_TURN = 1e-13


@dataclass(frozen=True, eq=False)
class Posed:
    """A pose that reaches.

    Parameters
    ----------
    rotations : array (J, 4)
        Local rotations.
    move : array (3,)
        How far the whole figure moved, metres, Y up.
    missed : mapping of int to float
        By target joint, how far it stays away, metres.
    slipped : float
        How far the worst planted joint moved, metres.
    rounds : int
        Rounds of the solver.
    """

    rotations: FloatArray
    move: FloatArray
    missed: Mapping[int, float]
    slipped: float
    rounds: int

    def file_move(self, units: Units) -> FloatArray:
        """Return the move in a file's units and axes."""
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
    """Bring joints to places with the least change of pose.

    Parameters
    ----------
    motion : Motion
        Its first frame is the pose to start from.
    targets : mapping of int to array (3,)
        Where joints shall be, metres, Y up.
    planted : collection of int
        Joints that keep their place and turn in space.
    help : {"limb", "torso", "body"}
        Joints that may rotate: those of the limb; also the clavicles and the spine; or also the
        pelvis and the legs, if something is planted.
    stiffness : mapping of int to float, optional
        Factors on the stiffness of joints; 2 lets a joint help half as much.
    source : Motion, optional
        The clip that shows how its hinges bend. Default: ``motion``.
    """
    from retime.body.posing_kernels import forward_pose, settle_pose, solve_pose

    body = find_body(motion)
    figure = _Figure.of(motion)
    names = _Variables.of(figure, body, targets, planted, help, stiffness or {}, source or motion)
    asked = _goals(figure, body, targets, planted, names.joint)
    fixed = figure.parents, figure.below, figure.offsets, figure.rotations
    turning = names.joint, names.axis, names.weight, names.low, names.high
    start = np.zeros(len(names.joint))
    q, rounds = solve_pose(
        *fixed, *turning, asked.joint, asked.is_turn, asked.wanted, asked.give, start, _ROUNDS,
        _LARGEST_STEP,
    )  # fmt: skip
    places, turns = np.empty_like(figure.places), np.empty_like(figure.turns)
    vectors = np.empty_like(places)

    def place() -> None:
        forward_pose(
            figure.parents, figure.offsets, figure.rotations, names.joint, names.axis, q, places,
            turns, vectors,
        )  # fmt: skip

    place()
    near = [j for j, p in targets.items() if np.linalg.norm(places[j] - p) < _NEARLY]
    exact = asked.planted | (np.isin(asked.joint, near) & ~asked.is_turn)
    if exact.any():
        q = settle_pose(
            *fixed, *turning, asked.joint[exact], asked.is_turn[exact], asked.wanted[exact], q,
            _SETTLING,
        )  # fmt: skip
    q[np.abs(q) < _NO_TURN] = 0.0
    place()
    missed = {j: float(np.linalg.norm(places[j] - p)) for j, p in targets.items()}
    slips = [float(np.linalg.norm(places[j] - figure.places[j])) for j in planted]
    move = (q[names.joint < 0, None] * names.axis[names.joint < 0]).sum(axis=0)
    return Posed(
        _local(motion, figure, turns, vectors), move, missed, max(slips, default=0.0), rounds
    )


def planted_joints(
    motion: Motion,
    contacts: Iterable[Contact] | None,
    at: Mapping[str, float],
    targets: Collection[int] = (),
) -> tuple[int, ...]:
    """List the joints that stand while others move: whole feet, and hands that hold something.

    Parameters
    ----------
    motion : Motion
        The clip.
    contacts : iterable of Contact, optional
        Its contacts, if they are known. Default: they are found.
    at : mapping of str to float
        By joint, the clip's time of the pose.
    targets : collection of int
        Joints that are led elsewhere: their limbs stand nowhere.
    """
    body = find_body(motion)
    busy = {body.limb_of(j) for j in targets} | {_limb_with(body, j) for j in targets}
    out: list[int] = []
    for contact in find_contacts(motion).contacts if contacts is None else contacts:
        j = motion.skeleton.index(contact.joint)
        if not contact.start <= at[contact.joint] <= contact.end or contact.confidence < 0.5:
            continue
        name = body.limb_of(j)
        if name is None:
            out += [] if j in targets else [j]
        elif name not in busy:
            limb = body.limbs[name]
            out += [limb.end, *([] if limb.tip is None else [limb.tip])]
    return tuple(sorted(set(out)))


def _limb_with(body: Body, joint: int) -> LimbName | None:
    """Return the limb whose knee or elbow a joint is."""
    found = (name for name, limb in body.limbs.items() if joint in (limb.upper, limb.lower))
    return next(found, None)


@dataclass(frozen=True, eq=False)
class _Figure:
    """A pose in metres, Y up: places, turns, and rigid bones between them."""

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
        # Scales and tracks of translations are in the places: bones are what lies between them.
        offsets = np.where(roots[:, None], places, quat.rotate(back, places - places[parents]))
        below = np.eye(len(parents), dtype=bool)
        for j, p in enumerate(parents):
            if p >= 0:
                below[:, j] |= below[:, p]
        return cls(parents, below, offsets, quat.multiply(back, turns), places, turns)


def _local(motion: Motion, figure: _Figure, turns: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return local rotations in the file's axes; what did not turn stays bit for bit."""
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
        rows: list[tuple[int, FloatArray, float, float, float]] = []
        free = _free_joints(figure, body, targets, planted, help)
        for j in free:
            weight, most = _stiffness_of(figure, body, j)
            weight *= stiffness.get(j, 1.0)
            hinge = hinges.get(j)
            if hinge is None:
                turn = np.radians(most)
                rows += [(j, axis, weight, -turn, turn) for axis in np.eye(3)]
                continue
            parent = int(figure.parents[j])
            axis = hinge.axis_in(figure.places, figure.turns, parent)
            upper, lower = bones(figure.places, hinge.limb)
            now = float(hinge_angle(upper, lower, quat.rotate(figure.turns[parent], axis)))
            low, high = min(hinge.low - now, 0.0), max(hinge.high - now, 0.0)
            rows.append((j, axis, weight, low, high))
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


def _free_joints(
    figure: _Figure,
    body: Body,
    targets: Mapping[int, FloatArray],
    planted: Collection[int],
    help: Help,
) -> list[int]:
    """List the joints that may turn: those above targets and above what is planted."""
    skeleton, hips = body.skeleton, body.roles.get("hips", body.skeleton.roots[0])
    never = set(carriers(skeleton)) - {hips}
    whole = help == "body" and bool(planted)
    ends = [*targets, *planted] if whole else [*targets]
    ends += [j for j in (_watching(body, targets),) if j is not None and help != "limb"]
    above = {int(j) for e in ends for j in np.flatnonzero(figure.below[:, e])}
    if not whole:
        never |= {int(j) for j in np.flatnonzero(figure.below[:, hips])}
    if help == "limb":
        never |= {j for j in above if _part(figure, body, j) in ("trunk", "shoulder")}
    # A target's own turn moves nothing that is asked for, unless its turn is.
    never |= {j for j in targets if _part(figure, body, j) not in _KEEP_TURN}
    return sorted(above - never)


def _watching(body: Body, targets: Mapping[int, FloatArray]) -> int | None:
    """Return the head where nothing of it is requested: it goes on looking where it looked."""
    head = body.roles.get("head")
    above = body.skeleton.chain(head) if head is not None else []
    return None if head is None or any(j in above for j in targets) else head


# Parts that stay turned in space as they were, as far as they can, when they are brought somewhere.
_KEEP_TURN = ("hand", "foot", "head")


def _part(figure: _Figure, body: Body, joint: int) -> str:
    """Return what a joint is to stiffness: a role without its side, the trunk, or nothing."""
    if not figure.parts:
        figure.parts.update({j: _named(figure, body, j) for j in range(len(figure.parents))})
    return figure.parts[joint]


def _named(figure: _Figure, body: Body, joint: int) -> str:
    for role, j in body.roles.items():
        if j == joint:
            part = role.removeprefix("left_").removeprefix("right_")
            return "trunk" if part in ("spine", "chest", "upper_chest") else part
    hips = body.roles.get("hips")
    heads = [body.roles[r] for r in ("neck", "head") if r in body.roles]
    if hips is not None and heads and figure.below[hips, joint] and figure.below[joint, heads[0]]:
        return "trunk"
    return ""


def _stiffness_of(figure: _Figure, body: Body, joint: int) -> tuple[float, float]:
    part = _part(figure, body, joint)
    weight, most = _STIFFNESS.get(part, _OTHER)
    if part == "trunk":
        # Shared evenly, a bend costs the same however many joints a file's spine has.
        count = sum(_part(figure, body, j) == "trunk" for j in range(len(figure.parents)))
        return weight * count, min(most / count, 60.0)
    return weight, most


@dataclass(frozen=True, eq=False)
class _Goals:
    """Where joints shall be and how they shall be turned."""

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
        rows.append((j, False, np.r_[place, 0.0], _ASKED, False))
        if j in variables and _part(figure, body, j) in _KEEP_TURN:
            rows.append((j, True, figure.turns[j], _TURNED, False))
    head = _watching(body, targets)
    if head is not None and head in variables:
        rows.append((head, True, figure.turns[head], _TURNED, False))
    for j in planted:
        if figure.below[variables[variables >= 0], j].any() or (variables < 0).any():
            if int(figure.parents[j]) not in planted:  # a toe's place follows from its foot's turn
                rows.append((j, False, np.r_[figure.places[j], 0.0], _PLANTED, True))
            rows.append((j, True, figure.turns[j], _PLANTED, True))
    joint, turn, wanted, give, stands = zip(*rows, strict=True) if rows else ((),) * 5
    return _Goals(
        np.array(joint, dtype=np.int64),
        np.array(turn, dtype=bool),
        np.array(wanted, dtype=float).reshape(-1, 4),
        np.repeat(np.array(give, dtype=float), 3),
        np.array(stands, dtype=bool),
    )
