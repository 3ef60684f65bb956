"""Bounds: how far apart the times of neighbouring joints may be, from the source alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.contacts import detect_contacts
from retime.joint_times.modes import Modes
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions, cached_rotations
from retime.motion.memory import last

Mask = npt.NDArray[np.bool_]

# Knots of shifts, seconds.
GRID_S = 1 / 40
# Largest difference in time between neighbours, seconds.
MOST_APART_S = 0.4
# Turning of a joint against its parent, and acceleration of what hangs on it, that a difference in
# time may cause, relative to the largest in the source. With playback speeds of up to 1.45, which
# multiply accelerations by 2.1, this keeps turns below 3 and accelerations below 4 times.
# Swings of legs, which are short, take more of it.
_TURN, _ACCELERATION, _SWING_ACCELERATION = 1.8, 1.5, 2.7
# Movement below this is nothing to compare with: rad/s, and m/s^2.
_LEAST_TURN, _LEAST_ACCELERATION = 2.0, 20.0
# Turning that a difference in speed of neighbours may add, relative to the largest of the joint,
# where both turn together within this many seconds.
_SLOPE, _TOGETHER_S = 1.0, 0.1
# Parts that come this near to the lowest point, as a share of the height, are kept from sinking by
# more than this many metres. What is this near, and slower than this (m/s), moves by _PLANT_M.
_NEAR, _SINK_M, _RESTS, _RESTS_M_S, _PLANT_M = 0.25, 0.005, 0.05, 0.3, 0.015
# Joints between have times between: a part may be off by this share of its way.
_STRAY = 0.25
# A leg keeps the time of the base this long beside its contacts, seconds: two knots of a shift.
_BESIDE_S = 0.05
# Steepness of bounds, in seconds a second and per second: as steep as shifts can be apart, and as
# the speeds of shifts can change. Bounds are read at the time of the parent, which moves.
_STEEP, _STEEP_SLOPE = 1.5, 12.0
# No bound: more than any shift, seconds; and more than any slope.
_FREE_S, _ANY_SLOPE = 10.0, 10.0


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds of a leader's shift over source time (F,), smooth enough to be read anywhere.

    Parameters
    ----------
    times : array (F,)
        Source times.
    low, high : array (F,)
        Least and largest shift, less that of the leader above.
    slope : array (F,)
        Largest difference in speed from the leader above.
    lowest, highest : array (F,)
        Least and largest shift, less that of the base.
    """

    times: FloatArray
    low: FloatArray
    high: FloatArray
    slope: FloatArray
    lowest: FloatArray
    highest: FloatArray


def bounds_of(
    motion: Motion, modes: Modes, contacts: Sequence[Contact] | None, *, loop: bool
) -> dict[int, Bounds]:
    """Return the bounds of each leader beside the base.

    Parameters
    ----------
    motion : Motion
        The source.
    modes : Modes
        Its modes.
    contacts : sequence of Contact, optional
        The contacts of swinging legs. Default: those found.
    loop : bool
        The motion is a cycle.
    """
    measured = _Measured(motion, modes, loop)
    own = [j for j in modes.leaders if j not in modes.standing]
    out = {j: measured.bounds(j, contacts) for j in own}
    return out | ({modes.base: measured.base_bounds(contacts)} if modes.standing else {})


