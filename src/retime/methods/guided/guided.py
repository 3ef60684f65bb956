"""Guided time warping (Hsu, da Silva, Popović 2007): a new length, or the timing of another take.

A clip's own timing is kept where it matters most: the elastic weight of a moment is its activity to
the power of ``strength``, and flights hardly yield. A reference, or an edit by hand, adds a pace.
Both are terms of one problem of pacing; ``paper`` is the published search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.keywords import takes
from retime.methods.guided.activity import Activity, falling_flights
from retime.methods.guided.features import (
    RATE_HZ,
    SMOOTHING,
    Signals,
    filtered,
    interpolated,
    pose_signals,
)
from retime.methods.guided.hand_edit import copied_edit, edited_span
from retime.methods.guided.like_flights import copied_flights, flights_of
from retime.methods.guided.other_take import pace_of_take
from retime.methods.guided.pace import Pace
from retime.methods.guided.parameters import GuidedParameters, SignalParameters, WarpParameters
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.methods.guided.references import gather, signature
from retime.methods.guided.request import Request, rates_between
from retime.methods.guided.same_recording import same_recording
from retime.methods.guided.score import score
from retime.motion import Motion
from retime.motion.edits import Timing
from retime.motion.figures import Figures
from retime.motion.kinematics import ground_height, positions
from retime.motion.memory import last
from retime.notes import Note
from retime.pacing import Character, Key, terms
from retime.parameters import part_of_clip
from retime.sentences import Duration
from retime.timing import TimeWarp

# How long a change of rate takes where the activity is average, seconds.
_RAMP_S = 0.14
# The features of a shorter part, or of a shorter reference, do not show its timing, seconds.
_SHORTEST_S = 8 / RATE_HZ
# A flight whose rate differs from 1 by more is mentioned.
_HURRIED = 0.05


@dataclass(frozen=True, eq=False)
class Guidance:
    """A guided warp, the pace that it follows, and its score."""

    warp: TimeWarp
    """The warp."""
    pace: Pace | None = None
    """What a reference or an edit asked for."""
    scorer: Callable[[TimeWarp], float] = field(default=lambda warp: 0.0, repr=False)
    """The paper's objective of a warp."""
    others: Mapping[str, TimeWarp] = field(default_factory=dict, repr=False)
    """What the warp is compared with: ``uniform`` speed and the ``spline`` through keytimes."""

    @cached_property
    def costs(self) -> dict[str, float]:
        """The paper's objective of the warp and of the others, each as delivered."""
        warps = {"guided": self.warp, **self.others}
        return {name: self.scorer(warp) for name, warp in warps.items()}


@takes(GuidedParameters)
def guided(motion: Motion, p: GuidedParameters) -> Timing:
    """Change a clip's length where it matters least, or give it the timing of a reference.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    Timing
        Its ``warp`` meets the length, keytimes and limits exactly.

    Examples
    --------
    >>> from retime import guided, samples
    >>> jump = samples.jump()                       # 3.25 s, of which 1.4 s are the jump itself
    >>> warp = guided(jump, duration=2.0).warp
    >>> bool(abs(warp.rate(warp.inverse(1.65)) - 1) < 0.05)     # in flight, time is as it was
    True
    """
    found = _guidance(motion, p)
    pace = found.pace
    curves = {} if pace is None else {"evidence": np.c_[pace.times, pace.likeness]}
    return Timing(warp=found.warp, figures=Figures(lambda: found.costs), curves=curves)


@takes(GuidedParameters)
def guide(motion: Motion, p: GuidedParameters) -> Guidance:
    """Find a warp like :func:`guided`, and return it with its costs."""
    return _guidance(motion, p)


@takes(SignalParameters)
def guided_signal_warp(signal: npt.ArrayLike, p: SignalParameters) -> TimeWarp:
    """Find a guided warp of any signal: a camera's path, a graphic's values, sound features.

    Parameters
    ----------
    signal : array (F, D)
        Values over time, in units in which differences of all columns mean about the same.
    """
    if not p.fps > 0:
        raise InputError(f"the signal's samples per second must be above 0, not {p.fps}")
    values = _signal(signal, "signal")
    other = values if p.reference is None else _signal(p.reference, "reference")
    if other.shape[1] != values.shape[1]:
        raise InputError(
            f"the reference has {other.shape[1]} columns and the signal {values.shape[1]}"
        )
    end = p.start + (len(values) - 1) / p.fps
    poses = filtered(_resampled(values, p.fps, RATE_HZ, FINE), SMOOTHING * RATE_HZ * FINE)
    reference = filtered(_resampled(other, p.fps, RATE_HZ), SMOOTHING * RATE_HZ)
    # Joints vary by about an eighth of the height, so the size of a signal is that of its spread.
    size = 8 * max(float(np.sqrt(3 * values.var(axis=0).mean())), 1e-12)
    signals = Signals(PoseCurve(poses), (reference,), p.reference is None, size)
    domain = (p.start, end)
    subject = _Subject(domain, domain, signals, Activity.of(poses, domain), 1 / p.fps)
    return subject.guidance(
        p, None if p.reference is None else _pace_of_reference(signals, domain)
    ).warp


