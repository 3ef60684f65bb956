"""The common timing of a group: one problem of pacing, with a character for each member."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError, RetimeError, did_you_mean
from retime.groups.parameters import GroupParameters, Link, Shared
from retime.groups.touches import find_shared
from retime.methods.guided import GuidedParameters, own_character
from retime.motion import Motion
from retime.notes import Note
from retime.pacing import Character, Problem, constraints, possible_times, solve
from retime.parameters import build, resolved
from retime.sentences import Duration, Moment, Sentence, Span
from retime.times import Clock, Length, SourceTime, in_seconds
from retime.timing import TimeWarp

Ends = tuple[float | None, float | None]

# Moments closer than this are one, seconds.
_SAME_TIME_S = 1e-9
# What a member has for itself.
_OWN = ("keytimes", "locked", "rates")


@dataclass(frozen=True, eq=False)
class Scene:
    """Members on one line of source time, and what is asked of them.

    Parameters
    ----------
    members : mapping of str to Motion
        The members with a timing of their own.
    p : GroupParameters
        The request.
    fps : float, optional
        Frames per second of the result. Default: the first member's.
    exact : bool
        Do not round lengths to whole frames.
    """

    members: Mapping[str, Motion]
    p: GroupParameters
    fps: float | None = None
    exact: bool = False

    @property
    def names(self) -> list[str]:
        """Names of the members, in order."""
        return list(self.members)

    @cached_property
    def span(self) -> tuple[float, float]:
        """First and last source time of the group, or of its range."""
        domains = [motion.domain for motion in self.members.values()]
        whole = min(a for a, _ in domains), max(b for _, b in domains)
        if self.p.range is None:
            return whole
        a, b = in_seconds(self.p.range, replace(self._clock, domain=whole), "range")
        if not whole[0] - _SAME_TIME_S <= a < b <= whole[1] + _SAME_TIME_S:
            raise InputError(
                "the range {range} is not a part of the group, {group}",
                range=Span(a, b),
                group=Span(*whole),
            )
        return a, b

    @property
    def _clock(self) -> Clock:
        first = next(iter(self.members.values()))
        return Clock((0.0, 0.0), first.rate, self.fps)

    @property
    def clock(self) -> Clock:
        """Reference for times in frames and percent."""
        return replace(self._clock, domain=self.span)

    @property
    def rate(self) -> float:
        """Frames per second to which lengths are rounded."""
        return float(self.fps or next(iter(self.members.values())).rate)

    @cached_property
    def length(self) -> float | None:
        """Length of the group's result; ``None`` if it is free."""
        asked = in_seconds(self.p.duration, self.clock, "duration")
        if asked == "free":
            return None
        length = self.span[1] - self.span[0] if asked is None else float(asked)
        if not (np.isfinite(length) and length > 0):
            raise InputError("the duration must be above 0, not {length}", length=Duration(length))
        if self.p.duration is None:
            length += self._paused  # a pause takes its own time unless the length is given
        return length if self.exact else max(round(length * self.rate), 1) / self.rate

    @property
    def _paused(self) -> float:
        if not self.p.pauses:
            return 0.0
        free = self.problem(dict.fromkeys(self.names, (None, None)))
        return max(sum(held.values()) for held in free.holds)

    def pauses(self, name: str) -> list[tuple[float, float]]:
        """Return the source times and lengths of a member's pauses."""
        clock = Clock.of(self.members[name], self.fps)
        out = []
        for entry in (self.p.pauses or {}).get(name, ()):
            at, seconds = _pair(entry, f"a pause of {name}", "(source time, seconds)")
            time = _source(at, clock)
            _must_be_inside([time], self.members[name].domain)
            out.append((time, _length(seconds, clock)))
        return out

    @cached_property
    def shared(self) -> tuple[constraints.Shared, ...]:
        """The shared spans, with members by number."""
        spans = self._found if self.p.shared == "auto" else self.p.shared
        return tuple(self._shared(span) for span in spans)

    @cached_property
    def _found(self) -> list[Shared]:
        pairs = itertools.combinations(self.members.items(), 2)
        return [
            Shared(a, b, (one, two))
            for (one, first), (two, second) in pairs
            for a, b in find_shared(first, second)
        ]

    def _shared(self, span: Shared) -> constraints.Shared:
        start, end = (_source(t, self.clock) for t in (span.start, span.end))
        if not start < end:
            raise InputError(
                "the shared span {span} must end after it starts", span=Span(start, end)
            )
        who = [self.number(name) for name in (span.who or self.names)]
        if len(set(who)) < 2:
            raise InputError(
                "the shared span {span} needs two different members", span=Span(start, end)
            )
        for i in who:
            first, last = self.members[self.names[i]].domain
            if start < first - _SAME_TIME_S or end > last + _SAME_TIME_S:
                raise InputError(
                    f"the shared span {{span}} is not a part of {self.names[i]}, {{clip}}; shorten "
                    "it, or name the members that share it",
                    span=Span(start, end),
                    clip=Span(first, last),
                )
        return constraints.Shared(start, end, tuple(who))

    def number(self, name: str) -> int:
        """Return the number of a member by its name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise InputError(
                f"the group has no member {name!r} with a timing of its own"
                f"{did_you_mean(name, self.names)}"
            ) from None

    @cached_property
    def links(self) -> tuple[constraints.Link, ...]:
        """The links, with members by number."""
        return tuple(self._link(link) for link in self.p.links)

    def _link(self, link: Link) -> constraints.Link:
        i, j = self.number(link.first), self.number(link.second)
        one, two = _source(link.first_time, self.clock), _source(link.second_time, self.clock)
        for number, time in ((i, one), (j, two)):
            clip = self.members[self.names[number]].domain
            if not clip[0] - _SAME_TIME_S <= time <= clip[1] + _SAME_TIME_S:
                raise InputError(
                    f"a link names {{time}} of {self.names[number]}, which lasts {{clip}}",
                    time=Moment(time),
                    clip=Span(*clip),
                )
        seconds = two - one if link.seconds is None else _length(link.seconds, self.clock)
        if i == j and abs(one - two) < _SAME_TIME_S:
            raise InputError(f"a link of {link.first} joins {{time}} to itself", time=Moment(one))
        return constraints.Link(i, one, j, two, seconds)

    # ---- the problem

    @cached_property
    def _parameters(self) -> dict[str, GuidedParameters]:
        for what in (*_OWN, "pauses"):
            for name in getattr(self.p, what) or ():
                self.number(name)
        out = {}
        for name, motion in self.members.items():
            own = {what: (getattr(self.p, what) or {}).get(name, ()) for what in _OWN}
            common = {n: getattr(self.p, n) for n in ("strength", "max_speed", "min_speed", "loop")}
            common["range"] = None if self.p.range is None else self.span
            try:
                made = build(GuidedParameters, own | common)
                out[name] = resolved(made, Clock.of(motion, self.fps))
            except InputError as error:
                raise error.within(name) from None
        return out

    def problem(self, ends: Mapping[str, Ends] | None = None) -> Problem:
        """Return the problem of pacing; ``ends`` are output times of each member's two ends."""
        ends = self.ends if ends is None else ends
        characters = tuple(self._character(name, ends[name]) for name in self.names)
        return Problem(characters, self.shared, self.links)

    def _character(self, name: str, ends: Ends) -> Character:
        p, motion = self._parameters[name], self.members[name]
        span = max(motion.start, self.span[0]), min(motion.domain[1], self.span[1])
        points = {(o, s) for o, s in zip(ends, span, strict=True) if o is not None}
        points |= {(float(o), float(s)) for o, s in p.keytimes}
        keys = tuple(constraints.Key(o, s) for o, s in sorted(points, key=lambda k: k[1]))
        try:
            _must_be_inside([k.source for k in keys], span)
            made = own_character(motion, p, keys)
        except RetimeError as error:
            raise error.within(name) from None
        pauses = tuple(constraints.Pause(t, s) for t, s in self.pauses(name))
        return replace(made, pauses=pauses, name=name)

    @cached_property
    def ends(self) -> dict[str, Ends]:
        """Output times of each member's first and last moment; ``None`` if they are free.

        The ends of the group are given. A member that enters later or leaves earlier is bound by
        what it shares with others; if it shares nothing, it keeps its place on the time line.
        """
        (start, end), length = self.span, self.length
        bound = self._bound()
        out: dict[str, Ends] = {}
        for number, (name, motion) in enumerate(self.members.items()):
            first, last = max(motion.start, start), min(motion.domain[1], end)
            frame = 1 / self.rate
            share = 1.0 if length is None else length / (end - start)
            free = number in bound or length is None
            begins: float | None = None if number in bound else start + share * (first - start)
            ends: float | None = None if free else start + share * (last - start)
            if first - start < frame / 2:
                begins = first
            if length is not None and end - last < frame / 2:
                ends = start + length - (end - last)
            out[name] = begins, ends
        return out

    def _bound(self) -> set[int]:
        """Return the members whose place in time follows from what they share with others."""
        start = self.span[0]
        bound = {
            number
            for number, (name, motion) in enumerate(self.members.items())
            if motion.start - start < 0.5 / self.rate or (self.p.keytimes or {}).get(name)
        }
        ties = [set(s.members) for s in self.shared] + [{k.first, k.second} for k in self.links]
        for _ in self.names:
            for tie in ties:
                if bound & tie:
                    bound |= tie
        return bound


