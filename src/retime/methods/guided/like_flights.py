"""Copy an edit by hand of one flight to the flights that are like it (trial V8 of the paper).

Flights are known, so poses need not match. Five anchors name the moments of each:

    lowest hips before | take-off | apex | landing | lowest hips after

Source time between anchors is mapped linearly to that of the edited flight, and the logarithm of
the slowness is copied, times the likeness. Each moment belongs to the nearest flight, so that edits
of a chain of jumps do not add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.model.size import standing_height
from retime.methods.guided.features import filtered
from retime.methods.guided.hand_edit import BLUR_S, CERTAIN, slowness_of
from retime.methods.guided.matching import RATE_HZ
from retime.methods.guided.pace import Pace
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.notes import Note, Remedy
from retime.sentences import Moment, Sentence, listed
from retime.timing import TimeWarp

# Shorter flights are steps of a run, or noise, seconds.
SHORTEST_S = 0.1
# Crouch and landing are searched this far from a flight, seconds.
_REACH_S = 0.6
# Ratios of the time in flight, or of the square root of the rise, up to which two flights are fully
# similar, and from which they are not similar at all.
_ALIKE, _UNLIKE = 1.6, 2.5
# Least rise, in body heights: it keeps ratios of flat flights finite.
_LEAST_RISE = 0.01
# Smoothing of the height of the hips, seconds.
_HEIGHT_BLUR_S = 0.03
# Samples of a search for the lowest or highest point.
_SAMPLES = 60


@dataclass(frozen=True, eq=False)
class Flight:
    """A flight, by its anchors and its size."""

    anchors: FloatArray
    """Times of the five anchors (5,)."""
    size: FloatArray
    """Time in flight, and the square root of the rise of the hips in body heights (2,)."""

    def likeness(self, other: Flight) -> float:
        """Return how similar two flights are, 0 to 1, by the larger of two ratios."""
        ratio = float(np.abs(np.log(self.size / other.size)).max())
        return float(np.clip((np.log(_UNLIKE) - ratio) / np.log(_UNLIKE / _ALIKE), 0.0, 1.0))


def flights_of(motion: Motion, spans: Sequence[tuple[float, float]]) -> list[Flight]:
    """Return the flights of a motion that last long enough, with their anchors."""
    spans = [s for s in spans if s[1] - s[0] >= SHORTEST_S]
    place = positions(motion)
    hips = place[:, find_body(motion).roles.get("hips", 0), 1]
    tall = standing_height(motion) or float(np.ptp(place[..., 1]))
    height = filtered((hips / tall)[:, None], _HEIGHT_BLUR_S * motion.rate)[:, 0]
    start, end = motion.domain

    def at(times: FloatArray) -> FloatArray:
        return np.interp(times, motion.times, height)

    out = []
    for k, (first, last) in enumerate(spans):
        begin = max(first - _REACH_S, spans[k - 1][1] if k else start)
        stop = min(last + _REACH_S, spans[k + 1][0] if k + 1 < len(spans) else end)
        before, air, after = (
            np.linspace(a, b, _SAMPLES) for a, b in ((begin, first), (first, last), (last, stop))
        )
        quarter = (last - first) / 4
        apex = float(np.clip(air[at(air).argmax()], first + quarter, last - quarter))
        rise = at(air).max() - at(np.array([first, last])).min()
        out.append(
            Flight(
                np.array(
                    [before[at(before).argmin()], first, apex, last, after[at(after).argmin()]]
                ),
                np.array([last - first, np.sqrt(max(rise, _LEAST_RISE))]),
            )
        )
    return out


def copied_flights(
    motion: Motion,
    flights: Sequence[Flight],
    edit: TimeWarp,
    span: tuple[float, float],
    left_alone: Sequence[float] = (),
) -> Pace | None:
    """Return the pace that copies an edited flight to those like it; ``None`` if none is edited.

    ``span`` is the edited part of the clip; flights at the times ``left_alone`` stay as they are.
    """
    edited = [f for f in flights if span[0] <= f.anchors[1] and f.anchors[3] <= span[1]]
    if not edited:
        return None
    start, end = motion.domain
    times = np.linspace(start, end, max(round((end - start) * RATE_HZ), 2) + 1)
    step = float(times[1] - times[0])

    def edited_at(moments: FloatArray) -> FloatArray:
        inside = (moments >= span[0] - 1e-9) & (moments <= span[1] + 1e-9)
        return np.where(inside, np.log(slowness_of(edit, np.clip(moments, *span), step)), 0.0)

    log, likeness = edited_at(times), np.zeros(len(times))
    away = [np.maximum(np.maximum(f.anchors[1] - times, times - f.anchors[3]), 0) for f in flights]
    owner = np.argmin(away, axis=0)
    alike: list[tuple[float, float]] = []
    switched_off = set()
    for k, flight in enumerate(flights):
        mine = (owner == k) & ((times < span[0]) | (times > span[1]))
        if flight in edited:
            likeness[owner == k] = 1.0
            continue
        pattern = max(edited, key=flight.likeness)
        like = flight.likeness(pattern)
        alike.append((float(flight.anchors[2]), like))
        if any(flight.anchors[1] <= t <= flight.anchors[3] for t in left_alone):
            switched_off.add(alike[-1])
            continue
        if not like:
            continue
        log[mine] = like * edited_at(_mapped(times[mine], flight.anchors, pattern.anchors))
        likeness[mine] = like
    slowness = np.exp(filtered(log[:, None], BLUR_S / step)[:, 0])
    return Pace(
        times, slowness, np.full(len(times), CERTAIN), likeness, (_told(alike, switched_off),)
    )


def _mapped(times: FloatArray, own: FloatArray, pattern: FloatArray) -> FloatArray:
    """Map moments of a flight to those of another; beyond the anchors, at the same distance."""
    own = np.maximum.accumulate(own + 1e-6 * np.arange(len(own)))
    beyond = np.minimum(times - own[0], 0) + np.maximum(times - own[-1], 0)
    return np.asarray(np.interp(times, own, pattern) + beyond)


def _told(alike: list[tuple[float, float]], switched_off: set[tuple[float, float]]) -> Note:
    """List the other flights with their likeness, and those that were left alone."""
    like = [f for f in alike if f[1] > 0 and f not in switched_off]
    if not any(share > 0 for _, share in alike):
        return Note("no other flight is like the edited one", code="like-flights", flights=alike)
    each = [Sentence("{at:.2f} ({percent:.0f} %)", at=Moment(t), percent=100 * s) for t, s in like]
    off = [Sentence("{at:.2f}", at=Moment(t)) for t, _ in sorted(switched_off)]
    return Note(
        "the edit is copied to {count} of {all} other flights"
        + (", by their likeness: {each}" if each else "")
        + ("; left alone: {off}" if off else ""),
        Remedy("leave some of them alone", parameter="except_flights") if each else None,
        code="like-flights",
        count=len(like),
        all=len(alike),
        each=listed(each) if each else "",
        off=listed(off) if off else "",
        flights=alike,
    )
