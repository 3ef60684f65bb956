"""Plants: stretches of contacts in which a joint stands still, so that it can be held in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.body import Body, find_body
from retime.body.contacts.detector import find_contacts
from retime.body.contacts.found import FoundContacts
from retime.body.contacts.stretches import runs
from retime.body.size import judged
from retime.errors import InputError
from retime.motion import Motion
from retime.motion.contact import Contact, Contacts
from retime.motion.kinematics import positions

__all__ = ["Contact", "contacts_from_events", "detect_contacts"]

# Two stretches that part for less than this are one contact, shaken by noise.
_SHAKE_SECONDS = 0.05
# A joint that moves faster than this, in metres per second, is coming or leaving.
_LEAVING_SPEED = 0.5
# A contact that is less sure is asked for by a force alone: no place to hold a joint at.
_DOUBTFUL = 0.25
_SIDES = ("left", "right")
# What must touch for a role's joint to be in contact: all points of one of these sets.
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
    already moves are left out.

    Parameters
    ----------
    motion : Motion
        Any motion.
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
    tuple of Contact, by joint and time.
    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"the tolerance must be above 0 m, not {tolerance}")
    if not (np.isfinite(min_contact) and min_contact > 0):
        raise InputError(f"the shortest contact must be above 0 s, not {min_contact}")
    if len(motion) < 2:
        return ()
    motion = judged(motion)
    body, found = find_body(motion), find_contacts(motion)
    masks = _touching(body, found)
    names = body.find_joints(joints) if joints else tuple(motion.skeleton.names[j] for j in masks)
    points = positions(motion)
    if any(found.drift):  # still is what moves with the ground
        points = points - np.outer(motion.times, found.drift)[:, None]
    if joints:
        feet = {body.roles[r] for r in body.roles if r.endswith(("_foot", "_toe"))}
        masks = {j: mask for j, mask in masks.items() if j in feet}
    every = np.ones(len(motion), dtype=bool)
    out = []
    for name in names:
        joint = motion.skeleton.index(name)
        for a, b in runs(masks.get(joint, every)):
            for first, last in _still(
                points[a:b, joint], motion.times[a:b], tolerance, min_contact
            ):
                start, end = (float(motion.times[a + k]) for k in (first, last))
                out.append(_sure(Contact(name, start, end, velocity=found.drift), found))
    return Contacts(c for c in out if c.confidence >= _DOUBTFUL)


def _touching(body: Body, found: FoundContacts) -> dict[int, Mask]:
    """Return the frames in which each joint that can touch does, by joint."""
    touching = found.touching
    out: dict[int, Mask] = {}
    for role, joint in body.roles.items():
        side, _, part = role.partition("_")
        sets = _POINTS.get(part, ()) if side in _SIDES else ((_TRUNK.get(role, ""),),)
        if part == "foot" and f"{side}_toe" in body.roles:
            continue  # a foot's toes tell; its ankle turns above the ground
        masks = [
            np.all([touching[n] for n in names], axis=0)
            for names in ([f"{side}_{p}" if side in _SIDES else p for p in s] for s in sets)
            if all(n in touching for n in names)
        ]
        if masks:
            out[joint] = np.any(masks, axis=0)
    ends = {c.joint: c.point for c in found.contacts if c.point.endswith("_end")}
    out |= {body.skeleton.index(joint): touching[point] for joint, point in ends.items()}
    return out


def _sure(contact: Contact, found: FoundContacts) -> Contact:
    """Give a contact the confidence of what was found at its time."""
    sure = [
        c.confidence
        for c in found.contacts
        if c.joint == contact.joint and c.start < contact.end and c.end > contact.start
    ]
    return replace(contact, confidence=max(sure)) if sure else contact


def _still(
    place: FloatArray, times: FloatArray, tolerance: float, min_contact: float
) -> list[tuple[int, int]]:
    """List the stretches, first and last, in which a place (F, 3) stays within a tolerance."""
    from retime.body.kernels import still_runs

    if len(times) < 2:
        return []
    # Uneven samples: as many as are there at the least; what is too short falls out below.
    frames = max(int(np.ceil(min_contact / float(np.diff(times).max()) - 1e-6)), 1) + 1
    found = [
        (int(a), int(b)) for a, b in still_runs(np.ascontiguousarray(place), frames, tolerance)
    ]
    merged: list[tuple[int, int]] = []
    for first, last in found:
        if merged:
            a, b = merged[-1]
            near = np.linalg.norm(place[first : last + 1].mean(0) - place[a : b + 1].mean(0))
            if times[first] - times[b] <= _SHAKE_SECONDS and near <= 2 * tolerance:
                merged[-1] = (a, last)
                continue
        merged.append((first, last))
    long = [(a, b) for a, b in merged if times[b] - times[a] >= min_contact - 1e-6]
    return [_drawn_in(place, times, a, b) for a, b in long]


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
