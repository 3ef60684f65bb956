"""Move keys by a warp, and add keys where its curve needs them.

Keys move to their output times. A cut gets a key on both sides and none inside; both sides of a
jump in the source stay apart; an end of the output gets a key where the track moves there; and
knots of the warp become keys where it bends more between two keys than the track bears. Which
values and tangents stand at the keys is each format's part.

This module needs only numpy, because the Blender extension contains a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

# Keys of a file that are nearer than this, in seconds, are both sides of a jump.
_JUMP = 1e-6


@dataclass(frozen=True)
class Grain:
    """Precision of a format's times, in its unit of time."""

    ramp: float
    """How long a jump of time takes: a track has one value at a time."""
    same: float
    """Times nearer than this are one."""
    end: float
    """A key this near to an end is on it."""
    later: Callable[[float], float] | None = None
    """Returns the first time that the format tells from a given one, so that both sides of a jump
    stay apart. Default: the format has no such jumps.
    """


@dataclass(frozen=True, eq=False)
class Shown:
    """Keys of the result."""

    output: FloatArray
    source: FloatArray
    """Their times, and the times of the source that they show. Shape (N,)."""
    kept: bool
    """Whether they are the source's keys, all of them and in their order."""

    @property
    def middles(self) -> FloatArray:
        """Source times in the middle of each stretch between two keys, (N - 1,)."""
        out: FloatArray = (self.source[1:] + self.source[:-1]) / 2
        return out

    @property
    def rates(self) -> FloatArray:
        """Rate of source time between neighbouring keys, (N - 1,)."""
        out: FloatArray = np.diff(self.source) / np.maximum(np.diff(self.output), 1e-12)
        return out

    def with_keys(self, output: FloatArray, source: FloatArray) -> Shown:
        """Add keys that do not come from the source."""
        if not len(output):
            return self
        x = np.concatenate([self.output, output])
        order = np.argsort(x, kind="stable")
        return Shown(x[order], np.concatenate([self.source, source])[order], kept=False)


