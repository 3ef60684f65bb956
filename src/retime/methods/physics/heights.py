"""Change the height of a jump instead of its timing.

In flight the centre of mass must fall with gravity. Where its timing is to stay, a parabola is
added to the root's height that makes up the difference. Rotations are unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.body.flights import flight_offsets
from retime.motion import Motion
from retime.motion.layers import PoseLayer
from retime.notes import Note
from retime.sentences import Moment, Sentence, listed
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.physics.model import PhysicsModel

# Smallest change of height, metres.
_UNSEEN = 1e-4


def root_layer(motion: Motion, times: FloatArray, offset: FloatArray, metres: float) -> PoseLayer:
    """Return a pose layer that raises a figure by offsets (F,) in metres.

    Parameters
    ----------
    motion : Motion
        The motion.
    times : array (F,)
        Times of the offsets, seconds.
    offset : array (F,)
        Offsets upwards, metres.
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
    """Return a pose layer that changes heights, so that flights fall with the model's gravity.

    Parameters
    ----------
    model : PhysicsModel
        The model of the motion.
    motion : Motion
        The motion, in its own units.
    warp : TimeWarp
        Its new timing.
    """
    flights = [f for f in model.flights if f.clear]
    if not flights:
        return None, [Note("no flight is clear: no height was changed", code="no-clear-flight")]
    gravity = float(np.linalg.norm(model.gravity))
    spans = [(f.start, f.end) for f in flights]
    slowed = [float(np.ptp(warp.inverse(span))) / (span[1] - span[0]) for span in spans]
    more = [gravity * s**2 - f.gravity for s, f in zip(slowed, flights, strict=True)]
    offset = flight_offsets(model.times, spans, more)
    if np.abs(offset).max() < _UNSEEN:
        return None, []
    rises = [float(offset[f.first : f.past].sum() / (f.past - f.first)) * 1.5 for f in flights]
    words = [
        Sentence(
            "{rise:.2f} m {way} at {time:.3g}",
            rise=abs(r),
            way="higher" if r > 0 else "lower",
            time=Moment(f.start),
        )
        for r, f in zip(rises, flights, strict=True)
    ]
    note = Note("flights go {words}", code="flight-heights", words=listed(words), rises=rises)
    layer = root_layer(motion, model.times, offset, model.motion.units.metres)
    return layer, [note]