@dataclass(frozen=True, eq=False)
class _Subject:
    """A part of a clip or of a signal, with its features."""

    clip: tuple[float, float]
    """First and last time of the features."""
    span: tuple[float, float]
    """The part that is retimed."""
    signals: Signals
    activity: Activity
    step: float
    """Seconds of a frame."""

    def guidance(self, p: WarpParameters, pace: Pace | None) -> Guidance:
        """Solve for the clip played forwards, blend with the spline, and turn if asked to.

        The objective is the same in both directions of time.
        """
        seams = [t for t, end in zip(self.span, self.clip, strict=True) if abs(t - end) > 1e-9]
        request = Request(self.span, p, seams, self.step)
        if p.formulation == "paper":
            from retime.methods.guided.paper import paper_warp

            warp = paper_warp(request, self.signals, self.clip)
        else:
            warp = request.warp(self._terms(p, pace))
        return self._judged(request, warp, pace)

    def _terms(self, p: WarpParameters, pace: Pace | None) -> tuple[terms.Term, ...]:
        own = self.activity.weight(self.span, p.strength)
        if pace is None:
            return _own_terms(own)
        return (terms.Pace(pace.track, pace.weight(own)), terms.Smooth(_RAMP_S))

    def _judged(self, request: Request, warp: TimeWarp, pace: Pace | None) -> Guidance:
        p, (start, end) = request.p, self.span
        length = warp.duration
        spline = request.spline(length)
        others = {"uniform": TimeWarp([start, start + length], [start, end])}
        if p.keytimes:
            others["spline"] = spline
        if p.influence < 1:
            warp = request.spline(length, locked=True).blend(warp, p.influence)
        notes = [*self._hurried(warp, pace), *(pace.notes if pace else ())]

        warp, ahead = warp.with_notes(*notes), warp
        if p.backwards:
            output = 2 * start + length - warp.output[::-1]
            warp = TimeWarp(output, warp.source[::-1], loop=p.loop, notes=warp.notes)

        def scorer(curve: TimeWarp) -> float:
            shown = ahead if curve is warp else curve
            return score(self.signals.curve, self.clip, self.signals.references, shown)

        return Guidance(warp, pace, scorer, others)

    def _hurried(self, warp: TimeWarp, pace: Pace | None) -> list[Note]:
        """Say which flights could not keep their speed, or that of an edit."""
        start, end = self.span
        inside = [f for f in self.activity.flights if start <= f[0] and f[1] <= end]
        rates = rates_between(warp, inside)
        if pace is not None:
            rates *= np.array([pace.track(np.linspace(*f, 20)).mean() for f in inside])
        off = np.abs(np.log(rates)) > _HURRIED
        if not off.any():
            return []
        worst = float(rates[np.abs(np.log(rates)).argmax()])
        return [
            Note(
                f"{int(off.sum())} of {len(inside)} flights could not keep their speed; the worst "
                f"plays {worst:.2f} times as fast",
                code="flights-hurried",
                count=int(off.sum()),
                worst=worst,
            )
        ]


def _guidance(motion: Motion, p: GuidedParameters) -> Guidance:
    span = motion.domain if p.range is None else part_of_clip(p.range, motion.domain)
    if span[1] - span[0] < _SHORTEST_S:
        raise InputError(
            "{length:.3g} is too short for guided time warping; give at least {least:.3g}, or use "
            "a spline",
            length=Duration(span[1] - span[0]),
            least=Duration(_SHORTEST_S),
        )
    if p.backwards and p.range is not None:
        raise InputError("only a whole clip can run backwards, not a range of it")
    subject = _Subject(
        motion.domain, span, _signals(motion, p), activity_of(motion), 1 / motion.rate
    )
    found = subject.guidance(p, _pace(motion, p, subject))
    if p.range is None:
        return found
    return replace(found, warp=found.warp.within(motion.domain, p.range, ripple=p.ripple))


