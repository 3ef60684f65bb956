"""Edits and how they are applied: times are walked back, and the source is sampled once.

Sampling after every step would blur the motion each time; here warps only move times, pose layers
are added at their depth, and fixes run once, last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime import quat
from retime.contacts import Contact, carry_contacts
from retime.errors import InputError, did_you_mean
from retime.layers import PoseLayer, Sampled
from retime.loops import ground_displacement, must_loop, wrap
from retime.motion import Motion, trust
from retime.quat import FloatArray
from retime.warp import TimeWarp

__all__ = [
    "FIX_ORDER",
    "Edit",
    "Fix",
    "FixContext",
    "FixKind",
    "apply",
    "apply_edits",
    "check_channels",
    "total_warp",
]

FixKind = Literal["smoothing", "cartoon", "contact IK"]
FIX_ORDER: tuple[FixKind, ...] = ("smoothing", "cartoon", "contact IK")

# A result's rotations may take this much memory: half an hour of 150 joints at 120 fps.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class FixContext:
    """What a fix may look at besides the retimed motion.

    Parameters
    ----------
    source : Motion
        What all steps started from.
    warp : TimeWarp
        From the retimed motion's time to the source's.
    contacts : tuple of Contact, optional
        Contacts that a step gave, carried to the retimed motion's time.
    carry : callable
        Carries contacts of the source to the retimed motion's time, step by step.
    body_at : callable
        Evaluates the steps before fixes at source times (N,), every part at the body's own time:
        changes of pose are in, timings of single channels are not.
    """

    source: Motion
    warp: TimeWarp
    contacts: tuple[Contact, ...] | None
    carry: Callable[[tuple[Contact, ...]], tuple[Contact, ...]]
    body_at: Callable[[FloatArray], Motion]


@dataclass(frozen=True, eq=False)
class Fix:
    """A correction of the finished motion.

    Parameters
    ----------
    kind : {"smoothing", "cartoon", "contact IK"}
        Its place in the order; the last step's wins where several steps have one of a kind.
    run : callable
        ``(retimed, FixContext) -> Motion`` on the same frames.
    """

    kind: FixKind
    run: Callable[[Motion, FixContext], Motion]


@dataclass(frozen=True, eq=False)
class Edit:
    """What one step does: any of a warp, a pose layer and fixes, each by a weight.

    ``contacts``, in the step's input time, replace those of the source from there on.
    """

    warp: TimeWarp | None = None
    layer: PoseLayer | None = None
    fixes: tuple[Fix, ...] = ()
    weight: float = 1.0
    contacts: tuple[Contact, ...] | None = None

    def weighted_warp(self, domain: tuple[float, float]) -> TimeWarp:
        """Return the step's warp, blended with the identity over its input's time."""
        if self.warp is None:
            return TimeWarp.identity(*domain)
        return TimeWarp.identity(*domain, loop=self.warp.loop).blend(self.warp, self.weight)


def apply(
    motion: Motion,
    warp: TimeWarp,
    *,
    fps: float | None = None,
    exact: bool = False,
    times: npt.ArrayLike | None = None,
    range: tuple[float, float] | None = None,
    rest: Literal["fixed", "ripple"] = "fixed",
    loop: bool = False,
) -> Motion:
    """Retime a motion.

    Parameters
    ----------
    motion : Motion
        The source.
    warp : TimeWarp
        From output time to the source's time.
    fps : float, optional
        Frame rate of the result; the source's where not given.
    exact : bool
        Keep the warp's duration to the last digit by stretching the frame time a little, in place
        of rounding to whole frames.
    times : array (F,), optional
        Output times to evaluate, in place of evenly spaced frames.
    range : (float, float), optional
        Source times between which the warp acts; it starts at the range's start.
    rest : {"fixed", "ripple"}
        What follows the range keeps its time, or moves with the range's end.
    loop : bool
        The clip is a cycle: times beyond its ends go round.

    Examples
    --------
    >>> from retime import TimeWarp, apply, samples
    >>> jump = samples.jump()
    >>> slow = apply(jump, TimeWarp([0, 2 * jump.duration], [0, jump.duration]))
    >>> round(slow.duration / jump.duration, 6)
    2.0
    """
    if range is not None:
        warp = warp.within(motion.domain, range, rest)
    if loop:
        warp = warp.looped()
    if warp.loop:
        must_loop(motion)
    return apply_edits(motion, [Edit(warp)], fps=fps, exact=exact, times=times)


def total_warp(motion: Motion, edits: Iterable[Edit]) -> TimeWarp:
    """Compose the edits' warps: from the result's time to the source's.

    It is a loop where any step is: then the source is sampled round and round.
    """
    return _composed(motion, _warps(motion, edits))


def _composed(motion: Motion, warps: Sequence[TimeWarp]) -> TimeWarp:
    total = warps[0] if warps else TimeWarp.identity(*motion.domain)
    for warp in warps[1:]:
        total = total @ warp
    return total.looped(any(w.loop for w in warps))


def _warps(motion: Motion, edits: Iterable[Edit]) -> list[TimeWarp]:
    """List the edits' warps; what comes before a loop goes round with it."""
    domain, warps = motion.domain, []
    for edit in edits:
        warps.append(edit.weighted_warp(domain))
        domain = warps[-1].domain
    loops = [k for k, warp in enumerate(warps) if warp.loop]
    return [w.looped() if loops and k <= loops[-1] else w for k, w in enumerate(warps)]


