"""Guided time warping (Hsu, da Silva, Popović 2007): the best warp, guided by a reference."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.guided.features import SMOOTHING, TAU, Signals, filtered, pose_signals
from retime.methods.guided.references import Reference, cut, gather, signature
from retime.methods.guided.solve import Guidance, Limit, Problem, solve
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.kinematics import ground_height, positions
from retime.motion.memory import last
from retime.parameters import Range, TimingParameters, build, parameter
from retime.timing import TimeWarp

__all__ = [
    "GuidedParameters",
    "guide",
    "guided_edit",
    "guided_signal_warp",
    "guided_warp",
]

_NEVER_SLOWER, _USUAL_UPSAMPLING, _MOST_UPSAMPLING = 1, 4, 16


@dataclass(frozen=True, kw_only=True)
class GuidedParameters(TimingParameters):
    """Parameters of guided time warping."""

    duration: float | Literal["free"] | None = parameter(
        None,
        help="Length of the result in seconds; free lets the reference decide; else it is kept.",
        metavar="S|free",
    )
    reference: tuple[Any, ...] | None = parameter(
        None,
        help="A file or folder whose timing guides; repeatable. Else the motion itself does.",
        metavar="PATH",
    )
    keytimes: tuple[tuple[float, float], ...] = parameter(
        (),
        help="Show the source's moment SRC at output time OUT; repeatable.",
        unit="s",
        flag="--keytime",
        metavar="OUT=SRC",
    )
    max_speed: float = parameter(
        8.0, help="Fastest speed, in times the source's.", minimum=1.0, maximum=64.0
    )
    min_speed: float | None = parameter(
        None, help="Slowest speed, in times the source's.", minimum=0.0, maximum=64.0
    )
    limits: tuple[tuple[float, float, float, float], ...] = parameter(
        (),
        help="Between source times A and B, allow only speeds from SLOW to FAST; repeatable.",
        flag="--limit",
        metavar="A:B:SLOW:FAST",
    )
    influence: float = parameter(
        1.0,
        help="From the spline through the keytimes (0) to the guided warp (1).",
        minimum=0.0,
        maximum=1.0,
    )
    neighbours: int = parameter(
        3, help="Reference frames that each frame is compared with.", minimum=1, maximum=3
    )
    speed_change: float = parameter(
        0.0, help="Price of changing speed; 0.3 keeps it from jumping.", minimum=0.0
    )
    price: float = parameter(
        0.0, help="With a free duration, price of each frame: more makes it shorter."
    )
    upsample: int | None = parameter(
        None,
        help="Input frames per output frame: 4 allows a quarter of the speed. Else chosen.",
        minimum=1,
        maximum=_MOST_UPSAMPLING,
    )
    rate: float = parameter(
        30.0, help="Frames per second that the search works at.", unit="Hz", minimum=1, maximum=480
    )
    average: float = parameter(
        1 / 6, help="Moving average over the warp.", unit="s", minimum=0.0, maximum=2.0
    )
    search: Literal["exact", "coarse"] = parameter(
        "exact", help="The best warp, or near what a search at 5 Hz finds."
    )
    precision: Literal["double", "single"] = parameter(
        "double", help="Of the distances: single is quicker, and right to about 0.1 %."
    )
    backwards: bool = parameter(False, help="Play the motion backwards.")
    reference_range: Range | None = parameter(
        None, help="Use only this part of the reference, from A to B.", unit="s", metavar="A:B"
    )
    reference_warp: TimeWarp | None = parameter(
        None, help="Warp the reference first: what was done to one cycle by hand, to follow."
    )


def guided_warp(
    motion: Motion,
    *,
    duration: float | Literal["free"] | None = None,
    reference: Reference = None,
    keytimes: Sequence[tuple[float, float]] = (),
    max_speed: float = 8.0,
    min_speed: float | None = None,
    limits: Sequence[Limit] = (),
    influence: float = 1.0,
    neighbours: int = 3,
    speed_change: float = 0.0,
    price: float = 0.0,
    upsample: int | None = None,
    rate: float = 30.0,
    average: float = 1 / 6,
    search: Literal["exact", "coarse"] = "exact",
    precision: Literal["double", "single"] = "double",
    backwards: bool = False,
    reference_range: Range | None = None,
    reference_warp: TimeWarp | None = None,
    range: Range | None = None,
    rest: Literal["fixed", "ripple"] = "fixed",
    loop: bool = False,
) -> TimeWarp:
    """Find the warp whose local timing is most like a reference's, through given keytimes.

    Parameters
    ----------
    motion : Motion
        The clip.
    duration : float or "free", optional
        Length of the result in seconds; ``"free"`` lets the reference decide; left out, the
        motion keeps its length.
    reference : Motion, path, or several, optional
        Where the timing comes from; left out, the motion itself, whose natural timing is kept.
    keytimes : sequence of (output s, source s)
        Moments that must be met, exactly.
    max_speed, min_speed : float
        Bounds of the speed, in times the source's.
    limits : sequence of (start s, end s, slowest, fastest)
        Bounds of the speed for some source times.
    influence : float
        From the spline through the keytimes (0) to the guided warp (1).
    neighbours : int
        Reference frames that each frame is compared with, 1 to 3.
    speed_change : float
        Price of changing speed; 0.3 keeps it from jumping.
    price : float
        With a free duration, the price of each frame.
    upsample : int, optional
        Input frames per output frame; 4 allows a quarter of the speed. Left out, 1 where the
        motion is only compressed, else what its expansion needs.
    rate : float
        Frames per second that the search works at.
    average : float
        Seconds of the moving average over the warp.
    search : {"exact", "coarse"}
        The best warp, or the paper's heuristic.
    precision : {"double", "single"}
        Of the distances.
    backwards : bool
        Play the motion backwards.
    reference_range : (float, float), optional
        Use only this part of the reference, seconds.
    reference_warp : TimeWarp, optional
        Warp the reference first: what was done to one cycle by hand, for the rest to follow.
    range : (float, float), optional
        Change only this part of the clip, in seconds.
    rest : {"fixed", "ripple"}
        What follows the range stays where it is, or moves with the range's end.
    loop : bool
        The clip is a cycle: the rate agrees at the seam.

    Returns
    -------
    TimeWarp
        Its notes say what it cost, beside the spline and uniform speed.

    Examples
    --------
    >>> from retime import guided_warp, samples
    >>> jump = samples.jump()                       # 3.25 s, of which 1.4 s are the jump itself
    >>> warp = guided_warp(jump, duration=2.0)
    >>> bool(abs(warp.rate(warp.inverse(1.65)) - 1) < 0.05)     # in flight, time is as it was
    True
    """
    options = dict(locals())
    del options["motion"]
    return guide(motion, **options).warp


def _checked(options: dict[str, Any]) -> GuidedParameters:
    """Check options as a step's are; a reference may be more than a recipe can hold."""
    reference = options.pop("reference", None)
    checked: GuidedParameters = build(GuidedParameters, options)
    return replace(checked, reference=reference)


