"""Edits and their application: output times are mapped back, and the source is sampled once.

Sampling after every step would blur the motion each time; here warps only move times, pose layers
are added at their depth, and fixes run once, last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, freeze
from retime.errors import InputError, did_you_mean
from retime.motion import quat
from retime.motion.contact import Contact, carry_contacts
from retime.motion.fixes import Fix, FixContext, run_fixes
from retime.motion.layers import GroundShift, PoseLayer, Sampled
from retime.motion.loops import must_loop, wrap
from retime.motion.motion import Motion
from retime.motion.sampling import ChannelTimes, Frames, channel_of, rest_of, sample
from retime.motion.touched import Touched, TouchedLater, difference
from retime.notes import Note, Remedy
from retime.one_line import one_line
from retime.sentences import Duration, Span
from retime.timing import TimeWarp


@one_line()
@dataclass(frozen=True, eq=False)
class Edit:
    """Result of one step: a warp, pose layers and fixes, each with a weight.

    ``layer`` is in the step's input time and precedes its warp; ``correction`` is in its output
    time and follows it: a limb that is moved to its place in space, a pelvis that follows. Later
    steps see both. ``contacts``, in the step's input time, replace those of the source from there
    on. ``ground`` tells how far a step that changes the body's way moves the places of contacts.
    ``figures`` are numbers that the method found on the way, such as costs, and ``curves`` values
    over the step's input time, arrays (n, 2).
    """

    warp: TimeWarp | None = None
    layer: PoseLayer | None = None
    correction: PoseLayer | None = None
    fixes: tuple[Fix, ...] = ()
    weight: float = 1.0
    contacts: tuple[Contact, ...] | None = None
    ground: GroundShift | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Findings, assumptions and changes of the method."""
        return () if self.warp is None else self.warp.notes

    def weighted_warp(self, domain: tuple[float, float]) -> TimeWarp:
        """Return the step's warp, blended with the identity over its input's time."""
        if self.warp is None:
            return TimeWarp.identity(*domain)
        return TimeWarp.identity(*domain, loop=self.warp.loop).blend(self.warp, self.weight)


@one_line()
@dataclass(frozen=True, eq=False)
class Timing(Edit):
    """Result of a step that has a warp."""

    warp: TimeWarp  # the same field, which is never ``None`` here


def apply(
    motion: Motion,
    warp: TimeWarp | Edit,
    *,
    fps: float | None = None,
    exact: bool = False,
    times: npt.ArrayLike | None = None,
    range: tuple[float, float] | None = None,
    ripple: bool = False,
    loop: bool = False,
) -> Motion:
    """Retime a motion.

    Parameters
    ----------
    motion : Motion
        The source.
    warp : TimeWarp or Edit
        From output time to the source's time; or what a method made.
    fps : float, optional
        Frame rate of the result; the source's if not given.
    exact : bool
        Keep the warp's duration to the last digit by stretching the frame time a little, in place
        of rounding to whole frames.
    times : array (F,), optional
        Output times to evaluate, in place of evenly spaced frames.
    range : (float, float), optional
        Source times between which the warp acts; it starts at the range's start.
    ripple : bool
        Shift what follows the range when the range changes its length.
    loop : bool
        The clip is a cycle: times beyond its ends go round.

    Examples
    --------
    >>> from retime import TimeWarp, apply, samples
    >>> jump = samples.jump()
    >>> slow = apply(jump, TimeWarp([0, 2 * jump.duration], jump.domain))
    >>> round(slow.duration / jump.duration, 6)
    2.0
    """
    if isinstance(warp, Edit):
        if range is not None or loop:
            raise InputError("give the range and the loop to the method that made the edit")
        return apply_edits(motion, [warp], fps=fps, exact=exact, times=times)
    if not isinstance(warp, TimeWarp):
        raise InputError(
            f"a motion is retimed by an edit or a TimeWarp, not by {type(warp).__name__}; "
            "spline(motion, duration=...) makes one, and read_warp reads one from a file"
        )
    if range is not None:
        warp = warp.within(motion.domain, range, ripple=ripple)
    if loop:
        warp = warp.looped()
    if warp.loop:
        must_loop(motion)
    notes = check_span(motion, warp)
    return apply_edits(motion, [Edit(warp)], fps=fps, exact=exact, times=times).with_notes(*notes)


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
    frames = _frames(motion, warps, fps, exact, times)
    depths = _depths(frames.times, warps)
    loops = bool(warps) and warps[0].loop
    total = _composed(motion, warps)
    sampled = sample(motion, depths[0], loop=loops, in_space=total.in_space)
    sampled = _with_layers(motion, sampled, edits, warps, depths)
    for made in (sampled[0], *sampled[1].values(), *sampled[2].values()):
        freeze(made)
    out = _made(motion, sampled, frames, total).with_notes(*_notes(motion, edits, warps, frames))
    fixes = [(fix, edit.weight) for edit in edits for fix in edit.fixes]
    fixed = run_fixes(out, _context(motion, edits, warps, total), fixes)
    return _delivered(fixed, motion, edits, lambda: sample(motion, depths[0], loop=loops))


