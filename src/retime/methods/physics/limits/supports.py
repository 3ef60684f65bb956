"""Supports of a figure: points that touch the ground or something else, per frame."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body import Body
from retime.body.contacts import find_contacts
from retime.errors import InputError
from retime.methods.physics.figure.dynamics import Dynamics
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import positions

# Half the width of a foot, and the extent of the heel backwards and the tip forwards, metres.
_HALF_WIDTH, _HEEL, _TIP = 0.045, 0.04, 0.03
# Distance of the sole below the end of the toe, metres.
_SOLE = 0.015
# Least height above the lowest point of hands that hold on to a support, metres.
_GRIP_HEIGHT = 0.3

# Frames whose maps are computed at once: half a minute, 0.1 GB.
BLOCK = 4096

# Part of the foot, heel or ball, of each of its points.
_PARTS = {"heel": 0, "ball": 1, "toes": 1}

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Foot:
    """Positions of the parts of a foot, (F, 3) each in metres, and their joints."""

    heel: FloatArray
    ball: FloatArray
    tip: FloatArray
    ankle_joint: int
    toe_joint: int


@dataclass(frozen=True, eq=False)
class Other:
    """A joint in contact that is not part of a foot.

    Parameters
    ----------
    joint : int
        Index in the skeleton.
    place, ahead : array (F, 3)
        Position in metres, and direction that the figure faces.
    when, holds_on : array (F,) of bool
        Frames in which it is in contact, and in which it can pull.
    """

    joint: int
    place: FloatArray
    ahead: FloatArray
    when: Mask
    holds_on: Mask


@dataclass(frozen=True, eq=False)
class Supports:
    """Parts in contact in each frame."""

    feet: tuple[Foot, ...]
    """Left and right foot, if present."""
    down: Mask
    """Whether each foot's heel and ball are down. Shape (F, feet, 2)."""
    ground: FloatArray
    """Height of the ground under each foot, metres. Shape (F, feet)."""
    others: tuple[Other, ...]
    """Other joints in contact."""

    @cached_property
    def flight(self) -> Mask:
        """Frames (F,) without contacts."""
        touched: Mask = np.any(self.down.reshape(len(self.down), -1), axis=1)
        for other in self.others:
            touched = touched | other.when
        return ~touched

    def without(self, frames: Mask) -> Supports:
        """Return the supports without contacts in some frames (F,)."""
        if not (frames & ~self.flight).any():
            return self
        others = tuple(replace(o, when=o.when & ~frames) for o in self.others)
        return replace(self, down=self.down & ~frames[:, None, None], others=others)


def _feet(motion: Motion, body: Body) -> tuple[Foot, ...]:
    skeleton = motion.skeleton
    points = positions(motion, end_sites=True)
    out = []
    for side in ("left", "right"):
        ankle, toe = body.roles.get(f"{side}_foot"), body.roles.get(f"{side}_toe")
        if ankle is None:
            continue
        last = ankle if toe is None else toe
        sites = [len(skeleton) + k for k, s in enumerate(skeleton.end_sites) if s.parent == last]
        after = [*sites, *skeleton.children[last]]
        tip = points[:, after[0]] if after else points[:, last]
        heel = points[:, ankle]
        ball = points[:, toe] if toe is not None else heel + 0.7 * (tip - heel)
        out.append(Foot(heel, ball, tip, ankle, last))
    return tuple(out)


def supports_of(
    motion: Motion, body: Body, given: Iterable[Contact] | None, *, only: bool
) -> Supports:
    """Return the supports: given contacts for the joints they name, detected ones for others."""
    if given is None:
        return _found_supports(motion, body)
    known = _given_supports(motion, body, given)
    if only:
        return known
    found = _found_supports(motion, body)
    named = {motion.skeleton.index(c.joint) for c in given}
    feet = np.array([{f.toe_joint, f.ankle_joint} & named != set() for f in found.feet], bool)
    down = np.where(feet[:, None], known.down, found.down)
    others = [o for o in found.others if o.joint not in named]
    ground = np.where(feet, known.ground, found.ground)
    return Supports(found.feet, down, ground, (*others, *known.others))