class _Measured:
    """Tracks of a motion from which bounds follow."""

    def __init__(self, motion: Motion, modes: Modes, loop: bool) -> None:
        self.motion, self.modes, self.loop = motion, modes, loop
        self.points, self.turns = cached_positions(motion), cached_rotations(motion)
        self.rate, self.most = motion.rate, max(int(MOST_APART_S * motion.rate), 1)
        steps = np.diff(self.points, 2, axis=0)
        largest = np.linalg.norm(steps, axis=-1).max(axis=0, initial=0.0) * self.rate**2
        self.accelerations = np.maximum(largest, _LEAST_ACCELERATION)
        self.rooms = self._ground_rooms()

    def bounds(self, joint: int, contacts: Sequence[Contact] | None) -> Bounds:
        """Return the bounds of one leader."""
        count = len(self.motion)
        (low, high), slope = self._beside_parent(joint)
        low, high = low.copy(), high.copy()
        leg = self._leg(joint)
        lowest, highest = np.full(count, -_FREE_S), np.full(count, _FREE_S)
        if leg is not None:
            stands = standing(self.motion, leg, contacts)
            low[stands] = high[stands] = 0.0
            above = int(self.motion.skeleton.parents[joint])
            lowest, highest = part_room(self.motion, leg, above, stands)
        for room in [r for k, r in self.rooms.items() if joint in self._chain(k)]:
            lowest, highest = np.maximum(lowest, room[0]), np.minimum(highest, room[1])
        times = partial(_gradual, most=_STEEP, rate=self.rate, loop=self.loop)
        return Bounds(
            self.motion.times,
            -times(-low),
            times(high),
            _gradual(slope, _STEEP_SLOPE, rate=self.rate, loop=self.loop),
            -times(-lowest),
            times(highest),
        )

    def base_bounds(self, contacts: Sequence[Contact] | None) -> Bounds:
        """Return the bounds of hips that lead: feet in the air, which they carry, do not sink."""
        motion, rooms = self.motion, []
        for top in self.modes.standing:
            leg, above = self.modes.group(top), int(motion.skeleton.parents[top])
            stands = standing(motion, leg, contacts)
            rooms.append(part_room(motion, leg, above, stands, above_moves=True))
        free = np.full(len(motion), _FREE_S)
        low, high = np.max([r[0] for r in rooms], axis=0), np.min([r[1] for r in rooms], axis=0)
        return Bounds(motion.times, -free, free, free, low, high)

    def _chain(self, joint: int) -> list[int]:
        return self.motion.skeleton.chain(joint)

    def _beside_parent(self, joint: int) -> tuple[FloatArray, FloatArray]:
        """Return the room (2, F) beside the parent's time, seconds, and the largest slope (F,)."""
        skeleton, parent = self.motion.skeleton, int(self.motion.skeleton.parents[joint])
        below = [k for k in range(len(skeleton)) if joint in self._chain(k) and k != joint]
        slope = np.full(len(self.motion), _ANY_SLOPE)
        tracks: list[FloatArray] = []
        others: list[FloatArray] = []
        limits: list[float] = []
        if self.modes.modes[joint] == "space":
            for child in (k for k in below if skeleton.parents[k] == joint):
                away = self._second(self.points[:, child] - self.points[:, joint])
                hanging = [k for k in below if child in self._chain(k)]
                tracks.append(away)
                others.append(away)
                limits.append(_ACCELERATION * float(self.accelerations[hanging].min()))
            if parent >= 0:
                own, turning = self._most_turning(joint), self._turning(self.turns[:, joint])
                tracks.append(turning)
                others.append(self._turning(self.turns[:, parent]))
                limits.append(_TURN * own)
                width = max(int(_TOGETHER_S * self.rate), 1)
                together = _widest(np.linalg.norm(turning, axis=1), width, self.loop)
                slope = _SLOPE * own / np.maximum(together, 1e-6)
        else:
            back = quat.conjugate(self.turns[:, parent])
            most = _SWING_ACCELERATION if joint in self.modes.swinging else _ACCELERATION
            for child in [k for k in below if self.modes.leader[k] == joint] or below[:1]:
                away = self._second(
                    quat.rotate(back, self.points[:, child] - self.points[:, joint])
                )
                tracks.append(away)
                others.append(away)
                limits.append(most * float(self.accelerations[child]))
        if not tracks:
            room = np.full((2, len(self.motion)), float(self.most))
        else:
            room = _native.joint_times.rooms(
                np.stack(tracks), np.stack(others), np.array(limits), self.most, self.loop
            )
        return room * np.array([[-1.0], [1.0]]) / self.rate, slope

    def _most_turning(self, joint: int) -> float:
        turning = self._turning(self.motion.rotations[:, joint])
        return max(float(np.linalg.norm(turning, axis=1).max()), _LEAST_TURN)

    def _turning(self, turns: FloatArray) -> FloatArray:
        """Return angular velocities (F, 3) of rotations (F, 4), rad/s."""
        steps = quat.log(quat.multiply(turns[1:], quat.conjugate(turns[:-1]))) * self.rate
        return np.vstack([steps, steps[-1:]])

    def _second(self, points: FloatArray) -> FloatArray:
        """Return accelerations (F, 3) of points (F, 3)."""
        if len(points) < 3:
            return np.zeros_like(points)
        inner = np.diff(points, 2, axis=0) * self.rate**2
        return np.ascontiguousarray(np.pad(inner, ((1, 1), (0, 0)), mode="edge"))

    def _leg(self, joint: int) -> list[int] | None:
        """Return the joints of the leg that a leader is the top of, or ``None``."""
        return self.modes.group(joint) if joint in self.modes.swinging else None

    def _ground_rooms(self) -> dict[int, FloatArray]:
        """Return how far (2, F) the time of each part near the ground may be from the base's."""
        modes = self.modes.modes
        out: dict[int, FloatArray] = {}
        for k in range(len(modes)):
            above = next((j for j in self._chain(k) if modes[j] == "base"), None)
            if modes[k] != "base" and above is not None:
                room = _ground_room(self.motion, k, above, _STRAY, loop=self.loop)
                out |= {} if room is None else {k: room}
        return out