def _frames(
    motion: Motion,
    warps: Sequence[TimeWarp],
    fps: float | None,
    exact: bool,
    times: npt.ArrayLike | None,
) -> Frames:
    domain = warps[-1].domain if warps else motion.domain
    unchanged = domain == motion.domain and all(w.is_identity for w in warps)
    if unchanged and fps is None and times is None and not exact:
        times = motion.sample_times  # uneven samples stay as they are
    return Frames.of(motion, domain, fps, exact, times)


def _depths(times: FloatArray, warps: Sequence[TimeWarp]) -> list[ChannelTimes]:
    """Walk each channel's time back through the steps: entry k is step k's input time."""
    depths = [ChannelTimes(times, {})]
    for warp in reversed(warps):
        depths.append(depths[-1].through(warp))
    depths.reverse()
    return depths


def _with_layers(
    motion: Motion,
    sampled: Sampled,
    edits: Sequence[Edit],
    warps: Sequence[TimeWarp],
    depths: Sequence[ChannelTimes],
) -> Sampled:
    """Add each step's pose layers, first to last: one before its warp, one after it."""
    spans = [motion.domain, *(w.domain for w in warps)]
    for k, (edit, warp) in enumerate(zip(edits, warps, strict=True)):
        for layer, at in ((edit.layer, k), (edit.correction, k + 1)):
            if layer is not None and edit.weight != 0:
                depth = depths[at].wrapped(spans[at]) if warp.loop else depths[at]
                sampled = _add_layer(motion, sampled, layer, edit.weight, depth)
                if warp.loop:
                    _add_turns(motion, sampled, layer, edit.weight, depths[at], spans[at])
    return sampled


def _made(motion: Motion, sampled: Sampled, frames: Frames, total: TimeWarp) -> Motion:
    rotations, translations, scales = sampled
    origin = motion.origin
    if origin is not None:
        origin = replace(origin, warp=total if origin.warp is None else origin.warp @ total)
    return replace(
        motion,
        rotations=rotations,
        translations=translations,
        scales=scales,
        fps=frames.fps,
        start=float(frames.times[0]),
        sample_times=frames.times if frames.uneven else None,
        origin=origin,
    )


def _notes(
    motion: Motion, edits: Sequence[Edit], warps: Sequence[TimeWarp], frames: Frames
) -> list[Note]:
    notes = [n for edit in edits if edit.warp is not None for n in edit.warp.notes]
    notes += [n for warp in warps for n in check_channels(motion, warp)]
    return [*notes, *frames.notes]


