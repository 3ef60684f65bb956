"""Sync a motion to music: assign accents to beats and fit a warp."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.keywords import takes
from retime.methods.music.accents import Accents, accents_of, find_accents, speed_minima
from retime.methods.music.alignment import chance, score
from retime.methods.music.assignment import Locked, assign
from retime.methods.music.beats import beats_of
from retime.methods.music.parameters import SyncParameters
from retime.methods.music.sayings import sync_notes
from retime.methods.music.steadiness import Steadiness, find_steadiness
from retime.methods.music.synced import Synced
from retime.methods.music.tracks import tracks_of
from retime.motion import Motion
from retime.motion.edits import Timing
from retime.motion.memory import last
from retime.notes import Note, Remedy
from retime.pacing import (
    Character,
    Contradiction,
    Key,
    Pace,
    Points,
    Problem,
    Smooth,
    Speed,
    locked_spans,
    nearest,
    refusal,
    solve,
)
from retime.parameters import part_of_clip
from retime.sentences import Duration, Moment, ParameterName, Span
from retime.times import whole_frames
from retime.timing import TimeWarp
from retime.timing.curves import keytime_points

# Slowest and fastest uniform speed, as of the parameter.
_SLOWEST, _FASTEST = 0.1, 10.0
# Number of phases of the music that are tried.
_PHASES = 16
# Speeds by which the tempo of the motion may be matched to that of the music.
_NEAR = (0.8, 1.25)
# Factors on the stiffness that are tried where the delivered motion is judged.
_STIFFER = (1.0, 4.0)
# Length of a clip of which one candidate is delivered; of half the length, four are, and the best
# is chosen. In a short clip few accents decide, and slowing moves them.
_JUDGED_S = 50.0
# Weight of an accent that is off by the tolerance; a change of rate by 1 in a second weighs 1.
_FIT = 0.05
# Least tolerance, seconds.
_LEAST_S = 1e-4
# Weight of the uniform rate: small, for what lies beyond the accents.
_EVEN = 0.02


@takes(SyncParameters)
def sync(motion: Motion, p: SyncParameters) -> Timing:
    """Move the accents of a motion onto the beats of music.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    Timing
        Its notes give the Beat Alignment Score before and after, and the steadiness of the motion.

    Examples
    --------
    >>> from retime import samples, sync
    >>> warp = sync(samples.walk(), bpm=112).warp
    >>> bool(0.6 < warp.rate(warp.output[1:-1]).min())
    True
    """
    found = _synced(motion, p)
    beats = found.warp(found.beats[_inside(found.beats, found.warp.domain)])
    accents = found.accents
    curves = {
        "beats": np.c_[beats, np.ones(len(beats))],
        "accents": np.c_[accents.times, accents.weights],
    }
    return Timing(warp=found.warp, figures=found.figures, curves=curves)


@takes(SyncParameters)
def find_sync(motion: Motion, p: SyncParameters) -> Synced:
    """Sync a motion like :func:`sync`, and return the warp with its scores and accents."""
    return _synced(motion, p)


def _synced(motion: Motion, p: SyncParameters) -> Synced:
    # Only the strength changes while it is dragged; the rest is cached.
    full, speed, without = last(
        motion, "synced", replace(p, strength=1.0), lambda: _full(motion, p)
    )
    warp = without.blend(full.warp, p.strength)
    found = _judged(motion, p, replace(full, warp=warp), speed)
    return replace(found, warp=warp.saying(*sync_notes(p, found)))


def _full(motion: Motion, p: SyncParameters) -> tuple[Synced, TimeWarp, TimeWarp]:
    """Sync at full strength; also return the warps of uniform speed and of no strength.

    The last keeps keytimes and locked spans, so that every blend with it does.
    """
    start, end = motion.domain if p.range is None else part_of_clip(p.range, motion.domain)
    every = find_accents(motion, p.accents)
    accents = every.between(start, end)
    locked = _locked(p, start, end)
    _must_have_accents(p, accents, locked)
    steadiness = last(
        motion, "steadiness", (p.accents, start, end), lambda: find_steadiness(accents)
    )
    music = beats_of(p, 3 * (motion.domain[1] - motion.start) + p.music_start)
    # In the time of the result, before a phase is chosen.
    beats = music - p.music_start + motion.start
    uniform, stop = _speed(p, steadiness, beats, (start, end), motion.rate)
    _must_have_music(beats, start)
    step = float(np.median(np.diff(beats)))
    shifts = np.arange(_PHASES) / _PHASES * step if p.phase == "best" else np.zeros(1)

    without = None
    if p.keytimes or p.locked:  # raises if they are impossible, whatever the music
        fixed = np.array(locked.keytimes, dtype=float).reshape(-1, 2)
        without = _warp(motion, p, fixed, (start, end, stop), uniform, locked)
    steady = steadiness.steady
    judged = max(int((_JUDGED_S / (end - start)) ** 2), 1)
    tried = [
        [
            _Try.of(
                p,
                accents,
                beats - q,
                float(q),
                (start, end, stop),
                uniform,
                locked,
                stiffer,
                steady,
            )
            for q in shifts
        ]
        for stiffer in (_STIFFER if judged > 1 else _STIFFER[:1])
    ]
    # Of equal ones the first, whatever their rounding errors; the best of each stiffness in turn.
    ranked = [sorted(each, key=lambda t: -round(t.merit, 9)) for each in tried]
    candidates = [t for row in zip(*ranked, strict=True) for t in row if np.isfinite(t.merit)]
    _must_be_possible(candidates)
    candidates = candidates[:judged]
    warps = [_warp(motion, p, t.keys, (start, end, stop), uniform, locked) for t in candidates]
    if len(warps) > 1:
        scores = [
            score(_heard(_shown_accents(motion, p, accents, w), t.beats), t.beats)
            for w, t in zip(warps, candidates, strict=True)
        ]
        best = max(range(len(warps)), key=lambda k: round(scores[k], 9))
    else:
        best = 0
    part, keys, shift = warps[best], candidates[best].keys, candidates[best].shift
    plain_stop = stop if np.isfinite(stop) else start + (end - start) / uniform
    plain = TimeWarp([start, plain_stop], [start, end], loop=part.loop)
    without = plain if without is None else without
    if p.range is not None:
        part, plain, without = (
            w.within(motion.domain, p.range, ripple=p.ripple).looped(p.loop)
            for w in (part, plain, without)
        )
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
    return found, plain, without


def _must_have_accents(p: SyncParameters, accents: Accents, locked: Locked) -> None:
    if not len(accents) and not locked.keytimes and not locked.moments:
        raise InputError(
            Note(
                f"the motion has no accents of the kind {p.accents!r}",
                Remedy("choose another kind, or lock moments", parameter="accents"),
                code="no-accents",
            )
        )


@dataclass(frozen=True, eq=False)
class _Try:
    """Accents assigned to the beats at one phase."""

    keys: FloatArray
    beats: FloatArray
    shift: float
    merit: float
    """How close all accents come to beats, by straight lines through the assigned ones."""

    @classmethod
    def of(
        cls,
        p: SyncParameters,
        accents: Accents,
        beats: FloatArray,
        shift: float,
        span: tuple[float, float, float],
        uniform: float,
        locked: Locked,
        stiffer: float,
        steady: bool,
    ) -> _Try:
        """Assign accents; the merit of an assignment that is not possible is -infinity."""
        start, end, stop = span
        found = assign(
            accents,
            beats,
            ends=(start, start, stop, end),
            uniform=uniform,
            limits=(uniform * p.min_speed, uniform * p.max_speed),
            stiffness=p.stiffness * stiffer,
            locked=locked,
            steady=steady,
        )
        if not np.isfinite(found.cost):
            return cls(found.keys, beats, shift, -np.inf)
        tail = found.keys[-1] if len(found.keys) else np.array([start, start])
        last_key = [tail[0] + (end - tail[1]) / uniform, end]
        points = np.r_[[[start, start]], found.keys, [last_key]]
        shown = np.interp(accents.times, points[:, 1], points[:, 0])
        return cls(found.keys, beats, shift, score(_heard(shown, beats), beats))


def _must_be_possible(candidates: list[_Try]) -> None:
    if not candidates:
        raise InputError(
            Note(
                "the locked moments cannot be met within the limits of speed",
                Remedy("free one of them, or allow a faster speed", parameter="max_speed"),
                code="locked-too-close",
            )
        )


def _warp(
    motion: Motion,
    p: SyncParameters,
    keys: FloatArray,
    span: tuple[float, float, float],
    uniform: float,
    locked: Locked,
) -> TimeWarp:
    """Return the smoothest warp near the keys: exact at locked moments, within the limits."""
    start, end, stop = span
    if not np.isfinite(stop):
        tail = keys[-1] if len(keys) else np.array([start, start])
        # On a whole frame, so that the last interval is not shortened later.
        length = float(tail[0] + (end - tail[1]) / uniform) - start
        stop = start + max(whole_frames(length, motion.rate), 1) / motion.rate
    firm = np.isin(keys[:, 1], [*(s for _, s in locked.keytimes), *locked.moments])
    ends = (Key(start, start), Key(stop, end))
    weight = np.full(int((~firm).sum()), _FIT / max(p.tolerance, _LEAST_S) ** 2)
    terms = (
        Points(keys[~firm, 0], keys[~firm, 1], weight),
        Smooth(1.0),
        Pace(lambda t: np.full(len(t), 1 / uniform), lambda t: np.full(len(t), _EVEN)),
    )
    slowest, fastest = uniform * p.min_speed, uniform * p.max_speed
    locks = locked_spans(p.locked, (start, end))
    character = Character(
        (start, end),
        terms,
        (*ends, *(Key(float(o), float(s)) for o, s in keys[firm])),
        (Speed(start, end, slowest, fastest), *locks),
        p.loop and p.range is None,
    )
    problem = Problem((character,))
    try:
        output, source = solve(problem).curves[0]
    except Contradiction as contradiction:
        raise refusal(problem, contradiction, 1 / motion.rate) from None
    return TimeWarp(output, source, loop=character.loop)


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
    last = None if p.duration is None else start + p.duration
    inner = slice(1, None if last is None else -1)
    keytimes = tuple(keytime_points((start, end), last, p.keytimes)[inner])
    moments = tuple(sorted(map(float, p.moments)))
    for moment in moments:
        if not start < moment < end:
            raise InputError(
                "the locked moment {moment} is not inside the clip, {clip}",
                moment=Moment(moment),
                clip=Span(start, end),
            )
    return Locked(keytimes, moments)


def _speed(
    p: SyncParameters,
    steadiness: Steadiness,
    beats: FloatArray,
    span: tuple[float, float],
    rate: float,
) -> tuple[float, float]:
    """Return the uniform rate, and the last output time; NaN if that is free."""
    start, end = span
    fixed = p.duration
    if p.range is not None and not p.ripple and fixed is None:
        fixed = end - start
    if fixed is not None:
        if p.speed is not None and abs(p.speed * fixed - (end - start)) > 1e-6:
            raise InputError("give a speed or a duration, not both")
        uniform = (end - start) / fixed
        if not _SLOWEST <= uniform <= _FASTEST:
            least, most = (end - start) / _FASTEST, (end - start) / _SLOWEST
            raise InfeasibleError(
                "{length:.6g} would play the clip at {speed:.3g} times its speed; choose a {name} "
                "of {nearest:.3f}",
                length=Duration(fixed),
                speed=uniform,
                name=ParameterName("duration"),
                nearest=Duration(nearest(fixed, least, most, 1 / rate)),
            )
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
    scores = [score(m, beats) for m in moments]
    accents = scores
    if p.accents != "speed":
        shown = [_shown_accents(motion, p, found.accents, w) for w in (found.warp, uniform)]
        accents = [score(_heard(m, beats), beats) for m in shown]
    span = motion.domain if p.range is None else p.range
    rate = np.diff(found.warp.source) / np.diff(found.warp.output)
    middle = (found.warp.source[1:] + found.warp.source[:-1]) / 2
    rate = rate[(middle > span[0]) & (middle < span[1])] / found.uniform
    return replace(
        found,
        score=scores[0],
        uniform_score=scores[1],
        chance=chance(moments[1], beats),
        accent_scores=(accents[0], accents[1]),
        speeds=(float(rate.min()), float(rate.max())),
    )


def _heard(moments: FloatArray, beats: FloatArray) -> FloatArray:
    """Return the moments during the music."""
    step = float(np.median(np.diff(beats)))
    return np.asarray(moments[(moments > beats[0] - step) & (moments < beats[-1] + step)])
