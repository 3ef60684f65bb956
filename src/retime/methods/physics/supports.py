"""What holds a figure up: points that touch the ground or something else, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import Body
from retime.errors import InputError
from retime.methods.physics.figure import Figure, Path
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import positions

__all__ = ["Foot", "Supports", "find_supports", "given_supports", "support_maps"]

# A heel or a ball is down while it is slower than this (m/s) and this near to its own floor (m),
# for so long (s).
_SLOW, _NEAR, _SHORTEST = 0.6, 0.05, 0.1
# Half a foot's width, how far the heel reaches back and the tip forward, metres.
_HALF_WIDTH, _HEEL, _TIP = 0.045, 0.04, 0.03
# The sole is this far below the toe's end, metres.
_SOLE = 0.015
# A contact is longer than positions tell, as long as the body needs a force of this share of its
# weight and the ball is no higher than this (m); by at most so many seconds.
_NEEDS, _STILL_NEAR, _LONGER = 0.3, 0.12, 0.1
# What needs more than this share of its weight on the whole is not falling.
_NO_FALL = 0.5
# Other joints that touch something above this height, in metres, are taken to hold it.
_GRIP_HEIGHT = 0.3

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
class Supports:
    """Which parts touch, in each frame.

    Parameters
    ----------
    feet : tuple of Foot
        Left and right, where there are.
    down : array (F, len(feet), 2) of bool
        Whether each foot's heel and ball are down.
    others : tuple of (int, array (F, 3), array (F,) of bool)
        Further joints that touch: which, where, and when.
    ground : float
        Height of the floor, metres.
    """

    feet: tuple[Foot, ...]
    down: Mask
    others: tuple[tuple[int, FloatArray, Mask], ...]
    ground: float

    @cached_property
    def flight(self) -> Mask:
        """Frames (F,) in which nothing touches."""
        touched: Mask = np.any(self.down.reshape(len(self.down), -1), axis=1)
        for _, _, when in self.others:
            touched = touched | when
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


def find_supports(motion: Motion, body: Body, force: FloatArray) -> Supports:
    """Find when heels and balls of the feet are down.

    Parameters
    ----------
    motion : Motion
        The clip, evenly sampled.
    body : Body
        Its roles.
    force : array (F,)
        The force that the body needs from outside, in its weights. Positions alone miss frames at
        take-off and landing; where nothing else could give the force, the foot is still down.
    """
    feet = _feet(motion, body)
    rate = motion.rate
    down = np.zeros((len(motion), len(feet), 2), bool)
    for f, foot in enumerate(feet):
        for part, place in enumerate((foot.heel, foot.ball)):
            speed = np.linalg.norm(np.gradient(place, 1 / rate, axis=0), axis=1)
            floor = np.percentile(place[:, 1], 5)
            near = (speed < _SLOW) & (place[:, 1] < floor + _NEAR)
            down[:, f, part] = _steady(near, _SHORTEST * rate)
    flight = ~down.any(axis=(1, 2)) if feet else np.ones(len(motion), bool)
    _lengthen(feet, down, flight & (force > _NEEDS), round(_LONGER * rate))
    _doubt_flights(feet, down, force)
    return Supports(feet, down, (), _ground(feet))


def _ground(feet: tuple[Foot, ...]) -> float:
    return min((float(np.percentile(f.tip[:, 1], 5)) for f in feet), default=0.0) - _SOLE


def _steady(flags: Mask, least: float) -> Mask:
    """Fill short gaps, then drop short runs; runs at the clip's ends stay."""
    out = flags.copy()
    for value, shortest in ((False, 0.4 * least), (True, least)):
        edges = np.flatnonzero(np.diff(out)) + 1
        for first, last in zip([0, *edges], [*edges, len(out)], strict=True):
            inner = first > 0 and last < len(out)
            if inner and out[first] == value and last - first < shortest:
                out[first:last] = not value
    return out


def _lengthen(feet: tuple[Foot, ...], down: Mask, needed: Mask, most: int) -> None:
    """Let contacts last while a force is needed and the ball is near its floor."""
    count = len(down)
    for f, foot in enumerate(feet):
        low: Mask = foot.ball[:, 1] < np.percentile(foot.ball[:, 1], 5) + _STILL_NEAR
        was: Mask = np.any(down[:, f], axis=1)
        for step in (1, -1):
            for k in range(count)[::step]:
                before = k - step
                if not 0 <= before < count or not (needed[k] and low[k]):
                    continue
                span = slice(max(0, k - most), k) if step > 0 else slice(k + 1, k + 1 + most)
                if down[before, f].any() and was[span].any():
                    down[k, f, 1] = True


def _doubt_flights(feet: tuple[Foot, ...], down: Mask, force: FloatArray) -> None:
    """Put low feet down wherever a flight would have to be held up by something."""
    if not feet:
        return
    flight = ~np.any(down.reshape(len(down), -1), axis=1)
    edges = np.flatnonzero(np.diff(flight)) + 1
    parts = [(f, part, place[:, 1] - np.percentile(place[:, 1], 5))
             for f, foot in enumerate(feet)
             for part, place in enumerate((foot.heel, foot.ball))]  # fmt: skip
    above = np.stack([height for _, _, height in parts], axis=1)
    lowest = above.argmin(axis=1)
    for first, last in zip([0, *edges], [*edges, len(down)], strict=True):
        if not flight[first] or force[first:last].mean() <= _NO_FALL:
            continue
        for k in range(first, last):
            if above[k, lowest[k]] < _STILL_NEAR:
                f, part, _ = parts[lowest[k]]
                down[k, f, part] = True


def given_supports(motion: Motion, body: Body, contacts: Iterable[Contact]) -> Supports:
    """Take contacts as they are given: feet by heel and ball, other joints as points."""
    if not isinstance(contacts, Iterable):
        raise InputError(f"contacts are a list, not {type(contacts).__name__}")
    feet = _feet(motion, body)
    down = np.zeros((len(motion), len(feet), 2), bool)
    others: dict[int, Mask] = {}
    times = motion.times
    points = positions(motion)
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
    rest = tuple((j, points[:, j], when) for j, when in others.items())
    return Supports(feet, down, rest, _ground(feet))


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
        for joint, place, when in supports.others:
            if when[frame]:
                grips = place[frame, 1] > supports.ground + _GRIP_HEIGHT
                touching.append((joint, place[frame], grip if grips else cone))
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
            for sign in (-1, 1):
                corner = place + sign * _HALF_WIDTH * side
                out.append((joint, np.array([corner[0], supports.ground, corner[2]]), ahead))
    return out