class KeyMover:
    """Move keys by a warp; tracks with equal key times share the results.

    Parameters
    ----------
    x, y : array (K,)
        Knots of the warp: output times, and the source's.
    grain : Grain
        Resolution of times in the format.
    last : float, optional
        The output's end: a track whose last key is shown and held lasts to it.
    marks_holds : bool
        Put keys at both ends of a hold, as at a cut.
    """

    def __init__(
        self,
        x: FloatArray,
        y: FloatArray,
        grain: Grain,
        *,
        last: float | None = None,
        marks_holds: bool = False,
    ) -> None:
        self.grain, self.last = grain, last
        self.backwards = bool(y[-1] < y[0])
        self.cuts = np.flatnonzero(np.diff(x) <= 0)
        self._exact = np.asarray(x, dtype=float)  # ramps only delay keys after a cut
        self.x, self.y = self._exact.copy(), np.asarray(y, dtype=float)
        room = np.r_[self.x, np.inf][self.cuts + 2] - self.x[self.cuts]
        self.x[self.cuts + 1] = self.x[self.cuts] + np.minimum(grain.ramp, room / 2)
        still = np.abs(np.diff(self.y)) <= grain.same if marks_holds else np.zeros(0, dtype=bool)
        self.breaks = np.union1d(self.cuts, np.flatnonzero(still))
        self._found: dict[bytes, Shown] = {}
        self._knots: dict[int, tuple[Shown, IntArray, IntArray, FloatArray]] = {}

    def at(self, t: FloatArray | float) -> FloatArray:
        """Return the source times that output times show; a cut takes as long as its ramp."""
        return np.asarray(np.interp(t, self.x, self.y))

    def first(self, source: FloatArray) -> FloatArray:
        """Return the first output times at which source times are shown."""
        x = self._exact
        if len(x) == 1:
            return np.full(len(source), x[0])
        sign = -1 if self.backwards else 1
        path, source = sign * self.y, sign * source
        k = np.clip(np.searchsorted(path, source), 1, len(path) - 1)
        rise, width = path[k] - path[k - 1], x[k] - x[k - 1]
        share = (source - path[k - 1]) / np.where(rise > 0, rise, 1.0)
        out: FloatArray = np.where(share < 1, x[k - 1] + share * width, x[k])
        return out

    def shown(self, keys: FloatArray) -> Shown:
        """Return where keys (K,) go, with those that cuts and ends need; bends come after."""
        which = keys.tobytes()
        if which not in self._found:
            x, y = self._with_breaks(*self._where(keys))
            x, y = self._with_ends(x, y, keys)
            kept = len(x) == len(keys) and bool((np.abs(y - keys) < 1e-12).all())
            self._found[which] = Shown(x, y, kept)
        return self._found[which]

    def _where(self, keys: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return when keys are shown first, in the output's order."""
        low, high = np.sort(self.y[[0, -1]])
        keys = keys[(keys >= low - self.grain.end) & (keys <= high + self.grain.end)]
        keys = keys[::-1] if self.backwards else keys
        x = self.first(np.clip(keys, low, high))
        jump = np.zeros(len(keys), dtype=bool)
        if self.grain.later is not None:
            jump[1:] = np.abs(np.diff(keys)) < _JUMP
        fresh = np.r_[True, np.diff(x) > self.grain.same][: len(x)] | jump
        x, keys = x[fresh], keys[fresh]
        for k in np.flatnonzero(jump[fresh]):
            assert self.grain.later is not None
            x[k] = max(x[k], self.grain.later(float(x[k - 1])))
        return x, keys

    def _with_breaks(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Put a key on both sides of every cut, and none inside it."""
        for k in self.breaks:
            a, b = self.x[k], self.x[k + 1]
            keep = (x < a - self.grain.same) | (x > b + self.grain.same)
            x, y = x[keep], y[keep]
            at = int(np.searchsorted(x, a))
            x, y = np.insert(x, at, [a, b]), np.insert(y, at, self.y[[k, k + 1]])
        return x, y

    def _with_ends(
        self, x: FloatArray, y: FloatArray, keys: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Add the ends of the output if the track moves there, or lasts to the end."""
        for place in (0, -1):
            at, source = self.x[place], self.y[place]
            moves = keys[0] < source < keys[-1]
            far = not len(x) or abs(x[place] - at) >= self.grain.same
            if far and (moves or not len(x)):
                where = 0 if place == 0 else len(x)
                x, y = np.insert(x, where, at), np.insert(y, where, source)
        if self.last is not None and x[-1] < self.last - self.grain.same:
            x, y = self._with_last(x, y, keys, self.last)
        return x, y

    def _with_last(
        self, x: FloatArray, y: FloatArray, keys: FloatArray, last: float
    ) -> tuple[FloatArray, FloatArray]:
        """Add a key at the last time if the track ends earlier and holds."""
        end, source = self.grain.end, float(self.at(last))
        beyond = source <= keys[0] + end if self.backwards else source >= keys[-1] - end
        if beyond and abs(source - y[-1]) < end:
            return np.r_[x, last], np.r_[y, source]
        return x, y

    def with_bends(self, shown: Shown, reach: FloatArray) -> Shown:
        """Add the fewest knots that keep the error of segments within ``reach`` (N - 1,).

        It is the tolerance of each segment in source time; an infinite one needs no knots.
        """
        if len(shown.output) < 2 or len(self.x) < 3:
            return shown
        return self.with_knots(shown, self.bends(shown, reach))

    def with_knots(self, shown: Shown, knots: IntArray) -> Shown:
        """Add keys at knots of the warp."""
        return shown.with_keys(self.x[knots], self.y[knots])

    def between(self, shown: Shown) -> IntArray:
        """Return the knots that are between keys, and on none."""
        same, x = self.grain.same, shown.output
        if len(x) < 2:
            return np.zeros(0, dtype=np.int64)
        first = np.searchsorted(self.x, x[:-1] + same, side="right")
        last = np.searchsorted(self.x, x[1:] - same, side="left")
        knots = np.arange(first[0], last[-1])
        inside = np.searchsorted(x, self.x[knots]) - 1
        return knots[(knots >= first[inside]) & (knots < last[inside])]

    def _off(self, shown: Shown) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the knots between keys, the stretches that they are in, and how far off they are.

        Tracks that share their keys share these.
        """
        known = self._knots.get(id(shown))
        if known is None or known[0] is not shown:
            found = self._off_by(shown.output, shown.source, self.between(shown))
            known = self._knots[id(shown)] = (shown, *found)
        return known[1:]

    def _off_by(
        self, x: FloatArray, y: FloatArray, knots: IntArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        far = np.abs(self.y[knots] - np.interp(self.x[knots], x, y))
        return knots, np.searchsorted(x, self.x[knots]), far

    def bends(self, shown: Shown, reach: FloatArray, knots: IntArray | None = None) -> IntArray:
        """Choose knots from all or some of them, the farthest first (Douglas-Peucker)."""
        x, y = shown.output, shown.source
        knots, stretch, far = self._off(shown) if knots is None else self._off_by(x, y, knots)
        close = reach[np.minimum(np.maximum(stretch - 1, 0), len(reach) - 1)]
        chosen: list[IntArray] = []
        while len(knots):
            off = far / close
            # Knots increase, so the knots of a segment are consecutive.
            first = _is_first(stretch)
            worst = np.maximum.reduceat(off, np.flatnonzero(first))
            # A segment within the tolerance needs none of its knots.
            far_off = worst > 1
            if not far_off.any():
                break
            run = np.cumsum(first) - 1
            left = far_off[run]
            best = np.flatnonzero(left & (off == worst[run]))
            best = best[_is_first(run[best])]
            chosen.append(knots[best])
            left[best] = False
            knots, close = knots[left], close[left]
            if not len(knots):
                break
            at = np.searchsorted(x, self.x[chosen[-1]])
            x = np.insert(x, at, self.x[chosen[-1]])
            y = np.insert(y, at, self.y[chosen[-1]])
            knots, stretch, far = self._off_by(x, y, knots)
        return np.sort(np.concatenate(chosen)) if chosen else np.zeros(0, dtype=np.int64)


def _is_first(values: IntArray) -> BoolArray:
    """Return whether each value differs from the one before it."""
    out = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=out[1:])
    return out


def extended(
    x: FloatArray, y: FloatArray, *, before: bool, after: bool, far: float
) -> tuple[FloatArray, FloatArray]:
    """Extend a warp so that keys before and after its range keep their distance from it."""
    way = -1.0 if y[-1] < y[0] else 1.0
    if before:
        x, y = np.r_[x[0] - far, x], np.r_[y[0] - way * far, y]
    if after:
        x, y = np.r_[x, x[-1] + far], np.r_[y, y[-1] + way * far]
    return x, y


def nearest(keys: FloatArray, times: FloatArray, same: float) -> tuple[IntArray, BoolArray]:
    """Return the key nearest to each time, and whether it is at that time."""
    above = np.clip(np.searchsorted(keys, times), 0, len(keys) - 1)
    below = np.maximum(above - 1, 0)
    at = np.where(np.abs(keys[below] - times) < np.abs(keys[above] - times), below, above)
    return at, np.abs(keys[at] - times) < same
