"""Edits of the arrival times of poses and their parts (5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Self

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.coercion import coerce
from retime.errors import InputError
from retime.joint_times import leg_joints
from retime.methods.staggered.edits.history import recorded
from retime.methods.staggered.representation import PoseName, Representation, by_joint
from retime.methods.staggered.timing import Timing
from retime.notes import Note
from retime.sentences import Duration, Moment, ParameterName

__all__ = ["Lead", "TimingEdits"]

# What arrives first in a succession, before the body's time.
Lead = Literal["none", "hips"]


class TimingEdits(Representation):
    """Edits that move, stagger, insert and delete poses."""

    def _retimed(self, timing: Timing, notes: Sequence[Note]) -> Self:
        """Return the poses with another timing; say which parts are now among a neighbour's."""
        astray = len(timing.strays()) - len(self.timing.strays())
        if astray > 0:
            parts = "1 part is" if astray == 1 else f"{astray} parts are"
            told = f"{parts} asked to arrive nearer to a neighbouring pose than to their own"
            notes = [*notes, Note(told, code="parts-astray", parts=astray)]
        return replace(self, timing=timing)._saying(notes)

    def _staggered(
        self,
        by: FloatArray,
        poses: Sequence[int],
        *,
        scale: bool = False,
        past_end: bool = False,
    ) -> Self:
        timing, stopped = self.timing.staggered(by, poses, scale=scale, past_end=past_end)
        notes = []
        if not past_end and {0, len(self) - 1} & set(poses):
            told = "the first and the last pose hold the ends of the clip: their parts do not move"
            notes.append(Note(told, code="ends-stay"))
        if stopped:
            notes.append(
                Note(
                    "1 knot would have crossed its neighbour and stops short of it"
                    if stopped == 1
                    else f"{stopped} knots would have crossed their neighbours and stop short of "
                    "them",
                    code="knots-stopped",
                    knots=stopped,
                )
            )
        return self._retimed(timing, notes)

    @recorded
    def retime(self, pose: PoseName, time: float, *, ripple: bool = False) -> Self:
        """Move a pose to another time, with all its parts.

        Refinements scale with the gap on their side, so that knots never cross.

        Parameters
        ----------
        pose : int or float
            Which pose.
        time : float
            New time in seconds, between those of its neighbours. The last pose may also move to
            a later time, which makes the clip longer.
        ripple : bool
            Shift everything that follows.
        """
        k, ripple = self._editable(pose), coerce(ripple, bool, "ripple")
        timing = self.timing.moved(k, coerce(time, float, "time"), ripple=ripple)
        return self._retimed(timing, ())

    @recorded
    def succession(
        self,
        joint: str,
        step: float,
        power: float = 1.0,
        *,
        poses: Iterable[PoseName] | PoseName | None = None,
        past_end: bool = False,
        lead: Lead = "none",
    ) -> Self:
        """Let movement travel down from a joint: each joint below it arrives later.

        The refinement of a joint d joints below grows by step * d**power (5.2).

        Parameters
        ----------
        joint : str
            Joint where it starts; this joint keeps its time.
        step : float
            Seconds; negative lets the ends arrive first.
        power : float
            1 is even; more makes limbs look looser.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        past_end : bool
            Include the last pose: its parts arrive past the end, parts that have arrived hold,
            and the clip gets longer.
        lead : {"none", "hips"}
            Joints that arrive before the body's time. With ``"hips"``, the root and the hips
            arrive one step before the legs, and plants stay in place; the succession must start
            from the hips. Otherwise hips and legs have one time.
        """
        step, power = coerce(step, float, "step"), coerce(power, float, "power")
        past_end = coerce(past_end, bool, "past_end")
        if power < 0:
            raise InputError(f"the power of a succession is 0 or more, not {power:g}")
        start = self._columns([joint])
        skeleton = self.source.skeleton
        if any(i >= len(skeleton) for i in start):
            raise InputError(f"a succession starts from a joint; {joint!r} is a translation")
        first = self._leading(start, lead)
        by = np.zeros(self.refinements.shape)
        # A succession that starts in a leg asks for its swings.
        among = range(len(skeleton)) if start[0] in self._swinging else self._parts(None)
        for j in among:
            chain = skeleton.chain(j)
            depths = [chain.index(i) for i in start if i in chain]
            if depths and min(depths) > 0:
                with np.errstate(over="ignore", invalid="ignore"):
                    by[:, j] = step * np.float64(min(depths)) ** power
                    by[:, j] -= step if first else 0.0
        by[:, first] = -step
        self._must_fit(float(np.abs(by).max()))
        chosen = self._chosen(poses)
        if past_end:
            self._must_end_freely()
            chosen = sorted({*chosen, len(self) - 1}) if poses is None else chosen
        return self._staggered(by, chosen, past_end=past_end)

    def _leading(self, start: Sequence[int], lead: Lead) -> list[int]:
        """Return the channels of the root and the hips, if they lead a succession."""
        if lead == "none":
            return []
        if lead != "hips":
            raise InputError(f"a succession is led by 'hips' or 'none', not {lead!r}")
        body, skeleton = find_body(self.source), self.source.skeleton
        legs = [n for n in body.limbs if n.endswith("leg")]
        if start != [body.roles.get("hips")] or len(legs) != 2 or not body.is_biped:
            raise InputError(
                "hips lead a succession that starts from the hips of a body with two legs; start "
                "it there, or leave out {name}",
                name=ParameterName("lead"),
            )
        return [*skeleton.chain(start[0]), *range(len(skeleton), len(self.channels))]

    def _parts(self, joints: Iterable[str] | None) -> list[int]:
        """Return channels by names and roles; by default those that have times of their own."""
        if joints is not None:
            return self._columns(joints)
        modes = self.arrivals.modes.modes
        return [j for j, mode in enumerate(modes) if mode != "base"]

    @property
    def _swinging(self) -> set[int]:
        """The joints of legs, which have times of their own in swings, where that is asked."""
        body = find_body(self.source)
        legs = [n for n in body.limbs if n.endswith("leg")]
        return {j for name in legs for j in leg_joints(body, name)}

    def _must_end_freely(self) -> None:
        """Reject running past an end that another part of the clip follows."""
        if self.loop:
            raise InputError(
                "a cycle has no end to run past; leave out {name}", name=ParameterName("past_end")
            )
        if self._ends[1] != len(self) - 1:
            raise InputError(
                "the range, {range:.3f}, ends before the clip: nothing can run past its end; let "
                "the range last to the clip's end",
                range=self._free_span(),
            )

    def _must_fit(self, seconds: float) -> None:
        """Reject staggering by more than the length of the clip."""
        length = float(self.times[-1] - self.times[0])
        if not seconds <= length:
            raise InputError(
                "parts would be staggered by up to {seconds}, and the clip lasts {length}",
                seconds=Duration(seconds),
                length=Duration(length),
            )

    @recorded
    def jitter(
        self,
        seconds: float,
        *,
        seed: int = 0,
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
    ) -> Self:
        """Shift body parts randomly in time, so that limbs are not synchronous.

        Parameters
        ----------
        seconds : float
            Each refinement moves by at most this much either way.
        seed : int
            The same seed gives the same staggering, for any choice of joints.
        joints : sequence of str, optional
            Which joints. Default: all, and the roots' translations.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        """
        seconds = coerce(seconds, float, "seconds")
        if seconds < 0:
            raise InputError(f"a random staggering is 0 s or more, not {seconds:g}")
        seed = coerce(seed, int, "seed")
        if seed < 0:
            raise InputError(f"a seed is 0 or more, not {seed}")
        self._must_fit(seconds)
        drawn = np.random.default_rng(seed).uniform(-seconds, seconds, self.refinements.shape)
        by = np.zeros(drawn.shape)
        columns = self._parts(joints)
        by[:, columns] = drawn[:, columns]
        return self._staggered(by, self._chosen(poses))

    @recorded
    def refine(self, pose: PoseName, refinements: Mapping[str, float]) -> Self:
        """Set timing refinements of a pose.

        Parameters
        ----------
        pose : int or float
            Which pose.
        refinements : mapping of str to float
            By joint, how many seconds later than the pose it arrives.
        """
        k = self._editable(pose)
        values = {
            i: coerce(v, float, f"the refinement of {n}")
            for n, v in by_joint(refinements, "refinements").items()
            for i in self._columns([n])
        }
        return self._retimed(self.timing.refined(k, values), ())

    @recorded
    def refine_poses(
        self,
        refinements: Mapping[str, float],
        *,
        poses: Iterable[PoseName] | PoseName | None = None,
    ) -> Self:
        """Set timing refinements of several poses; knots stop before they would cross.

        Parameters
        ----------
        refinements : mapping of str to float
            By joint, how many seconds later than each pose it arrives.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        """
        by = np.zeros(self.refinements.shape)
        for name, value in by_joint(refinements, "refinements").items():
            seconds = coerce(value, float, f"the refinement of {name}")
            self._must_fit(abs(seconds))
            columns = self._columns([name])
            by[:, columns] = seconds - self.refinements[:, columns]
        return self._staggered(by, self._chosen(poses))

    @recorded
    def scale_refinements(
        self,
        share: float,
        *,
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
    ) -> Self:
        """Scale timing refinements: 0 lets all parts arrive together, 2 doubles the overlap.

        Parameters
        ----------
        share : float
            The factor, 0 or more.
        joints : sequence of str, optional
            Which joints. Default: all, and the roots' translations.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        """
        share = coerce(share, float, "share")
        if not 0 <= share <= 100:
            raise InputError(f"refinements are scaled by 0 or more, up to 100, not {share:g}")
        return self._scaled(share, joints, poses)

    def _scaled(
        self,
        share: float,
        joints: Iterable[str] | None,
        poses: Iterable[PoseName] | PoseName | None,
    ) -> Self:
        """Scale refinements, including those past the end."""
        by = np.ones(self.refinements.shape)
        by[:, self._parts(joints)] = share
        chosen, late = self._chosen(poses), bool(self.refinements[-1].any())
        if late and poses is None:
            chosen = sorted({*chosen, len(self) - 1})
        return self._staggered(by, chosen, scale=True, past_end=late)

    @recorded
    def clear_refinements(
        self,
        *,
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
    ) -> Self:
        """Let all parts of a pose arrive together.

        Parameters
        ----------
        joints : sequence of str, optional
            Which joints. Default: all, and the roots' translations.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        """
        return self._scaled(0.0, joints, poses)

    @recorded
    def insert(self, time: float, *, joints: Iterable[str] | None = None) -> Self:
        """Insert a pose without changing the motion.

        Parameters
        ----------
        time : float
            When, seconds.
        joints : sequence of str, optional
            The joints that it has. Default: all, and the roots' translations.
        """
        time = coerce(time, float, "time")
        if np.abs(self.times - time).min() < self.timing.least_gap:
            k = int(np.abs(self.times - time).argmin())
            raise InputError(
                "pose {k} is already at {time:.3f}", k=k, time=Moment(float(self.times[k]))
            )
        first, last = self.times[list(self._ends)]
        if self.bounds is not None and not first < time < last:
            raise InputError(
                "{time} is not inside the range, {range:.3f}",
                time=Moment(time),
                range=self._free_span(),
            )
        included = np.zeros(len(self.channels), dtype=bool)
        included[self._columns(joints)] = True
        timing = self.timing.with_pose(time, included, self.arrivals.moved)
        k = int(np.searchsorted(timing.times, time))
        at, number = timing.source_times(k), int(timing.numbers[k])
        curves = [
            c.with_knots({number: float(at[i])}, extreme=True) if timing.included[k, i] else c
            for i, c in enumerate(self.curves)
        ]
        left_out = int((included & ~timing.included[k]).sum())
        notes = []
        if left_out:
            notes.append(
                Note(
                    "{parts} parts have no room for a key at {time} and are left out",
                    code="parts-left-out",
                    parts=left_out,
                    time=Moment(time),
                )
            )
        return self._reshaped(replace(self, timing=timing), curves)._saying(notes)

    @recorded
    def delete(self, pose: PoseName) -> Self:
        """Delete a pose without changing the motion.

        Parameters
        ----------
        pose : int or float
            Which pose; not the first or the last.
        """
        k = self._editable(pose)
        made = self.arrivals
        timing = self.timing.without_pose(k, made.warp, made.delivered)
        number = int(self.timing.numbers[k])
        curves = [c.without_knots(np.flatnonzero(c.owners == number).tolist()) for c in self.curves]
        return self._reshaped(replace(self, timing=timing), curves)
