"""Walking and running by one formula: feet plant and swing below the centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.motion import quat
from retime.motion.contact import Contact
from retime.samples.figure import ANKLE_HEIGHT, HEEL, SIDES, TOE, Poser, turn
from retime.samples.sample import GRAVITY, Sample


@dataclass(frozen=True)
class _Gait:
    """Parameters of a gait.

    Speed in m/s, stride (two steps) in seconds, the fraction of it that a foot stands, the centre's
    height in metres, foot angles in radians at strike and toe-off, the foot's lift in metres, and
    how far the arms swing and bend.
    """

    speed: float
    stride: float
    duty: float
    height: float
    strike: float
    push: float
    lift: float
    arm_swing: float
    arm_bend: float
    lean: float

    @property
    def stance(self) -> float:
        return self.duty * self.stride


# Shares of a stance: until then the foot comes down on its heel, from then on the heel rises.
_FLAT, _RISE = 0.10, 0.55


def make_walk(*, seconds: float = 4.4, fps: float = 60.0) -> Sample:
    """Make a walk in a straight line: four strides, so that its end meets its start."""
    gait = _Gait(1.05, 1.1, 0.62, 0.955, -0.3, 0.85, 0.06, 0.45, 0.35, 0.03)
    return _make("walk", gait, seconds, fps)


def make_run(*, seconds: float = 2.0, fps: float = 60.0) -> Sample:
    """Make a run in a straight line, with flights that fall freely."""
    gait = _Gait(3.0, 0.7, 0.30, 0.96, 0.0, 1.0, 0.24, 0.9, 1.5, 0.18)
    return _make("run", gait, seconds, fps)


def _make(name: str, gait: _Gait, seconds: float, fps: float) -> Sample:
    t = np.arange(round(seconds * fps) + 1) / fps
    poser = Poser(t)
    phase = 2 * np.pi * t / gait.stride
    centre = np.zeros((len(t), 3))
    centre[:, 2] = gait.speed * t
    centre[:, 1] = gait.height + _bob(t, gait)
    if gait.duty > 0.5:
        centre[:, 0] = 0.025 * np.sin(phase - np.pi * gait.duty + np.pi / 2)
    swing = gait.arm_swing * np.cos(phase)
    twist = 0.12 * np.cos(phase)

    def pose() -> None:
        poser.lean(np.full(len(t), gait.lean))
        poser.set("Hips", quat.multiply(turn("y", -twist), turn("x", 0.4 * gait.lean)))
        poser.set("Chest", quat.multiply(turn("y", 2 * twist), turn("x", 0.25 * gait.lean)))
        for side, sign in SIDES:
            forward = -sign * swing + 0.1
            bend = gait.arm_bend + 0.25 * np.sin(-sign * swing)
            poser.swing_arm(side, lower=1.38, forward=forward, bend=bend)
            ankle, pitch = _foot(t, gait, sign)
            poser.plant(side, ankle, pitch)

    poser.balance(centre, pose)
    return Sample(name, poser.motion(fps), _contacts(t, gait), _flights(t, gait))


def _bob(t: FloatArray, gait: _Gait) -> FloatArray:
    """Return the height of the centre above its mean: an arc over each stance, or a hop between."""
    step = gait.stride / 2
    u = np.mod(t, step)
    if gait.duty > 0.5:
        middle = gait.stance / 2
        out: FloatArray = 0.018 * np.cos(2 * np.pi * (t - middle) / step)
        return out
    # Stance: down and up again; flight: a parabola; the speed agrees where they meet.
    flight = step - gait.stance
    speed = GRAVITY * flight / 2
    down = -speed * gait.stance / np.pi * np.sin(np.pi * u / gait.stance)
    w = u - gait.stance
    hop: FloatArray = np.where(u < gait.stance, down, speed * w - GRAVITY / 2 * w**2)
    return hop


def _strikes(t: FloatArray, gait: _Gait, sign: float) -> FloatArray:
    """Times at which a foot comes down, from one before the clip to one after."""
    first = 0.0 if sign > 0 else gait.stride / 2
    count = int(np.ceil(t[-1] / gait.stride)) + 2
    return first + gait.stride * np.arange(-1, count, dtype=np.float64)


def _foot(t: FloatArray, gait: _Gait, sign: float) -> tuple[FloatArray, FloatArray]:
    """Ankle position (F, 3) and foot pitch (F,): stands, rolls, swings."""
    strikes = _strikes(t, gait, sign)
    k = np.clip(np.searchsorted(strikes, t, side="right") - 1, 0, len(strikes) - 2)
    since = t - strikes[k]
    u = np.clip(since / gait.stance, 0.0, 1.0)
    across = sign * (0.085 if gait.duty > 0.5 else 0.05)

    def place(strike: FloatArray) -> FloatArray:
        """Return the ankle of the flat foot: below the centre in the middle of the stance."""
        z = gait.speed * (strike + gait.stance / 2)
        return np.stack([np.full_like(z, across), np.full_like(z, ANKLE_HEIGHT), z], axis=1)

    here, there = place(strikes[k]), place(strikes[k + 1])
    down = np.clip(u / _FLAT, 0.0, 1.0)
    up = np.clip((u - _RISE) / (1 - _RISE), 0.0, 1.0)
    pitch = gait.strike * (1 - down) + gait.push * up**2
    standing = _pivoted(here, np.where(u < _FLAT, pitch, 0.0), HEEL)
    standing = np.where((u < _FLAT)[:, None], standing, _pivoted(here, pitch, TOE))

    swing = np.clip((since - gait.stance) / (gait.stride - gait.stance), 0.0, 1.0)
    leave = _pivoted(here, np.full(len(t), gait.push), TOE)
    arrive = _pivoted(there, np.full(len(t), gait.strike), HEEL)
    share = 0.7 * (1 - np.cos(np.pi * swing)) / 2 + 0.3 * swing  # feet leave and arrive in motion
    flying = leave + share[:, None] * (arrive - leave)
    flying[:, 1] += gait.lift * np.sin(np.pi * swing)
    air = since > gait.stance
    pitch = np.where(air, gait.push + share * (gait.strike - gait.push), pitch)
    return np.where(air[:, None], flying, standing), pitch


def _pivoted(ankle: FloatArray, pitch: FloatArray, pivot: FloatArray) -> FloatArray:
    """Pitch a flat foot about one of its points; return the position of its ankle."""
    return ankle + pivot - quat.rotate(turn("x", pitch), pivot)


def _contacts(t: FloatArray, gait: _Gait) -> tuple[Contact, ...]:
    """Return when toes are planted: from the flat foot (or the strike) to toe-off."""
    out = []
    for side, sign in SIDES:
        for strike in _strikes(t, gait, sign):
            start = strike + (_FLAT * gait.stance if gait.strike else 0.0)
            end = strike + gait.stance
            start, end = max(float(start), 0.0), min(float(end), float(t[-1]))
            if start < end:
                out.append(Contact(f"{side}Toe", start, end))
    return tuple(out)


def _flights(t: FloatArray, gait: _Gait) -> tuple[tuple[float, float], ...]:
    if gait.duty > 0.5:
        return ()
    step = gait.stride / 2
    starts = gait.stance + step * np.arange(int(np.ceil(t[-1] / step)))
    ends = starts + step - gait.stance
    return tuple((float(a), float(b)) for a, b in zip(starts, ends, strict=True) if b <= t[-1])
