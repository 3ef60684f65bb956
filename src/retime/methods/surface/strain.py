"""Strain of moved limbs: rotation speeds and knee accelerations relative to their limits."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body
from retime.body.holding import as_delivered
from retime.methods.surface.carrying import limb_joints
from retime.motion import Motion, quat
from retime.motion.kinematics import positions
from retime.motion.memory import last
from retime.timing import TimeWarp

__all__ = ["strain"]

# Maximum turning speed of a joint, relative to the source, if a way to move the limb allows it.
# Turns below the second value, in radians per second, are ignored.
_FASTER, _SLOW = 3.5, 0.5
# Maximum knee acceleration beyond that of the source: m/s^2, or a fraction of it if larger.
_JERK, _GLITCH = 90.0, 0.5


def strain(motion: Motion, body: Body, made: Motion) -> float:
    """Return the largest rotation speed or knee acceleration of legs, relative to its limit.

    Glitches of the source do not count, because the result has them too.
    """
    fastest, jerks = last(motion, "turns and knees", None, lambda: _known(motion, body))
    legs = [j for n in body.limbs if n.endswith("leg") for j in limb_joints(body, n)]
    turned = float((_turn_speeds(made) / fastest)[legs].max(initial=0.0)) / _FASTER
    allowed = np.maximum(_JERK, _GLITCH * jerks)
    jerked = ((_knee_jerks(body, made) - jerks) / allowed).max(initial=0.0)
    return max(turned, float(jerked))


def _known(motion: Motion, body: Body) -> tuple[FloatArray, FloatArray]:
    """Return rotation speeds and knee accelerations without any drag."""
    held = as_delivered(motion, motion, TimeWarp.identity(*motion.domain))
    fastest = np.maximum(_turn_speeds(motion), _SLOW)
    # Changes by holding contacts alone are not caused by the drag.
    return np.maximum(fastest, _turn_speeds(held) / _FASTER), _knee_jerks(body, held)


def _turn_speeds(motion: Motion) -> FloatArray:
    """Return the fastest local turn of each joint, (J,) radians per second."""
    turns = quat.angle(motion.rotations[:-1], motion.rotations[1:])
    out: FloatArray = turns.max(axis=0, initial=0.0) * motion.rate
    return out


def _knee_jerks(body: Body, motion: Motion) -> FloatArray:
    """Return the greatest acceleration of each knee, m/s^2."""
    knees = [limb.lower for name, limb in body.limbs.items() if name.endswith("leg")]
    bent = np.diff(positions(motion)[:, knees], 2, axis=0) * motion.rate**2
    out: FloatArray = np.linalg.norm(bent, axis=-1).max(axis=0, initial=0.0)
    return out
