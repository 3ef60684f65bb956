"""Find plants: parts of contacts in which a joint is still, so that it can be held in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.contacts.detector import find_contacts
from retime.body.contacts.found import FoundContacts
from retime.body.contacts.standing import standing_parts
from retime.body.contacts.stretches import runs
from retime.body.model.body import Body, find_body
from retime.body.model.size import judged
from retime.errors import InputError
from retime.motion import Motion
from retime.motion.contact import Contact, Contacts
from retime.motion.kinematics import positions
from retime.sentences import Moment

__all__ = ["Contact", "contacts_from_events", "detect_contacts", "touching_joints"]

# Shorter gaps between contacts are noise, seconds.
_SHAKE_SECONDS = 0.05
# Speed above which a joint is arriving or leaving, m/s.
_LEAVING_SPEED = 0.5
# Contacts of less confidence are inferred from forces only, and have no position to hold.
_DOUBTFUL = 0.25
_SIDES = ("left", "right")
# Sets of points for each part; its joint is in contact if all points of one set touch.
_POINTS = {
    "toe": (("ball",), ("toes",)),
    "foot": (("heel", "ball"), ("heel", "toes")),
    "hand": (("hand",), ("finger",)),
    "lower_leg": (("knee",),),
    "lower_arm": (("elbow",),),
}
_TRUNK = {"hips": "seat", "upper_chest": "back", "head": "head"}
Mask = npt.NDArray[np.bool_]


def detect_contacts(
    motion: Motion,
    joints: Sequence[str] = (),
    *,
    tolerance: float = 0.02,
    min_contact: float = 0.1,
) -> tuple[Contact, ...]:
    """Find the contacts of joints with supports or held objects.

    A joint is in contact while one of its points touches something (see :func:`find_contacts`), and
    as long as it stays within the tolerance (Staggered Poses, appendix B); frames in which it
    already moves, or in which a foot slides from one contact to the next, are left out.

    Parameters
    ----------
    motion : Motion
        The motion.
    joints : sequence of str
        Joint names, roles, or ``feet``, ``toes``, ``hands``. Default: toes (or feet, if there are
        none), hands, knees, elbows, the seat, the back and the head. A named joint is in contact
        whenever it is still; feet only while they stand.
    tolerance : float
        Distance within which a joint counts as still, metres; slightly above the noise.
    min_contact : float
        Shortest contact, seconds.

    Returns
    -------
    tuple of Contact
        The contacts, sorted by joint and time.
    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"the tolerance must be above 0 m, not {tolerance}")
    if not (np.isfinite(min_contact) and min_contact > 0):
        raise InputError(f"the shortest contact must be above 0 s, not {min_contact}")
    if len(motion) < 2:
        return ()
    motion = judged(motion)
    found = find_contacts(motion)
    points = positions(motion)
    if any(found.drift):  # relative to the moving ground
        points = points - np.outer(motion.times, found.drift)[:, None]
    body, times, out = find_body(motion), motion.times, []
    feet = body.ground_joints()
    for joint, mask in _candidates(body, found, joints, len(motion)):
        name, place = motion.skeleton.names[joint], points[:, joint]
        still = [
            (a + first, a + last)
            for a, b in runs(mask)
            for first, last in _still(place[a:b], times[a:b], tolerance, min_contact)
        ]
        if name in feet:  # others are held where they slide, too
            still = standing_parts(still, place, times, min_contact)
        for first, last in still:
            contact = Contact(name, float(times[first]), float(times[last]), velocity=found.drift)
            out.append(_sure(contact, found))
    return Contacts(c for c in out if c.confidence >= _DOUBTFUL)


def _candidates(
    body: Body, found: FoundContacts, joints: Sequence[str], frames: int
) -> list[tuple[int, Mask]]:
    """Return the joints that may be in contact, with the frames in which they may."""
    masks = _touching(body, found)
    if not joints:
        return list(masks.items())
    every = np.ones(frames, dtype=bool)
    feet = {j for role, j in body.roles.items() if role.endswith(("_foot", "_toe"))}
    named = map(body.skeleton.index, body.find_joints(joints))
    return [(j, masks.get(j, every) if j in feet else every) for j in named]


def touching_joints(motion: Motion) -> dict[int, Mask]:
    """Return the frames (F,) in which joints touch something, by joint."""
    return _touching(find_body(motion), find_contacts(motion))


