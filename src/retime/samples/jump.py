"""A standing jump with idle time before and after."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.motion.contact import Contact
from retime.samples.figure import ANKLE_HEIGHT, HIP_WIDTH, SIDES, TOE, Poser, ease
from retime.samples.sample import GRAVITY, Sample

# Seconds: when the crouch begins, when the push does, take-off.
_CROUCH, _PUSH, _TAKE_OFF = 0.8, 1.15, 1.4
# Heights of the centre of mass: standing, crouched, at take-off and landing.
_STAND, _LOW, _EXTENDED = 0.995, 0.74, 1.04
_HEEL = 0.9


def make_jump(*, height: float = 0.35, distance: float = 0.6, fps: float = 60.0) -> Sample:
    """Make a standing long jump: idle, crouch, flight, landing, idle."""
    speed = float(np.sqrt(2 * GRAVITY * height))
    flight = 2 * speed / GRAVITY
    land = _TAKE_OFF + flight
    settled = land + 0.3
    t = np.arange(round(np.ceil((land + 1.25) * 4) / 4 * fps) + 1) / fps
    poser = Poser(t)

    centre = np.zeros((len(t), 3))
    centre[:, 0] = 0.006 * np.sin(2 * np.pi * t / 1.6)
    u = t - _TAKE_OFF
    centre[:, 1] = np.select(
        [t < _PUSH, t < _TAKE_OFF, t < land, t < settled],
        [
            ease(t, [(_CROUCH, _STAND), (_PUSH, _LOW)]),
            _hermite(t, _PUSH, _LOW, 0.0, _TAKE_OFF, _EXTENDED, speed),
            _EXTENDED + speed * u - GRAVITY / 2 * u**2,
            _hermite(t, land, _EXTENDED, -speed, settled, _LOW, 0.0),
        ],
        ease(t, [(settled, _LOW), (land + 0.95, _STAND)]),
    )
    # Along the ground: pushed off in time with the legs, coasting in flight.
    coast = 0.8 * distance / flight
    reach = [_hermite(t, _PUSH, 0.02, 0.0, _TAKE_OFF, 0.16, coast)]
    reach.append(0.16 + coast * u)
    reach.append(_hermite(t, land, 0.16 + coast * flight, coast, settled, distance + 0.03, 0.0))
    centre[:, 2] = np.select(
        [t < _PUSH, t < _TAKE_OFF, t < land, t < settled],
        [ease(t, [(_CROUCH, 0.03), (_PUSH, 0.02)]), *reach],
        distance + 0.03,
    )
    bow = ease(
        t,
        [
            (_CROUCH, 0.0),
            (_PUSH, 0.95),
            (_TAKE_OFF + 0.05, 0.1),
            (land, 0.35),
            (settled, 0.9),
            (land + 0.95, 0.0),
        ],
    )
    arms = ease(
        t,
        [
            (_CROUCH, 0.05),
            (_PUSH - 0.05, -1.0),
            (_TAKE_OFF + 0.05, 2.3),
            (land, 1.0),
            (settled + 0.05, 0.4),
            (land + 1.0, 0.05),
        ],
    )
    bend = ease(t, [(_PUSH, 0.2), (_TAKE_OFF, 0.6), (land, 0.5), (land + 0.9, 0.2)])

    def pose() -> None:
        poser.lean(bow)
        for side, sign in SIDES:
            poser.swing_arm(side, lower=1.35, forward=arms, bend=bend)
            _move_leg(poser, side, sign, land, distance)

    poser.balance(centre, pose)
    stances = [(0.0, _TAKE_OFF), (land, float(t[-1]))]
    return Sample(
        "jump",
        poser.motion(fps),
        contacts=tuple(Contact(f"{side}Toe", a, b) for side, _ in SIDES for a, b in stances),
        flights=((_TAKE_OFF, land),),
    )


def _move_leg(poser: Poser, side: str, sign: float, land: float, distance: float) -> None:
    t = poser.times
    heel = ease(
        t, [(_TAKE_OFF - 0.15, 0.0), (_TAKE_OFF, _HEEL), (land - 0.02, 0.45), (land + 0.1, 0.0)]
    )
    # On the ground the foot turns about its toe; in the air it follows the hips.
    cos, sin = np.cos(heel), np.sin(heel)
    ankle = np.zeros((len(t), 3))
    ankle[:, 0] = sign * (HIP_WIDTH + 0.02)
    ankle[:, 1] = ANKLE_HEIGHT + TOE[1] - (TOE[1] * cos - TOE[2] * sin)
    ankle[:, 2] = TOE[2] - (TOE[1] * sin + TOE[2] * cos) + np.where(t < land, 0.0, distance)
    air = (t > _TAKE_OFF) & (t < land)
    first, last = int(np.flatnonzero(air)[0]) - 1, int(np.flatnonzero(air)[-1]) + 1
    u = np.clip((t - t[first]) / (t[last] - t[first]), 0.0, 1.0)[:, None]
    hang = (1 - u) * (ankle - poser.root)[first] + u * (ankle - poser.root)[last]
    hang[:, 1] += 0.12 * np.sin(np.pi * u[:, 0])
    ankle[air] = (poser.root + hang)[air]
    poser.plant(side, ankle, heel)


def _hermite(
    t: FloatArray, t0: float, y0: float, v0: float, t1: float, y1: float, v1: float
) -> FloatArray:
    """Interpolate between two values with given speeds."""
    h = t1 - t0
    u = (t - t0) / h
    return (
        (1 + 2 * u) * (1 - u) ** 2 * y0
        + u * (1 - u) ** 2 * h * v0
        + u**2 * (3 - 2 * u) * y1
        + u**2 * (u - 1) * h * v1
    )
