"""Find grips: hands that keep their distance to each other, a prop, or another figure's hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts.plants import detect_contacts
from retime.body.contacts.stretches import runs
from retime.body.model.body import Body, find_body
from retime.body.model.size import judged
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.motion.memory import last
from retime.motion.skeleton import Skeleton

# A grip: largest distance and its largest change, metres; shortest time, seconds; and least peak
# speed, m/s, because hands that rest side by side do not hold each other.
_NEAR, _SAME, _SHORTEST, _MOVING = 0.35, 0.015, 0.4, 0.3
# Margin at the ends of a grip in which its speed is not measured, seconds.
_ASIDE = 0.15
# Fraction of the time above which a hand in contact supports the body and holds nothing.
_RESTING = 0.5


@dataclass(frozen=True)
class Grip:
    """Two joints that are held together for a while.

    Parameters
    ----------
    joint, other : str
        A hand, and the other hand, a prop, or a hand of another figure.
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
    """Find grips of both hands on one object (a club, a bat, a bar), or on a prop of the file."""
    return last(motion, "grips", (), lambda: _not_resting(motion, _grips(judged(motion))))


def find_touches(motion: Motion, other: Motion) -> tuple[Grip, ...]:
    """Find hands of two figures that hold each other; both motions share one timeline."""
    one, two = judged(motion), judged(other)
    ours, theirs = palms(one), palms(two)
    out = []
    for joint, place in ours.items():
        for partner, there in theirs.items():
            track = [np.interp(one.times, two.times, there[:, c]) for c in range(3)]
            out += _kept(one, joint, partner, place, np.stack(track, axis=1))
    return tuple(out)


def _not_resting(motion: Motion, grips: tuple[Grip, ...]) -> tuple[Grip, ...]:
    """Remove grips in which a hand supports the body."""
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
    hands = palms(motion)
    names = motion.skeleton.names
    out = []
    if len(hands) == 2:
        (left, a), (right, b) = hands.items()
        out += _kept(motion, left, right, a, b)
    points = positions(motion)
    for prop in _props(motion, body):
        for joint, place in hands.items():
            out += _kept(motion, joint, names[prop], place, points[:, prop])
    return tuple(out)


def palms(motion: Motion) -> dict[str, FloatArray]:
    """Return a point inside each hand (F, 3), by its joint: wrists rotate about a held shaft."""
    points, skeleton, body = positions(motion, end_sites=True), motion.skeleton, find_body(motion)
    hands = [body.roles[r] for r in ("left_hand", "right_hand") if r in body.roles]
    return {skeleton.names[hand]: points[:, _palm(skeleton, points[0], hand)] for hand in hands}


def _palm(skeleton: Skeleton, points: FloatArray, hand: int) -> int:
    """Return the child or end site of a hand that is farthest from it, or the hand."""
    sites = [len(skeleton) + k for k, s in enumerate(skeleton.end_sites) if s.parent == hand]
    inside = [*skeleton.children[hand], *sites]
    return max(inside, key=lambda i: float(np.linalg.norm(points[i] - points[hand])), default=hand)


def _props(motion: Motion, body: Body) -> list[int]:
    """Return the joints that do not belong to the body: objects of the same file."""
    skeleton = motion.skeleton
    if "hips" not in body.roles:
        return []
    # Feet and hands of some rigs are not below the hips.
    own = {limb.end for limb in body.limbs.values()} | set(body.roles.values())
    above = skeleton.chain(body.roles["hips"])
    others = [j for j in range(len(skeleton)) if j not in above]
    return [j for j in others if own.isdisjoint(skeleton.chain(j))]


def _kept(
    motion: Motion, joint: str, other: str, place: FloatArray, there: FloatArray
) -> list[Grip]:
    """Return the grips in which two points keep their distance."""
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
