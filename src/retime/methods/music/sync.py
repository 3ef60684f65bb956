"""Sync a motion to music: accents on beats, and a warp that passes through them."""

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
from retime.timing import TimeWarp

# Phases of the music that are tried, in a beat.
_PHASES = 16
# The motion's tempo is brought to the music's only by speeds near to the recorded one.
_NEAR = (0.8, 1.25)
# A search is also tried with a stiffness this many times the asked one.
_STIFFER = (1.0, 4.0)
# The speed between two assigned accents stays this far inside the limits: the curve's own is above.
_INSIDE = 0.04


@takes(SyncParameters)
def sync_warp(motion: Motion, p: SyncParameters) -> TimeWarp:
    """Make the warp that moves a motion's accents onto the beats of music.

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
    """Sync a motion as :func:`sync_warp` does, and tell what came of it."""
    return _synced(motion, p)


@takes(SyncParameters)
def sync_edit(motion: Motion, p: SyncParameters) -> Edit:
    """Sync a motion as a step does: with beats, accents and scores for those who draw them."""
    found = _synced(motion, p)
    beats = found.warp(found.beats[_inside(found.beats, found.warp.domain)])
    accents = found.accents
    curves = {
        "beats": np.c_[beats, np.ones(len(beats))],
        "accents": np.c_[accents.times, accents.weights],
    }
    return Edit(warp=found.warp, figures=found.figures, curves=curves)


def _synced(motion: Motion, p: SyncParameters) -> Synced:
    # Strength is what people drag: all else is found once.
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
    if not len(accents) and not locked.keytimes and not locked.moments:
        raise InputError(
            Note(
                f"the motion has no accents of the kind {p.accents!r}",
                Remedy("choose another kind, or lock moments", parameter="accents"),
                code="no-accents",
            )
        )
    steadiness = find_steadiness(accents)
    music = beats_of(p, 3 * (motion.domain[1] - motion.start) + p.music_start)
    # In the result's time, before a phase is chosen.
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
    if not any(np.isfinite(t.cost) for t in tried):
        raise InputError(
            Note(
                "the locked moments cannot be met within the limits of speed",
                Remedy("free one of them, or allow a faster speed", parameter="max_speed"),
                code="locked-too-close",
            )
        )
    best = max(range(len(tried)), key=lambda k: tried[k].merit)
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


@dataclass(frozen=True, eq=False)
class _Try:
    """One way of syncing."""

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
    """Sync to beats at one phase, and judge what is delivered.

    A change of speed moves the minima of speed themselves, most of all shallow ones. So neither the
    search's cost nor the distance of keys from beats tells how good a result looks.
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
        # On a whole frame: else the last interval would give way when frames are made.
        length = float(tail[0] + (end - tail[1]) / uniform) - start
        last_out = start + max(round(length * motion.rate), 1) / motion.rate
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
    """Find accents again in what a warp shows; landings are carried by it."""
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
                f"the locked moment {moment:g} s is not between {start:g} and {end:g} s"
            )
    return Locked(keytimes, moments)


def _speed(
    p: SyncParameters, steadiness: Steadiness, beats: FloatArray, start: float, end: float
) -> tuple[float, float]:
    """Choose the uniform rate, and the last output time; NaN where that is free."""
    step = float(np.median(np.diff(beats)))
    fixed = p.duration
    if p.range is not None and not p.ripple:
        fixed = end - start if fixed is None else fixed
    if fixed is not None:
        if p.speed is not None and abs(p.speed * fixed - (end - start)) > 1e-6:
            raise InputError("give a speed or a duration, not both")
        if not fixed > 0:
            raise InputError(f"the duration must be above 0 s, not {fixed:g} s")
        return (end - start) / fixed, start + fixed
    uniform = p.speed
    if uniform is None:
        near = [steadiness.period / step * share for share in (0.25, 0.5, 1.0, 2.0, 4.0)]
        uniform = min(near, key=lambda rate: abs(np.log(rate)))
        if not steadiness.steady or not _NEAR[0] <= uniform <= _NEAR[1]:
            uniform = 1.0
    if not p.loop:
        return uniform, np.nan
    # A cycle on the beat lasts for whole beats.
    length = max(round((end - start) / uniform / step), 1) * step
    return (end - start) / length, start + length


def _must_have_music(beats: FloatArray, start: float) -> None:
    if beats[-1] <= start:
        raise InputError(
            Note(
                "the music has no beat after the motion starts",
                Remedy("let the motion start earlier in it", parameter="music_start"),
                code="music-too-short",
            )
        )


def _inside(beats: FloatArray, domain: tuple[float, float]) -> npt.NDArray[np.bool_]:
    return np.asarray((beats >= domain[0]) & (beats <= domain[1]))


def _judged(motion: Motion, p: SyncParameters, found: Synced, uniform: TimeWarp) -> Synced:
    """Measure the result: kinematic beats and accents are found again in what is shown."""
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
    """Keep the moments that the music lasts for."""
    step = float(np.median(np.diff(beats)))
    return np.asarray(moments[(moments > beats[0] - step) & (moments < beats[-1] + step)])
