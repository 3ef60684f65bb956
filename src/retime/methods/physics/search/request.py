"""A requested timing: its length, keytimes and speeds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.physics.search.objective import Baked
from retime.methods.physics.search.problem import TimingProblem
from retime.sentences import Duration, Moment, Span

# Range of playback speeds p': time does not stop.
FASTEST, SLOWEST = 6.0, 0.05
# Keytimes must be at least this far apart, seconds.
_LEAST_LEG = 1e-6

Pairs = Sequence[tuple[float, float]]


class Leg(NamedTuple):
    """A part between two keytimes, each as (output s, source s)."""

    first: tuple[float, float]
    past: tuple[float, float]

    @property
    def seconds(self) -> float:
        """Seconds of the result."""
        return self.past[0] - self.first[0]

    @property
    def way(self) -> float:
        """Seconds of the source."""
        return self.past[1] - self.first[1]


@dataclass(frozen=True)
class Request:
    """A valid request."""

    begin: float
    """First time of the clip."""
    keys: tuple[tuple[float, float], ...]
    """Keytimes as (output s, source s), including the end of the clip."""
    fixed: tuple[tuple[float, float], ...]
    """Playback speeds as (source s, rate)."""
    free: bool
    """Whether the length is free."""

    @classmethod
    def of(cls, span: tuple[float, float], duration: Any, keytimes: Pairs, rates: Pairs) -> Request:
        """Make a request for a clip; raise if it is not possible."""
        begin, end = span
        for moment, rate in rates:
            _must_be_rate(moment, rate, span)
        for before, after in itertools.pairwise(sorted(rates)):
            if after[0] - before[0] < _LEAST_LEG and before[1] != after[1]:
                raise InputError(
                    f"the speed at {{moment}} is {before[1]:g} and {after[1]:g}; give one of them",
                    moment=Moment(after[0]),
                )
        stop = end if duration in (None, "free") else begin + float(duration)
        if not (np.isfinite(stop) and stop > begin):
            raise InputError(f"the duration must be above 0 s, not {duration}")
        keys = [*sorted((float(o), float(s)) for o, s in keytimes), (stop, end)]
        for output, source in keys[:-1]:
            _must_be_inside(output, source, stop, span, free=duration == "free")
        for before, after in itertools.pairwise([(begin, begin), *keys]):
            _must_follow(before, after)
        return cls(begin, tuple(keys), tuple(sorted(rates)), duration == "free")

    def must_have_speeds(self) -> None:
        """Raise if a part is too fast or too slow for any search."""
        for leg in self.legs:
            _must_have_speed(leg)

    @property
    def least_change(self) -> float:
        """The least bound of |p''|, 1/s, by which the given speeds follow each other."""
        moments, rates = np.array(self.fixed).reshape(-1, 2).T
        return float((np.abs(np.diff(rates**2)) / (2 * np.diff(moments))).max(initial=0.0))

    @property
    def all_legs(self) -> list[Leg]:
        """The parts between the keytimes."""
        return [Leg(*p) for p in itertools.pairwise([(self.begin, self.begin), *self.keys])]

    @property
    def legs(self) -> list[Leg]:
        """The parts whose time is given."""
        return self.all_legs[:-1] if self.free else self.all_legs

    def nodes(self, times: FloatArray) -> FloatArray:
        """Return the source times of the timing's nodes: frames, keytimes and given speeds."""
        given = [s for _, s in self.keys], [m for m, _ in self.fixed]
        nodes = np.unique(np.r_[times, *given])
        kept: FloatArray = nodes[np.r_[True, np.diff(nodes) > 1e-9]]
        return kept

    def problem(
        self,
        nodes: FloatArray,
        baked: Baked,
        usual: FloatArray,
        *,
        slowest: float,
        loop: bool,
        weights: tuple[float, float, float],
        by_time: bool,
        hurries: bool,
        most_change: float,
    ) -> TimingProblem:
        """Return the request as an optimisation problem over nodes.

        ``usual`` is x* at the nodes, ``slowest`` the least p'; ``weights`` are those of
        feasibility, torques and smoothness. The least effort is a cost ``by_time``. Unless it
        ``hurries``, a part without a given time is not faster than recorded. ``most_change`` bounds
        |p''|.
        """

        def node(source: float) -> int:
            return int(np.abs(nodes - source).argmin())

        fastest = np.full(len(nodes), FASTEST)
        if self.free and not hurries:
            free = nodes >= self.all_legs[-1].first[1]
            fastest[free] = np.clip(np.sqrt(usual[free]), 2 * SLOWEST, FASTEST)
        return TimingProblem(
            nodes=nodes,
            baked=baked,
            legs=[(node(leg.past[1]), leg.seconds) for leg in self.legs],
            fixed=[(node(moment), rate) for moment, rate in self.fixed],
            slowest=slowest,
            fastest=fastest,
            loop=loop,
            alpha=weights[0],
            beta=weights[1],
            gamma=weights[2],
            usual=usual,
            by_time=by_time,
            most_change=most_change,
        )


