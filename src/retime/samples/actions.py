"""Actions of the upper body: punches, a golf-like swing, a handshake of two, and a thrown box."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.skeleton import EndSite, Skeleton
from retime.samples.figure import ANKLE_HEIGHT, SIDES, Poser, ease, turn
from retime.samples.sample import GRAVITY, Sample
from retime.timing import TimeWarp

# Punches: when each starts, and with which hand; a jab takes this long to land, and to come back.
_PUNCHES = ((0.5, "Left"), (1.3, "Right"), (2.0, "Left"), (2.35, "Right"), (3.2, "Right"))
_HIT, _BACK = 0.16, 0.3
_PUNCHES_END = 4.0


def stand(poser: Poser, *, apart: float, ahead: float, turned: float, at: float = 0.0) -> None:
    """Plant both feet: apart sideways, the left one ahead, both turned by radians."""
    flat = np.zeros(len(poser.times))
    for side, sign in SIDES:
        place = np.array([sign * apart / 2, ANKLE_HEIGHT, at + sign * ahead / 2 - 0.03])
        poser.plant(side, np.tile(place, (len(flat), 1)), flat, turned)


def _punching(t: FloatArray, fps: float) -> Motion:
    """Pose a boxer at times that need not be even."""
    poser = Poser(t)
    extend = {side: np.zeros(len(t)) for side, _ in SIDES}
    for start, side in _PUNCHES:
        extend[side] += ease(t, [(start, 0.0), (start + _HIT, 1.0), (start + _HIT + _BACK, 0.0)])
    yaw = 0.5 * extend["Right"] - 0.3 * extend["Left"]
    poser.root[:, 1] = 0.88 + 0.012 * np.sin(2 * np.pi * t / 0.9)
    poser.root[:, 0] = 0.015 * np.sin(2 * np.pi * t / 1.3)
    poser.root[:, 2] = 0.03 * (extend["Left"] + extend["Right"])
    poser.lean(np.full(len(t), 0.15), yaw)
    stand(poser, apart=0.36, ahead=0.36, turned=0.0)
    for side, sign in SIDES:
        guard = np.array([sign * 0.12, 1.36, 0.26])
        target = np.array([sign * 0.02, 1.42, 0.56])
        hand = guard + extend[side][:, None] * (target - guard)
        hand[:, 2] += poser.root[:, 2]
        poser.reach(side, hand, np.array([sign * 0.6, -1.0, -0.2]))
    return poser.motion(fps)


def make_punches(*, slow: bool = False, fps: float = 60.0) -> Sample:
    """Make a boxer's punches; slow ones are the same in another, known timing."""
    contacts = tuple(Contact(f"{side}Toe", 0.0, _PUNCHES_END) for side, _ in SIDES)
    fast_times = np.arange(round(_PUNCHES_END * fps) + 1) / fps
    fast = _punching(fast_times, fps)
    if not slow:
        return Sample("punches", fast, contacts)
    # Slow where the fast one hits, like a tired boxer; the correct timing is known.
    knots = [(0.0, 0.0)]
    for start, _ in _PUNCHES:
        begin = knots[-1][0] + (start - knots[-1][1])
        knots += [(begin, start), (begin + 2.2 * _HIT, start + _HIT)]
        knots.append((knots[-1][0] + 1.3 * (_BACK / 2), start + _HIT + _BACK / 2))
    knots.append((knots[-1][0] + _PUNCHES_END - knots[-1][1], _PUNCHES_END))
    output, source = np.array(knots).T
    frames = np.ceil(output[-1] * fps)
    output[-1] = frames / fps
    warp = TimeWarp(output, source)
    times = np.arange(int(frames) + 1) / fps
    motion = _punching(warp(times), fps)
    stood = tuple(replace(c, end=float(output[-1])) for c in contacts)
    return Sample("punches-slow", motion, stood, reference=fast, warp=warp)