def part_room(
    motion: Motion,
    joints: Sequence[int],
    above: int,
    planted: Mask | None = None,
    *,
    above_moves: bool = False,
) -> FloatArray:
    """Return the least and largest shift (2, F) with which a part that has one time does not sink.

    Parameters
    ----------
    motion : Motion
        The motion.
    joints : sequence of int
        The part, its topmost joint first. Joints that hang on it do not sink either.
    above : int
        The joint of the base that it hangs on.
    planted : array (F,), optional
        When a leg stands: it is held on the ground then. Other parts stay where they rest.
    above_moves : bool
        The joint above has the shift, and carries the part.
    """
    rooms = [
        _ground_room(motion, k, above, 0.0, planted=planted, above_moves=above_moves)
        for k in joints
    ]
    hanging = {k for k in range(len(motion.skeleton)) if joints[0] in motion.skeleton.chain(k)}
    rooms += [_ground_room(motion, k, above, _STRAY) for k in hanging.difference(joints)]
    low, high = np.full((2, len(motion)), _FREE_S) * [[-1.0], [1.0]]
    for room in (r for r in rooms if r is not None):
        free = np.abs(room) >= MOST_APART_S - 1.5 / motion.rate
        room = np.where(free, np.sign(room) * _FREE_S, room)
        low, high = np.maximum(low, room[0]), np.minimum(high, room[1])
    times = partial(_gradual, most=_STEEP, rate=motion.rate, loop=False)
    return np.stack([-times(-low), times(high)])


def _ground_room(
    motion: Motion,
    joint: int,
    above: int,
    stray: float,
    *,
    planted: Mask | None = None,
    above_moves: bool = False,
    loop: bool = False,
) -> FloatArray | None:
    """Return how far (2, F) the time of a joint may be from that of one above, or the reverse.

    ``None`` if it is never near the ground.
    """
    points = cached_positions(motion)
    heights = points[..., 1]
    floor, tall = float(heights.min()), float(np.ptp(heights, axis=1).max()) or 1.0
    away = points[:, joint] - points[:, above]
    lowest = heights[:, above].min() + away[:, 1].min()
    if heights[:, joint].min() >= floor + _NEAR * tall and lowest > floor - _SINK_M:
        return None
    speed = np.linalg.norm(np.gradient(points[:, joint], axis=0), axis=-1) * motion.rate
    rests = (heights[:, joint] < floor + _RESTS * tall) & (speed < _RESTS_M_S)
    if planted is not None:
        rests, away = np.zeros_like(rests), away + planted[:, None] * [0.0, tall, 0.0]
    stays, moves = (away, points[:, above]) if above_moves else (points[:, above], away)
    room = _native.joint_times.ground_rooms(
        np.ascontiguousarray(stays),
        np.ascontiguousarray(moves),
        rests.astype(float),
        floor,
        _SINK_M,
        _PLANT_M,
        stray,
        max(int(MOST_APART_S * motion.rate), 1),
        loop,
    )
    return np.asarray(room * np.array([[-1.0], [1.0]]) / motion.rate)


def standing(motion: Motion, leg: Sequence[int], contacts: Sequence[Contact] | None = None) -> Mask:
    """Mark the frames (F,) at which a leg, by its joints, stands, and those just beside them."""
    found = contacts
    if found is None:
        found = last(motion, "contacts of feet", None, lambda: detect_contacts(motion))
    names = {motion.skeleton.names[j] for j in leg}
    times, out = motion.times, np.zeros(len(motion), dtype=bool)
    for c in found:
        if c.joint in names:
            out |= (times > c.start - _BESIDE_S) & (times < c.end + _BESIDE_S)
    return out


def _widest(values: FloatArray, width: int, loop: bool) -> FloatArray:
    """Return the largest of the values (F,) up to ``width`` frames away."""
    padded = np.pad(values, width, mode="wrap" if loop else "edge")
    out: FloatArray = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1).max(axis=-1)
    return out


def _gradual(values: FloatArray, most: float, *, rate: float, loop: bool) -> FloatArray:
    """Return the largest curve (F,) below values (F,) and those beside, of limited steepness."""
    near = max(int(np.ceil(GRID_S / 2 * rate)), 1)
    least = np.tile(-_widest(-values, near, loop), 3 if loop else 1)
    ramp = most / rate * np.arange(len(least))
    least = np.minimum.accumulate(least - ramp) + ramp
    least = np.asarray(np.minimum.accumulate((least + ramp)[::-1])[::-1] - ramp)
    return least[len(values) : 2 * len(values)] if loop else least
