"""What holds a figure up: points that touch the ground or something else, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import Body
from retime.body.contacts import find_contacts
from retime.errors import InputError
from retime.methods.physics.figure import Figure, Path
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import positions

__all__ = ["Foot", "Other", "Supports", "support_maps", "supports_of"]

# Half a foot's width, how far the heel reaches back and the tip forward, metres.
_HALF_WIDTH, _HEEL, _TIP = 0.045, 0.04, 0.03
# The sole is this far below the toe's end, metres.
_SOLE = 0.015
# Hands that touch something this far above the lowest point, in metres, hold on to it.
_GRIP_HEIGHT = 0.3

# The part of a foot, heel or ball, that a point of it belongs to.
_PARTS = {"heel": 0, "ball": 1, "toes": 1}

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Foot:
    """Where a foot's parts are, (F, 3) each in metres, and on which joints."""

    heel: FloatArray
    ball: FloatArray
    tip: FloatArray
    ankle_joint: int
    toe_joint: int


@dataclass(frozen=True, eq=False)
class Other:
    """A joint other than a foot that touches: where it is (F, 3), when, and whether it can pull."""

    joint: int
    place: FloatArray
    when: Mask
    holds_on: Mask


@dataclass(frozen=True, eq=False)
class Supports:
    """Which parts touch, in each frame.

    Parameters
    ----------
    feet : tuple of Foot
        Left and right, where there are.
    down : array (F, len(feet), 2) of bool
        Whether each foot's heel and ball are down.
    ground : array (F, len(feet))
        Height of what each foot stands on, metres.
    others : tuple of Other
        Further points that touch.
    """

    feet: tuple[Foot, ...]
    down: Mask
    ground: FloatArray
    others: tuple[Other, ...]

    @cached_property
    def flight(self) -> Mask:
        """Frames (F,) in which nothing touches."""
        touched: Mask = np.any(self.down.reshape(len(self.down), -1), axis=1)
        for other in self.others:
            touched = touched | other.when
        return ~touched


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
    """Return what touches: as given for the joints that are named, as found for all others."""
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
    return Supports(found.feet, down, found.ground, (*others, *known.others))


