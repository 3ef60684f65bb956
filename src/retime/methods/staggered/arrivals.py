"""Arrivals: when the parts of poses arrive, asked and delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import find_contacts
from retime.joint_times import JointTimes, Modes, Request, Shifts, leg_joints, modes_of
from retime.methods.staggered.timing import PLACED, Timing
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.edits import apply
from retime.motion.memory import last
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp
from retime.timing.graph import Graph

# Smaller requests, in seconds, are rounding errors.
_NOTHING_S = 1e-9
# A part that was placed by itself has arrived within this many seconds.
_PLACED_NEAR_S = 1e-3
# Speeds of flights that differ by less are not seen to fall otherwise; samples of each.
_FALLS, _FLIGHT_SAMPLES = 0.03, 20
# A share of the request that is worth a note.
_WORTH_SAYING = 0.995


@dataclass(frozen=True, eq=False)
class Arrivals:
    """The times of a motion's parts: those asked, and the nearest within limits.

    Parameters
    ----------
    timing : Timing
        Poses and refinements.
    source : Motion
        The motion.
    limited : bool
        Keep parts within limits of speed and near enough to their neighbours.
    span : (float, float), optional
        Output times outside which no part moves.
    loop : bool
        The motion is a cycle.
    contacts : sequence of Contact, optional
        Contacts of legs that have times of their own. Default: those found.
    blank : bool
        The clip starts over from one pose: its layers replace rotations relative to parents.
    hips_lead : bool
        The root and the hips have a time of their own, and legs that of the body.
    """

    timing: Timing
    source: Motion
    limited: bool = True
    span: tuple[float, float] | None = None
    loop: bool = False
    contacts: Sequence[Contact] | None = None
    blank: bool = False
    hips_lead: bool = False

    @cached_property
    def _moved(self) -> Motion:
        """The motion that the knots are on: after earlier edits if poses were deleted."""
        base, source = self.timing.base, self.source
        if base is None:
            return source
        return last(source, "staggered before", base, lambda: apply(source, base))

    @cached_property
    def modes(self) -> Modes:
        """How each joint follows its time, before legs are asked for times of their own."""
        return last(self._moved, "modes", (), lambda: modes_of(self._moved))

    @cached_property
    def _modes(self) -> Modes:
        modes = self.modes
        body, names = find_body(self.source), self.timing.channels
        legs, swings = {}, {}
        for name, limb in body.limbs.items():
            if name.endswith("leg") and modes.modes[limb.upper] == "base":
                joints = legs[limb.upper] = leg_joints(body, name)
                own = (names.index(body.skeleton.names[j]) for j in joints)
                if any(_asks(self.timing.asked(i)) for i in own):
                    swings[limb.upper] = joints
        if self.hips_lead:
            return modes.with_standing(legs)
        return modes.with_swings(swings) if swings else modes

    @cached_property
    def _requests(self) -> dict[int, Request]:
        """Requests by leader: its own, otherwise that of a joint that has its time."""
        modes, skeleton = self._modes, self.source.skeleton
        out = {}
        for leader in [modes.base, *modes.leaders]:
            group = modes.group(leader)
            if leader == modes.base:  # the legs' own refinements are those of their swings
                group = [leader, *(j for j in group if j in skeleton.chain(self._hips))]
                group += range(len(skeleton), len(self.timing.channels))
            asked = [r for r in map(self.timing.asked, dict.fromkeys(group)) if _asks(r)]
            if asked:
                out[leader] = asked[0]
        return out

    @property
    def _hips(self) -> int:
        return find_body(self.source).roles.get("hips", self.source.skeleton.roots[0])

    @cached_property
    def shifts(self) -> Shifts:
        """The shifts of all parts."""
        base, contacts = self.timing.base, self.contacts
        if contacts is not None and base is not None:
            contacts = carry_contacts(contacts, base)
        times = JointTimes.of(self._moved, self._modes, contacts=contacts, loop=self.loop)
        last_time = float(self.timing.known_times[-1])
        late = max(last_time + self.timing.past_end - self._moved.domain[1], 0.0)
        span = None
        if self.span is not None:
            start, end = np.interp(self.span, self.timing.times, self.timing.known_times)
            span = (float(start), float(end) + (late if end >= last_time else 0.0))
        return times.solve(self._requests, span=span, past_end=late)

    @cached_property
    def warp(self) -> TimeWarp:
        """The warp of all timing edits."""
        base = self.timing.base
        warp = self.moved if base is None else base @ self.moved
        return warp.of_keys() if self.blank else warp

    @cached_property
    def moved(self) -> TimeWarp:
        """The warp of the edits since poses were deleted, to the output time of ``base``."""
        timing = self.timing
        if not timing.is_edited:
            return TimeWarp(timing.times, timing.known_times)
        shifts, body = self.shifts.warp() if self.limited else self._as_asked(), timing.body_warp()
        return shifts if body.is_identity else shifts @ body

    def _as_asked(self) -> TimeWarp:
        """Return the warp that is linear in every channel between its knots (eq. 3)."""
        timing, (start, last) = self.timing, self._moved.domain
        end = float(timing.known_times[-1]) + timing.past_end
        body = Graph(np.array([start, last, end]), np.array([start, last, last]))
        channels = {}
        for i, name in enumerate(timing.channels):
            asked = timing.asked(i)
            if _asks(asked):
                channels[name] = Graph(asked.times, asked.times + asked.shifts)
        return TimeWarp(body.x, body.y, channels=channels, in_space=self.modes.in_space)

    @cached_property
    def delivered(self) -> FloatArray:
        """The refinements (K, C) of the result."""
        timing, back = self.timing, self.moved.inverse
        now = np.stack(
            [back(timing.known_knots[:, i], c) for i, c in enumerate(timing.channels)], axis=1
        )
        return np.where(timing.included, now - timing.times[:, None], 0.0)

    @cached_property
    def kept(self) -> float:
        """The share of the requested changes of refinements that is delivered, 0 to 1."""
        shifts, asked, got = self.shifts, 0.0, 0.0
        for leader, request in self._requests.items():
            delivered = shifts.curves[leader].at(request.times) * np.sign(request.shifts)
            asked += float(np.abs(request.shifts).sum())
            got += float(np.clip(delivered, 0.0, np.abs(request.shifts)).sum())
        return got / asked if asked > 0 else 1.0

    def notes(self) -> list[Note]:
        """Say what differs from the request, in numbers."""
        notes = []
        if self.timing.is_edited and not self.limited:
            notes.append(
                Note(
                    "limits are off: parts arrive exactly when asked, however fast they turn",
                    code="limits-off",
                )
            )
        elif self.timing.is_edited and self.kept < _WORTH_SAYING:
            notes.append(
                Note(
                    f"{self.kept:.0%} of the requested staggering is delivered: parts play at 0.1 "
                    "to 1.45 times the body's speed, and neighbours do not turn against each other",
                    Remedy("give exactly what is asked", parameter="limits", value="off"),
                    code="staggering-limited",
                    share=self.kept,
                )
            )
        if self.timing.past_end > 0:
            late = self.timing.channels[int(self.timing.refinements[-1].argmax())]
            notes.append(
                Note(
                    "the clip is {seconds:.3g} longer: {joint} arrives last, past its end",
                    code="past-end",
                    seconds=Duration(self.timing.past_end),
                    joint=late,
                )
            )
        if self.timing.is_edited and not self.blank:
            notes += [*self._misplaced(), *self._falls()]
        return notes

    def _misplaced(self) -> list[Note]:
        """Say which placed part is farthest from its place, if one is off."""
        timing, modes = self.timing, self._modes
        placed = timing.included & (timing.asks >= PLACED) & self.limited
        if not placed.any():
            return []
        off = np.where(placed, np.abs(self.delivered - timing.refinements), 0.0)
        k, i = (int(n) for n in np.unravel_index(off.argmax(), off.shape))
        if off[k, i] < _PLACED_NEAR_S:
            return []
        leader = int(modes.leader[i]) if i < len(modes.leader) else modes.base
        return [
            Note(
                "{joint} arrives {delivered:.3f} after pose {pose}, not {asked:.3f}"
                + ("" if leader == i else ": it moves with {leader}"),
                code="part-misplaced",
                joint=timing.channels[i],
                pose=k,
                asked=Duration(float(timing.refinements[k, i])),
                delivered=Duration(float(self.delivered[k, i])),
                leader=timing.channels[leader],
            )
        ]

    def _falls(self) -> list[Note]:
        """Say which flight does not fall with gravity, because its speed is changed."""
        body = self.warp.of_body()
        for start, end in find_contacts(self.source).flights:
            shown = body.preimage(start, end)
            if shown is None:
                continue
            times = np.linspace(*shown, _FLIGHT_SAMPLES)
            speed = np.diff(body(times)) / np.diff(times)
            if np.abs(speed - 1).max() > _FALLS:
                return [
                    Note(
                        f"the body does not fall with gravity in the flight at {{time:.3f}}: it "
                        f"plays at {speed.min():.2g} to {speed.max():.2g} times its speed; move "
                        "the poses around a flight together to keep its length",
                        code="flight-not-falling",
                        time=Moment(shown[0]),
                        slowest=float(speed.min()),
                        fastest=float(speed.max()),
                    )
                ]
        return []


def _asks(request: Request) -> bool:
    return bool(np.any(np.abs(request.shifts) > _NOTHING_S))
