"""Keep the knots of each channel apart, so that its time never runs too fast."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.staggered.timing import Timing
from retime.motion import Motion, quat
from retime.motion.memory import last

__all__ = ["spaced"]

# A channel's own speed stays below this fraction of the bound: its parents add their own.
_OWN = 2 / 3
# An interval in which a channel hardly moves may run this many times as fast.
_CALM = 4.0
# Knots keep at least this fraction of the smallest gap.
_ORDER = 0.5


def spaced(timing: Timing, source: Motion, most: float, part: float) -> Timing:
    """Move the knots of each channel apart, by the least squares that limit its speed.

    ``part`` is the fraction, 0 to 1; 0 only keeps the knots in order.
    """
    knots, known, whole = timing.knots.copy(), timing.known_knots, timing.included.all()
    tight = list(range(len(timing.channels)))
    if whole:  # most channels have enough room: find the others at once
        room = np.diff(knots, axis=0) - np.diff(known, axis=0) / (_OWN * most)
        tight = np.flatnonzero((room < -1e-12).any(axis=0)).tolist()
    busy = _Busy.of(timing, source) if part else None
    moved = False
    for i in tight:
        has = slice(None) if whole else timing.included[:, i]
        asked, stands_for = knots[has, i], known[has, i]
        gap = np.diff(stands_for) / (_OWN * most)
        if (np.diff(asked) >= gap - 1e-12).all():
            continue
        # Knots that are reduced by different fractions might cross.
        least = np.minimum(gap, _ORDER * timing.least_gap)
        spaced = asked if (np.diff(asked) >= least).all() else _apart(asked, least)
        if busy is not None:
            spaced = spaced + part * (_apart(asked, gap * busy[i]) - spaced)
        moved |= not np.array_equal(spaced, asked)
        knots[has, i] = spaced
    if not moved:
        return timing
    refinements = np.where(timing.included, knots - timing.times[:, None], timing.refinements)
    return replace(timing, refinements=refinements)


@dataclass(frozen=True, eq=False)
class _Busy:
    """Movement of each channel between its knots; all amounts of an edit share it."""

    timing: Timing
    source: Motion
    _known: dict[int, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(cls, timing: Timing, source: Motion) -> _Busy:
        key = (timing.known_knots.tobytes(), timing.included.tobytes())
        return last(source, "busy channels", key, lambda: cls(timing, source))

    def __getitem__(self, i: int) -> FloatArray:
        if i not in self._known:
            source, has = self.source, self.timing.included[:, i]
            speed = last(source, "channel speeds", (), lambda: _channel_speeds(source))
            own = speed[:, min(i, speed.shape[1] - 1)]
            self._known[i] = _busy(own, source.times, self.timing.known_knots[has, i])
        return self._known[i]


def _channel_speeds(source: Motion) -> FloatArray:
    """Return how fast each channel turns or moves, (F - 1, C)."""
    skeleton = source.skeleton
    turns = quat.angle(source.rotations[:-1], source.rotations[1:])
    roots = [
        np.linalg.norm(np.diff(source.translations[skeleton.names[r]], axis=0), axis=1)[:, None]
        for r in skeleton.roots
    ]
    return np.concatenate([turns, *roots], axis=1) * source.rate


def _busy(speed: FloatArray, times: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the movement of a channel between knots, as a fraction of its maximum."""
    most = max(float(speed.max(initial=0.0)), 1e-9)
    at = np.minimum(np.searchsorted(times, knots), len(speed) - 1)
    padded = np.pad(speed, 1, mode="edge")
    near = np.maximum.reduce([padded[:-2], padded[1:-1], padded[2:]])
    found = np.maximum.reduceat(near, at)[:-1] / most
    return np.asarray(np.clip(found, 1 / _CALM, 1.0))


def _apart(knots: FloatArray, gap: FloatArray) -> FloatArray:
    """Return the nearest knots with these gaps between them; the ends do not move.

    This is isotonic regression of the knots minus the sum of the gaps before them.
    """
    base = np.r_[0.0, np.cumsum(gap)]
    if base[-1] >= knots[-1] - knots[0]:  # no room for the gaps: space evenly
        return np.asarray(knots[0] + base * (knots[-1] - knots[0]) / base[-1])
    x = knots - base
    inner = np.clip(_native.splines.rising(x[1:-1]), x[0], x[-1])
    y = np.r_[x[0], inner, x[-1]]
    return np.where(np.abs(y - x) < 1e-12, knots, y + base)
