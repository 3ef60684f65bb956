"""Tween tools: blend poses toward others, and ease into and out of poses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, Self, get_args

import numpy as np

from retime.arrays import FloatArray
from retime.body.model.mirror import mirrored_rotations
from retime.coercion import coerce
from retime.errors import InputError, did_you_mean
from retime.methods.staggered.channel import Channel
from retime.methods.staggered.edits.curve_edits import CurveEdits
from retime.methods.staggered.edits.history import recorded
from retime.methods.staggered.edits.operators import change, changed
from retime.methods.staggered.edits.reach_edits import ReachEdits
from retime.methods.staggered.edits.timing_edits import TimingEdits
from retime.methods.staggered.edits.value_edits import When
from retime.methods.staggered.pose_values import mean_value, still_motion
from retime.methods.staggered.representation import PoseName

__all__ = ["MOST_SHARE", "Ease", "Toward", "TweenEdits", "ease_time"]

Toward = Literal["previous", "next", "neighbours", "rest", "mirror"]
Ease = Literal["hold", "snap", "anticipate", "settle"]
# Maximum share of a tween.
MOST_SHARE = 3.0
# The pose of a preset uses at most this fraction of the gap between poses.
_MOST_OF_GAP = 0.45
# Overshoot of a settling, or retreat of an anticipation, at amount 1, as a fraction of the way.
_PAST = 0.2
# A snap covers this first fraction of its way in that first fraction of its time.
_EARLY, _LATE = 0.2, 0.85


class TweenEdits(TimingEdits, ReachEdits, CurveEdits):
    """Edits that move poses toward others, and ease them."""

    @recorded
    def tween(
        self,
        share: float,
        *,
        toward: Toward | PoseName = "neighbours",
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
        when: When = "extreme",
        layer: int = 0,
    ) -> Self:
        """Move poses toward another pose, or past it, or away from it.

        Parameters
        ----------
        share : float
            Fraction of the way: 0 has no effect, 1 is the other pose, more overshoots it, and
            negative values move away from it.
        toward : {"previous", "next", "neighbours", "rest", "mirror"}, int or float
            The other pose: a neighbour, the mean of both neighbours, the rest pose of the
            skeleton, the mirror image of the pose, or any pose.
        joints : sequence of str, optional
            Which joints. Default: all but the roots.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        when : {"extreme", "pose"}
            Whether extremes move, or the values at the pose's time.
        layer : int
            Which layer of the stack takes the change.
        """
        share = coerce(share, float, "share")
        if not abs(share) <= MOST_SHARE:
            raise InputError(f"the share of a tween is at most {MOST_SHARE:g}, not {share:g}")
        chosen, columns = self._chosen(poses), self._columns(joints, roots=False)
        return self._led(chosen, columns, toward, share, when, layer)

    @recorded
    def mirror(
        self,
        pose: PoseName,
        *,
        joints: Iterable[str] | None = None,
        when: When = "extreme",
        layer: int = 0,
    ) -> Self:
        """Exchange left and right of a pose; the heading stays.

        Parameters
        ----------
        pose : int or float
            Which pose.
        joints : sequence of str, optional
            Which joints. Default: all.
        when : {"extreme", "pose"}
            Whether extremes are exchanged, or the values at the pose's time.
        layer : int
            Which layer of the stack takes the change.
        """
        count = len(self.source.skeleton)
        columns = [i for i in self._columns(joints) if i < count]
        return self._led([self._editable(pose)], columns, "mirror", 1.0, when, layer)

    @recorded
    def blank(self, pose: PoseName = 0) -> Self:
        """Start over from one pose: hold it for the whole clip, without other poses or detail.

        Insert and edit new poses from there. The contacts of the recording no longer apply and
        are not held.

        Parameters
        ----------
        pose : int or float
            Which pose.
        """
        k = self.index(pose)
        if self.bounds is not None:
            raise InputError("only a whole clip can start over, not a range of it")
        held = self.extreme(k)
        out: Self = self
        for other in reversed(range(1, len(self) - 1)):
            before = out.arrivals
            timing = out.timing.without_pose(other, before.warp, before.delivered)
            out = replace(out, timing=timing)
        places = [held.translations[self.source.skeleton.names[r]] for r in
                  self.source.skeleton.roots]  # fmt: skip
        values = [*held.rotations, *places]
        ends = out.timing.numbers[[0, -1]]
        curves = []
        for curve, value in zip(self.curves, values, strict=True):
            knots = curve.knots[[0, -1]]
            made = Channel.through(curve.times, np.array([value, value]), knots, ends)
            for _ in curve.stack[1:]:
                made = made.with_layer()
            curves.append(made)
        return replace(out, curves=tuple(curves), plain=(None,) * len(curves))

    def _led(
        self,
        poses: Sequence[int],
        columns: Sequence[int],
        toward: Toward | PoseName,
        share: float,
        when: When,
        layer: int,
    ) -> Self:
        """Move channels at poses by a fraction of the way to the current values of others."""
        wanted: dict[int, dict[int, FloatArray]] = {}
        for k in poses:
            others = self._other_values(toward, k, when)
            wanted[k] = {}
            for i in columns:
                if i not in others or not self.timing.included[k, i]:
                    continue
                own = self._read(i, [k], when)[0]
                by = share * change(others[i], own)
                if by.any():
                    wanted[k][i] = changed(own, by)
        out = self
        for k, values in wanted.items():
            if self.loop and k == len(self) - 1 and 0 in wanted:
                continue  # the first pose of a cycle is its last
            out = out._set(k, values, when, layer) if values else out
        return out

    def _other_values(self, toward: Toward | PoseName, k: int, when: When) -> dict[int, FloatArray]:
        """Return the values of the pose that pose ``k`` is moved to, by channel."""
        skeleton = self.source.skeleton
        if toward == "rest":
            return dict(enumerate(skeleton.rest_rotations))
        if toward == "mirror":
            at = dict(zip(self.channels, self._times_of([k], when)[0], strict=True))
            still = still_motion(self.source, self._pose_of(k, when), at)
            return dict(enumerate(mirrored_rotations(still, self.source)))
        if isinstance(toward, str) and toward not in get_args(Toward):
            if not toward[:1].isdigit():
                raise InputError(
                    f"toward is {toward!r}; it can be {', '.join(get_args(Toward))}, or a pose"
                    f"{did_you_mean(toward, get_args(Toward))}"
                )
            return self._values_at(self.index(toward), when)
        if not isinstance(toward, str):
            return self._values_at(self.index(toward), when)
        beside = {"previous": [-1], "next": [1], "neighbours": [-1, 1]}[toward]
        out = {}
        for i in range(len(self.channels)):
            # A partial pose's neighbours are those that have the channel.
            found = [self.timing._beside(k, step)[i] for step in beside]
            out[i] = mean_value(self._read(i, [int(b) for b in found], when))
        return out

    def _values_at(self, pose: int, when: When) -> dict[int, FloatArray]:
        return {i: self._read(i, [pose], when)[0] for i in range(len(self.channels))}

    # ---- presets of easing

    @recorded
    def ease(
        self,
        pose: PoseName,
        preset: Ease,
        amount: float = 1.0,
        *,
        seconds: float = 0.2,
        joints: Iterable[str] | None = None,
    ) -> Self:
        """Ease into or out of a pose; one pose is inserted for it.

        ``hold`` keeps the pose for a while; ``snap`` waits and then arrives quickly; ``anticipate``
        moves back slightly before it leaves; ``settle`` overshoots the pose and returns.

        Parameters
        ----------
        pose : int or float
            Which pose.
        preset : {"hold", "snap", "anticipate", "settle"}
            The kind of ease.
        amount : float
            Strength, 0 to 2; 0 has no effect.
        seconds : float
            Length of the hold, the anticipation or the settling.
        joints : sequence of str, optional
            Which joints. Default: all but the roots.
        """
        amount, seconds = coerce(amount, float, "amount"), coerce(seconds, float, "seconds")
        if preset not in get_args(Ease):
            raise InputError(
                f"the preset is {preset!r}; it can be {', '.join(get_args(Ease))}"
                f"{did_you_mean(str(preset), get_args(Ease))}"
            )
        if not 0 <= amount <= 2:
            raise InputError(f"a preset's amount is 0 to 2, not {amount:g}")
        if not seconds > 0:
            raise InputError(f"a preset lasts longer than 0 s, not {seconds:g}")
        k = self._editable(pose)
        if amount == 0:
            return self
        columns = self._columns(joints, roots=False)
        time = ease_time(self.times, k, preset, seconds)
        made = self.insert(time, joints=[self.channels[i] for i in columns])
        if preset == "snap":
            last = min(_EARLY + (_LATE - _EARLY) * amount, 0.95)
            before, after = self.times[k - 1], self.times[k]
            time = float(before + last * (after - before))
            return replace(made, timing=made.timing.moved(k, time, ripple=False))
        if preset == "anticipate":
            made = made._led([k + 1], columns, "previous", 1.0, "extreme", 0)
            return made._led([k + 1], columns, "next", -_PAST * amount, "extreme", 0)
        share = min(amount, 1.0) if preset == "hold" else 1.0
        made = made._led([k + 1], columns, "previous", share, "extreme", 0)
        if preset == "settle":
            made = made._led([k], columns, "previous", -_PAST * amount, "extreme", 0)
            return made._resting([k + 1], columns)
        made = made.detail(1.0 - share, joints=[self.channels[i] for i in columns], after=[k])
        return made._standing(k, columns) if share == 1 else made

    def _standing(self, pose: int, columns: Sequence[int]) -> Self:
        """Keep channels still from a pose to the next: equal knots, at rest."""
        curves = list(self.curves)
        first, last = (int(n) for n in self.timing.numbers[[pose, pose + 1]])
        for i in columns:
            a, b = (curves[i].knot_of(n) for n in (first, last))
            if a is not None and b == a + 1:
                controls = curves[i].stack[0].controls[a]
                curves[i] = curves[i].changed({last: change(controls[0], controls[3])})
        return replace(self, curves=tuple(curves))._resting([pose, pose + 1], columns)

    def _resting(self, poses: Sequence[int], columns: Sequence[int]) -> Self:
        """Bring channels to rest at poses."""
        curves, still = list(self.curves), np.zeros(3)
        for i in columns:
            for k in poses:
                if self.timing.included[k, i]:
                    number = int(self.timing.numbers[k])
                    curves[i] = curves[i].with_tangents(number, still, still)
        return replace(self, curves=tuple(curves))


def ease_time(times: FloatArray, pose: int, preset: Ease, seconds: float) -> float:
    """Return the time at which a preset inserts its pose."""
    step = -1 if preset == "snap" else 1
    beside = pose + step
    if not 0 <= beside < len(times):
        side = "before" if step < 0 else "after"
        raise InputError(f"{preset} needs a pose {side} pose {pose}, and there is none")
    gap = float(times[beside] - times[pose])
    if preset == "snap":
        return float(times[beside] - _EARLY * gap)
    return float(times[pose] + min(seconds, _MOST_OF_GAP * gap))