@dataclass(frozen=True, eq=False)
class GroupTiming:
    """The curves of a group that meet its conditions.

    Parameters
    ----------
    scene : Scene
        What was asked.
    problem : Problem
        It as a problem of pacing.
    curves : mapping of str to (FloatArray, FloatArray)
        Output and source times of each member, over the part that is retimed.
    """

    scene: Scene
    problem: Problem
    curves: Mapping[str, tuple[FloatArray, FloatArray]]

    @classmethod
    def of(cls, scene: Scene) -> GroupTiming:
        """Solve; members that enter or leave in between do so at whole frames."""
        problem = scene.problem()
        curves = solve(problem).curves
        if not scene.exact:
            ends = {
                name: (_whole(output[0], scene), _whole(output[-1], scene))
                for name, (output, _) in zip(scene.names, curves, strict=True)
            }
            if any(None in pair for pair in scene.ends.values()):
                problem = scene.problem(ends)
                curves = solve(problem).curves
        named = dict(zip(scene.names, curves, strict=True))
        if scene.p.method == "physics":
            named = cls._physical(scene, named)
        return cls(scene, problem, named)

    @staticmethod
    def _physical(
        scene: Scene, curves: Mapping[str, tuple[FloatArray, FloatArray]]
    ) -> dict[str, tuple[FloatArray, FloatArray]]:
        if scene.p.range is not None or scene.p.loop:
            raise InputError("physics retimes whole clips of a group, not a range or a cycle")
        from retime.groups.physics import physical_curves

        spans = {
            name: [(s.start, s.end) for s in scene.shared if number in s.members]
            for number, name in enumerate(scene.names)
        }
        return physical_curves(scene.members, curves, spans)

    def warp(self, name: str) -> TimeWarp:
        """Return the warp of a member, over its whole clip."""
        motion, p = self.scene.members[name], self.scene.p
        warp = TimeWarp(*self.curves[name], loop=p.loop)
        if p.range is None:
            return warp
        a, b = warp.source_range
        return warp.within(motion.domain, (a, b), ripple=p.ripple)

    def possible(self) -> dict[str, list[tuple[float, float, float]]]:
        """Return each named moment of each member: source time, earliest and latest output time."""
        out: dict[str, list[tuple[float, float, float]]] = {}
        for number, (name, character) in enumerate(
            zip(self.scene.names, self.problem.characters, strict=True)
        ):
            times = {k.source for k in character.keys} | set(character.domain)
            times |= {t for s in self.scene.shared if number in s.members for t in (s.start, s.end)}
            for link in self.scene.links:
                times |= {link.first_source} if link.first == number else set()
                times |= {link.second_source} if link.second == number else set()
            out[name] = [(t, *possible_times(self.problem, number, t)) for t in sorted(times)]
        return out

    def notes(self) -> list[Note]:
        """Return what the user should know about the common timing."""
        if self.scene.p.shared != "auto":
            return []
        spans = [(s.start, s.end) for s in self.scene.shared]
        if not spans:
            told = "no touches of hands were found; give the shared spans"
            return [Note(told, code="shared-none")]
        listed = ", ".join(f"{{s{k}:.2f}}" for k in range(len(spans)))
        told = Sentence(listed, **{f"s{k}": Span(*span) for k, span in enumerate(spans)})
        return [
            Note(
                "the members share {spans}; check these spans, and give your own if one is wrong",
                code="shared-found",
                spans=told,
            )
        ]


def _whole(time: float, scene: Scene) -> float:
    """Round an output time to a whole frame of the group."""
    start = scene.span[0]
    return start + round((float(time) - start) * scene.rate) / scene.rate


def _must_be_inside(times: Iterable[float], clip: tuple[float, float]) -> None:
    """Raise where a source time is outside a clip."""
    for time in times:
        if not clip[0] - _SAME_TIME_S <= time <= clip[1] + _SAME_TIME_S:
            raise InputError("{time} is outside {clip}", time=Moment(time), clip=Span(*clip))


def _pair(entry: Any, what: str, form: str) -> tuple[Any, Any]:
    if isinstance(entry, str) or len(entry) != 2:
        raise InputError(f"{what} is {form}, not {entry!r}")
    first, second = entry
    return first, second


def _source(value: Any, clock: Clock) -> float:
    return float(in_seconds(coerce(value, SourceTime, "time"), clock, "time"))


def _length(value: Any, clock: Clock) -> float:
    seconds = float(in_seconds(coerce(value, Length, "seconds"), clock, "seconds"))
    if not (np.isfinite(seconds) and seconds >= 0):
        raise InputError("a length is 0 s or more, not {length}", length=Duration(seconds))
    return seconds