def _touching(body: Body, found: FoundContacts) -> dict[int, Mask]:
    """Return the frames in which joints touch, by joint."""
    out: dict[int, Mask] = {}
    for role, joint in body.roles.items():
        sets = _point_sets(body, role)
        masks = [
            np.all([found.touching[point] for point in points], axis=0)
            for points in sets
            if all(point in found.touching for point in points)
        ]
        if masks:
            out[joint] = np.any(masks, axis=0)
    ends = {c.joint: c.point for c in found.contacts if c.point.endswith("_end")}
    out |= {body.skeleton.index(joint): found.touching[point] for joint, point in ends.items()}
    return out


def _point_sets(body: Body, role: str) -> list[list[str]]:
    """Return sets of points; the joint of a role is in contact if all points of one set touch."""
    side, _, part = role.partition("_")
    if side not in _SIDES:
        return [[_TRUNK.get(role, "")]]
    if part == "foot" and f"{side}_toe" in body.roles:
        return []  # the toe is in contact; the ankle rotates above the ground
    return [[f"{side}_{point}" for point in points] for points in _POINTS.get(part, ())]


def _sure(contact: Contact, found: FoundContacts) -> Contact:
    """Return a contact with the confidence of the contacts found at its time."""
    sure = [
        c.confidence
        for c in found.contacts
        if c.joint == contact.joint and c.start < contact.end and c.end > contact.start
    ]
    return replace(contact, confidence=max(sure)) if sure else contact


def _still(
    place: FloatArray, times: FloatArray, tolerance: float, min_contact: float
) -> list[tuple[int, int]]:
    """Return the first and last frames of parts in which a position (F, 3) is still."""
    if len(times) < 2:
        return []
    # The least number of frames; for uneven samples, parts that are too short are removed below.
    frames = max(int(np.ceil(min_contact / float(np.diff(times).max()) - 1e-6)), 1) + 1
    runs = _native.contacts.still_runs(np.ascontiguousarray(place), frames, tolerance)
    merged = _merged(runs.tolist(), place, times, tolerance)
    long = [(a, b) for a, b in merged if times[b] - times[a] >= min_contact - 1e-6]
    return [_drawn_in(place, times, a, b) for a, b in long]


def _merged(
    found: list[tuple[int, int]], place: FloatArray, times: FloatArray, tolerance: float
) -> list[tuple[int, int]]:
    """Merge parts that are interrupted by noise only."""
    merged: list[tuple[int, int]] = []
    for first, last in found:
        if merged:
            a, b = merged[-1]
            near = np.linalg.norm(place[first : last + 1].mean(0) - place[a : b + 1].mean(0))
            if times[first] - times[b] <= _SHAKE_SECONDS and near <= 2 * tolerance:
                merged[-1] = (a, last)
                continue
        merged.append((first, last))
    return merged


def _drawn_in(place: FloatArray, times: FloatArray, first: int, last: int) -> tuple[int, int]:
    """Shorten a contact at ends where the joint moves fast; ends of the clip stay."""
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
    """Convert gait events of C3D files to contacts.

    Parameters
    ----------
    events : iterable of (time s, side, label)
        Side ``Left`` or ``Right``, label ``Foot Strike`` or ``Foot Off``.
    body : Body
        The body.
    end, start : float
        Last and first time of the clip, for contacts that are cut off.
    """
    down: dict[str, float] = {}
    out = []
    for time, side, label in sorted(events):
        joint = _foot_on(body, side.strip().lower())
        if joint is None:
            raise InputError(
                "the event at {time} is on side {side!r}, which has no foot",
                time=Moment(time),
                side=side,
            )
        word = label.strip().lower()
        if word == "foot strike":
            down.setdefault(joint, time)
        elif word == "foot off":
            strike = down.pop(joint, start)
            if time > strike:
                out.append(Contact(joint, strike, time))
        else:
            raise InputError(
                "the event at {time} is {label!r}, not Foot Strike or Foot Off",
                time=Moment(time),
                label=label,
            )
    out += [Contact(joint, strike, end) for joint, strike in down.items() if strike < end]
    return tuple(sorted(out, key=lambda c: (c.joint, c.start)))


def _foot_on(body: Body, side: str) -> str | None:
    """Return the name of the toe or foot on a side, or ``None``."""
    if side not in _SIDES:
        return None
    return body.name(f"{side}_toe") or body.name(f"{side}_foot")