def _context(
    motion: Motion, edits: Sequence[Edit], warps: Sequence[TimeWarp], total: TimeWarp
) -> FixContext:
    periods = [b - a for a, b in (motion.domain, *(w.domain for w in warps))]
    given = [edit.contacts for edit in edits]
    moves = any(edit.ground is not None for edit in edits)
    return FixContext(
        motion,
        total,
        _carried(None, given, warps, periods),
        lambda found: _carried(found, [None] * len(warps), warps, periods) or (),
        lambda t: _body_at(motion, edits, total, t),
        (lambda joint, t: _ground_at(edits, warps, joint, t)) if moves else None,
    )


def _ground_at(
    edits: Sequence[Edit], warps: Sequence[TimeWarp], joint: str, times: FloatArray
) -> FloatArray:
    """Return the total displacement of the ground under a joint at output times, (N, 3) metres."""
    out = np.zeros((len(times), 3))
    for edit, warp in zip(reversed(edits), reversed(warps), strict=True):
        if edit.ground is not None:
            out += edit.weight * edit.ground.at(times, joint)
        times = np.asarray(warp(times, joint))
    return out


def _delivered(
    out: Motion, source: Motion, edits: Sequence[Edit], plain: Callable[[], Sampled]
) -> Motion:
    """Keep with a result the tracks that it was delivered with, and which joints were edited.

    ``plain`` samples the source once more, without layers and fixes.
    """
    if out.origin is None or out.origin.delivered is None:
        return out  # its file's format has no use for it
    before, made, skeleton = source.touched, out.tracks, out.skeleton
    touched: Touched | TouchedLater = before
    among = _may_be_edited([e for e in edits if e.weight])
    among = None if among is None else among.intersection(skeleton.names)
    if among is None or among:
        touched = TouchedLater(lambda: before | difference(plain(), made, skeleton, among))
    origin = replace(out.origin, delivered=made, touched=touched)
    object.__setattr__(out, "origin", origin)  # made here, because a copy would be validated again
    return out


def _may_be_edited(edits: Sequence[Edit]) -> set[str] | None:
    """Return the joints whose poses edits change; ``None`` for all, because fixes act on any."""
    if any(e.fixes for e in edits):
        return None
    layers = [layer for e in edits for layer in (e.layer, e.correction) if layer is not None]
    warps = [e.warp for e in edits if e.warp is not None and e.warp.per_channel]
    return {n for layer in layers for n in layer.joints}.union(*(w.in_space for w in warps))


def _body_at(motion: Motion, edits: Sequence[Edit], total: TimeWarp, source: FloatArray) -> Motion:
    """Evaluate the steps at source times, as if every channel followed the body."""
    whole = [
        replace(
            e,
            fixes=(),
            contacts=None,
            correction=None,
            warp=None if e.warp is None else e.warp.of_body(),
        )
        for e in edits
    ]
    return apply_edits(motion, whole, times=np.unique(total.of_body().inverse(source)))


def _carried(
    contacts: tuple[Contact, ...] | None,
    given: Sequence[tuple[Contact, ...] | None],
    warps: Sequence[TimeWarp],
    periods: Sequence[float],
) -> tuple[Contact, ...] | None:
    """Map contacts through all steps; contacts that a step provides replace them from there on."""
    for new, warp, period in zip(given, warps, periods, strict=False):
        contacts = contacts if new is None else new
        if contacts is not None:
            contacts = carry_contacts(contacts, warp, period=period if warp.loop else None)
    return contacts


def check_channels(motion: Motion, warp: TimeWarp) -> tuple[Note, ...]:
    """Refuse a warp for other joints; return a note on the channels that a motion lacks."""
    unknown = [n for n in warp.channels if n not in motion.channels]
    if not unknown:
        return ()
    if len(unknown) == len(warp.channels):
        raise InputError(
            f"the warp is for other joints: none of its channels ({', '.join(unknown[:4])}) is in "
            f"this motion{did_you_mean(unknown[0], motion.channels)}"
        )
    told = "channels that this motion lacks: " + ", ".join(unknown)
    return (Note(told, code="channels-lacking", channels=unknown),)