def _found_supports(motion: Motion, body: Body) -> Supports:
    """Find the supports; see :func:`retime.body.contacts.find_contacts`.

    Parameters
    ----------
    motion : Motion
        The clip, sampled at equal intervals.
    body : Body
        Its roles.
    """
    found = find_contacts(motion)
    feet = _feet(motion, body)
    down = np.zeros((len(motion), len(feet), 2), bool)
    ground = _lowest(feet, len(motion))
    masks: dict[int, Mask] = {}
    hands: set[int] = set()
    for contact in found.contacts:
        side, _, kind = contact.point.rpartition("_")
        joint = motion.skeleton.index(contact.joint)
        when = found.touching[contact.point]
        if kind in _PARTS:
            foot = [f.ankle_joint for f in feet].index(body.roles[f"{side}_foot"])
            down[:, foot, _PARTS[kind]] |= when
            within = (motion.times >= contact.start) & (motion.times <= contact.end)
            ground[within, foot] = contact.height
        else:
            masks[joint] = masks.get(joint, when) | when
            hands |= {joint} if kind in ("hand", "finger") else set()
    return Supports(feet, down, ground, _others(motion, body, masks, hands))


def _lowest(feet: tuple[Foot, ...], frames: int) -> FloatArray:
    """Return the height of the ground under each foot in each frame."""
    levels = [float(np.percentile(f.ball[:, 1], 5)) for f in feet]
    return np.tile(levels, (frames, 1))


def _others(
    motion: Motion, body: Body, masks: dict[int, Mask], hands: set[int]
) -> tuple[Other, ...]:
    points = positions(motion, end_sites=True)
    low = points[..., 1].min(axis=1)
    heading = body.frame(motion)[1]
    ahead = np.stack([np.sin(heading), np.zeros(len(heading)), np.cos(heading)], axis=1)
    out = []
    for joint, when in masks.items():
        high = points[:, joint, 1] > low + _GRIP_HEIGHT
        out.append(Other(joint, points[:, joint], ahead, when, high & (joint in hands)))
    return tuple(out)


def _given_supports(motion: Motion, body: Body, contacts: Iterable[Contact]) -> Supports:
    """Return the supports of given contacts: heel and ball of feet, and points of other joints."""
    if not isinstance(contacts, Iterable):
        raise InputError(f"contacts are a list, not {type(contacts).__name__}")
    feet = _feet(motion, body)
    # Joints of feet, with the number of the foot and 0 for the heel, 1 for the ball.
    parts = [(foot.ankle_joint, (f, 0)) for f, foot in enumerate(feet)]
    parts += [(foot.toe_joint, (f, 1)) for f, foot in enumerate(feet)]
    down = np.zeros((len(motion), len(feet), 2), bool)
    ground = _lowest(feet, len(motion))
    others: dict[int, Mask] = {}
    times = motion.times
    for contact in contacts:
        joint = _joint_of(contact, motion)
        when = (times >= contact.start - 1e-9) & (times <= contact.end + 1e-9)
        touched = [part for j, part in parts if j == joint]
        for f, part in touched:
            down[when, f, part] = True
            if contact.height is not None:
                ground[when, f] = contact.height
        if not touched:
            others[joint] = others.get(joint, np.zeros(len(motion), bool)) | when
    return Supports(feet, down, ground, _others(motion, body, others, set(others)))


def _joint_of(contact: Contact, motion: Motion) -> int:
    if not isinstance(contact, Contact):
        raise InputError(f"contacts are of type Contact, not {type(contact).__name__}")
    if contact.joint not in motion.skeleton:
        raise InputError(f"a contact names the joint {contact.joint!r}, which is not there")
    return motion.skeleton.index(contact.joint)


@dataclass(frozen=True, eq=False)
class _Touch:
    """A contact point: position (F, 3), frames of contact, and basis forces (F, B, 3)."""

    joint: int
    place: FloatArray
    when: Mask
    bases: FloatArray