def guide(motion: Motion, **options: Any) -> Guidance:
    """Find a guided warp and what it cost; options are those of :func:`guided_warp`."""
    o = _checked(options)
    if len(motion) < 3:
        raise InputError(f"a clip of {len(motion)} frames is too short for guided time warping")
    clip = motion if o.range is None else cut(motion, o.range, "range")
    upsample = o.upsample or _upsampling(clip, o)
    signals = _signals(motion, clip, upsample, o)
    return _guided(signals.poses, signals.references, clip.domain, upsample, o, motion.domain)


def _signals(motion: Motion, clip: Motion, upsample: int, o: GuidedParameters) -> Signals:
    """Make what is compared; the last stays with the motion, so that a dragged keytime is quick."""
    seen = signature(o.reference)

    def make() -> Signals:
        references = gather(
            motion, o.reference, rate=o.rate, span=o.reference_range, warp=o.reference_warp
        )
        # People stand on floors of any height; a part of a clip does not tell its floor.
        level = o.reference is not None and o.reference_range is None
        return pose_signals(
            clip,
            references,
            rate=o.rate,
            upsample=upsample,
            smoothing=SMOOTHING,
            floor=ground_height(positions(motion)) if level else None,
        )

    if seen is None:
        return make()
    key = (seen, o.range, o.rate, upsample, o.reference_range, o.reference_warp)
    return last(motion, "guided signals", key, make)


def guided_edit(motion: Motion, **options: Any) -> Edit:
    """Find a guided warp as a step does: with what it, the spline and uniform speed cost."""
    found = guide(motion, **options)
    return Edit(warp=found.warp, figures=found.costs)


