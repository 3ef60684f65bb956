"""Another copy of the same recording as reference: its own timing, where poses are the same."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.methods.guided.features import Signals, filtered, interpolated
from retime.methods.guided.hand_edit import CERTAIN
from retime.methods.guided.matching import RATE_HZ, match, rate_for
from retime.methods.guided.pace import Pace
from retime.notes import Note

# Median distance of the nearest poses below which two clips are one recording, body heights.
_SAME = 0.01
# Distance of poses that are certainly not the same, body heights.
_SIMILAR = 0.1
# Least speed at which a pose shows its time, body heights per second (root mean square of joints).
_MOVING = 0.02
# More references are a library of other takes.
_MOST_REFERENCES = 16
# Smoothing of the logarithm of the slowness by a Gaussian, seconds.
_BLUR_S = 0.05


def same_recording(signals: Signals, domain: tuple[float, float]) -> Pace | None:
    """Return the pace of the reference that is the same recording; ``None`` if none is.

    Each moment is matched with the reference's pose; between matched moments the reference's time
    goes on by the wanted slowness. It is refined to parts of a frame along the motion.
    """
    if len(signals.references) > _MOST_REFERENCES:
        return None
    paces = [p for z in signals.references if (p := _pace_of(signals, domain, z)) is not None]
    return min(paces, key=lambda p: p[0])[1] if paces else None


def _pace_of(
    signals: Signals, domain: tuple[float, float], reference: FloatArray
) -> tuple[float, Pace] | None:
    """Return how far the poses of one reference are, and its pace; ``None`` if it is another."""
    start, end = domain
    rate = rate_for(round((end - start) * RATE_HZ), 2 * len(reference))
    times = np.linspace(start, end, max(round((end - start) * rate), 2) + 1)
    step = float(times[1] - times[0])
    poses = signals.curve.at((times - start) / (end - start) * signals.curve.frames)
    # The reference is sampled at 30 Hz.
    count = max(round((len(reference) - 1) / 30 / step), 2)
    other = interpolated(reference, np.linspace(0, len(reference) - 1, count + 1))
    other_step = (len(reference) - 1) / 30 / count
    matched = match(poses, other, tall=signals.tall, similarity=_SIMILAR, one_timing=False)
    known = matched.place >= 0
    away = float(np.median(matched.distance))
    if not known.any() or away > _SAME:
        return None
    velocity = np.gradient(other, axis=0)
    near = np.where(known, matched.place, 0)
    along = ((poses - other[near]) * velocity[near]).sum(axis=1)
    square = (velocity[near] ** 2).sum(axis=1)
    joints = poses.shape[1] / 3
    moving = known & (np.sqrt(square / joints) / other_step > _MOVING * signals.tall)
    place = near + np.where(moving, np.clip(along / np.maximum(square, 1e-12), -1, 1), 0.0)
    gone = np.diff(place) * other_step / step
    pairs = moving[1:] & moving[:-1] & (gone > 0.1) & (gone < 10)
    log = np.log(np.where(pairs, np.maximum(gone, 0.1), 1.0))
    weight = pairs.astype(float)
    both = filtered(np.c_[weight * log, weight], _BLUR_S / step)
    log = both[:, 0] / np.maximum(both[:, 1], 1e-3)
    middle = (times[1:] + times[:-1]) / 2
    certainty = 0.1 + CERTAIN * np.clip(both[:, 1], 0, 1)
    note = Note("the reference is the same recording: its timing is copied", code="same-recording")
    return away, Pace(middle, np.exp(log), certainty, np.clip(both[:, 1], 0, 1), (note,))