def make_swing(*, fps: float = 60.0) -> Sample:
    """Make a golf-like swing, from address to follow-through; the feet stay in place."""
    t = np.arange(round(3.5 * fps) + 1) / fps
    poser = Poser(t)
    # How far the shoulders have turned to the right; the hands lead on an inclined arc.
    back = ease(
        t, [(0.7, 0.0), (1.55, 1.45), (1.65, 1.45), (1.95, -0.1), (2.3, -1.55), (3.5, -1.5)]
    )
    bow = ease(t, [(0.0, 0.55), (1.95, 0.5), (2.4, 0.15), (3.5, 0.12)])
    poser.root[:, 1] = 0.88 + ease(t, [(1.9, 0.0), (2.4, 0.025)])
    poser.root[:, 0] = ease(t, [(0.7, 0.0), (1.55, -0.03), (2.0, 0.05), (3.5, 0.06)])
    poser.lean(bow, -0.75 * back)
    stand(poser, apart=0.46, ahead=0.0, turned=0.0)
    angle = 1.35 * back
    radius, centre = 0.62, np.array([0.0, 1.3, 0.16])
    across, up = -np.sin(angle), -np.cos(angle)
    grip = centre + np.stack(
        [radius * across, radius * (0.86 * up + 0.06), 0.28 - 0.3 * (1 + up) + 0 * t], axis=1
    )
    grip[:, 0] += poser.root[:, 0]
    for side, sign in SIDES:
        poser.reach(side, grip + np.array([sign * 0.03, 0.03 * sign, 0.0]), [sign, -0.6, -0.5])
    contacts = tuple(Contact(f"{side}Toe", 0.0, float(t[-1])) for side, _ in SIDES)
    return Sample("swing", poser.motion(fps), contacts)


def _shaker(t: FloatArray, fps: float, *, late: float) -> Motion:
    """Pose one of two people shaking hands at the origin; this one is at -z and faces +z."""
    poser = Poser(t)
    raised = ease(t, [(0.6 + late, 0.0), (1.3, 1.0), (2.6, 1.0), (3.2 + late, 0.0)])
    shake = (
        0.045
        * np.sin(2 * np.pi * 2.5 * (t - 1.4))
        * ease(t, [(1.35, 0.0), (1.5, 1.0), (2.4, 1.0), (2.6, 0.0)])
    )
    poser.root[:, 1] = 0.935
    poser.root[:, 2] = -0.46
    poser.root[:, 0] = 0.16 + 0.006 * np.sin(2 * np.pi * (t + late) / 2.1)
    poser.lean(0.05 + 0.1 * raised, 0.2 * raised)
    flat = np.zeros(len(t))
    for side, sign in SIDES:
        place = np.array([0.16 + sign * 0.11, ANKLE_HEIGHT, -0.49])
        poser.plant(side, np.tile(place, (len(t), 1)), flat)
    poser.swing_arm("Left", lower=1.38, forward=0.05 + 0 * t, bend=0.2 + 0 * t)
    rest = np.array([-0.08, 0.93, -0.40])
    meet = np.array([0.0, 1.08, -0.10])
    hand = rest + raised[:, None] * (meet - rest)
    hand[:, 1] += shake
    poser.reach("Right", hand, [-0.5, -1.0, -0.4])
    return poser.motion(fps)


def make_handshake(*, fps: float = 60.0) -> Sample:
    """Make two people shaking hands: their right hands touch from 1.3 to 2.6 s."""
    t = np.arange(round(4.0 * fps) + 1) / fps
    one = _shaker(t, fps, late=0.0)
    other = turned_about(_shaker(t, fps, late=0.1))
    feet = tuple(Contact(f"{side}Toe", 0.0, float(t[-1])) for side, _ in SIDES)
    return Sample("handshake", one, (*feet, Contact("RightHand", 1.3, 2.6)), partner=other)


def turned_about(motion: Motion) -> Motion:
    """Turn a motion by half a turn about the vertical through the origin."""
    half = turn("y", np.pi)
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(half, rotations[:, 0])
    return replace(
        motion,
        rotations=rotations,
        translations={"Hips": quat.rotate(half, motion.root_translation)},
    )


def make_toss(*, fps: float = 60.0) -> Sample:
    """Make a thrown box that turns as it flies, falling freely from start to end."""
    corners = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.3, 0.3)]
    skeleton = Skeleton(
        ("Box",),
        np.array([-1]),
        np.zeros((1, 3)),
        end_sites=tuple(EndSite(0, corner) for corner in corners),
    )
    t = np.arange(round(1.2 * fps) + 1) / fps
    place = np.stack([0.3 * t, 1.2 + 5.6 * t - GRAVITY / 2 * t**2, 2.0 * t], axis=1)
    spin = quat.exp(t[:, None] * np.array([2.0, 3.0, 1.0]))
    motion = Motion(skeleton, spin[:, None], {"Box": place}, fps=fps)
    return Sample("toss", motion, flights=((0.0, float(t[-1])),))