def guided_signal_warp(
    signal: npt.ArrayLike,
    *,
    fps: float,
    reference: npt.ArrayLike | None = None,
    start: float = 0.0,
    **options: Any,
) -> TimeWarp:
    """Find a guided warp of any signal: a camera's path, a graphic's values, sound features.

    Parameters
    ----------
    signal : array (F, D)
        Values over time, in units in which differences of all columns mean about the same.
    fps : float
        Samples per second of signal and reference.
    reference : array (R, D), optional
        Where the timing comes from; left out, the signal itself.
    start : float
        Time of the first sample.
    **options
        Further options of :func:`guided_warp` that need no skeleton.
    """
    o = _checked(options)
    if not (np.isfinite(fps) and fps > 0):
        raise InputError(f"the signal's samples per second must be above 0, not {fps}")
    values = _signal(signal, "signal")
    other = values if reference is None else _signal(reference, "reference")
    if other.shape[1] != values.shape[1]:
        raise InputError(
            f"the reference has {other.shape[1]} columns and the signal {values.shape[1]}"
        )
    end = start + (len(values) - 1) / fps
    ratio = 1.0 if o.duration in (None, "free") else float(o.duration) / (end - start)
    upsample = o.upsample or (_NEVER_SLOWER if ratio <= 1 and not o.keytimes else _for_ratio(ratio))
    fine = _resampled(values, fps, o.rate * upsample)
    guides = (filtered(_resampled(other, fps, o.rate), SMOOTHING * o.rate),)
    poses = filtered(fine, SMOOTHING * o.rate * upsample)
    return _guided(poses, guides, (start, end), upsample, o, (start, end)).warp


def _signal(values: npt.ArrayLike, what: str) -> FloatArray:
    out = np.asarray(values, dtype=float)
    if out.ndim != 2 or len(out) < 3 or not np.isfinite(out).all():
        raise InputError(f"a {what} is an array (F, D) of at least three finite frames")
    return out


def _resampled(values: FloatArray, fps: float, rate: float) -> FloatArray:
    steps = max(round((len(values) - 1) / fps * rate), 2)
    position = np.linspace(0, len(values) - 1, steps + 1)
    before = np.clip(position.astype(int), 0, len(values) - 2)
    share = (position - before)[:, None]
    out: FloatArray = (1 - share) * values[before] + share * values[before + 1]
    return out


def _guided(
    poses: FloatArray,
    references: tuple[FloatArray, ...],
    domain: tuple[float, float],
    upsample: int,
    o: GuidedParameters,
    whole: tuple[float, float],
) -> Guidance:
    if o.backwards:
        if o.range is not None:
            raise InputError("only a whole clip can run backwards, not a range of it")
        poses, references = poses[::-1], tuple(z[::-1] for z in references)
    keytimes = o.keytimes
    limits = o.limits
    if o.backwards:
        start, end = domain
        keytimes = tuple((t, start + end - s) for t, s in keytimes)
        limits = tuple((start + end - b, start + end - a, lo, hi) for a, b, lo, hi in limits)
    found = solve(
        Problem(poses, references, domain, o.rate, upsample),
        duration=o.duration,
        keytimes=keytimes,
        max_speed=o.max_speed,
        min_speed=o.min_speed,
        limits=limits,
        neighbours=o.neighbours,
        influence=o.influence,
        speed_change=o.speed_change,
        price=o.price,
        tau=TAU,
        average=o.average,
        search=o.search,
        precision=o.precision,
        loop=o.loop,
    )
    warp = found.warp
    if o.backwards:
        start, end = domain
        warp = TimeWarp(warp.output, start + end - warp.source, loop=o.loop, notes=warp.notes)
    if o.range is not None:
        warp = warp.within(whole, o.range, o.rest)
    return replace(found, warp=warp)


def _upsampling(clip: Motion, o: GuidedParameters) -> int:
    """Choose the upsampling: none where time only gets shorter, else twice what is needed."""
    start, end = clip.domain
    if o.duration == "free":
        return _USUAL_UPSAMPLING
    length = end - start if o.duration is None else float(o.duration)
    keytimes = [(t, start + end - s if o.backwards else s) for t, s in o.keytimes]
    points = sorted([(start, start), *keytimes, (start + length, end)])
    ratios = [(o1 - o0) / (s1 - s0) for (o0, s0), (o1, s1) in itertools.pairwise(points) if s1 > s0]
    foreign = o.reference is not None or o.reference_warp is not None
    worst = max(ratios, default=1.0)
    if worst <= 1 + 1e-9 and not foreign and (o.min_speed is None or o.min_speed >= 1):
        return _NEVER_SLOWER
    return _for_ratio(worst)


def _for_ratio(ratio: float) -> int:
    return int(min(max(_USUAL_UPSAMPLING, np.ceil(2 * ratio)), _MOST_UPSAMPLING))
