"""A standing jump with idle time before and after."""

from __future__ import annotations

import numpy as np

from retime.motion import Motion
from retime.quat import FloatArray
from retime.samples.figure import ANKLE_HEIGHT, HIP_WIDTH, Poser, ease, turn

__all__ = ["jump"]

GRAVITY = 9.81
# Seconds: when the crouch begins, when the push does, take-off.
_CROUCH, _PUSH, _TAKE_OFF = 0.8, 1.15, 1.4
_STAND, _LOW, _EXTENDED = 0.93, 0.66, 1.0


def jump(*, height: float = 0.35, distance: float = 0.6, fps: float = 60.0) -> Motion:
    """Make a standing long jump: idle, crouch, flight, landing, idle.

    Parameters
    ----------
    height : float
        Metres that the hips rise above take-off.
    distance : float
        Metres that the feet travel.
    fps : float
        Frames per second.

    Examples
    --------
    >>> motion = jump()
    >>> len(motion), motion.duration
    (196, 3.25)
    """
    speed = np.sqrt(2 * GRAVITY * height)
    flight = 2 * speed / GRAVITY
    land = _TAKE_OFF + flight
    end = np.ceil((land + 1.25) * 4) / 4
    t = np.arange(round(end * fps) + 1) / fps
    poser = Poser(t)

    before = _hermite(t, _PUSH, _LOW, 0.0, _TAKE_OFF, _EXTENDED, speed)
    after = _hermite(t, land, _EXTENDED, -speed, land + 0.28, _LOW, 0.0)
    air = _EXTENDED + speed * (t - _TAKE_OFF) - GRAVITY / 2 * (t - _TAKE_OFF) ** 2
    poser.root[:, 1] = np.select(
        [t < _PUSH, t < _TAKE_OFF, t < land, t < land + 0.28],
        [ease(t, [(_CROUCH, _STAND), (_PUSH, _LOW)]), before, air, after],
        ease(t, [(land + 0.28, _LOW), (land + 0.85, _STAND)]),
    )
    sway = 0.008 * np.sin(2 * np.pi * t / 1.6)
    poser.root[:, 0] = sway
    travel = ease(t, [(_PUSH, 0.0), (land + 0.28, 1.0)])
    lean = ease(t, [(_CROUCH, 0.0), (_PUSH, -0.08), (_TAKE_OFF, 0.05), (land + 0.3, 0.0)])
    poser.root[:, 2] = distance * travel + lean

    pitch = ease(
        t,
        [
            (_CROUCH, 0.0),
            (_PUSH, 0.75),
            (_TAKE_OFF + 0.1, 0.1),
            (land + 0.25, 0.7),
            (land + 0.85, 0),
        ],
    )
    poser.set("Hips", turn("x", 0.5 * pitch))
    poser.set("Spine", turn("x", 0.35 * pitch))
    poser.set("Chest", turn("x", 0.15 * pitch))
    poser.set("Neck", turn("x", -0.5 * pitch))
    arms = ease(
        t,
        [
            (_CROUCH, 0.05),
            (_PUSH - 0.05, -1.1),
            (_TAKE_OFF + 0.05, 2.4),
            (land, 1.1),
            (land + 0.35, 0.3),
            (land + 0.9, 0.05),
        ],
    )
    bend = ease(t, [(_PUSH, 0.25), (_TAKE_OFF, 0.7), (land, 0.6), (land + 0.8, 0.25)])
    tuck = ease(t, [(_TAKE_OFF, 0.0), (_TAKE_OFF + flight / 2, 1.0), (land, 0.0)])
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        poser.swing_arm(side, lower=np.full(len(t), 1.35), forward=arms, bend=bend)
        _move_leg(poser, side, sign, t, land, distance, tuck)
    return poser.motion(fps)


def _move_leg(
    poser: Poser,
    side: str,
    sign: float,
    t: FloatArray,
    land: float,
    distance: float,
    tuck: FloatArray,
) -> None:
    heel = ease(t, [(_TAKE_OFF - 0.12, 0.0), (_TAKE_OFF, 0.9), (land, 0.0)])
    ankle = np.zeros((len(t), 3))
    ankle[:, 0] = sign * (HIP_WIDTH + 0.02)
    # On the ground the foot turns about its toes; in the air it goes with the hips.
    planted = ANKLE_HEIGHT + 0.13 * np.sin(heel)
    hang = poser.root[:, 1] - (_EXTENDED - ANKLE_HEIGHT - 0.13 * np.sin(0.9)) + 0.18 * tuck
    ankle[:, 1] = planted
    ankle[:, 2] = distance * ease(t, [(_TAKE_OFF, 0.0), (land, 1.0)]) + 0.13 * (1 - np.cos(heel))
    settle = ease(t, [(land - 0.12, 0.0), (land, 1.0)])
    air = (t >= _TAKE_OFF) & (t < land)
    ankle[air, 1] = ((1 - settle) * hang + settle * np.maximum(planted, ANKLE_HEIGHT))[air]
    poser.plant(side, ankle, heel)


def _hermite(
    t: FloatArray, t0: float, y0: float, v0: float, t1: float, y1: float, v1: float
) -> FloatArray:
    """Interpolate between two heights with given speeds."""
    h = t1 - t0
    u = (t - t0) / h
    return (
        (1 + 2 * u) * (1 - u) ** 2 * y0
        + u * (1 - u) ** 2 * h * v0
        + u**2 * (3 - 2 * u) * y1
        + u**2 * (u - 1) * h * v1
    )
