"""Edits of the values of poses (5.1): values, rotations, exaggeration, travel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.staggered.channel import SAME, Channel
from retime.methods.staggered.edits.history import recorded
from retime.methods.staggered.edits.operators import change
from retime.methods.staggered.pose_values import mean_value, still_motion
from retime.methods.staggered.representation import (
    PoseName,
    Representation,
    When,
    by_joint,
    numbers,
)
from retime.notes import Note
from retime.sentences import ParameterName

__all__ = ["MOST_WEIGHT", "ValueEdits", "When", "mean_value", "still_motion"]

# Maximum exaggeration.
MOST_WEIGHT = 10.0
# Tolerance of a value, in radians or the file's units, and the maximum number of rounds.
_EXACT, _ROUNDS = 1e-12, 12
# Poses closer than this to a fixed end of the clip change less, seconds.
_ROOM_AT_ENDS = 0.3
# Rotations that differ by less than the first of these angles, radians, are exaggerated fully, and
# those that differ by more than the second not at all.
_TURNED = np.radians([60.0, 120.0])


class ValueEdits(Representation):
    """Edits of pose values; nothing changes beyond a pose's neighbours."""

    def _changed(
        self,
        poses: Sequence[int],
        changes: Mapping[int, FloatArray],
        when: When,
        layer: int,
    ) -> Self:
        """Change channels at poses, by (N, 3) each: at the poses' times, or at extremes."""
        layer = self._layer(layer)
        curves, numbers = list(self.curves), self.timing.numbers.tolist()
        chosen = np.array([numbers[k] for k in poses])
        now = self._times_of(poses, "pose")
        self._times_of(poses, when)  # the error lists the choices
        astray = 0
        for i, by in changes.items():
            turns: dict[int, FloatArray] = {}
            knots: dict[int, float] = {}
            included = self.timing.included[:, i].tolist()
            for k, t, turn in zip(poses, now[:, i].tolist(), by, strict=True):
                if not included[k]:
                    continue
                number = numbers[k]
                if when == "pose" and self._has_room(i, k, t):
                    knots[number] = t
                astray += when == "pose" and number not in knots
                turns[number] = turn
                if self.loop and k in (0, len(self) - 1):
                    turns[numbers[0]] = turns[numbers[-1]] = turn
            curve = _with_editing_knots(curves[i], now[:, i], chosen, knots)
            curves[i] = curve.changed(turns, layer)
        notes = []
        if astray:
            notes.append(
                Note(
                    f"{astray} parts pass their pose's time only beyond a neighbour's knot: their "
                    "extremes were changed",
                    code="extremes-changed",
                    parts=astray,
                )
            )
        return replace(self, curves=tuple(curves))._saying(notes)

    def _has_room(self, i: int, pose: int, t: float) -> bool:
        """Return whether a channel passes the pose's time between its neighbours' knots."""
        curve, number = self.curves[i], int(self.timing.numbers[pose])
        others = curve.knots[curve.extreme & (curve.owners != number)]
        own = float(curve.knots[self._knot(i, pose)])
        low = others[others < own].max(initial=-np.inf)
        high = others[others > own].min(initial=np.inf)
        frame = 1 / self.source.rate  # a layer has a value a frame
        return bool(low + frame < t < high - frame) or t == own

    @recorded
    def edit(
        self,
        pose: PoseName,
        rotations: Mapping[str, npt.ArrayLike] | None = None,
        translations: Mapping[str, npt.ArrayLike] | None = None,
        *,
        when: When = "pose",
        layer: int = 0,
    ) -> Self:
        """Set values of joints at a pose; nothing changes beyond its neighbours.

        Parameters
        ----------
        pose : int or float
            Which pose.
        rotations : mapping of str to array (4,), optional
            Local rotations, wxyz, by joint.
        translations : mapping of str to array (3,), optional
            Translations of roots, in the file's units.
        when : {"pose", "extreme"}
            Whether the values are those at the pose's time, or the extremes of the parts.
        layer : int
            Which layer of the stack takes the change; 0 is the motion itself.
        """
        k = self._editable(pose)
        values: dict[int, FloatArray] = {}
        for name, value in by_joint(rotations or {}, "rotations").items():
            q = numbers(value, 4, f"the rotation of {name!r}")
            if abs(np.linalg.norm(q) - 1) > 1e-3:
                raise InputError(f"the rotation of {name!r} is not a unit quaternion: {q.tolist()}")
            for i in self._columns([name]):
                values[i] = q / np.linalg.norm(q)
        for name, value in by_joint(translations or {}, "translations").items():
            channel = name if name.endswith(":translation") else f"{name}:translation"
            for i in self._columns([channel]):
                values[i] = numbers(value, 3, f"the translation of {name!r}")
        if any(len(v) != (4 if i < len(self.source.skeleton) else 3) for i, v in values.items()):
            raise InputError("a rotation was given for a translation; use translations")
        return self._set(k, values, when, layer)

    def _set(self, pose: int, values: Mapping[int, FloatArray], when: When, layer: int) -> Self:
        """Set values of channels at a pose."""
        times, out = self._times_of([pose], when)[0], self
        layer = self._layer(layer)
        for i in values:
            self._knot(i, pose)
            if when == "pose" and not self._has_room(i, pose, float(times[i])):
                raise InputError(
                    f"{self.channels[i]!r} passes the time of pose {pose} only beyond a "
                    "neighbour's knot; edit its extreme (when='extreme'), or its refinement"
                )
        # Values between two frames are interpolated, so a few rounds are needed.
        for _ in range(_ROUNDS):
            by = {
                i: change(value, out._read(i, [pose], when)[0])[None] for i, value in values.items()
            }
            if max((float(np.abs(b).max()) for b in by.values()), default=0.0) < _EXACT:
                return out
            out = out._changed([pose], by, when, layer)
        return out

    @recorded
    def turn(
        self,
        joints: Mapping[str, npt.ArrayLike],
        *,
        poses: Iterable[PoseName] | PoseName | None = None,
        when: When = "extreme",
        layer: int = 0,
    ) -> Self:
        """Rotate joints by the same amount at poses.

        Parameters
        ----------
        joints : mapping of str to array (3,)
            Rotation vectors in degrees, about the parent's axes, by joint.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        when : {"extreme", "pose"}
            Whether extremes rotate, or the values at the pose's time.
        layer : int
            Which layer of the stack takes the change.
        """
        chosen = self._chosen(poses)
        by = {
            i: np.tile(np.radians(numbers(v, 3, f"the turn of {n!r}")), (len(chosen), 1))
            for n, v in by_joint(joints, "turns").items()
            for i in self._columns([n])
        }
        if any(i >= len(self.source.skeleton) for i in by):
            raise InputError("a translation cannot turn; use edit")
        return self._changed(chosen, by, when, layer)

    @recorded
    def exaggerate(
        self,
        weight: float,
        *,
        relative_to: Literal["average", "neighbours", "previous", "next"] | PoseName = "average",
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
        when: When = "extreme",
        layer: int = 0,
    ) -> Self:
        """Exaggerate poses relative to another pose, or reduce the difference.

        Parameters
        ----------
        weight : float
            Amount, as a fraction of the difference; negative values reduce it.
        relative_to : {"average", "neighbours", "previous", "next"}, int or float
            The other pose: the mean of all poses or of both neighbours, a neighbour, or any pose.
        joints : sequence of str, optional
            Which joints. Default: all but the roots.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends; those near an end change less.
        when : {"extreme", "pose"}
            Whether extremes change, or the values at the pose's time.
        layer : int
            Which layer of the stack takes the change.
        """
        weight = coerce(weight, float, "weight")
        if abs(weight) > MOST_WEIGHT:
            raise InputError(f"poses are exaggerated by at most {MOST_WEIGHT:g}, not {weight:g}")
        columns, chosen = self._columns(joints, roots=False), self._chosen(poses)
        away = self._away_from(relative_to, columns, chosen, when)
        changes = {i: weight * _bounded(by, weight) for i, by in away.items()}
        if poses is None and not self.loop:
            times = self._times_of(range(len(self)), when)
            for i, by in changes.items():
                by *= self._room(times[:, i])[chosen, None]
        return self._changed(chosen, changes, when, layer)

    def _away_from(
        self, relative_to: str | PoseName, columns: list[int], chosen: list[int], when: When
    ) -> dict[int, FloatArray]:
        """Return how far channels are from another pose at the chosen ones, (N, 3) by channel.

        The last result is cached, because it does not depend on the amount of exaggeration.
        """
        others = [self._reference(relative_to, k) for k in chosen]
        asked = (relative_to == "average", others, columns, chosen, when)
        known = self.__dict__.get("_known_away")
        if known is None or known[0] != asked:
            away = {}
            for i in columns:
                values = self._read(i, range(len(self)), when)
                if relative_to == "average":
                    means = np.broadcast_to(mean_value(values), values[chosen].shape)
                else:
                    means = np.array([mean_value(values[o]) for o in others])
                    means = means.reshape(values[chosen].shape)
                away[i] = change(values[chosen], means)
            known = self.__dict__["_known_away"] = (asked, away)
        found: dict[int, FloatArray] = known[1]
        return found

    def _room(self, times: FloatArray) -> FloatArray:
        """Return the fraction of a change that each pose gets, (K,): less near fixed ends."""
        away = np.minimum(times - times[0], times[-1] - times)
        share: FloatArray = np.clip(away / _ROOM_AT_ENDS, 0.0, 1.0)
        return share

    def _reference(self, relative_to: str | PoseName, k: int) -> list[int]:
        count = len(self)
        beside: dict[str, Sequence[int]] = {
            "average": range(count),
            "neighbours": [k - 1, k + 1],
            "previous": [k - 1],
            "next": [k + 1],
        }
        if isinstance(relative_to, str) and relative_to in beside:
            return [b for b in beside[relative_to] if 0 <= b < count] or [k]
        if isinstance(relative_to, str) and not relative_to[:1].isdigit():
            raise InputError(
                "{name} is {value!r}; it can be {known}, or a pose",
                name=ParameterName("relative_to"),
                value=relative_to,
                known=", ".join(map(repr, beside)),
            )
        return [self.index(relative_to)]

    @recorded
    def travel(self, weight: float) -> Self:
        """Make the body's path over the ground longer or shorter, with feet planted along it.

        Parameters
        ----------
        weight : float
            Fraction to add: 0.4 travels 1.4 times as far, -1 stays in place.
        """
        weight = coerce(weight, float, "weight")
        if not -1 <= weight <= MOST_WEIGHT:
            raise InputError(
                f"travel is exaggerated by -1 (in place) to {MOST_WEIGHT:g}, not {weight:g}"
            )
        if self.loop:
            raise InputError(
                "travel cannot change in a cycle: its first and last steps would not match; leave "
                "out loop"
            )
        if self.bounds is not None:
            raise InputError(
                "travel moves all that follows, so it cannot change inside a range; leave out the "
                "range, or trim the clip first"
            )
        return self


def _bounded(away: FloatArray, weight: float) -> FloatArray:
    """Return differences (N, 3) of rotations, less of those that are large where they grow.

    A joint that is turned far from the other pose, such as an arm over the head from one that
    hangs, would come near half a turn and reach its next pose on the other side.
    """
    if weight <= 0:
        return away
    angle = np.linalg.norm(away, axis=-1, keepdims=True)
    share = np.clip((_TURNED[1] - angle) / (_TURNED[1] - _TURNED[0]), 0.0, 1.0)
    return np.asarray(share**2 * (3 - 2 * share) * away)


def _with_editing_knots(
    curve: Channel, now: FloatArray, owners: npt.NDArray[np.int64], wanted: Mapping[int, float]
) -> Channel:
    """Put editing knots at the times of their poses, and remove those elsewhere."""
    stale = (
        []
        if curve.extreme.all()
        else [
            n
            for owner, t in zip(owners.tolist(), now, strict=True)
            if (n := curve.knot_of(owner, extreme=False)) is not None
            and abs(curve.knots[n] - t) > SAME
        ]
    )
    if stale:
        curve = curve.without_knots(stale)
    return curve.with_knots(wanted, extreme=False) if wanted else curve
