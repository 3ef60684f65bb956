"""Strain of limbs that are led: how fast joints turn and knees accelerate, by what is allowed."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body
from retime.body.holding import as_delivered
from retime.motion import Motion, quat
from retime.motion.kinematics import positions
from retime.motion.memory import last
from retime.timing import TimeWarp

__all__ = ["strain"]

# Maximum turning speed of a joint, relative to the source, if a way to move the limb allows it.
# Turns below the second value, in radians per second, are ignored.
_FASTER, _SLOW = 3.5, 0.5
# No knee accelerates by more than this beyond its most in the source, m/s^2, or this share of it.
_JERK, _GLITCH = 90.0, 0.5


def strain(motion: Motion, body: Body, made: Motion) -> float:
    """Return how fast joints turn and knees accelerate, by what is allowed.

    Rotations that glitch in the source glitch as much in the result; that is not held against it.
    """
    fastest, jerks = last(motion, "turns and knees", None, lambda: _known(motion, body))
    turned = float((_turn_speeds(made) / fastest).max()) / _FASTER
    allowed = np.maximum(_JERK, _GLITCH * jerks)
    jerked = ((_knee_jerks(body, made) - jerks) / allowed).max(initial=0.0)
    return max(turned, float(jerked))


def _known(motion: Motion, body: Body) -> tuple[FloatArray, FloatArray]:
    """Return how fast joints may be said to turn, and knees accelerate, without any drag."""
    held = as_delivered(motion, motion, TimeWarp.identity(*motion.domain))
    fastest = np.maximum(_turn_speeds(motion), _SLOW)
    # What holding alone does is not the drag's.
    return np.maximum(fastest, _turn_speeds(held) / _FASTER), _knee_jerks(body, held)


def _turn_speeds(motion: Motion) -> FloatArray:
    """Return the fastest turn of each joint, (J,) radians per second."""
    turns = quat.angle(motion.rotations[:-1], motion.rotations[1:])
    out: FloatArray = turns.max(axis=0, initial=0.0) * motion.rate
    return out


def _knee_jerks(body: Body, motion: Motion) -> FloatArray:
    """Return the greatest acceleration of each knee, m/s^2."""
    knees = [limb.lower for name, limb in body.limbs.items() if name.endswith("leg")]
    bent = np.diff(positions(motion)[:, knees], 2, axis=0) * motion.rate**2
    out: FloatArray = np.linalg.norm(bent, axis=-1).max(axis=0, initial=0.0)
    return out
