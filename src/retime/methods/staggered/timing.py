"""Arrival times of the parts of poses: pose times, timing refinements, and their warp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.joint_times import Request
from retime.sentences import Duration, Moment, Span
from retime.timing import TimeWarp

__all__ = ["PLACED", "Timing"]

BoolArray = npt.NDArray[np.bool_]
# Weight of a part that was placed by itself: it is met to a microsecond where limits allow.
PLACED = 1e5
# Knots closer than this, in seconds, are merged.
_SAME = 1e-9


def _fixed(past_end: bool) -> list[int]:
    """Return the poses whose knots are fixed: both ends, or only the first."""
    return [0] if past_end else [0, -1]


@dataclass(frozen=True, eq=False)
class Timing:
    """Pose times t_k and refinements r_ki: channel i has its knot of pose k at t_k + r_ki.

    Each knot represents the source time at which it was found. A timing edit only moves knots: pose
    times make the warp of the body, and refinements are what is asked of its parts.

    Parameters
    ----------
    channels : tuple of str (C,)
        Names of the warp channels.
    numbers : array (K,) of int
        A number for each pose, which does not change when others are inserted or deleted.
    times : array (K,)
        Pose times of the output, seconds.
    refinements : array (K, C)
        Seconds; 0 where a pose does not have a channel.
    included : array (K, C) of bool
        Which channels each pose has.
    asks : array (K, C)
        How much knots ask for their time: 1, more where a part was placed by itself, and 0 for
        those of inserted poses until they are edited.
    known_times, known_refinements : arrays
        The same before all timing edits, in the output time of ``base``.
    least_gap : float
        Minimum distance between knots of one channel, seconds.
    base : TimeWarp, optional
        Warp to the source's time, if poses were deleted after timing edits.
    """

    channels: tuple[str, ...]
    numbers: npt.NDArray[np.int64]
    times: FloatArray
    refinements: FloatArray
    included: BoolArray
    asks: FloatArray
    known_times: FloatArray
    known_refinements: FloatArray
    least_gap: float
    base: TimeWarp | None = None

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def knots(self) -> FloatArray:
        """Output times of all knots, (K, C)."""
        knots: FloatArray = self.times[:, None] + self.refinements
        return knots

    @cached_property
    def known_knots(self) -> FloatArray:
        """Where the knots were before all timing edits, (K, C)."""
        knots: FloatArray = self.known_times[:, None] + self.known_refinements
        return knots

    @cached_property
    def is_edited(self) -> bool:
        """Whether any knot was moved."""
        return self.base is not None or not (
            np.array_equal(self.times, self.known_times)
            and np.array_equal(self.refinements, self.known_refinements)
        )

    def source_times(self, pose: int) -> FloatArray:
        """Return the source's times of a pose's knots, (C,)."""
        known: FloatArray = self.known_knots[pose]
        if self.base is None:
            return known
        return np.array([float(self.base(t, c)) for t, c in zip(known, self.channels, strict=True)])

    def body_warp(self) -> TimeWarp:
        """Return the warp of the whole body, to the output time of ``base``: linear between poses.

        Past the end, time goes on until the last part has arrived.
        """
        times, known = self._body
        if self.past_end > 0:
            times, known = (np.r_[t, t[-1] + self.past_end] for t in (times, known))
        return TimeWarp(times, known)

    @property
    def _body(self) -> tuple[FloatArray, FloatArray]:
        """Times of the poses that have the root: other poses move parts, not the body."""
        whole = self.included[:, 0]
        return self.times[whole], self.known_times[whole]

    @property
    def past_end(self) -> float:
        """Seconds after the end at which the last part arrives."""
        before = 0.0 if self.base is None else self.base.domain[1] - float(self.known_times[-1])
        return max(float(self.refinements[-1].max(initial=0.0)), before)

    def asked(self, channel: int) -> Request:
        """Return the shifts of a channel that place its knots, over the body's own time."""
        has = self.included[:, channel] & (self.asks[:, channel] > 0)
        now, known = self.knots[has, channel], self.known_knots[has, channel]
        body = np.interp(now, *self._body)
        body += np.maximum(now - self.times[-1], 0.0)  # past the end, time goes on
        return Request(body, known - body, self.asks[has, channel])

    # ---- neighbours

    def _beside(self, pose: int, step: int) -> npt.NDArray[np.int64]:
        """Return, per channel, the nearest pose before or after that has a knot, (C,)."""
        out = np.full(len(self.channels), pose, dtype=np.int64)
        open_ = np.ones(len(self.channels), dtype=bool)
        k = pose + step
        while 0 <= k < len(self) and open_.any():
            found = open_ & self.included[k]
            out[found] = k
            open_ &= ~found
            k += step
        return out

    def room(self, pose: int) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest possible refinement of each channel, (C,) each."""
        if pose in (0, len(self) - 1):
            still = np.zeros(len(self.channels))
            return still, still
        knots, columns = self.knots, np.arange(len(self.channels))
        low = knots[self._beside(pose, -1), columns] + self.least_gap - self.times[pose]
        high = knots[self._beside(pose, 1), columns] - self.least_gap - self.times[pose]
        return low, high

    def strays(self) -> list[tuple[int, int]]:
        """List knots (pose, channel) that lie nearer to a neighbouring pose than to their own."""
        middle = (self.times[1:] + self.times[:-1]) / 2
        knots = self.knots
        low = np.r_[-np.inf, middle][:, None]
        high = np.r_[middle, np.inf][:, None]
        off = self.included & ((knots < low - 1e-9) | (knots > high + 1e-9))
        return [(int(k), int(i)) for k, i in np.argwhere(off)]

    # ---- edits

    def moved(self, pose: int, time: float, *, ripple: bool) -> Timing:
        """Move a pose; refinements scale with the gap on their side, so knots never cross."""
        last = len(self) - 1
        if pose == 0:
            raise InputError("the first pose starts the clip; it cannot move")
        if not np.isfinite(time):
            raise InputError(f"a pose's time must be finite, not {time}")
        before, now = float(self.times[pose - 1]), float(self.times[pose])
        after = np.inf if ripple or pose == last else float(self.times[pose + 1])
        gap = self.least_gap
        if not before + gap <= time <= after - gap:
            # Rounded inward, so that what the sentence names is possible.
            first, latest = np.ceil(1e3 * (before + gap)) / 1e3, np.floor(1e3 * (after - gap)) / 1e3
            free = "{free:.3f}" if np.isfinite(after) else "{free:.3f} and later"
            raise InputError(
                "pose {pose} at {now:.3f} cannot move to {time:.3f}, past its neighbour; possible: "
                + free,
                pose=pose,
                now=Moment(now),
                time=Moment(time),
                free=Span(first, latest) if np.isfinite(after) else Moment(first),
            )
        times, whole = self.times.copy(), self.included[:, 0]
        times[pose:] += time - now if ripple else 0.0
        times[pose] = time

        def follow(old: FloatArray) -> FloatArray:
            """Return times moved with the body, so that all parts keep their order."""
            new = np.interp(old, self.times[whole], times[whole])
            return np.asarray(new + np.maximum(old - self.times[-1], 0.0))

        knots, asks = follow(self.knots), self.asks
        times = np.where(whole, times, follow(self.times))
        if not whole[pose]:  # its parts alone move
            times[pose] = time
            knots[pose] = self.knots[pose] + (time - now)
            asks = asks.copy()
            asks[pose] = 1.0
            # The poses beside it stay where they are, and it comes as near as limits allow.
            asks[[pose - 1, pose + 1]] = np.where(
                self.included[pose], PLACED, asks[[pose - 1, pose + 1]]
            )
        refinements = np.where(self.included, knots - times[:, None], 0.0)
        moved = replace(self, times=times, refinements=refinements, asks=asks)
        edited = np.zeros_like(self.included)
        edited[pose] = not whole[pose]
        return moved._in_order(edited)[0]

    def staggered(
        self, by: FloatArray, poses: Sequence[int], *, scale: bool = False, past_end: bool = False
    ) -> tuple[Timing, int]:
        """Add ``by`` (K, C) to refinements, or multiply by it; count the knots that were limited.

        A knot that would cross another stops short of it. With ``past_end`` those of the last pose
        may move as well.
        """
        edited = np.zeros_like(self.included)
        edited[list(poses)] = True
        edited[_fixed(past_end)] = False
        edited &= self.included & (by != (1.0 if scale else 0.0))
        new = self.refinements * by if scale else self.refinements + by
        refinements = np.where(edited, new, self.refinements)
        asked = replace(self, refinements=refinements, asks=np.where(edited, 1.0, self.asks))
        return asked._in_order(edited, past_end=past_end)

    def _in_order(self, edited: BoolArray, *, past_end: bool = False) -> tuple[Timing, int]:
        """Keep edited knots between their neighbours; count those that were limited.

        If there is not enough room, all knots of the channel move.
        """
        edited = edited & self.included
        edited[_fixed(past_end)] = False
        if not edited.any():
            knots = self.knots
        else:
            knots = self._swept(edited, self._rows_around(edited))
        crossed = self._crossed(knots)
        if crossed.any():
            free = self.included.copy()
            free[_fixed(past_end)] = False
            knots = np.where(crossed, self._swept(free, range(len(self))), knots)
            if self._crossed(knots).any():
                raise InputError("the poses would be too close for their parts")
        stopped = self.included & (np.abs(knots - self.knots) > 1e-12)
        if not stopped.any():
            return self, 0
        refinements = np.where(stopped, knots - self.times[:, None], self.refinements)
        return replace(self, refinements=refinements), int(stopped.sum())

    def _rows_around(self, edited: BoolArray) -> range:
        """Return the poses that edited knots may reach."""
        rows = np.flatnonzero(edited.any(axis=1))
        near = range(max(rows[0] - 1, 0), min(rows[-1] + 2, len(self)))
        # The neighbours of a partial pose may be far away.
        whole = self.included[[near[0], near[-1]]].all()
        return near if whole else range(len(self))

    def _swept(self, free: BoolArray, rows: range) -> FloatArray:
        """Push free knots forwards past the previous one, then backwards in the same way."""
        knots = self.knots.copy()
        for order, sign in ((rows, 1.0), (reversed(rows), -1.0)):
            wall = np.full(len(self.channels), -np.inf)
            for k in order:
                at = sign * knots[k]
                at = np.where(free[k], np.maximum(at, wall + self.least_gap), at)
                knots[k] = np.where(self.included[k], sign * at, knots[k])
                wall = np.where(self.included[k], at, wall)
        return knots

    def _crossed(self, knots: FloatArray) -> BoolArray:
        """Return which channels' knots do not rise."""
        before = np.full(len(self.channels), -np.inf)
        out = np.zeros(len(self.channels), dtype=bool)
        if self.included.all():
            return np.asarray((np.diff(knots, axis=0) <= _SAME).any(axis=0))
        for k in range(len(self)):
            has = self.included[k]
            out |= has & (knots[k] - before <= _SAME)
            before = np.where(has, knots[k], before)
        return out

    def refined(self, pose: int, values: dict[int, float]) -> Timing:
        """Set refinements of a pose, by channel; out of bounds is an error."""
        low, high = self.room(pose)
        refinements, asks = self.refinements.copy(), self.asks.copy()
        for i, value in values.items():
            name = self.channels[i]
            if not self.included[pose, i]:
                raise InputError(f"pose {pose} leaves {name!r} out")
            if not low[i] - 1e-12 <= value <= high[i] + 1e-12:
                raise InputError(
                    "a refinement of {value} is out of bounds for {name!r} at pose {pose}; its "
                    "neighbours allow {low:.3f} to {high:.3f}",
                    value=Duration(value),
                    name=name,
                    pose=pose,
                    low=Duration(float(low[i])),
                    high=Duration(float(high[i])),
                )
            refinements[pose, i], asks[pose, i] = value, PLACED
        return replace(self, refinements=refinements, asks=asks)

    def with_pose(self, time: float, included: BoolArray, warp: TimeWarp) -> Timing:
        """Insert a pose on the curves of a warp, the delivered one, which does not change."""
        at = int(np.searchsorted(self.times, time))
        if not 0 < at < len(self):
            raise InputError(
                "a pose at {time} is not inside the clip, {clip}",
                time=Moment(time),
                clip=Span(float(self.times[0]), float(self.times[-1])),
            )
        knots, known, included = self.knots, self.known_knots, included.copy()
        known_time = float(np.interp(time, *self._body))
        own = np.full(len(self.channels), time)
        own_known = np.full(len(self.channels), known_time)
        for i in np.flatnonzero(included):
            has = np.flatnonzero(self.included[:, i])
            (before, after), (low, high) = (
                (k[has[has < at][-1], i], k[has[has >= at][0], i]) for k in (knots, known)
            )
            gap = self.least_gap
            if min(after - before, high - low) < 2 * gap:
                included[i] = False  # no room between its neighbours: the pose lacks this channel
                continue
            if not before + gap <= time <= after - gap:
                own[i] = (before + after) / 2  # a neighbour's knot is at the time of the pose
            own_known[i] = np.clip(warp(own[i], self.channels[i]), low + gap, high - gap)
        number = int(self.numbers.max()) + 1
        return replace(
            self,
            numbers=np.insert(self.numbers, at, number),
            times=np.insert(self.times, at, time),
            refinements=np.insert(self.refinements, at, own - time, axis=0),
            included=np.insert(self.included, at, included, axis=0),
            asks=np.insert(self.asks, at, 0.0, axis=0),
            known_times=np.insert(self.known_times, at, known_time),
            known_refinements=np.insert(self.known_refinements, at, own_known - known_time, axis=0),
        )

    def without_pose(self, pose: int, warp: TimeWarp, delivered: FloatArray) -> Timing:
        """Delete a pose without changing the warp of the edits so far.

        Parameters
        ----------
        pose : int
            Which pose.
        warp : TimeWarp
            The warp of the edits so far.
        delivered : array (K, C)
            Its refinements.
        """
        if pose in (0, len(self) - 1):
            raise InputError("the first and the last pose hold the clip's ends; they stay")
        timing = self
        if self.is_edited:
            # The edits so far become the base warp, and the knots are defined on its output.
            timing = replace(
                self,
                base=warp,
                known_times=self.times,
                refinements=delivered,
                known_refinements=delivered,
            )
        return replace(
            timing,
            **{
                name: np.delete(getattr(timing, name), pose, axis=0)
                for name in (
                    "numbers", "times", "refinements", "included", "asks",
                    "known_times", "known_refinements",
                )
            },
        )  # fmt: skip