def check_span(motion: Motion, warp: TimeWarp) -> tuple[Note, ...]:
    """Return a note on a warp that holds an end of a motion and leaves out part of it.

    Such a warp was usually made for a motion that starts at another time.
    """
    (start, end), (low, high) = motion.domain, warp.source_range
    frame = 1 / motion.rate
    beyond = low < start - frame or high > end + frame
    shown = max(min(high, end) - max(low, start), 0.0)
    if warp.loop or not beyond or shown > end - start - frame:
        return ()
    shift = start - low if low < start else end - high
    return (
        Note(
            "the warp shows source times {shown:.4g}, the motion has {motion:.4g}: an end is held, "
            "and part of the motion is left out",
            Remedy("shift the warp's source times by {shift:.4g}", shift=Duration(shift)),
            code="warp-beyond-motion",
            shown=Span(low, high),
            motion=Span(start, end),
            shift=Duration(shift),
        ),
    )


def _add_layer(
    motion: Motion, sampled: Sampled, layer: PoseLayer, weight: float, depth: ChannelTimes
) -> Sampled:
    names = {name: motion.skeleton.index(name) for name in layer.joints}
    return layer.add_to(
        sampled,
        names,
        lambda name, translation: depth.of(channel_of(motion, name, translation)),
        rest_of(motion),
        weight,
    )


def _add_turns(
    motion: Motion,
    sampled: Sampled,
    layer: PoseLayer,
    weight: float,
    depth: ChannelTimes,
    span: tuple[float, float],
) -> None:
    """Add to every turn of a cycle how far a layer has moved its roots in the turns before."""
    for name, values in layer.translations.items():
        start, end = layer.at(np.clip(span, layer.times[0], layer.times[-1]), values)
        farther = (end if layer.times[-1] > span[1] - 1e-6 else 0.0) - (
            start if layer.times[0] < span[0] + 1e-6 else 0.0
        )
        if np.any(farther):
            turns = wrap(depth.of(channel_of(motion, name, True)), span)[1]
            sampled[1][name] = sampled[1][name] + weight * turns[:, None] * farther


def correction_between(plain: Motion, corrected: Motion) -> PoseLayer | None:
    """Return the pose layer that turns one motion into another on the same frames.

    ``None`` where they do not differ. It is keyed where they differ, and zero beside that.
    """
    names, times = plain.skeleton.names, plain.times
    # Four truth values read as one number: ten times as fast as any() of such short rows.
    changed = (plain.rotations != corrected.rotations).view(np.uint32)[..., 0] != 0
    turned = np.flatnonzero(changed.any(axis=0))
    moved = [
        n for n, t in corrected.translations.items() if not np.array_equal(t, _track(plain, n))
    ]
    busy = changed.any(axis=1)
    for name in moved:
        busy |= np.any(corrected.translations[name] != _track(plain, name), axis=1)
    if not busy.any():
        return None
    first, last = np.flatnonzero(busy)[[0, -1]]
    part = slice(max(first - 1, 0), min(last + 2, len(times)))
    turns = quat.multiply(
        corrected.rotations[part][:, turned], quat.conjugate(plain.rotations[part][:, turned])
    )
    vectors = quat.log(turns)
    return PoseLayer(
        times[part],
        {names[j]: vectors[:, k] for k, j in enumerate(turned)},
        {n: (corrected.translations[n] - _track(plain, n))[part] for n in moved},
    )


def _track(motion: Motion, name: str) -> FloatArray:
    """Return a joint's translations, or its rest translation if it has none."""
    found = motion.translations.get(name)
    rest = motion.skeleton.offsets[motion.skeleton.index(name)]
    return np.broadcast_to(rest, (len(motion), 3)) if found is None else found
