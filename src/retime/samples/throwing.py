"""Two people and a ball: one throws it, the other catches it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import BPoly

from retime.arrays import FloatArray
from retime.motion import Motion, quat
from retime.motion.skeleton import EndSite, Skeleton
from retime.samples.actions import stand, turned_about
from retime.samples.figure import SIDES, Poser, ease
from retime.samples.sample import GRAVITY, Sample

# When the ball leaves the thrower's hand and when it is caught, and the length, seconds.
RELEASE, CATCH, _END = 1.6, 2.3, 4.0
# Distance of both from the middle, and the radius of the ball, metres.
_AWAY, _RADIUS = 1.5, 0.11
# Where the ball is when it is let go and when it is caught: height and distance before the hips.
_FROM, _TO = (1.12, 0.36), (1.15, 0.40)

Waypoints = Sequence[tuple[float, Sequence[FloatArray]]]


def make_throw(*, fps: float = 60.0) -> tuple[Motion, Motion, Motion]:
    """Make the thrower, the catcher and the ball, which falls freely between them."""
    t = np.arange(round(_END * fps) + 1) / fps
    start = np.array([0.0, _FROM[0], _FROM[1] - _AWAY])
    end = np.array([0.0, _TO[0], _AWAY - _TO[1]])
    flight = CATCH - RELEASE
    fall = np.array([0.0, -GRAVITY, 0.0])
    launch = (end - start) / flight - fall * flight / 2
    thrown = _thrown(t, start, launch, fall)
    caught = _caught(t, end * [-1, 1, -1])  # in the axes of the catcher
    air = (t - RELEASE)[:, None]
    ball = np.where(air < 0, thrown, start + launch * air + fall / 2 * air**2)
    ball = np.where((t > CATCH)[:, None], caught * [-1, 1, -1], ball)
    catcher = turned_about(_catcher(t, caught, fps))
    return _thrower(t, thrown, fps), catcher, _ball(ball, fps)


def throw_sample() -> Sample:
    """Make the thrower, with the catcher as the partner, and the ball."""
    thrower, catcher, ball = make_throw()
    return Sample("throw", thrower, partner=catcher, prop=ball)


def _path(t: FloatArray, waypoints: Waypoints) -> FloatArray:
    """Return a path (F, 3) of quintics through places with velocities and accelerations."""
    times = [time for time, _ in waypoints]
    given = [[*values, *[np.zeros(3)] * (3 - len(values))] for _, values in waypoints]
    return np.asarray(BPoly.from_derivatives(times, given)(np.clip(t, times[0], times[-1])))


def _thrown(t: FloatArray, start: FloatArray, launch: FloatArray, fall: FloatArray) -> FloatArray:
    """Return the path of the ball in the thrower's hand, and of the empty hand afterwards."""
    hang = start + np.array([0.0, -0.24, -0.22])
    back = start + np.array([0.0, -0.22, -0.42])
    after = start + np.array([0.0, 0.36, 0.04])
    return _path(
        t,
        [
            (0.7, [hang]),
            (1.36, [back]),
            (RELEASE, [start, launch, fall]),
            (1.95, [after]),
            (2.7, [hang]),
        ],
    )


def _caught(t: FloatArray, place: FloatArray) -> FloatArray:
    """Return the path of the middle of the catcher's hands: they wait, give way, and hold."""
    down = place + np.array([0.0, -0.22, -0.14])
    held = place + np.array([0.0, -0.10, -0.16])
    return _path(
        t, [(1.2, [down]), (CATCH - 0.25, [place]), (CATCH, [place]),
            (CATCH + 0.4, [held]), (_END, [held])],
    )  # fmt: skip


def _thrower(t: FloatArray, hand: FloatArray, fps: float) -> Motion:
    poser = Poser(t)
    swing = ease(t, [(0.7, 0.0), (1.36, -1.0), (RELEASE + 0.15, 1.0), (2.6, 0.0)])
    poser.root[:, 1] = 0.92 - 0.03 * ease(t, [(0.7, 0.0), (1.25, 1.0), (1.8, 0.0)])
    poser.root[:, 2] = -_AWAY + 0.05 * swing
    poser.lean(0.12 + 0.08 * ease(t, [(0.7, 0.0), (1.3, 1.0), (2.4, 0.0)]), 0.25 * swing)
    stand(poser, apart=0.3, ahead=0.3, turned=0.0, at=-_AWAY)
    poser.swing_arm("Left", lower=1.35, forward=0.1 - 0.25 * swing, bend=0.35 + 0 * t)
    poser.reach("Right", hand + np.array([-0.16, 0.02, -0.14]), [-1.0, -0.6, 0.0])
    return poser.motion(fps)


def _catcher(t: FloatArray, hands: FloatArray, fps: float) -> Motion:
    poser = Poser(t)
    give = ease(t, [(CATCH - 0.05, 0.0), (CATCH + 0.35, 1.0), (3.4, 0.5)])
    poser.root[:, 1] = 0.92 - 0.03 * give
    poser.root[:, 2] = -_AWAY - 0.04 * give
    poser.lean(0.1 + 0.05 * give)
    stand(poser, apart=0.34, ahead=-0.1, turned=0.0, at=-_AWAY)
    for side, sign in SIDES:
        poser.reach(side, hands + np.array([sign * 0.13, 0.0, -0.13]), [sign * 0.6, -1.0, -0.2])
    return poser.motion(fps)


def _ball(path: FloatArray, fps: float) -> Motion:
    sides = [tuple(s * _RADIUS * axis) for axis in np.eye(3) for s in (-1.0, 1.0)]
    ends = tuple(EndSite(0, (float(x), float(y), float(z))) for x, y, z in sides)
    skeleton = Skeleton(("Ball",), np.array([-1]), np.zeros((1, 3)), end_sites=ends)
    return Motion(skeleton, quat.identity(len(path), 1), {"Ball": path}, fps=fps)
