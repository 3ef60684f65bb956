"""Shifts: the nearest smooth curves to what is asked, within bounds, and their warp.

A shift is the source time that a joint shows less the source time of the body, over the latter. It
is the projection of the request on a convex set: unique, and continuous in the request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.joint_times.bounds import (
    GRID_S,
    MOST_APART_S,
    Bounds,
    Mask,
    bounds_of,
    part_room,
    standing,
)
from retime.joint_times.modes import Modes, modes_of
from retime.joint_times.shift import Shift
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.memory import memory
from retime.timing import TimeWarp
from retime.timing.graph import Graph
from retime.timing.monotone import SPACING

Track = Callable[[FloatArray], FloatArray]
_Room = tuple[FloatArray, FloatArray]

# A joint plays at 0.1 to 1.45 times the speed of the body, which changes by at most 12 per second.
# A speed multiplies accelerations by its square, 2.1 at most.
_SLOPES, _BEND = np.array([[-0.9], [0.45]]), 12.0
# Parts that are dragged must be in time: they and what follows them play at up to 1.66 times the
# speed, legs at 0.2 times or more, because feet that leave and reach the ground accelerate more.
_DRAG_SLOPES, _LEG_SLOPES = np.array([[[-0.9], [0.66]], [[-0.8], [0.66]]])
# Weight of what is asked between the times that count, which have the weight 1: small, so that
# these are met, but not so small that curves swing between them as a slider moves.
_BETWEEN = 2e-2
# Weight of the integral of squared second derivatives, which makes curves smooth between them.
_STIFFNESS = 1e-8
# Shifts below this, in seconds, are rounding errors of the solver.
_NOTHING_S = 1e-7
# Times closer than this, in seconds, are one.
_SAME_S = 1e-6


@dataclass(frozen=True, eq=False)
class Request:
    """Shifts (K,) wanted at source times (K,) of the body, with weights (K,)."""

    times: FloatArray
    shifts: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class JointTimes:
    """A motion whose joints can have times of their own: modes and bounds, from the source alone.

    Parameters
    ----------
    motion : Motion
        The source.
    modes : Modes
        How its joints follow their times.
    bounds : mapping of int to Bounds
        The bounds of each leader; one that is missing has none.
    loop : bool
        The motion is a cycle.
    """

    motion: Motion
    modes: Modes
    bounds: Mapping[int, Bounds]
    loop: bool = False

    @classmethod
    def of(
        cls,
        motion: Motion,
        modes: Modes | None = None,
        *,
        contacts: Sequence[Contact] | None = None,
        loop: bool = False,
    ) -> JointTimes:
        """Measure a motion, once for each kind of modes.

        Parameters
        ----------
        motion : Motion
            The source.
        modes : Modes, optional
            Default: those found.
        contacts : sequence of Contact, optional
            Contacts of swinging legs. Default: those found.
        loop : bool
            The motion is a cycle.
        """
        known = memory(motion, "joint times")
        if "modes" not in known:
            known["modes"] = modes_of(motion)
        modes = modes or known["modes"]
        key = (modes.modes, modes.leader.tobytes(), loop)
        given = None if contacts is None else tuple(contacts)
        if known.get(key, (None, None))[0] != (given,):
            known[key] = (
                (given,),
                cls(motion, modes, bounds_of(motion, modes, given, loop=loop), loop),
            )
        found: JointTimes = known[key][1]
        return found

    def solve(
        self,
        requests: Mapping[int, Request],
        *,
        exact: Mapping[int, Track] | None = None,
        span: tuple[float, float] | None = None,
        past_end: float = 0.0,
    ) -> Shifts:
        """Find the shift of every leader.

        Parameters
        ----------
        requests : mapping of int to Request
            What is asked, by leader or base. Others stay with the base, as far as bounds allow.
        exact : mapping of int to callable, optional
            Shifts that are given, without bounds: from times (N,) to seconds (N,).
        span : (float, float), optional
            Source times outside which nothing moves. Default: all.
        past_end : float
            Seconds after the end in which parts may still arrive.
        """
        exact, modes = exact or {}, self.modes
        frame = _Frame(self, span, past_end, _DRAG_SLOPES if exact else _SLOPES)
        found: dict[int, Shift] = {}
        for j in [modes.base, *modes.leaders]:
            if j in modes.standing:
                found[j] = frame.shift()
                continue
            if j in exact:
                found[j] = frame.shift(exact[j](frame.grid))
                continue
            above = None if j == modes.base else found[modes.above(j)]
            request = requests.get(j)
            asks = request is not None and bool(np.any(np.abs(request.shifts) > _NOTHING_S))
            if not asks and (above is None or above.is_zero):
                found[j] = frame.shift()
            else:
                # Poses are at plants, where a leg has no room: its swings count instead.
                between = 1.0 if j in modes.swinging else _BETWEEN
                room = frame.room(self.bounds.get(j), above, found.get(modes.base))
                found[j] = frame.solve(request if asks else None, between, room)
        asked = {j: r.times for j, r in requests.items()}
        return Shifts(self, found, asked, frame.end)

    def part(
        self,
        joints: Sequence[int],
        request: Request,
        span: tuple[float, float],
        toward: Track,
        *,
        swings: bool = False,
        stops: bool = False,
    ) -> Shift:
        """Find the shift of a part that goes by itself: it need not stay near the parts beside it.

        Parameters
        ----------
        joints : sequence of int
            The part; of those that come near the ground, none sinks, and what rests there stays.
        request : Request
            The request, which is met as far as the ground and the span allow.
        span : (float, float)
            Source times outside which it does not move.
        toward : callable
            The shift at other times, from times (N,) to seconds.
        swings : bool
            It is a leg, which stands as it did: the request is met as far as its swing has room.
        stops : bool
            It may stop, to be in time for several requests.
        """
        frame = _Frame(self, span, 0.0, _DRAG_SLOPES)
        grid = frame.grid
        values, slopes = frame.room(None, None, None)
        if swings:
            slopes[:] = _LEG_SLOPES
        if stops:
            slopes[0] = -1.0
        asked, weight = toward(grid), np.ones(len(grid))
        planted = None
        if swings:
            planted = standing(self.motion, joints)
            stands = np.interp(grid, self.motion.times, planted.astype(float))
            asked, weight = (1 - stands) * asked, _BETWEEN + (1 - _BETWEEN) * stands
        low, high = self.part_room(joints, planted)
        values[0] = np.maximum(values[0], np.interp(grid, self.motion.times, low))
        values[1] = np.minimum(values[1], np.interp(grid, self.motion.times, high))
        return frame.nearest(asked, weight, request, (values, slopes))

    def part_room(self, joints: Sequence[int], planted: Mask | None = None) -> FloatArray:
        """Return the least and largest shift (2, F) of a part, from the ground alone, once."""
        known = memory(self.motion, "rooms of parts")
        key = (tuple(joints), planted is None)
        if key not in known:
            chain = self.motion.skeleton.chain(joints[0])[1:]
            above = next((j for j in chain if self.modes.modes[j] == "base"), self.modes.base)
            known[key] = part_room(self.motion, joints, above, planted)
        found: FloatArray = known[key]
        return found

    def is_bounded(self, joints: Sequence[int], span: tuple[float, float]) -> bool:
        """Return whether the ground limits the shift of a part in a span."""
        now = (self.motion.times >= span[0]) & (self.motion.times <= span[1])
        return bool((np.abs(self.part_room(joints)[:, now]) < MOST_APART_S).any())


@dataclass(frozen=True, eq=False)
class _Frame:
    """The grid and the limits that all shifts of one edit have in common."""

    source: JointTimes
    span: tuple[float, float] | None
    past_end: float
    slopes: FloatArray

    @property
    def end(self) -> float:
        """The last time of the shifts."""
        return self.source.motion.domain[1] + self.past_end

    @cached_property
    def grid(self) -> FloatArray:
        """The times of the values; those of a cycle leave out its end."""
        start, end = self.span or (self.source.motion.domain[0], self.end)
        cells = max(round((end - start) / GRID_S), 4)
        grid = np.linspace(start, end, cells + 1)
        return grid[:-1] if self.loop else grid

    @property
    def loop(self) -> bool:
        """Whether the shifts are cycles; those of a part of a cycle are not."""
        return self.source.loop and self.span is None

    def shift(self, values: FloatArray | None = None) -> Shift:
        """Return a shift with given values, or none."""
        grid = self.grid
        found = np.zeros(len(grid)) if values is None else values
        return Shift(float(grid[0]), float(grid[1] - grid[0]), found, self.loop)

    def solve(self, request: Request | None, between: float, room: _Room) -> Shift:
        """Return the nearest shift to a request, or to the base, within bounds."""
        grid = self.grid
        if request is None:
            return self.nearest(np.zeros(len(grid)), np.ones(len(grid)), None, room)
        order = np.argsort(request.times)
        asked = np.interp(grid, request.times[order], request.shifts[order])
        return self.nearest(asked, np.full(len(grid), between), request, room)

    def nearest(
        self,
        asked: FloatArray,
        weight: FloatArray,
        request: Request | None,
        room: _Room,
    ) -> Shift:
        """Return the nearest shift to values (N,) with weights (N,), and to a request."""
        grid, shift = self.grid, self.shift()
        first, by, wanted = np.zeros(0, np.int64), np.zeros((0, 4)), np.zeros(0)
        if request is not None:
            inside = (request.times >= grid[0]) & (request.times <= grid[-1] + shift.step)
            scale = np.sqrt(request.weights[inside])
            first, by = shift.points(request.times[inside])
            by, wanted = scale[:, None] * by, scale * request.shifts[inside]
        found = _native.joint_times.nearest_shift(
            shift.step,
            asked,
            weight,
            first,
            by,
            wanted,
            *room,
            _BEND,
            _STIFFNESS,
            self.loop,
        )
        found[np.abs(found) < _NOTHING_S] = 0.0
        return self.shift(found)

    def room(self, bounds: Bounds | None, above: Shift | None, base: Shift | None) -> _Room:
        """Return the lowest and highest values (2, N) and slopes (2, N) of a shift."""
        grid = self.grid
        start, end = self.source.motion.domain
        most = end - start + self.past_end
        values = np.stack([np.full(len(grid), -most), np.full(len(grid), most)])
        slopes = np.repeat(self.slopes, len(grid), axis=1)
        if above is not None and base is not None and bounds is not None:
            led, down = above.values, base.values
            at, now = (np.clip(grid + d, start, end) for d in (led, down))

            def read(track: FloatArray, times: FloatArray) -> FloatArray:
                return np.interp(times, bounds.times, track)

            low = np.maximum(led + read(bounds.low, at), down + read(bounds.lowest, now))
            high = np.minimum(led + read(bounds.high, at), down + read(bounds.highest, now))
            # The time of the parent is always possible.
            values = np.stack([np.minimum(low, led), np.maximum(high, led)])
            step = np.diff(led, append=led[:1] if self.loop else led[-1:]) / (grid[1] - grid[0])
            slope = read(bounds.slope, at)
            slopes[0] = np.minimum(np.maximum(step - slope, slopes[0]), step)
            slopes[1] = np.maximum(np.minimum(step + slope, slopes[1]), step)
        elif bounds is not None:
            lowest, highest = (
                np.interp(grid, bounds.times, b) for b in (bounds.lowest, bounds.highest)
            )
            values = np.stack([np.maximum(values[0], lowest), np.minimum(values[1], highest)])
        if not self.loop:
            # A part of a clip begins and ends without a bend.
            ends = 1 if self.span is None else 2
            values[:, :ends] = 0.0
            if not self.past_end:
                values[:, -ends:] = 0.0
        return values, slopes


@dataclass(frozen=True, eq=False)
class Shifts:
    """The shifts of all leaders."""

    source: JointTimes
    curves: Mapping[int, Shift]
    asked: Mapping[int, FloatArray]
    end: float

    def warp(self) -> TimeWarp:
        """Return the warp of all joints; roots' translations have the time of the base."""
        modes, motion = self.source.modes, self.source.motion
        skeleton, (start, last) = motion.skeleton, motion.domain
        channels: dict[str, Graph] = {}
        for leader, shift in self.curves.items():
            if shift.is_zero:
                continue
            graph = self._graph(shift, self.asked.get(leader, ()))
            for j in modes.group(leader):
                channels[skeleton.names[j]] = graph
            if leader == modes.base:
                channels |= {f"{skeleton.names[r]}:translation": graph for r in skeleton.roots}
        output, source = [start, last], [start, last]
        if self.end > last:  # what has arrived holds
            output, source = [*output, self.end], [*source, last]
        in_space = modes.in_space if channels else ()
        return TimeWarp(output, source, channels=channels, in_space=in_space)

    def _graph(self, shift: Shift, asked: Sequence[float] | FloatArray) -> Graph:
        """Return the curve of a shift, at the frames of the motion or finer, and where asked."""
        motion = self.source.motion
        start, last = motion.domain
        rate = motion.rate * max(np.ceil(1 / (SPACING * motion.rate) - 1e-9), 1.0)
        grid = start + np.arange(np.ceil((self.end - start) * rate - 1e-6)) / rate
        times = np.unique(np.r_[grid, asked])
        times = times[(times >= start) & (times < self.end - _SAME_S)]
        times = np.r_[times[np.diff(times, prepend=-np.inf) > _SAME_S], self.end]
        values = times + shift.at(times)
        if not self.source.loop:
            values = np.clip(values, start, last)
        return Graph(times, np.maximum.accumulate(values))