def apply_edits(
    motion: Motion,
    edits: Sequence[Edit],
    *,
    fps: float | None = None,
    exact: bool = False,
    times: npt.ArrayLike | None = None,
) -> Motion:
    """Evaluate a list of edits on a motion with a single resampling.

    Parameters are those of :func:`apply`; the edits are in the order in which they were made.
    """
    warps = _warps(motion, edits)
    domain = warps[-1].domain if warps else motion.domain
    unchanged = domain == motion.domain and all(w.is_identity for w in warps)
    if unchanged and fps is None and times is None and not exact:
        times = motion.sample_times  # uneven samples stay as they are
    frames = _Frames.of(motion, domain, fps, exact, times)

    # Each channel's time, walked back through the steps; depths[k] is step k's input time.
    depths: list[_ChannelTimes] = []
    now = _ChannelTimes(frames.times, {})
    for warp in reversed(warps):
        now = now.through(warp)
        depths.append(now)
    depths.reverse()

    sampled = _sample(motion, now, loop=bool(warps) and warps[0].loop)
    inputs = [motion.domain, *(w.domain for w in warps)]
    for edit, depth, warp, span in zip(edits, depths, warps, inputs, strict=False):
        if edit.layer is not None and edit.weight != 0:
            sampled = _add_layer(motion, sampled, edit, depth.wrapped(span) if warp.loop else depth)
    rotations, translations, scales = sampled
    for track in (*translations.values(), *scales.values()):
        track.setflags(write=False)  # made here: no copy is needed to keep them from changing

    total = _composed(motion, warps)
    origin = motion.origin
    if origin is not None:
        origin = replace(origin, warp=total if origin.warp is None else origin.warp @ total)
    notes = [n for edit in edits if edit.warp is not None for n in edit.warp.notes]
    notes += [n for warp in warps for n in check_channels(motion, warp)]
    notes += frames.notes
    out = replace(
        motion,
        rotations=rotations,
        translations=translations,
        scales=scales,
        fps=frames.fps,
        start=float(frames.times[0]),
        sample_times=frames.times if frames.uneven else None,
        origin=origin,
    ).with_notes(*notes)
    periods = [b - a for a, b in inputs]
    given = [edit.contacts for edit in edits]
    context = FixContext(
        motion,
        total,
        _carried(None, given, warps, periods),
        lambda found: _carried(found, [None] * len(warps), warps, periods) or (),
        lambda t: _body_at(motion, edits, total, t),
    )
    fixed = _run_fixes(out, context, edits)
    return _still_unedited(motion, edits, out, fixed)


