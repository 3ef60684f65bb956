"""A requested timing: its length, keytimes and speeds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.physics.objective import Baked
from retime.methods.physics.timing_problem import TimingProblem

__all__ = ["FASTEST", "SLOWEST", "Request", "at_nodes"]

# Speeds that are looked at, as p'; a slow-down has a floor that keeps time from standing.
FASTEST, SLOWEST = 6.0, 0.05
_SLOW_FLOOR = 0.25
# Keytimes must be at least this far apart, seconds.
_LEAST_LEG = 1e-6

Pairs = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Request:
    """Checked wishes.

    Parameters
    ----------
    begin : float
        The clip's first time.
    keys : tuple of (output s, source s)
        Moments that must be met, the clip's end among them.
    fixed : tuple of (source s, rate)
        Speeds of time at moments of the source.
    free : bool
        Whether the length is left to physics.
    """

    begin: float
    keys: tuple[tuple[float, float], ...]
    fixed: tuple[tuple[float, float], ...]
    free: bool

    @classmethod
    def of(cls, span: tuple[float, float], duration: Any, keytimes: Pairs, rates: Pairs) -> Request:
        """Check wishes against the clip's span."""
        begin, end = span
        for moment, rate in rates:
            if not begin <= moment <= end:
                raise InputError(f"{moment:g} s is not in the clip, {begin:g} to {end:g} s")
            if not SLOWEST <= rate <= FASTEST:
                raise InputError(
                    f"a rate of {rate:g} at {moment:g} s is beyond {SLOWEST:g} to {FASTEST:g}"
                )
        stop = end if duration in (None, "free") else begin + float(duration)
        if not (np.isfinite(stop) and stop > begin):
            raise InputError(f"the duration must be above 0 s, not {duration}")
        keys = [*sorted((float(o), float(s)) for o, s in keytimes), (stop, end)]
        for before, (output, source) in itertools.pairwise([(begin, begin), *keys]):
            later = output > before[0] + _LEAST_LEG and source > before[1] + _LEAST_LEG
            if not (np.isfinite([output, source]).all() and later):
                raise InputError(
                    f"keytime {output:g}={source:g} (output s = source s) does not come after "
                    f"{before[0]:g}={before[1]:g}; both times must rise within the clip"
                )
            seconds, way = output - before[0], source - before[1]
            if not SLOWEST < way / seconds < FASTEST:
                raise InfeasibleError(
                    f"{way:.3g} s of the motion cannot take {seconds:.3g} s: speeds go from "
                    f"{SLOWEST:g} to {FASTEST:g}; {way / FASTEST:.3g} s would be the least"
                )
        return cls(begin, tuple(keys), tuple(rates), duration == "free")

    def nodes(self, times: FloatArray) -> FloatArray:
        """Return the source times that a timing is found at: the frames, and what is requested."""
        asked = [s for _, s in self.keys], [m for m, _ in self.fixed]
        nodes = np.unique(np.r_[times, *asked])
        kept: FloatArray = nodes[np.r_[True, np.diff(nodes) > 1e-9]]
        return kept

    def problem(
        self,
        nodes: FloatArray,
        baked: Baked,
        usual: FloatArray,
        *,
        natural: float,
        loop: bool,
        weights: tuple[float, float, float],
    ) -> TimingProblem:
        """State the wishes as a problem over nodes.

        ``usual`` is x* at the nodes, ``natural`` the slowest rate of a flight; ``weights`` are
        those of feasibility, torques and smoothness.
        """

        def node(source: float) -> int:
            return int(np.abs(nodes - source).argmin())

        legs = list(itertools.pairwise([(self.begin, self.begin), *self.keys]))
        # Where time is not to be saved, it must not be saved up by standing on one frame.
        mean = min((e - s) / (b - a) for (a, s), (b, e) in legs)
        met = legs[:-1] if self.free else legs
        return TimingProblem(
            nodes=nodes,
            baked=baked,
            legs=[(node(source), output - before[0]) for before, (output, source) in met],
            fixed=[(node(moment), rate) for moment, rate in self.fixed],
            slowest=min(_SLOW_FLOOR, 0.5 * mean, 0.5 * natural) if mean <= 1 + 1e-9 else SLOWEST,
            fastest=FASTEST,
            loop=loop,
            alpha=weights[0],
            beta=weights[1],
            gamma=weights[2],
            usual=usual,
        )


def at_nodes(baked: Baked, times: FloatArray, nodes: FloatArray) -> Baked:
    """Give nodes between frames the objective of the nearest frame."""
    if len(nodes) == len(times):
        return baked
    frame = np.abs(times[None] - nodes[:, None]).argmin(axis=1)
    parts = [baked.corners[baked.starts[f] : baked.starts[f + 1]] for f in frame]
    starts = np.r_[0, np.cumsum([len(p) for p in parts])].astype(np.int64)
    matching = np.ascontiguousarray(baked.matching[frame])
    return Baked(starts, np.concatenate(parts), matching, baked.firmness[frame])
