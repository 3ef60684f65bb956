"""Members timed by physics between the moments that they share.

The common timing is solved first. Each member's physics then gets its moments in shared spans as
keytimes, and there the curves of all are made the same. Forces between bodies are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.errors import RetimeError
from retime.methods.physics import physics
from retime.motion import Motion

# Source time between keytimes in a shared span, seconds.
_KEYS_S = 0.1
# Knots closer than this are one, seconds.
_SAME_TIME_S = 1e-9

Curve = tuple[FloatArray, FloatArray]


def physical_curves(
    members: Mapping[str, Motion],
    curves: Mapping[str, Curve],
    spans: Mapping[str, Sequence[tuple[float, float]]],
) -> dict[str, Curve]:
    """Return curves of physics that are those of the group in shared spans.

    Parameters
    ----------
    members : mapping of str to Motion
        The clips.
    curves : mapping of str to (FloatArray, FloatArray)
        Output and source times of the common timing.
    spans : mapping of str to sequence of (float, float)
        The shared spans of each member, source times.
    """
    out = {}
    for name, motion in members.items():
        try:
            out[name] = _physical(motion, curves[name], spans[name])
        except RetimeError as error:
            raise error.within(name) from error.__cause__
    return out


def _physical(motion: Motion, curve: Curve, spans: Sequence[tuple[float, float]]) -> Curve:
    output, source = curve
    times = [_in_steps(a, b) for a, b in spans]
    inside = np.unique(np.concatenate(times)) if times else np.empty(0)
    inside = inside[(inside > source[0]) & (inside < source[-1])]
    shift = motion.start - output[0]  # a method's output starts with its input
    keys = np.c_[np.interp(inside, source, output) + shift, inside]
    warp = physics(
        motion, duration=float(output[-1] - output[0]), keytimes=list(map(tuple, keys.tolist()))
    ).warp
    knots = np.c_[warp.output - shift, warp.source]
    for a, b in spans:
        own = (source >= a - _SAME_TIME_S) & (source <= b + _SAME_TIME_S)
        beside = (knots[:, 1] < a - _SAME_TIME_S) | (knots[:, 1] > b + _SAME_TIME_S)
        knots = np.r_[knots[beside], np.c_[output[own], source[own]]]
    knots = knots[np.argsort(knots[:, 1], kind="stable")]
    return knots[:, 0], knots[:, 1]


def _in_steps(start: float, end: float) -> FloatArray:
    return np.linspace(start, end, max(round((end - start) / _KEYS_S), 1) + 1)