def _body_at(motion: Motion, edits: Sequence[Edit], total: TimeWarp, source: FloatArray) -> Motion:
    """Evaluate the steps at source times, as if every channel followed the body."""
    whole = [
        replace(e, fixes=(), contacts=None, warp=None if e.warp is None else e.warp.of_body())
        for e in edits
    ]
    return apply_edits(motion, whole, times=np.unique(total.of_body().inverse(source)))


def _still_unedited(motion: Motion, edits: Sequence[Edit], out: Motion, fixed: Motion) -> Motion:
    """Mark a motion that was only retimed: formats that are retimed in place ask for it."""
    if fixed.origin is None:
        return fixed
    pure = motion.is_unedited and out is fixed
    pure = pure and not any(e.layer is not None and e.weight for e in edits)
    tracks = fixed.tracks if pure else None
    return replace(fixed, origin=replace(fixed.origin, unedited=tracks))


def _carried(
    contacts: tuple[Contact, ...] | None,
    given: Sequence[tuple[Contact, ...] | None],
    warps: Sequence[TimeWarp],
    periods: Sequence[float],
) -> tuple[Contact, ...] | None:
    """Carry contacts through all steps; those that a step gives replace them from there on."""
    for new, warp, period in zip(given, warps, periods, strict=False):
        contacts = contacts if new is None else new
        if contacts is not None:
            contacts = carry_contacts(contacts, warp, period=period if warp.loop else None)
    return contacts


def check_channels(motion: Motion, warp: TimeWarp) -> tuple[str, ...]:
    """Refuse a warp for other joints; return a note on the channels that a motion lacks."""
    unknown = [n for n in warp.channels if n not in motion.channels]
    if not unknown:
        return ()
    if len(unknown) == len(warp.channels):
        raise InputError(
            f"the warp is for other joints: none of its channels ({', '.join(unknown[:4])}) is in "
            f"this motion{did_you_mean(unknown[0], motion.channels)}"
        )
    return ("channels that this motion lacks: " + ", ".join(unknown),)


def _run_fixes(out: Motion, context: FixContext, edits: Iterable[Edit]) -> Motion:
    last = {fix.kind: (fix, edit.weight) for edit in edits for fix in edit.fixes}
    for kind in FIX_ORDER:
        fix, weight = last.get(kind, (None, 0.0))
        if fix is None or weight == 0:
            continue
        fixed = fix.run(out, context)
        out = fixed if weight == 1 else _between(out, fixed, weight)
    return out


def _between(a: Motion, b: Motion, weight: float) -> Motion:
    """Scale a fix's displacement."""
    share = np.full(a.rotations.shape[:2], weight)
    rest = _rest_of(a)

    def mixed(
        one: Mapping[str, FloatArray], other: Mapping[str, FloatArray], which: int
    ) -> dict[str, FloatArray]:
        return {
            n: (1 - weight) * one.get(n, rest(n)[which]) + weight * other.get(n, rest(n)[which])
            for n in other
        }

    return replace(
        b,
        rotations=quat.slerp(a.rotations, b.rotations, share),
        translations=mixed(a.translations, b.translations, 0),
        scales=mixed(a.scales, b.scales, 1),
    )


@dataclass(frozen=True, eq=False)
class _Frames:
    """The output's frames: the times to evaluate, and the rate that they are said to have."""

    times: FloatArray
    fps: float
    uneven: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        motion: Motion,
        domain: tuple[float, float],
        fps: float | None,
        exact: bool,
        times: npt.ArrayLike | None,
    ) -> _Frames:
        try:
            rate = motion.rate if fps is None else float(fps)
        except (TypeError, ValueError):
            raise InputError(f"the frame rate is {fps!r}, which is not a number") from None
        if not (np.isfinite(rate) and rate > 0):
            raise InputError(f"the frame rate must be above 0, not {fps}")
        if times is not None:
            try:
                given = np.array(times, dtype=float)
            except (TypeError, ValueError):
                raise InputError("output times must be a list of finite numbers") from None
            if given.ndim != 1 or not given.size or not np.isfinite(given).all():
                raise InputError("output times must be a list of finite numbers")
            return cls(given, rate, uneven=True)
        start, end = domain
        count = (end - start) * rate
        most = _MOST_BYTES // (32 * len(motion.skeleton))
        if count > most:
            raise InputError(
                f"{end - start:g} s at {rate:g} fps are {count:.3g} frames, more than the {most} "
                "that fit; lower the frame rate or the duration"
            )
        if end <= start:
            return cls(np.array([start]), rate)
        n = max(round(count), 1)
        if exact:
            return cls(np.linspace(start, end, n + 1), n / (end - start))
        # Whole frames, and the end pose on the last of them: only that interval gives way, by
        # half a frame at most, so that no keytime moves.
        notes: tuple[str, ...] = ()
        if abs(count - n) > 1e-6:
            notes = (
                f"{end - start:.4g} s became {n + 1} frames at {rate:g} fps ({n / rate:.4g} s)",
            )
        return cls(np.r_[start + np.arange(n) / rate, end], rate, notes=notes)