def _found_supports(motion: Motion, body: Body) -> Supports:
    """Find what touches; see :func:`retime.body.contacts.find_contacts`.

    Parameters
    ----------
    motion : Motion
        The clip, evenly sampled.
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
    return Supports(feet, down, ground, _others(motion, masks, hands))


def _lowest(feet: tuple[Foot, ...], frames: int) -> FloatArray:
    """Return the level that each foot comes down to, for every frame."""
    levels = [float(np.percentile(f.ball[:, 1], 5)) for f in feet]
    return np.tile(levels, (frames, 1))


def _others(motion: Motion, masks: dict[int, Mask], hands: set[int]) -> tuple[Other, ...]:
    points = positions(motion, end_sites=True)
    low = points[..., 1].min(axis=1)
    out = []
    for joint, when in masks.items():
        high = points[:, joint, 1] > low + _GRIP_HEIGHT
        out.append(Other(joint, points[:, joint], when, high & (joint in hands)))
    return tuple(out)


def _given_supports(motion: Motion, body: Body, contacts: Iterable[Contact]) -> Supports:
    """Take contacts as they are given: feet by heel and ball, other joints as points."""
    if not isinstance(contacts, Iterable):
        raise InputError(f"contacts are a list, not {type(contacts).__name__}")
    feet = _feet(motion, body)
    down = np.zeros((len(motion), len(feet), 2), bool)
    others: dict[int, Mask] = {}
    times = motion.times
    for contact in contacts:
        if not isinstance(contact, Contact):
            raise InputError(f"contacts are of type Contact, not {type(contact).__name__}")
        if contact.joint not in motion.skeleton:
            raise InputError(f"a contact names the joint {contact.joint!r}, which is not there")
        joint = motion.skeleton.index(contact.joint)
        when = (times >= contact.start - 1e-9) & (times <= contact.end + 1e-9)
        for f, foot in enumerate(feet):
            if joint == foot.toe_joint or joint == foot.ankle_joint:
                part = 1 if joint == foot.toe_joint else 0
                down[when, f, part] = True
                if foot.toe_joint == foot.ankle_joint:
                    down[when, f] = True
                break
        else:
            others[joint] = others.get(joint, np.zeros(len(motion), bool)) | when
    return Supports(feet, down, _lowest(feet, len(motion)), _others(motion, others, set(others)))


def support_maps(
    figure: Figure, path: Path, supports: Supports, friction: float
) -> list[FloatArray]:
    """Return N (dofs, L) of every frame: what each basis force of its contacts does (11).

    A contact on the ground pushes within its friction cone, by four edges at each corner of what
    touches (figure 3); a grip pulls and pushes any way.
    """
    turns, places = path.world_frames(figure)
    cone = np.array([(0.0, 1.0, 0.0)] * 4) + friction * np.array(
        [(1, 0, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1)]
    )
    grip = np.concatenate([np.eye(3), -np.eye(3)])
    out = []
    for frame in range(len(path.q)):
        touching = [
            (joint, point, _along(cone, ahead)) for joint, point, ahead in _corners(supports, frame)
        ]
        for other in supports.others:
            if other.when[frame]:
                basis = grip if other.holds_on[frame] else cone
                touching.append((other.joint, other.place[frame], basis))
        columns = [
            _at(figure, turns[frame], places[frame], joint, point) @ basis.T
            for joint, point, basis in touching
        ]
        out.append(np.hstack(columns) if columns else np.zeros((figure.dofs, 0)))
    return out


def _at(
    figure: Figure, turns: FloatArray, places: FloatArray, joint: int, point: FloatArray
) -> FloatArray:
    """Return J^T (dofs, 3) of a world point that moves with one of the skeleton's joints (9).

    A force there turns every joint above by its moment about it, in that joint's own frame.
    """
    out = np.zeros((figure.dofs, 3))
    j = figure.places[joint][0] - 1
    while j >= 0:
        x, y, z = point - places[j]
        moment = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
        out[3 + 3 * j : 6 + 3 * j] = turns[j].T @ moment
        j = int(figure.parents[j])
    out[:3] = turns[0].T
    return out


def _along(cone: FloatArray, ahead: FloatArray) -> FloatArray:
    """Turn a friction pyramid so that an edge points ahead, wherever the figure faces."""
    turn = np.array([(ahead[2], 0, ahead[0]), (0, 1, 0), (-ahead[0], 0, ahead[2])])
    out: FloatArray = cone @ turn.T
    return out


def _corners(supports: Supports, frame: int) -> list[tuple[int, FloatArray, FloatArray]]:
    """List the corners of the soles that touch: joint, world point, and where the foot points."""
    out = []
    for f, foot in enumerate(supports.feet):
        heel_down, ball_down = supports.down[frame, f]
        if not (heel_down or ball_down):
            continue
        ahead = foot.tip[frame] - foot.heel[frame]
        ahead = ahead * [1.0, 0.0, 1.0]
        length = np.linalg.norm(ahead)
        ahead = ahead / length if length > 1e-6 else np.array([0.0, 0.0, 1.0])
        side = np.cross(ahead, [0.0, 1.0, 0.0])
        heel = (foot.ankle_joint, foot.heel[frame] - _HEEL * ahead)
        ball = (foot.toe_joint, foot.ball[frame])
        tip = (foot.toe_joint, foot.tip[frame] + _TIP * ahead)
        if heel_down and ball_down:
            parts = [heel, tip]
        else:
            parts = [ball, tip] if ball_down else [heel]
        for joint, place in parts:
            sole = supports.ground[frame, f] - _SOLE
            for sign in (-1, 1):
                corner = place + sign * _HALF_WIDTH * side
                out.append((joint, np.array([corner[0], sole, corner[2]]), ahead))
    return out
