"""Contacts: when a foot or a hand stands still, found in a motion, given, or carried by a warp."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import Body, find_body
from retime.errors import InputError
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import positions

__all__ = ["Contact", "contacts_from_events", "detect_contacts"]

# Two stretches that part for less than this are one contact, shaken by noise.
_SHAKE_SECONDS = 0.05
# A joint that moves faster than this, in metres per second, is coming or leaving.
_LEAVING_SPEED = 0.5
# A still foot this many metres above the lowest joint is held in the air.
_LIFTED = 0.25
_SIDES = ("left", "right")


def detect_contacts(
    motion: Motion,
    joints: Sequence[str] = (),
    *,
    tolerance: float = 0.02,
    min_contact: float = 0.25,
) -> tuple[Contact, ...]:
    """Find when joints stand still (Staggered Poses, appendix B).

    A joint that stays within the tolerance for the minimum time is in contact, and the contact
    grows while the joint stays within it; its ends are then drawn in past the frames in which the
    joint is already on its way.

    Parameters
    ----------
    motion : Motion
        Any motion.
    joints : sequence of str
        Joint names, roles, or ``feet``, ``toes``, ``hands``; left out, what meets the ground: the
        toes, or the feet where there are none.
    tolerance : float
        Metres. A little more than the noise.
    min_contact : float
        Seconds; 0.1 suits running, where stances are short.

    Returns
    -------
    tuple of Contact, by joint and time.
    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"the tolerance must be above 0 m, not {tolerance}")
    if not (np.isfinite(min_contact) and min_contact > 0):
        raise InputError(f"a contact's least duration must be above 0 s, not {min_contact}")
    if len(motion) < 2:
        return ()
    body = find_body(motion)
    names = body.find_joints(joints) if joints else body.ground_joints()
    feet = {body.name(r) for r in ("left_foot", "left_toe", "right_foot", "right_toe")}
    points = positions(motion, end_sites=True)
    lowest = points[..., 1].min(axis=1)
    out = []
    for name in names:
        place = points[:, motion.skeleton.index(name)]
        for first, last in _still(place, motion, tolerance, min_contact):
            high = float(np.median(place[first : last + 1, 1] - lowest[first : last + 1]))
            if name in feet and high > _LIFTED:
                continue
            out.append(Contact(name, float(motion.times[first]), float(motion.times[last])))
    return tuple(out)


def _still(
    place: FloatArray, motion: Motion, tolerance: float, min_contact: float
) -> list[tuple[int, int]]:
    from retime.body.kernels import still_runs

    uneven = motion.sample_times is not None
    # Uneven samples: as many as are there at the least; what is too short falls out below.
    step = float(np.diff(motion.times).max()) if uneven else 1 / motion.rate
    frames = max(int(np.ceil(min_contact / step - 1e-6)), 1) + 1
    runs = [(int(a), int(b)) for a, b in still_runs(np.ascontiguousarray(place), frames, tolerance)]
    merged: list[tuple[int, int]] = []
    for first, last in runs:
        if merged:
            a, b = merged[-1]
            near = np.linalg.norm(place[first : last + 1].mean(0) - place[a : b + 1].mean(0))
            if motion.times[first] - motion.times[b] <= _SHAKE_SECONDS and near <= 2 * tolerance:
                merged[-1] = (a, last)
                continue
        merged.append((first, last))
    if uneven:
        merged = [
            (a, b) for a, b in merged if motion.times[b] - motion.times[a] >= min_contact - 1e-6
        ]
    return [_drawn_in(place, motion.times, a, b) for a, b in merged]


def _drawn_in(place: FloatArray, times: FloatArray, first: int, last: int) -> tuple[int, int]:
    """Draw a contact's ends in past what moves fast there; ends of the clip stay."""
    speed = np.linalg.norm(np.diff(place[first : last + 1], axis=0), axis=1)
    speed /= np.diff(times[first : last + 1])
    slow = np.flatnonzero(speed <= _LEAVING_SPEED)
    if not len(slow):
        return first, last
    start = first if first == 0 else first + int(slow[0])
    end = last if last == len(place) - 1 else first + int(slow[-1]) + 1
    return start, end


def contacts_from_events(
    events: Iterable[tuple[float, str, str]], body: Body, *, end: float, start: float = 0.0
) -> tuple[Contact, ...]:
    """Turn gait events, as C3D files hold them, into contacts.

    Parameters
    ----------
    events : iterable of (time s, side, label)
        Side ``Left`` or ``Right``, label ``Foot Strike`` or ``Foot Off``.
    body : Body
        Whose feet.
    end, start : float
        The clip's last and first time, for stances that last to the end or began before.
    """
    down: dict[str, float] = {}
    out = []
    for time, side, label in sorted(events):
        role = side.strip().lower()
        joint = body.name(f"{role}_toe") or body.name(f"{role}_foot") if role in _SIDES else None
        if joint is None:
            raise InputError(f"the event at {time:g} s names side {side!r}, which has no foot")
        word = label.strip().lower()
        if word == "foot strike":
            down.setdefault(joint, time)
        elif word == "foot off":
            strike = down.pop(joint, start)
            if time > strike:
                out.append(Contact(joint, strike, time))
        else:
            raise InputError(f"the event at {time:g} s is {label!r}, not Foot Strike or Foot Off")
    out += [Contact(joint, strike, end) for joint, strike in down.items() if strike < end]
    return tuple(sorted(out, key=lambda c: (c.joint, c.start)))