@dataclass(frozen=True, eq=False)
class _ChannelTimes:
    """Times (F,) of every frame: the body's, and those of the channels that differ."""

    body: FloatArray
    channels: Mapping[str, FloatArray]

    def of(self, channel: str) -> FloatArray:
        return self.channels.get(channel, self.body)

    def wrapped(self, span: tuple[float, float]) -> _ChannelTimes:
        """Bring the times of a cycle into its span."""
        return _ChannelTimes(
            wrap(self.body, span)[0], {n: wrap(t, span)[0] for n, t in self.channels.items()}
        )

    def through(self, warp: TimeWarp) -> _ChannelTimes:
        names = dict.fromkeys([*self.channels, *warp.channels])
        return _ChannelTimes(warp(self.body), {n: warp(self.of(n), n) for n in names})


def _channel_of(motion: Motion, name: str, translation: bool) -> str:
    """Return the channel that a track follows: a root's translation has one of its own."""
    is_root = motion.skeleton.parents[motion.skeleton.index(name)] < 0
    return f"{name}:translation" if translation and is_root else name


def _sample(motion: Motion, times: _ChannelTimes, *, loop: bool) -> Sampled:
    """Sample the source, each channel at its own times."""
    from retime.kernels import resample_rotations

    names = motion.skeleton.names
    own = [n for n in times.channels if n in motion.channels]
    column_of = {n: k for k, n in enumerate(own, 1)}
    stacked = np.stack([times.body, *(times.channels[n] for n in own)], axis=1)
    turns = np.zeros(stacked.shape)
    if loop:
        stacked, turns = wrap(stacked, motion.domain)
    frame, share = motion.frame_at(stacked)
    column = np.array([column_of.get(n, 0) for n in names], dtype=np.int64)
    rotations = trust(resample_rotations(motion.rotations, frame, share, column))

    def track(values: FloatArray, channel: str) -> FloatArray:
        k = column_of.get(channel, 0)
        i, u = frame[:, k], share[:, k, None]
        after = np.minimum(i + 1, len(values) - 1)
        return values[i] + u * (values[after] - values[i])

    translations = {}
    for name, values in motion.translations.items():
        channel = _channel_of(motion, name, translation=True)
        translations[name] = track(values, channel)
        if loop and channel != name:
            turn = turns[:, column_of.get(channel, 0), None]
            translations[name] = translations[name] + turn * ground_displacement(motion, values)
    scales = {n: track(v, n) for n, v in motion.scales.items()}
    return rotations, translations, scales


def _rest_of(motion: Motion) -> Callable[[str], tuple[FloatArray, FloatArray]]:
    skeleton = motion.skeleton

    def rest(name: str) -> tuple[FloatArray, FloatArray]:
        j = skeleton.index(name)
        return skeleton.offsets[j], skeleton.rest_scales[j]

    return rest


def _add_layer(motion: Motion, sampled: Sampled, edit: Edit, depth: _ChannelTimes) -> Sampled:
    layer = edit.layer
    if layer is None:
        return sampled
    names = {name: motion.skeleton.index(name) for name in layer.joints}
    return layer.add_to(
        sampled,
        names,
        lambda name, translation: depth.of(_channel_of(motion, name, translation)),
        _rest_of(motion),
        edit.weight,
    )