def _must_be_rate(moment: float, rate: float, span: tuple[float, float]) -> None:
    begin, end = span
    if not begin <= moment <= end:
        raise InputError(
            "{moment} is not in the clip, {clip}", moment=Moment(moment), clip=Span(begin, end)
        )
    if not SLOWEST <= rate <= FASTEST:
        raise InputError(
            "the speed at {moment} is {rate:g}; it can be from {slowest:g} to {fastest:g}",
            moment=Moment(moment),
            rate=rate,
            slowest=SLOWEST,
            fastest=FASTEST,
        )


def _must_be_inside(
    output: float, source: float, stop: float, span: tuple[float, float], *, free: bool
) -> None:
    key = f"keytime {output:g}={source:g} (output s = source s)"
    if source > span[1]:
        raise InputError(f"{key} is not in the clip, {{clip}}", clip=Span(*span))
    if output > stop and not free:
        raise InputError(f"{key} is after the end of the result, {{end:.4g}}", end=Duration(stop))


def _must_follow(before: tuple[float, float], after: tuple[float, float]) -> None:
    output, source = after
    seconds, way = output - before[0], source - before[1]
    if not (np.isfinite([output, source]).all() and min(seconds, way) > _LEAST_LEG):
        raise InputError(
            f"keytime {output:g}={source:g} (output s = source s) does not come after "
            f"{before[0]:g}={before[1]:g}; both times must rise within the clip"
        )


def _must_have_speed(leg: Leg) -> None:
    speed = leg.way / leg.seconds
    if SLOWEST * (1 - 1e-9) <= speed <= FASTEST * (1 + 1e-9):
        return
    bound, rounded, side = (FASTEST, np.ceil, "least") if speed > 1 else (SLOWEST, np.floor, "most")
    raise InfeasibleError(
        "{way:.3g} of the motion cannot take {seconds:.3g}: the speed must be between "
        f"{{slowest:g}} and {{fastest:g}}; choose {{bound:.3g}} at {side}",
        way=Duration(leg.way),
        seconds=Duration(leg.seconds),
        slowest=SLOWEST,
        fastest=FASTEST,
        bound=Duration(_inwards(leg.way / bound, rounded)),
    )


def _inwards(seconds: float, rounded: Any) -> float:
    """Round to three digits, so that what an error offers is itself possible."""
    unit = 10.0 ** (np.floor(np.log10(seconds)) - 2)
    return float(rounded(seconds / unit) * unit)


def at_nodes(baked: Baked, times: FloatArray, nodes: FloatArray) -> Baked:
    """Return the objective at nodes, which between frames is that of the nearest frame."""
    if len(nodes) == len(times):
        return baked
    frame = np.searchsorted(0.5 * (times[1:] + times[:-1]), nodes)
    parts = [baked.corners[baked.starts[f] : baked.starts[f + 1]] for f in frame]
    starts = np.r_[0, np.cumsum([len(p) for p in parts])].astype(np.int64)
    matching = np.ascontiguousarray(baked.matching[frame])
    return Baked(starts, np.concatenate(parts), matching, baked.firmness[frame])
