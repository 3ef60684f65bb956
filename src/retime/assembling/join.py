"""Join two motions: at similar moments, the second placed so that the body goes on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.assembling.placing import ground_place, placed
from retime.assembling.transition import change_over
from retime.body import find_body
from retime.body.contacts.plants import detect_contacts
from retime.body.measure.likeness import Likeness
from retime.errors import InputError
from retime.motion import Motion, quat
from retime.motion.edits import apply
from retime.motion.joining import must_fit
from retime.motion.kinematics import cached_positions
from retime.notes import Note, Remedy
from retime.pacing import Character, Elastic, Key, Link, Problem, Smooth, Speed, solve
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp

# Moments are compared at this rate, Hz.
_COMPARED_HZ = 30.0
# The time before and after the moments within which speeds change so that they meet, seconds, and
# the most that they change.
_PACED_S, _MOST = 1.0, 1.25
_SMOOTH_S = 0.14
# A joint that is still in both motions may turn this fast in the change-over, rad/s.
_LEAST_TURN = 2.0
# The hips of a body that stands may go this fast in it, m/s.
_LEAST_SPEED = 0.5
# Clips are left and entered at least this far from their ends, where they are long enough, so that
# a change-over has room to be longer, seconds.
_ROOM_S = 0.5
# Moments whose joints are farther apart, in metres, are not similar: a body would have to change
# its pose by more than steps and gestures do.
_UNLIKE = 0.25


@dataclass(frozen=True)
class Seam:
    """Where two motions meet.

    Parameters
    ----------
    first, second : float
        Times in the first and in the second motion, seconds.
    turn : float
        How far the second is turned about the vertical, radians.
    distance : float
        Distance of the joints of both poses, root of the mean square, metres.
    """

    first: float
    second: float
    turn: float
    distance: float


def join(
    one: Motion,
    other: Motion,
    *,
    blend: float = 0.4,
    at: tuple[float, float] | None = None,
    stagger: float = 0.3,
) -> Motion:
    """Join two motions at their most similar moments, and change over between them.

    The second motion is moved and turned so that the body goes on, both change their speed so that
    they meet, and the hips and legs change over before the upper body.

    Parameters
    ----------
    one, other : Motion
        Motions of one skeleton.
    blend : float
        Least length of the change-over, seconds. It gets longer where a joint would have to turn
        faster than it does in either motion.
    at : (float, float), optional
        Times at which the first ends and the second begins. Default: the most similar moments of
        the last half of the first and the first half of the second.
    stagger : float
        Share of the change-over by which hands and head follow the hips, 0 to 0.8.

    Returns
    -------
    Motion
        The joined motion, with a note about the moments and their distance.

    Examples
    --------
    >>> from retime import join, samples
    >>> whole = join(samples.walk(), samples.walk())
    >>> whole.notes[-1].code
    'joined'
    """
    if not (np.isfinite(blend) and blend > 0):
        raise InputError("the blend must be longer than 0 s, not {length}", length=Duration(blend))
    if not 0 <= stagger <= 0.8:
        raise InputError(f"stagger is {stagger:g}; it must be between 0 and 0.8")
    must_fit(one, other, 2)
    seam = find_seam(one, other, blend=blend, at=at)
    other = _onto(one, other, seam)
    curves = _paced(one, other, seam)
    meeting = float(np.interp(seam.first, curves[0][1], curves[0][0]))
    blend = _long_enough(one, other, seam, blend, stagger)
    end = float(curves[1][0][-1] + other.domain[1] - curves[1][1][-1])
    count = round((end - one.start) * one.rate)
    times = one.start + np.arange(count + 1) / one.rate
    first, second = _sampled(one, curves[0], times), _sampled(other, curves[1], times)
    made = change_over(first, second, meeting - blend / 2, meeting + blend / 2, stagger)
    return made.with_notes(
        Note(
            "joined {first:.2f} of the first to {second:.2f} of the second, whose joints are "
            f"{100 * seam.distance:.0f} cm apart",
            code="joined",
            first=Moment(seam.first),
            second=Moment(seam.second),
            distance=seam.distance,
        )
    )


def find_seam(
    one: Motion, other: Motion, *, blend: float = 0.4, at: tuple[float, float] | None = None
) -> Seam:
    """Find the most similar moments of two motions.

    Parameters
    ----------
    one, other : Motion
        Motions of one skeleton.
    blend : float
        Length of the change-over, for which both need frames, seconds.
    at : (float, float), optional
        The moments, to be compared only.
    """
    half = blend / 2
    first = _moments(one, blend, late=True) if at is None else np.array([at[0]])
    second = _moments(other, blend, late=False) if at is None else np.array([at[1]])
    for clip, times, which in ((one, first, "first"), (other, second, "second")):
        if times[0] - half < clip.start - 1e-9 or times[-1] + half > clip.domain[1] + 1e-9:
            raise InputError(
                f"the {which} motion has no {{blend}} around {{time}} to change over; shorten the "
                "blend or choose another moment",
                blend=Duration(blend),
                time=Moment(float(times[0])),
            )
    like = Likeness.of(one, first, other, second)
    i, j = np.unravel_index(like.distance.argmin(), like.distance.shape)
    seam = Seam(
        float(first[i]), float(second[j]), float(like.turn[i, j]), float(like.distance[i, j])
    )
    if at is None and seam.distance > _UNLIKE:
        raise InputError(
            Note(
                "the motions have no similar moments: the joints of the nearest poses, at "
                "{first:.2f} and {second:.2f}, are {apart:.0f} cm apart",
                Remedy("give the moments yourself", parameter="at"),
                code="nothing-similar",
                first=Moment(seam.first),
                second=Moment(seam.second),
                apart=100 * seam.distance,
            )
        )
    return seam


def _moments(motion: Motion, blend: float, *, late: bool) -> FloatArray:
    """Return the moments at which a motion may be left or entered."""
    room = max(blend / 2, min(_ROOM_S, motion.duration / 6))
    start, end = motion.start + room, motion.domain[1] - room
    if end <= start:
        raise InputError(
            "the motion lasts {clip:.3g} and the blend {blend:.3g}; shorten the blend",
            clip=Duration(motion.duration),
            blend=Duration(blend),
        )
    middle = (start + end) / 2
    low, high = (middle, end) if late else (start, middle)
    return np.linspace(low, high, max(round((high - low) * _COMPARED_HZ), 1) + 1)


def _long_enough(one: Motion, other: Motion, seam: Seam, blend: float, stagger: float) -> float:
    """Return a length in which no joint turns faster than its own most, and the hips do not lunge.

    A quintic ease of an angle in a time is at most 15 / 8 times as fast as an even turn. The hips,
    where those of both are apart, go at most half as fast again as they do anyway.
    """
    poses = [_pose(m, t) for m, t in ((one, seam.first), (other, seam.second))]
    angles = quat.angle(*poses)
    own = np.maximum(np.maximum(_turning(one), _turning(other)), _LEAST_TURN)
    needed = float((15 / 8 * angles / own).max()) / (1 - stagger)
    hips = [one.skeleton.roots[0]]
    apart = ground_place(one, seam.first, hips) - ground_place(other, seam.second, hips)
    speed = max(_hips_speed(one), _hips_speed(other), _LEAST_SPEED)
    needed = max(needed, float(15 / 8 * np.linalg.norm(apart) / (speed / 2)))
    room = min(seam.first - one.start, one.domain[1] - seam.first, seam.second - other.start,
               other.domain[1] - seam.second)  # fmt: skip
    return min(max(blend, needed), max(2 * room, blend))


def _hips_speed(motion: Motion) -> float:
    """Return the usual speed of the hips on the ground where they move, m/s."""
    track = cached_positions(motion)[:, motion.skeleton.roots[0], ::2]
    return float(np.median(np.linalg.norm(np.diff(track, axis=0), axis=1)) * motion.rate)


def _pose(motion: Motion, time: float) -> FloatArray:
    frame = round((time - motion.start) * motion.rate)
    pose: FloatArray = motion.rotations[int(np.clip(frame, 0, len(motion) - 1))]
    return pose


def _turning(motion: Motion) -> FloatArray:
    """Return the largest turn of each joint (J,), radians per second."""
    turns = quat.angle(motion.rotations[1:], motion.rotations[:-1]) * motion.rate
    return np.asarray(turns.max(axis=0))


def _onto(one: Motion, other: Motion, seam: Seam) -> Motion:
    """Place the second motion where the first is: by the feet that stand in both, or the hips."""
    turned = placed(other, seam.turn, np.zeros(3))
    joints = _standing_in_both(one, other, seam) or [one.skeleton.roots[0]]
    shift = ground_place(one, seam.first, joints) - ground_place(turned, seam.second, joints)
    return placed(turned, 0.0, shift)


def _standing_in_both(one: Motion, other: Motion, seam: Seam) -> list[int]:
    index = one.skeleton.index
    standing = [
        {c.joint for c in detect_contacts(m) if c.start <= t <= c.end}
        for m, t in ((one, seam.first), (other, seam.second))
    ]
    feet = {one.skeleton.names[limb.end] for n, limb in find_body(one).limbs.items() if "leg" in n}
    tips = {one.skeleton.names[limb.tip] for limb in find_body(one).limbs.values() if limb.tip}
    return [index(name) for name in sorted(standing[0] & standing[1] & (feet | tips))]


def _paced(one: Motion, other: Motion, seam: Seam) -> list[tuple[FloatArray, FloatArray]]:
    """Return output and source times of both around the seam: their speeds meet there."""
    speeds = [_speed(one, seam.first), _speed(other, seam.second)]
    ratio = float(np.clip(np.sqrt(speeds[1] / speeds[0]), 1 / _MOST, _MOST))
    terms = (Elastic(np.ones_like), Smooth(_SMOOTH_S))
    width = 1 / 60
    start = max(seam.first - _PACED_S, one.start)
    left = Character(
        (start, seam.first),
        terms,
        (Key(start, start),),
        (_at(start, start + width, 1.0), _at(seam.first - width, seam.first, ratio)),
        name="the first motion",
    )
    end = min(seam.second + _PACED_S, other.domain[1])
    right = Character(
        (seam.second, end),
        terms,
        (),
        (_at(seam.second, seam.second + width, 1 / ratio), _at(end - width, end, 1.0)),
        name="the second motion",
    )
    link = Link(0, seam.first, 1, seam.second, 0.0)
    return list(solve(Problem((left, right), links=(link,))).curves)


def _at(start: float, end: float, rate: float) -> Speed:
    return Speed(start, end, rate, rate)


def _speed(motion: Motion, time: float) -> float:
    """Return the speed of the body's joints at a time, root of the mean square, m/s."""
    points = cached_positions(motion)
    frame = int(np.clip(round((time - motion.start) * motion.rate), 2, len(motion) - 3))
    way = (points[frame + 2] - points[frame - 2]) * motion.rate / 4
    return float(np.sqrt((way**2).sum(axis=-1).mean())) + 0.05


def _sampled(motion: Motion, curve: tuple[FloatArray, FloatArray], times: FloatArray) -> Motion:
    """Return the frames of a motion at output times; beyond the curve, at the speed of its ends."""
    output, source = curve
    (start, end), knots = motion.domain, np.c_[output, source]
    for place, beyond in ((0, start), (-1, end)):
        if abs(beyond - source[place]) > 1e-9:
            beside = knots[1] if place == 0 else knots[-2]
            slowness = (beside - knots[place])[0] / (beside - knots[place])[1]
            knot = [knots[place, 0] + (beyond - knots[place, 1]) * slowness, beyond]
            knots = np.insert(knots, 0 if place == 0 else len(knots), knot, axis=0)
    made = apply(motion, TimeWarp(knots[:, 0], knots[:, 1]), times=times)
    rate = (len(times) - 1) / float(times[-1] - times[0])
    return replace(made, sample_times=None, start=float(times[0]), fps=rate, origin=None)