class Maps(Sequence[FloatArray]):
    """N (dofs, L) of each frame: the generalised forces of the basis forces (11).

    Maps are the largest arrays of all, so those of long clips are computed in blocks as they are
    read, and only the last block is kept.
    """

    def __init__(self, dynamics: Dynamics, starts: Any, **touches: Any) -> None:
        self._dynamics, self._starts, self._touches = dynamics, starts, touches
        self._block: tuple[int, list[FloatArray]] = (-1, [])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, frame: Any) -> Any:
        if isinstance(frame, slice):
            return [self[k] for k in range(*frame.indices(len(self)))]
        if not -len(self) <= frame < len(self):
            raise IndexError(frame)
        number, at = divmod(frame % len(self), BLOCK)
        if self._block[0] != number:
            self._block = number, self._maps(number * BLOCK)
        return self._block[1][at]

    def _maps(self, first: int) -> list[FloatArray]:
        d, past = self._dynamics, min(first + BLOCK, len(self))
        touches = slice(self._starts[first], self._starts[past])
        out, at = _native.physics_contacts.touch_maps(
            d.figure.parents, d.path.turns[first:past], d.path.places[first:past],
            d.centre_of_mass[first:past], d.headings[first:past],
            self._starts[first : past + 1] - self._starts[first],
            **{name: values[touches] for name, values in self._touches.items()},
        )  # fmt: skip
        return [out[a:b].reshape(d.figure.dofs, -1) for a, b in itertools.pairwise(at)]


def support_maps(dynamics: Dynamics, supports: Supports, friction: float) -> Maps:
    """Return the maps of a figure's supports.

    A contact on the ground pushes within its friction cone, by four edges at each corner of what
    touches (figure 3); a grip pulls and pushes any way.
    """
    figure, frames = dynamics.figure, len(dynamics.headings)
    touches = [*_foot_touches(supports, friction), *_other_touches(supports, friction)]
    touches = [t for t in touches if t.joint in figure.places]
    sizes = np.array([t.bases.shape[1] for t in touches], np.int64)
    when = np.array([t.when for t in touches], bool).reshape(-1, frames)
    frame, touch = np.nonzero(when.T)
    bases = np.zeros((len(frame), 6, 3))
    points = np.zeros((len(frame), 3))
    for k, t in enumerate(touches):
        rows = np.flatnonzero(touch == k)
        bases[rows, : sizes[k]] = t.bases[frame[rows]]
        points[rows] = t.place[frame[rows]]
    joints = np.array([figure.places[t.joint][0] for t in touches], np.int64)
    starts = np.searchsorted(frame, np.arange(frames + 1))
    return Maps(
        dynamics, starts, joints=joints[touch], points=points, bases=bases, sizes=sizes[touch]
    )


def _cone(friction: float, ahead: FloatArray) -> FloatArray:
    """Return the edges (F, 4, 3) of friction pyramids with one edge forwards (F, 3)."""
    up = np.array([0.0, 1.0, 0.0])
    side = np.cross(up, ahead)
    ways = np.stack([side, ahead, -side, -ahead], axis=1)
    out: FloatArray = up + friction * ways
    return out


def _foot_touches(supports: Supports, friction: float) -> list[_Touch]:
    """Return the corners of the soles in contact: of the whole sole, the ball or the heel."""
    out = []
    for f, foot in enumerate(supports.feet):
        ahead = (foot.tip - foot.heel) * [1.0, 0.0, 1.0]
        length = np.linalg.norm(ahead, axis=1, keepdims=True)
        ahead = np.where(length > 1e-6, ahead / np.maximum(length, 1e-6), [0.0, 0.0, 1.0])
        side = np.cross(ahead, [0.0, 1.0, 0.0])
        cone = _cone(friction, ahead)
        heel_down, ball_down = supports.down[:, f].T
        for joint, place, when in (
            (foot.ankle_joint, foot.heel - _HEEL * ahead, heel_down),
            (foot.toe_joint, foot.ball, ball_down & ~heel_down),
            (foot.toe_joint, foot.tip + _TIP * ahead, ball_down),
        ):
            for sign in (-1, 1):
                corner = place + sign * _HALF_WIDTH * side
                corner[:, 1] = supports.ground[:, f] - _SOLE
                out.append(_Touch(joint, corner, when, cone))
    return out


def _other_touches(supports: Supports, friction: float) -> list[_Touch]:
    grip = np.concatenate([np.eye(3), -np.eye(3)])
    out = []
    for other in supports.others:
        frames = len(other.when)
        cone = _cone(friction, other.ahead)
        held = np.broadcast_to(grip, (frames, 6, 3))
        out.append(_Touch(other.joint, other.place, other.when & ~other.holds_on, cone))
        out.append(_Touch(other.joint, other.place, other.when & other.holds_on, held))
    return out
