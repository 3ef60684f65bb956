"""Sync a motion to music: assign accents to beats and fit a warp."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.keywords import takes
from retime.methods.music.accents import Accents, accents_of, find_accents, speed_minima
from retime.methods.music.alignment import chance, score
from retime.methods.music.assignment import Locked, assign
from retime.methods.music.beats import beats_of
from retime.methods.music.curve import smooth_warp
from retime.methods.music.parameters import SyncParameters
from retime.methods.music.sayings import sync_notes
from retime.methods.music.steadiness import Steadiness, find_steadiness
from retime.methods.music.synced import Synced
from retime.methods.music.tracks import tracks_of
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.memory import last
from retime.notes import Note, Remedy
from retime.parameters import part_of_clip
from retime.sentences import Duration, Moment, Span
from retime.times import whole_frames
from retime.timing import TimeWarp

# Number of phases of the music that are tried.
_PHASES = 16
# Speeds by which the tempo of the motion may be matched to that of the music.
_NEAR = (0.8, 1.25)
# Factors on the stiffness that are tried.
_STIFFER = (1.0, 4.0)
# Margin of the mean speed between two accents to the limits, because the smooth curve exceeds it.
_INSIDE = 0.04


@takes(SyncParameters)
def sync_warp(motion: Motion, p: SyncParameters) -> TimeWarp:
    """Return the warp that moves the accents of a motion onto the beats of music.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    TimeWarp
        Its notes give the Beat Alignment Score before and after, and the steadiness of the motion.

    Examples
    --------
    >>> from retime import samples, sync_warp
    >>> warp = sync_warp(samples.walk(), bpm=112)
    >>> bool(0.6 < warp.rate(warp.output[1:-1]).min())
    True
    """
    return _synced(motion, p).warp


@takes(SyncParameters)
def sync(motion: Motion, p: SyncParameters) -> Synced:
    """Sync a motion like :func:`sync_warp`, and return the warp with its scores and accents."""
    return _synced(motion, p)


@takes(SyncParameters)
def sync_edit(motion: Motion, p: SyncParameters) -> Edit:
    """Sync a motion as a step of a recipe, with beats, accents and scores for display."""
    found = _synced(motion, p)
    beats = found.warp(found.beats[_inside(found.beats, found.warp.domain)])
    accents = found.accents
    curves = {
        "beats": np.c_[beats, np.ones(len(beats))],
        "accents": np.c_[accents.times, accents.weights],
    }
    return Edit(warp=found.warp, figures=found.figures, curves=curves)


def _synced(motion: Motion, p: SyncParameters) -> Synced:
    # Only the strength changes while it is dragged; the rest is cached.
    full, speed = last(motion, "synced", replace(p, strength=1.0), lambda: _full(motion, p))
    warp = speed.blend(full.warp, p.strength)
    found = _judged(motion, p, replace(full, warp=warp), speed)
    return replace(found, warp=warp.saying(*sync_notes(p, found)))


def _full(motion: Motion, p: SyncParameters) -> tuple[Synced, TimeWarp]:
    """Sync at full strength; also return the warp of uniform speed."""
    start, end = motion.domain if p.range is None else part_of_clip(p.range, motion.domain)
    every = find_accents(motion, p.accents)
    accents = every.between(start, end)
    locked = _locked(p, start, end)
    _must_have_accents(p, accents, locked)
    steadiness = find_steadiness(accents)
    music = beats_of(p, 3 * (motion.domain[1] - motion.start) + p.music_start)
    # In the time of the result, before a phase is chosen.
    beats = music - p.music_start + motion.start
    uniform, stop = _speed(p, steadiness, beats, start, end)
    _must_have_music(beats, start)
    step = float(np.median(np.diff(beats)))
    shifts = np.arange(_PHASES) / _PHASES * step if p.phase == "best" else np.zeros(1)
    span = start, end, stop
    tried = [
        _tried(motion, p, accents, beats - shift, span, uniform, locked, stiffer, steadiness.steady)
        for shift in shifts
        for stiffer in _STIFFER
    ]
    _must_be_possible(tried)
    # Of equal ones the first, whatever their rounding errors.
    best = max(range(len(tried)), key=lambda k: round(tried[k].merit, 9))
    keys, part = tried[best].keys, tried[best].warp
    shift = float(shifts[best // len(_STIFFER)])
    plain_stop = stop if np.isfinite(stop) else start + (end - start) / uniform
    plain = TimeWarp([start, plain_stop], [start, end], loop=part.loop)
    if p.range is not None:
        part = part.within(motion.domain, p.range, ripple=p.ripple).looped(p.loop)
        plain = plain.within(motion.domain, p.range, ripple=p.ripple).looped(p.loop)
    found = Synced(
        warp=part,
        keys=keys,
        accents=accents,
        beats=beats - shift,
        music_start=p.music_start + shift,
        uniform=uniform,
        steadiness=steadiness,
        score=0.0,
        uniform_score=0.0,
        chance=0.0,
        accent_scores=(0.0, 0.0),
        speeds=(1.0, 1.0),
    )
    return found, plain


def _must_have_accents(p: SyncParameters, accents: Accents, locked: Locked) -> None:
    if not len(accents) and not locked.keytimes and not locked.moments:
        raise InputError(
            Note(
                f"the motion has no accents of the kind {p.accents!r}",
                Remedy("choose another kind, or lock moments", parameter="accents"),
                code="no-accents",
            )
        )


def _must_be_possible(tried: list[_Try]) -> None:
    if not any(np.isfinite(t.cost) for t in tried):
        raise InputError(
            Note(
                "the locked moments cannot be met within the limits of speed",
                Remedy("free one of them, or allow a faster speed", parameter="max_speed"),
                code="locked-too-close",
            )
        )


@dataclass(frozen=True, eq=False)
class _Try:
    """Result for one phase and stiffness."""

    cost: float
    keys: FloatArray
    warp: TimeWarp
    merit: float


def _tried(
    motion: Motion,
    p: SyncParameters,
    accents: Accents,
    beats: FloatArray,
    span: tuple[float, float, float],
    uniform: float,
    locked: Locked,
    stiffer: float,
    steady: bool,
) -> _Try:
    """Sync to beats at one phase, and score the retimed motion.

    Changes of speed move the minima of speed, most of all shallow ones. So the score is measured on
    the retimed motion, not on the keys.
    """
    start, end, stop = span
    found = assign(
        accents,
        beats,
        ends=(start, start, stop, end),
        uniform=uniform,
        limits=(uniform * (p.min_speed + _INSIDE), uniform * (p.max_speed - _INSIDE)),
        stiffness=p.stiffness * stiffer,
        locked=locked,
        steady=steady,
    )
    keys = found.keys
    tail = keys[-1] if len(keys) else np.array([start, start])
    last_out = stop
    if not np.isfinite(stop):
        # On a whole frame, so that the last interval is not shortened later.
        length = float(tail[0] + (end - tail[1]) / uniform) - start
        last_out = start + max(whole_frames(length, motion.rate), 1) / motion.rate
    points = np.r_[[[start, start]], keys, [[last_out, end]]]
    part = smooth_warp(
        points,
        np.isin(points[:, 1], [*(s for _, s in locked.keytimes), *locked.moments]),
        tolerance=p.tolerance,
        limits=(uniform * p.min_speed, uniform * p.max_speed),
        loop=p.loop and p.range is None,
    )
    if not np.isfinite(found.cost):
        return _Try(found.cost, keys, part, -np.inf)
    shown = _shown_accents(motion, p, accents, part)
    heard = _heard(shown, beats)
    return _Try(found.cost, keys, part, score(heard, beats))


def _shown_accents(
    motion: Motion, p: SyncParameters, accents: Accents, warp: TimeWarp
) -> FloatArray:
    """Find the accents of the retimed motion; landings are moved by the warp."""
    if p.accents in ("landings", "mixed"):
        return np.asarray(warp.inverse(accents.times))
    tracks = tracks_of(motion).warped(warp)
    if p.accents == "speed":
        return speed_minima(tracks)[0]
    return accents_of(tracks, p.accents).times


def _locked(p: SyncParameters, start: float, end: float) -> Locked:
    keytimes = tuple(sorted((float(o), float(s)) for o, s in p.keytimes))
    moments = tuple(sorted(map(float, p.moments)))
    for moment in (*moments, *(s for _, s in keytimes)):
        if not start < moment < end:
            raise InputError(
                "the locked moment {moment} is not inside the clip, {clip}",
                moment=Moment(moment),
                clip=Span(start, end),
            )
    return Locked(keytimes, moments)


def _speed(
    p: SyncParameters, steadiness: Steadiness, beats: FloatArray, start: float, end: float
) -> tuple[float, float]:
    """Return the uniform rate, and the last output time; NaN if that is free."""
    fixed = p.duration
    if p.range is not None and not p.ripple and fixed is None:
        fixed = end - start
    if fixed is not None:
        if p.speed is not None and abs(p.speed * fixed - (end - start)) > 1e-6:
            raise InputError("give a speed or a duration, not both")
        if not fixed > 0:
            raise InputError("the duration must be above 0, not {length}", length=Duration(fixed))
        return (end - start) / fixed, start + fixed
    step = float(np.median(np.diff(beats)))
    uniform = _matching_speed(steadiness, step) if p.speed is None else p.speed
    if not p.loop:
        return uniform, np.nan
    # A cycle on the beat has a whole number of beats.
    length = max(round((end - start) / uniform / step), 1) * step
    return (end - start) / length, start + length


def _matching_speed(steadiness: Steadiness, step: float) -> float:
    """Return the speed that matches a steady motion to the tempo; 1 if none is close."""
    near = [steadiness.period / step * share for share in (0.25, 0.5, 1.0, 2.0, 4.0)]
    speed = min(near, key=lambda rate: abs(np.log(rate)))
    return speed if steadiness.steady and _NEAR[0] <= speed <= _NEAR[1] else 1.0


def _must_have_music(beats: FloatArray, start: float) -> None:
    if beats[-1] <= start:
        raise InputError(
            Note(
                "the music has no beat after the motion starts",
                Remedy("start the motion earlier in the song", parameter="music_start"),
                code="music-too-short",
            )
        )


def _inside(beats: FloatArray, domain: tuple[float, float]) -> npt.NDArray[np.bool_]:
    return np.asarray((beats >= domain[0]) & (beats <= domain[1]))


def _judged(motion: Motion, p: SyncParameters, found: Synced, uniform: TimeWarp) -> Synced:
    """Measure the result: kinematic beats and accents are detected in the retimed motion."""
    tracks, beats = tracks_of(motion), found.beats
    synced, plain = tracks.warped(found.warp), tracks.warped(uniform)
    moments = [_heard(speed_minima(t)[0], beats) for t in (synced, plain)]
    accents = [
        score(_heard(_shown_accents(motion, p, found.accents, warp), beats), beats)
        for warp in (found.warp, uniform)
    ]
    span = motion.domain if p.range is None else p.range
    rate = np.diff(found.warp.source) / np.diff(found.warp.output)
    middle = (found.warp.source[1:] + found.warp.source[:-1]) / 2
    rate = rate[(middle > span[0]) & (middle < span[1])] / found.uniform
    return replace(
        found,
        score=score(moments[0], beats),
        uniform_score=score(moments[1], beats),
        chance=chance(moments[1], beats),
        accent_scores=(accents[0], accents[1]),
        speeds=(float(rate.min()), float(rate.max())),
    )


def _heard(moments: FloatArray, beats: FloatArray) -> FloatArray:
    """Return the moments during the music."""
    step = float(np.median(np.diff(beats)))
    return np.asarray(moments[(moments > beats[0] - step) & (moments < beats[-1] + step)])
