"""Heights of flights: keep the timing of a jump and change how high it goes instead.

In flight the centre of mass must fall with gravity. Where its timing is to stay, a parabola is
added to the root's height that makes up the difference: y + (g - g_eff) (t - t0) (t1 - t) / 2. It
is zero at take-off and landing, so contacts stay; the speed that it asks for there is gathered by
a deeper push before, and taken up by a deeper landing after. Rotations stay as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion
from retime.motion.layers import PoseLayer
from retime.notes import Note
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.physics.model import PhysicsModel

__all__ = ["flight_layer", "height_offsets", "root_layer"]

# Seconds in which the push before a flight, and the landing after it, take up what is added.
_EASE = 0.3
# Changes below this, in metres, are none.
_UNSEEN = 1e-4

Span = tuple[float, float]


def height_offsets(
    times: FloatArray, spans: Sequence[Span], fitted: Sequence[float], wanted: Sequence[float]
) -> FloatArray:
    """Return what to add to the root's height, (F,) metres, so that flights fall as wanted.

    Parameters
    ----------
    times : array (F,)
        Seconds.
    spans : sequence of (float, float)
        First and last time of each flight, in order.
    fitted, wanted : sequence of float
        The acceleration with which each falls, and should, m/s^2.

    Examples
    --------
    >>> times = np.linspace(0, 1, 11)
    >>> high = height_offsets(times, [(0.3, 0.7)], [4.9], [9.8])
    >>> round(float(high.max()), 3)                     # 4.9 (0.4 s)^2 / 8
    0.098
    """
    out = np.zeros(len(times))
    bounds = [-np.inf, *itertools.chain(*spans), np.inf]
    for k, ((start, end), own, goal) in enumerate(zip(spans, fitted, wanted, strict=True)):
        more = goal - own
        inside = (times >= start) & (times <= end)
        out[inside] += 0.5 * more * ((times - start) * (end - times))[inside]
        speed = 0.5 * more * (end - start)
        before = min(_EASE, 0.5 * (start - bounds[2 * k]))
        after = min(_EASE, 0.5 * (bounds[2 * k + 3] - end))
        out += speed * _eased((times - start) / before + 1) * before
        out += speed * _eased((end - times) / after + 1) * after
    return out


def _eased(u: FloatArray) -> FloatArray:
    """Return a dip that begins at rest at 0 and ends at zero with slope 1 at 1."""
    inside = (u > 0) & (u < 1)
    return np.where(inside, u**3 - u**2, 0.0)


def root_layer(motion: Motion, times: FloatArray, offset: FloatArray, metres: float) -> PoseLayer:
    """Return the change of pose that lifts a figure by offsets (F,) in metres.

    Parameters
    ----------
    motion : Motion
        Whose roots are lifted.
    times : array (F,)
        Of the offsets, seconds.
    offset : array (F,)
        Upwards, metres.
    metres : float
        Metres per unit of the motion.
    """
    up = {"Y": 1, "Z": 2}.get(motion.units.up, 1)
    track = np.zeros((len(times), 3))
    track[:, up] = offset / metres
    names = [motion.skeleton.names[r] for r in motion.skeleton.roots]
    return PoseLayer(times, translations={n: track for n in names if n in motion.translations})


def flight_layer(
    model: PhysicsModel, motion: Motion, warp: TimeWarp
) -> tuple[PoseLayer | None, list[Note]]:
    """Return the change of heights that lets a motion's flights fall with a model's gravity.

    Parameters
    ----------
    model : PhysicsModel
        Of the motion.
    motion : Motion
        As it was given: in its own units.
    warp : TimeWarp
        The timing that it will have.
    """
    flights = [f for f in model.flights if f.clear]
    if not flights:
        return None, [Note("no flight is clear: no height was changed", code="no-clear-flight")]
    gravity = float(np.linalg.norm(model.gravity))
    spans = [(f.start, f.end) for f in flights]
    wanted = []
    for start, end in spans:
        at = warp.inverse([start, end])
        wanted.append(gravity * float((at[1] - at[0]) / (end - start)) ** 2)
    offset = height_offsets(model.times, spans, [f.gravity for f in flights], wanted)
    if np.abs(offset).max() < _UNSEEN:
        return None, []
    rises = [float(offset[f.first : f.past].sum() / (f.past - f.first)) * 1.5 for f in flights]
    words = ", ".join(
        f"{abs(r):.2f} m {'higher' if r > 0 else 'lower'} at {f.start:.3g} s"
        for r, f in zip(rises, flights, strict=True)
    )
    note = Note(f"flights go {words}", code="flight-heights", rises=rises)
    layer = root_layer(motion, model.times, offset, model.motion.units.metres)
    return layer, [note]
