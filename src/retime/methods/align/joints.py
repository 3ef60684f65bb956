"""Recordings to follow: joint positions and the names of the joints."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.body import ROLES, find_body
from retime.errors import InputError, did_you_mean
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.notes import Note, Remedy
from retime.one_line import one_line
from retime.sentences import Moment

# The joints of section 4, in its order: head, centre hip, right and left hip, middle and upper
# chest, left and right shoulder, elbow and wrist, left and right knee and ankle.
PAPER_JOINTS: tuple[str, ...] = (
    *("head", "hips", "right_upper_leg", "left_upper_leg", "chest", "upper_chest"),
    *("left_upper_arm", "right_upper_arm", "left_lower_arm", "right_lower_arm"),
    *("left_hand", "right_hand", "left_lower_leg", "right_lower_leg", "left_foot", "right_foot"),
)
# Bones between them, from the hips outwards, by which two bodies are brought to one build.
_BONES: tuple[tuple[str, str], ...] = (
    *(("hips", "right_upper_leg"), ("hips", "left_upper_leg"), ("hips", "chest")),
    *(("chest", "upper_chest"), ("upper_chest", "head")),
    *(("upper_chest", "left_upper_arm"), ("upper_chest", "right_upper_arm")),
    *(("left_upper_arm", "left_lower_arm"), ("right_upper_arm", "right_lower_arm")),
    *(("left_lower_arm", "left_hand"), ("right_lower_arm", "right_hand")),
    *(("left_upper_leg", "left_lower_leg"), ("right_upper_leg", "right_lower_leg")),
    *(("left_lower_leg", "left_foot"), ("right_lower_leg", "right_foot")),
)
# Where a skeleton has fewer joints in its trunk, a neighbour stands in.
_STAND_INS = {"chest": ("spine",), "upper_chest": ("neck", "chest", "spine"), "head": ("neck",)}
_LEAST_FRAMES = 10


@one_line()
@dataclass(frozen=True, eq=False)
class Recording(ReadOnlyArrays):
    """Joint positions over time, as an aligner follows them.

    Parameters
    ----------
    times : array (N,)
        Seconds, rising.
    points : array (N, J, 3)
        Positions in metres, Y up.
    joints : tuple of str
        The role of each joint; names that are not roles are followed too, but tell no size.
    """

    times: FloatArray
    points: FloatArray
    joints: tuple[str, ...]

    def __post_init__(self) -> None:
        points = read_only(
            self.points, (None, None, 3), "positions of a recording", may_be_nan=True
        )
        times = read_only(self.times, (len(points),), "times of a recording")
        if len(times) < _LEAST_FRAMES:
            raise InputError(
                f"a recording of {len(times)} frames is too short to follow; at least "
                f"{_LEAST_FRAMES} are needed"
            )
        if not points.shape[1]:
            raise InputError("a recording needs at least one joint")
        if points.shape[1] != len(self.joints):
            raise InputError(f"{points.shape[1]} joints, but {len(self.joints)} names for them")
        if len(set(self.joints)) != len(self.joints):
            raise InputError("each joint of a recording needs a name of its own")
        if not (np.diff(times) > 0).all():
            raise InputError("the times of a recording must rise from one to the next")
        known = (np.abs(points) < 1e6).all(axis=-1)
        if not known.all():
            frame, joint = np.argwhere(~known)[0]
            raise InputError(
                "the recording has no position for {joint} at {time}; fill gaps before following "
                "it, or leave the joint out; positions are metres",
                joint=self.joints[joint],
                time=Moment(float(times[frame])),
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "points", points)

    @property
    def start(self) -> float:
        """Time of its first frame."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """Time of its last frame."""
        return float(self.times[-1])

    @property
    def bones(self) -> npt.NDArray[np.int64]:
        """Pairs (B, 2) of joints that a bone joins."""
        at = {name: j for j, name in enumerate(self.joints)}
        pairs = [(at[a], at[b]) for a, b in _BONES if a in at and b in at]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def only(self, joints: Sequence[str]) -> Recording:
        """Return a recording of some of the joints."""
        missing = [j for j in joints if j not in self.joints]
        if missing:
            raise InputError(
                f"the recording has no joint {missing[0]!r}{did_you_mean(missing[0], self.joints)}"
            )
        kept = [self.joints.index(j) for j in joints]
        return Recording(self.times, self.points[:, kept], tuple(joints))

    def at(self, time: npt.ArrayLike) -> FloatArray:
        """Return positions (..., J, 3) at times, held beyond the ends."""
        t = np.clip(np.asarray(time, float), self.start, self.end)
        i = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        share = ((t - self.times[i]) / (self.times[i + 1] - self.times[i]))[..., None, None]
        out: FloatArray = (1 - share) * self.points[i] + share * self.points[i + 1]
        return out


def record(
    reference: Motion | npt.ArrayLike | Recording,
    *,
    times: npt.ArrayLike | None = None,
    joints: Sequence[str] | None = None,
) -> Recording:
    """Make a recording from a motion or from joint positions.

    Parameters
    ----------
    reference : Motion, Recording or array (N, J, 3)
        What is followed; an array is positions in metres, Y up.
    times : array (N,), optional
        With an array: its times in seconds.
    joints : sequence of str, optional
        Which roles to follow. Default: the 16 joints of the paper. With an array: the name of
        each of its joints.
    """
    if isinstance(reference, Recording):
        if times is not None:
            raise InputError("a recording has its own times")
        return reference if joints is None else reference.only(joints)
    if not isinstance(reference, Motion):
        return _of_positions(reference, times, joints)
    if times is not None:
        raise InputError("a motion has its own times; times= goes with positions")
    wanted = tuple(dict.fromkeys(joints)) if joints is not None else PAPER_JOINTS
    points, found = tracked_points(reference, wanted)
    if joints is not None and len(found) < len(wanted):
        missing = ", ".join(r for r in wanted if r not in found)
        remedy = Remedy("name it by a map", parameter="reading.roles")
        raise InputError(
            Note(f"the recording has no joint for {missing}", remedy, code="no-such-role")
        )
    return Recording(reference.times, points, found)


def _of_positions(
    positions: npt.ArrayLike, times: npt.ArrayLike | None, joints: Sequence[str] | None
) -> Recording:
    try:
        points = np.asarray(positions, float)
    except (TypeError, ValueError):
        raise InputError(
            f"a recording is a motion, or positions (N, J, 3), not {type(positions).__name__}; "
            "read a file first"
        ) from None
    if points.ndim != 3:
        raise InputError(f"a recording is a motion, or positions (N, J, 3), not {points.shape}")
    if times is None:
        raise InputError("positions need their times (N,) in seconds")
    if joints is None and points.shape[1] != len(PAPER_JOINTS):
        raise InputError(
            f"{points.shape[1]} joints without names; say which they are with joints=, or give "
            f"the {len(PAPER_JOINTS)} of the paper in its order: {', '.join(PAPER_JOINTS)}"
        )
    named = PAPER_JOINTS if joints is None else tuple(map(str, joints))
    return Recording(np.asarray(times), points, named)


def stand_ins(present: Mapping[str, Hashable], wanted: Sequence[str]) -> dict[str, str]:
    """Return the role used for each requested one: itself, or a neighbour in the trunk.

    ``present`` are the joints of a figure by role; if two roles have one joint, it is used for one
    of them only. ``wanted`` roles without a joint are left out.
    """
    found: dict[str, str] = {}
    taken: set[Hashable] = set()
    for role in wanted:
        for name in (role, *_STAND_INS.get(role, ())):
            free = name in present and present[name] not in taken
            if free and name not in set(wanted) - {role}:
                found[role] = name
                taken.add(present[name])
                break
    return found


def tracked_points(motion: Motion, roles: Sequence[str]) -> tuple[FloatArray, tuple[str, ...]]:
    """Return positions (F, J, 3) in metres of the roles that a motion has, and these roles.

    Parameters
    ----------
    motion : Motion
        The motion.
    roles : sequence of str
        Roles that are wanted, in order.
    """
    for role in roles:
        if role not in ROLES:
            raise InputError(f"no role {role!r}{did_you_mean(role, ROLES)}")
    body = find_body(motion)
    found = {role: body.roles[name] for role, name in stand_ins(body.roles, roles).items()}
    if not found:
        raise InputError(
            Note(
                "the figures have no joint in common to follow: the motion has "
                f"{', '.join(body.roles) or 'no role at all'}, and what is followed is "
                f"{', '.join(roles)}",
                Remedy("name its joints by a map", parameter="reading.roles"),
                code="no-joint-in-common",
            )
        )
    return positions(motion)[:, list(found.values())], tuple(found)