def own_character(motion: Motion, p: GuidedParameters, keys: tuple[Key, ...]) -> Character:
    """Return a clip with its own timing as a character of a group.

    Parameters
    ----------
    motion : Motion
        The clip.
    p : GuidedParameters
        Its strength, locked spans, rates and limits of speed; a range may reach beyond the clip.
    keys : tuple of Key
        Its keytimes, and those of its ends that have a time.
    """
    span, seams = motion.domain, []
    if p.range is not None:
        span = (max(p.range[0], span[0]), min(p.range[1], span[1]))
        seams = [t for t, end in zip(span, motion.domain, strict=True) if abs(t - end) > 1e-9]
    own = activity_of(motion).weight(span, p.strength)
    objective = (terms.Elastic(own), terms.Smooth(_RAMP_S))
    return Request(span, p, seams).character(objective, keys)


def _own(motion: Motion) -> Signals:
    return last(motion, "own signals", (), lambda: pose_signals(motion, [motion], rate=RATE_HZ))


def activity_of(motion: Motion) -> Activity:
    """Return the activity of a motion; it is cached with it."""

    def make() -> Activity:
        return Activity.of(_own(motion).curve.poses, motion.domain, falling_flights(motion))

    return last(motion, "activity", (), make)


def own_terms(motion: Motion, strength: float) -> tuple[terms.Term, ...]:
    """Return the terms of a motion that keeps its own timing where it matters most."""
    return _own_terms(activity_of(motion).weight(motion.domain, strength))


def _own_terms(weight: terms.Track) -> tuple[terms.Term, ...]:
    return (terms.Elastic(weight), terms.Smooth(_RAMP_S))


def own_score(motion: Motion) -> Callable[[TimeWarp], float]:
    """Return the paper's objective of warps of a motion that is its own reference."""
    own = _own(motion)
    return lambda warp: score(own.curve, motion.domain, own.references, warp)


def _signals(motion: Motion, p: GuidedParameters) -> Signals:
    """Return the features to compare; they are cached with the motion, for dragged keytimes."""
    if p.reference is None:
        return _own(motion)

    def make() -> Signals:
        references = gather(
            motion, p.reference, rate=RATE_HZ, span=p.reference_range, warp=p.reference_warp
        )
        shortest = min((r.duration for r in references if isinstance(r, Motion)), default=np.inf)
        if shortest < _SHORTEST_S:
            raise InputError(
                "the reference lasts {length:.3g}; give at least {least:.3g}",
                length=Duration(shortest),
                least=Duration(_SHORTEST_S),
            )
        # The floor may be at any height; a part of a clip does not show it.
        floor = ground_height(positions(motion)) if p.reference_range is None else None
        return pose_signals(motion, references, rate=RATE_HZ, floor=floor)

    seen = signature(p.reference)
    if seen is None:
        return make()
    return last(motion, "guided signals", (seen, p.reference_range, p.reference_warp), make)


def _pace(motion: Motion, p: GuidedParameters, subject: _Subject) -> Pace | None:
    """Return the pace that a reference or an edit by hand asks for; none for the clip itself."""
    if p.reference is not None:
        signals = subject.signals
        return last(
            motion,
            "pace of reference",
            signals,
            lambda: _pace_of_reference(signals, motion.domain, subject.activity.flights),
        )
    if p.reference_warp is None:
        return None
    edit = p.reference_warp
    span = (
        edited_span(edit, motion.domain)
        if p.reference_range is None
        else part_of_clip(p.reference_range, motion.domain)
    )
    jumps = flights_of(motion, subject.activity.flights)
    copied = copied_flights(motion, jumps, edit, span, p.except_flights)
    if copied is not None:
        return copied
    return copied_edit(subject.signals, motion.domain, edit, span, similarity=p.similarity)


def _pace_of_reference(
    signals: Signals, domain: tuple[float, float], flights: Sequence[tuple[float, float]] = ()
) -> Pace | None:
    if signals.own:
        return None
    # Gravity, not the other take, determines the time of flights.
    return same_recording(signals, domain) or pace_of_take(signals, domain, RATE_HZ).keeping(
        flights
    )


def _signal(values: npt.ArrayLike, what: str) -> FloatArray:
    out = np.asarray(values, dtype=float)
    if out.ndim != 2 or len(out) < 3 or not np.isfinite(out).all():
        raise InputError(f"a {what} is an array (F, D) of at least three finite frames")
    return out


def _resampled(values: FloatArray, fps: float, rate: float, fine: int = 1) -> FloatArray:
    steps = max(round((len(values) - 1) / fps * rate), 2) * fine
    return interpolated(values, np.linspace(0, len(values) - 1, steps + 1))
