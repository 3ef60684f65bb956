"""Suggest keytimes at moments whose timing matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.methods.guided.costs import FeatureWeights, cost_table
from retime.methods.guided.features import TAU, filtered, pose_signals
from retime.methods.guided.pose_curve import FINE
from retime.motion import Motion


@dataclass(frozen=True)
class Suggestion:
    """A moment whose timing matters."""

    time: float
    """Source time, seconds."""
    weight: float
    """Increase of the objective there at double speed, relative to the largest in the clip."""


def suggest_keytimes(motion: Motion, *, count: int = 5, rate: float = 30.0) -> list[Suggestion]:
    """Suggest source times for keytimes: those where double speed would differ most from the clip.

    Parameters
    ----------
    motion : Motion
        The clip.
    count : int
        Maximum number of suggestions.
    rate : float
        Frames per second of the analysis.

    Examples
    --------
    >>> from retime import samples, suggest_keytimes
    >>> [0.8 < s.time < 2.6 for s in suggest_keytimes(samples.jump(), count=2)]
    [True, True]
    """
    if len(motion) < 5:
        return []
    signals = pose_signals(motion, [motion], rate=rate)
    weights = FeatureWeights.of(TAU, 1 / rate)
    poses = signals.curve.poses[::FINE]
    if len(poses) < 6:
        return []
    table = cost_table(poses, signals.references, 2, weights)
    inside = np.isfinite(table[1, 1]) & np.isfinite(table[0, 0])
    loss = np.zeros(len(inside))
    loss[inside] = table[1, 1, inside] - table[0, 0, inside]
    smooth = filtered(loss[:, None], 2.0)[:, 0]
    most = float(smooth.max())
    if most <= 1e-9:
        return []
    peaks = [
        k
        for k in np.arange(1, len(smooth) - 1)
        if smooth[k] >= smooth[k - 1] and smooth[k] > smooth[k + 1] and smooth[k] > 0.15 * most
    ]
    best = sorted(peaks, key=lambda k: -smooth[k])[:count]
    start, end = motion.domain
    span = (end - start) / (len(smooth) - 1)
    return [Suggestion(float(start + k * span), float(smooth[k] / most)) for k in sorted(best)]
