"""Curves of dragged joints: the source time that each shows at an output time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.joint_times import JointTimes, Request
from retime.methods.surface.carrying import limb_joints
from retime.methods.surface.placing import Placed
from retime.methods.surface.propagation import Bump
from retime.methods.surface.room import NOTHING, Room, drag_cut
from retime.motion import Motion
from retime.notes import Note

__all__ = ["Curve", "Curves", "grid_times"]

# Output and source times.
Curve = tuple[FloatArray, FloatArray]

# Smooth curves are sampled at least this finely.
_FINEST_RATE = 120.0
# Weight of a drag: it is met to a microsecond, which is then made up for.
_MET, _ALMOST_S = 1e5, 1e-4
# A drag that is cut by less than this, in seconds, needs no note.
_CUT_S = 1e-3
# Times closer than this, in seconds, are one.
_SAME_S = 1e-9


@dataclass(frozen=True)
class Pull:
    """One drag of a part: its output time, its shift there, and the range of its bump."""

    key: int
    time: float
    shift: float
    start: float
    end: float

    @property
    def peak(self) -> float:
        """The output time of the drag."""
        return self.time + self.shift


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of the segments that drags move from the waist on, and of those beside them.

    A part of one drag follows its bump. One that serves several drags takes the nearest curve that
    is in time for each, and may stop for it; one that comes near the ground does not sink; a leg
    moves within its swing as far as that has room.

    Parameters
    ----------
    motion : Motion
        The motion.
    placed : sequence of Placed
        Keys.
    rooms : sequence of Room
        Their ranges.
    bump : Bump
        The falloff in time.
    legs : frozenset of int
        The joints of legs, whose times apply to rotations relative to their parents.
    """

    motion: Motion
    placed: Sequence[Placed]
    rooms: Sequence[Room]
    bump: Bump
    legs: frozenset[int]

    @property
    def times(self) -> JointTimes:
        """The times that joints can have."""
        return JointTimes.of(self.motion)

    @cached_property
    def parts(self) -> dict[tuple[Pull, ...], list[int]]:
        """Joints that move together, by the drags that they serve."""
        pulls: dict[int, list[Pull]] = {}
        for k, (placed, room) in enumerate(zip(self.placed, self.rooms, strict=True)):
            for joints, shift in placed.chains:
                pull = Pull(k, placed.key.time, room.share * shift, room.start, room.end)
                for j in joints if abs(pull.shift) > NOTHING else ():
                    pulls.setdefault(j, []).append(pull)
        parents = self.motion.skeleton.parents
        for j in sorted(self.collars & set(pulls)):  # they go with the trunk that they are on
            pulls[j] = pulls.get(int(parents[j]), pulls[j])
        out: dict[tuple[Pull, ...], list[int]] = {}
        for j in sorted(pulls):
            out.setdefault(tuple(dict.fromkeys(pulls[j])), []).append(j)
        return out

    @cached_property
    def collars(self) -> set[int]:
        """The joints of arms above their upper arms."""
        body = find_body(self.motion)
        arms = (n for n in body.limbs if n.endswith("arm"))
        return {
            j
            for name in arms
            for j in body.skeleton.chain(body.limbs[name].upper)[1:]
            if j in limb_joints(body, name)
        }

    @cached_property
    def dragged(self) -> dict[int, Curve]:
        """The curves of the dragged joints; those of one part share one."""
        out: dict[int, Curve] = {}
        for pulls, joints in self.parts.items():
            curves = [self._curve(together, joints) for together in _overlapping(pulls)]
            t, source = (np.concatenate(values) for values in zip(*curves, strict=True))
            out |= dict.fromkeys(joints, (t, source))
        return out

    @cached_property
    def all(self) -> dict[int, Curve]:
        """The curves of all joints that move."""
        return self.dragged | self._beside()

    @cached_property
    def in_space(self) -> frozenset[str]:
        """Joints in space: by their modes, and the first of each dragged part."""
        skeleton, dragged = self.motion.skeleton, self.dragged
        own = (
            skeleton.names[j]
            for j, curve in dragged.items()
            if j not in self.legs and dragged.get(int(skeleton.parents[j])) is not curve
        )
        return self.times.modes.in_space.union(own)

    def notes(self) -> Iterator[Note]:
        """Say which drags the ground or other drags cut."""
        for k, placed in enumerate(self.placed):
            for joint, drag in zip(placed.joints, placed.key.drags, strict=True):
                asked, curve = self.rooms[k].share * drag.shift, self.dragged.get(joint)
                if curve is None:
                    continue
                at = float(np.interp(placed.key.time, curve[1], curve[0])) - placed.key.time
                if abs(at - asked) > _CUT_S:
                    why = "what it rests on, or another drag, leaves no more room"
                    yield drag_cut(placed.key, drag, at, why)

    def _curve(self, pulls: Sequence[Pull], joints: Sequence[int]) -> Curve:
        """Return the curve of a part."""
        span = min(p.start for p in pulls), max(p.end for p in pulls)
        alone, leg = len(pulls) == 1, joints[0] in self.legs
        if alone and not leg and not self.times.is_bounded(joints, span):
            (pull,) = pulls
            t = np.union1d(self._grid(span), [pull.peak])
            return t, np.where(t == pull.peak, pull.time, t + self._toward(pulls, t))
        request = Request(
            np.array([p.peak for p in pulls]),
            np.array([-p.shift for p in pulls]),
            np.full(len(pulls), _MET),
        )
        shift = self.times.part(
            joints,
            request,
            span,
            partial(self._toward, pulls),
            swings=leg,
            stops=not alone,
        )
        t = np.union1d(self._grid(span), request.times)
        ahead, at = shift.at(t), np.searchsorted(t, request.times)
        # A request that is almost met is met to the last digit.
        met = np.abs(ahead[at] - request.shifts) < _ALMOST_S
        ahead[at[met]] = request.shifts[met]
        return t, np.maximum.accumulate(t + ahead)

    def _toward(self, pulls: Sequence[Pull], t: FloatArray) -> FloatArray:
        """Return the mean of the bumps of drags at output times (N,), the larger the heavier."""
        bumps = [-p.shift * self.bump.at(t, p.peak, p.start, p.end) for p in pulls]
        size = np.abs(bumps)
        return np.asarray((size * bumps).sum(axis=0) / np.maximum(size.sum(axis=0), 1e-12))

    def _grid(self, span: tuple[float, float]) -> FloatArray:
        return grid_times(self.motion, span)

    def _beside(self) -> dict[int, Curve]:
        """Return the curves of joints beside those dragged: near to the body's time, in bounds."""
        upper = {j: c for j, c in self.dragged.items() if j not in self.legs}
        if not upper:
            return {}
        modes, (first, last) = self.times.modes.with_own(upper), self.motion.domain
        span = (
            max(first, min(float(t[0]) for t, _ in upper.values())),
            min(last, max(float(t[-1]) for t, _ in upper.values())),
        )
        shifts = JointTimes(self.motion, modes, self.times.bounds).solve(
            {}, exact={j: partial(_shift, curve) for j, curve in upper.items()}, span=span
        )
        t = self._grid(span)
        out: dict[int, Curve] = {}
        for leader, shift in shifts.curves.items():
            if not shift.is_zero:
                curve = upper.get(leader, (t, np.maximum.accumulate(t + shift.at(t))))
                out |= dict.fromkeys((j for j in modes.group(leader) if j not in upper), curve)
        return out


def _overlapping(pulls: Sequence[Pull]) -> Iterator[list[Pull]]:
    """Yield drags whose ranges overlap."""
    together: list[Pull] = []
    for pull in sorted(pulls, key=lambda p: p.start):
        if together and pull.start >= max(p.end for p in together) - _SAME_S:
            yield together
            together = []
        together.append(pull)
    yield together


def grid_times(motion: Motion, span: tuple[float, float]) -> FloatArray:
    """Return the ends of a span and the frames of a motion between them, or finer."""
    (low, high), origin = span, motion.domain[0]
    rate = motion.rate * float(np.ceil(_FINEST_RATE / motion.rate - 1e-9))
    first, last = np.ceil((low - origin) * rate + 1e-6), np.floor((high - origin) * rate - 1e-6)
    times: FloatArray = np.r_[low, origin + np.arange(first, last + 1) / rate, high]
    return times


def _shift(curve: Curve, times: FloatArray) -> FloatArray:
    output, source = curve
    return np.interp(times, output, source - output, left=0.0, right=0.0)
