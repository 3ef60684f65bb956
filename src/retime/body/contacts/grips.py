"""Grips: hands that keep their distance to each other, to a prop, or to another figure's hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import Body, find_body
from retime.body.contacts.plants import detect_contacts
from retime.body.contacts.stretches import runs
from retime.body.size import judged
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.motion.memory import last

__all__ = ["Grip", "find_grips", "find_touches"]

# What is nearer than this, in metres, and keeps its distance within that for so long, in seconds,
# while it moves faster than this at times, in m/s, is held: hands at rest side by side are not.
_NEAR, _SAME, _SHORTEST, _MOVING = 0.35, 0.015, 0.4, 0.3
# Hands that part or come move this long beside a grip, in seconds.
_ASIDE = 0.15
# A hand that is in contact for more than this share of the time stands; it holds nothing.
_RESTING = 0.5


@dataclass(frozen=True)
class Grip:
    """Two joints that are held together for a while.

    Parameters
    ----------
    joint, other : str
        A hand's joint, and the other hand's, a prop's, or another figure's.
    start, end : float
        Start and end time, seconds.
    distance : float
        Distance that they keep, metres.
    """

    joint: str
    other: str
    start: float
    end: float
    distance: float


def find_grips(motion: Motion) -> tuple[Grip, ...]:
    """Find what hands hold: the other hand (a club, a bat, a bar), or an object of the file."""
    return last(motion, "grips", (), lambda: _not_resting(motion, _grips(judged(motion))))


def find_touches(motion: Motion, other: Motion) -> tuple[Grip, ...]:
    """Find hands of two figures that hold each other; both in the same time.

    The other's joints are told where it is in the first motion's time.
    """
    one, two = judged(motion), judged(other)
    ours, theirs = _palms(one, find_body(one)), _palms(two, find_body(two))
    out = []
    for joint, place in ours.items():
        for partner, there in theirs.items():
            track = [np.interp(one.times, two.times, there[:, c]) for c in range(3)]
            out += _kept(one, joint, partner, place, np.stack(track, axis=1))
    return tuple(out)


def _not_resting(motion: Motion, grips: tuple[Grip, ...]) -> tuple[Grip, ...]:
    """Leave out hands that keep their distance because one of them stands on something."""
    if not grips:
        return grips
    contacts = last(motion, "contacts of feet", None, lambda: detect_contacts(motion))

    def stands(grip: Grip, joint: str) -> bool:
        shared = [
            min(c.end, grip.end) - max(c.start, grip.start) for c in contacts if c.joint == joint
        ]
        return sum(max(s, 0.0) for s in shared) > _RESTING * (grip.end - grip.start)

    return tuple(g for g in grips if not (stands(g, g.joint) or stands(g, g.other)))


def _grips(motion: Motion) -> tuple[Grip, ...]:
    body = find_body(motion)
    palms = _palms(motion, body)
    names = motion.skeleton.names
    out = []
    if len(palms) == 2:
        (left, a), (right, b) = palms.items()
        out += _kept(motion, left, right, a, b)
    points = positions(motion)
    for prop in _props(motion, body):
        for joint, place in palms.items():
            out += _kept(motion, joint, names[prop], place, points[:, prop])
    return tuple(out)


def _palms(motion: Motion, body: Body) -> dict[str, FloatArray]:
    """Return a point inside each hand, by its joint: wrists turn about a shaft, palms stay."""
    points, skeleton = positions(motion, end_sites=True), motion.skeleton
    out = {}
    for side in ("left", "right"):
        hand = body.roles.get(f"{side}_hand")
        if hand is None:
            continue
        sites = [len(skeleton) + k for k, s in enumerate(skeleton.end_sites) if s.parent == hand]
        inside = [*(int(j) for j in skeleton.children[hand]), *sites]
        reach = [np.linalg.norm(points[0, i] - points[0, hand]) for i in inside]
        far = inside[int(np.argmax(reach))] if inside else hand
        out[skeleton.names[hand]] = points[:, far]
    return out


def _props(motion: Motion, body: Body) -> list[int]:
    """List the joints that are below none of the body's: objects of the same file."""
    skeleton = motion.skeleton
    if "hips" not in body.roles:
        return []
    hips = body.roles["hips"]
    above = skeleton.chain(hips)
    # Feet and hands of a rig may hang beside the hips: they are the body's all the same.
    own = {limb.end for limb in body.limbs.values()} | set(body.roles.values())
    return [
        j
        for j in range(len(skeleton))
        if hips not in skeleton.chain(j) and j not in above and not own & set(skeleton.chain(j))
    ]


def _kept(
    motion: Motion, joint: str, other: str, place: FloatArray, there: FloatArray
) -> list[Grip]:
    """List the stretches in which two points keep their distance."""
    width = max(round(_SHORTEST * motion.rate), 2)
    if len(motion) < width:
        return []
    distance = np.linalg.norm(place - there, axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(distance, width)
    steady = (np.ptp(windows, axis=1) < 2 * _SAME) & (windows.max(axis=1) < _NEAR)
    held = np.convolve(steady, np.ones(width), mode="full") > 0
    aside = round(_ASIDE * motion.rate)
    speed = np.linalg.norm(np.gradient(place, motion.times, axis=0), axis=1)
    return [
        Grip(
            joint,
            other,
            float(motion.times[a]),
            float(motion.times[b - 1]),
            float(distance[a:b].mean()),
        )
        for a, b in runs(held)
        if speed[a + aside : b - aside].max(initial=0.0) > _MOVING
    ]
