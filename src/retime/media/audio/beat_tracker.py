"""Track the beats of a song: the steadiest pulse that explains the rises of its sound.

1. Activation: the rise of log energy in bands between frames of 10 ms.
2. Beats: a hidden Markov model of tempo and place in the beat (as in Böck, Krebs and Widmer 2016)
   finds the likeliest chain; its tempo may change from beat to beat.
3. Fine times: each beat moves to the steepest rise of energy within 30 ms.
4. A pulse that random sound has too is none: beats are refused, not guessed.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.errors import InputError
from retime.media.audio.song import Song
from retime.notes import Note, Remedy
from retime.numeric import Peaks, gaussian_filter, moving_maximum, moving_mean

# Frames per second of the activation.
FPS = 100
_WINDOW = 1024
_BANDS = 40
_LOWEST, _HIGHEST = 30.0, 9000.0
# Range of tracked tempi, beats per minute.
_SLOWEST, _FASTEST = 55.0, 215.0
# Most likely tempo, its spread in octaves, and its weight per beat.
_USUAL, _SPREAD, _PRIOR = 118.0, 0.7, 0.35
# Penalty on a change of tempo between beats; frames at the start of a beat that count as on it, and
# relative probability of frames off the beat.
_STEADY, _ON, _OFF = 100.0, 4, 11.0
# Where every other beat is weaker than this share of its neighbours, beats are counted double.
_WEAK = 0.5
# The window enters a sound before its middle does: the rise is seen this much early, seconds.
_EARLY = 0.010
_FINE = 0.03
# An activation whose pulse is weaker than this is that of noise; windows of it in seconds.
_PULSE, _PULSE_WINDOW = 0.28, 6
# Below this mean power there is silence.
_SILENCE = 1e-7
# Downbeats must stand out by this much, in standard errors.
_CLEAR = 4.0


@dataclass(frozen=True, eq=False)
class TrackedBeats:
    """Beats of a song."""

    beats: FloatArray
    """Seconds, rising. Shape (B,)."""
    downbeats: FloatArray
    """First beats of bars; empty if they are not clear."""
    onsets: FloatArray
    """Moments at which something starts to sound, seconds."""
    pulse: float
    """How strong the pulse is, 0 to 1."""


def track_beats(song: Song, *, bpm: float | None = None) -> TrackedBeats:
    """Find the beats of a song.

    Parameters
    ----------
    song : Song
        The sound.
    bpm : float, optional
        Its tempo, if that is known; then only the phase is looked for.
    """
    if song.duration < 2:
        raise InputError(f"the song lasts {song.duration:.2g} s; beats are found in 2 s or more")
    if float(np.mean(np.square(song.samples, dtype=np.float64))) < _SILENCE:
        raise InputError(_refused("the song is silent"))
    levels = band_levels(song)
    rise = activation(levels)
    pulse = _pulse(rise)
    if bpm is None and pulse < _PULSE:
        raise InputError(_refused("no steady beat was found in the song"))
    strong = _normal(rise)
    periods = np.arange(round(60 * FPS / _FASTEST), round(60 * FPS / _SLOWEST) + 1)
    if bpm is not None:
        exact = 60 * FPS / bpm
        periods = np.unique([int(np.floor(exact)), int(np.ceil(exact))])
    frames = _path(strong, periods)
    if bpm is None:
        frames = _counted_once(frames, levels)
    beats = _fine(song, frames / FPS + _EARLY)
    return TrackedBeats(beats, _downbeats(beats, levels), _onsets(rise), pulse)


def band_levels(song: Song) -> FloatArray:
    """Return the level of each band in each frame, (F, bands); 1 is loud."""
    hop = song.rate / FPS
    count = int(len(song.samples) / hop) + 1
    padded = np.pad(song.samples, (_WINDOW // 2, _WINDOW))
    window = np.hanning(_WINDOW + 1)[:-1].astype(np.float32)
    bands = _filters(song.rate)
    levels = np.empty((count, _BANDS))
    starts = np.rint(np.arange(count) * hop).astype(int)
    for first in range(0, count, 4096):
        part = starts[first : first + 4096, None] + np.arange(_WINDOW)
        power = np.abs(np.fft.rfft(padded[part] * window, axis=1)).astype(np.float32)
        levels[first : first + 4096] = power @ bands
    return levels / max(float(np.percentile(levels, 99)), 1e-9)


def activation(levels: FloatArray, compression: float = 100.0) -> FloatArray:
    """Return the rise of sound per frame, (F,); with more compression, soft sounds count more."""
    compressed = np.log1p(compression * levels)
    rise = np.maximum(np.diff(compressed, axis=0, prepend=compressed[:1]), 0)
    return np.asarray(rise.sum(axis=1))


def _filters(rate: int) -> npt.NDArray[np.float32]:
    """Triangles on a log scale, (bins, bands)."""
    edges = np.geomspace(_LOWEST, min(_HIGHEST, rate / 2.1), _BANDS + 2)
    bins = np.fft.rfftfreq(_WINDOW, 1 / rate)[:, None]
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    wide = np.maximum(middle - left, rate / _WINDOW), np.maximum(right - middle, rate / _WINDOW)
    shape = np.maximum(np.minimum((bins - middle) / wide[0] + 1, (middle - bins) / wide[1] + 1), 0)
    return np.asarray(shape / np.maximum(shape.sum(axis=0), 1e-9), dtype=np.float32)


def _normal(rise: FloatArray) -> FloatArray:
    """Normalise an activation to 0..1, relative to its surroundings."""
    sharp = gaussian_filter(rise, 1.0)
    over = np.maximum(sharp - moving_mean(sharp, FPS // 2), 0)
    most = gaussian_filter(moving_maximum(over, 4 * FPS), 2 * FPS)
    out: FloatArray = over / np.maximum(most, 0.05 * max(float(over.max()), 1e-12))
    return np.clip(out, 0, 1)


def _path(strong: FloatArray, periods: npt.NDArray[Any]) -> FloatArray:
    on = np.log(0.02 + 0.98 * strong)
    off = np.log((0.02 + 0.98 * (1 - strong)) / _OFF)
    ratio = periods[None, :] / periods[:, None]
    change = -_STEADY * np.abs(ratio - 1)
    change -= np.log(np.exp(change).sum(axis=1, keepdims=True))
    octaves = np.log2(60 * FPS / periods / _USUAL)
    prior = -_PRIOR * (octaves / _SPREAD) ** 2
    frames = _native.beats.beat_path(on, off, periods.astype(np.int64), change, prior, _ON)
    # Rises last for about as long as what counts as on a beat: its middle is the beat.
    return np.asarray(frames, dtype=float) + (_ON - 1) / 2


def _counted_once(frames: FloatArray, levels: FloatArray) -> FloatArray:
    """Drop every other beat if only soft sounds, such as hi-hats, are on them."""
    rise = activation(levels, 3.0)
    at = np.array([rise[max(int(f) - 3, 0) : int(f) + 5].max(initial=0.0) for f in frames])
    if len(at) < 8 or 2 * np.median(np.diff(frames)) > 60 * FPS / _SLOWEST:
        return frames
    even, odd = float(np.median(at[::2])), float(np.median(at[1::2]))
    if min(even, odd) >= _WEAK * max(even, odd):
        return frames
    return frames[::2] if even > odd else frames[1::2]


def _fine(song: Song, beats: FloatArray) -> FloatArray:
    """Move beats to the steepest rise of energy within 30 ms, if there is one."""
    hop = max(song.rate // 1000, 1)
    samples = song.samples[: len(song.samples) // hop * hop].astype(float)
    energy = np.sqrt(np.square(samples).reshape(-1, hop).mean(axis=1))
    rate = song.rate / hop
    level = gaussian_filter(np.log(energy + 1e-3 * max(float(energy.max()), 1e-9)), 0.003 * rate)
    rise = np.gradient(level) * rate
    reach = round(_FINE * rate)
    moved = beats.copy()
    for k, beat in enumerate(beats):
        middle = round(beat * rate)
        first, past = max(middle - reach, 0), min(middle + reach + 1, len(rise))
        if past - first < 3:
            continue
        at = first + int(rise[first:past].argmax())
        if rise[at] > 5.0:
            moved[k] = (at + 0.5) / rate
    # Moved beats may not overtake each other.
    return np.maximum(np.maximum.accumulate(moved), 0.0)


def _onsets(rise: FloatArray) -> FloatArray:
    strong = _normal(rise)
    at = Peaks.of(strong, least=0.15).apart(round(0.05 * FPS)).frames
    return np.asarray(at / FPS + _EARLY)


def _pulse(rise: FloatArray) -> float:
    """Return how periodic an activation is: its autocorrelation at the best beat and two beats."""
    strong = _normal(rise)
    size = _PULSE_WINDOW * FPS
    starts = range(0, max(len(strong) - size, 0) + 1, size // 2)
    return float(np.mean([_periodic(strong[a : a + size]) for a in starts]))


def _periodic(strong: FloatArray) -> float:
    strong = strong - strong.mean()
    size = 1 << (2 * len(strong)).bit_length()
    own = np.fft.irfft(np.abs(np.fft.rfft(strong, size)) ** 2)[: len(strong)]
    if own[0] <= 0:
        return 0.0
    own = own / np.arange(len(strong), 0, -1) / (own[0] / len(strong))
    best = 0.0
    for period in range(round(60 * FPS / _FASTEST), round(60 * FPS / _SLOWEST) + 1):
        places = [k * period for k in (1, 2, 3, 4)]
        near = [own[max(q - 2, 0) : q + 3].max() for q in places if q + 3 < 0.7 * len(own)]
        if len(near) >= 2:
            best = max(best, float(np.mean(near)))
    return best


def _downbeats(beats: FloatArray, levels: FloatArray) -> FloatArray:
    """Find the first beats of bars by bass and changes of harmony; none if they are not clear."""
    if len(beats) < 12:
        return np.zeros(0)
    weight = _emphasis(beats, levels)
    places = [(meter, phase) for meter in (4, 3) for phase in range(meter)]
    clear = [_clearness(weight, meter, phase) for meter, phase in places]
    best = int(np.argmax(clear))
    if clear[best] < _CLEAR:
        return np.zeros(0)
    meter, phase = places[best]
    return beats[phase::meter]


def _emphasis(beats: FloatArray, levels: FloatArray) -> FloatArray:
    """Return how much bass and new harmony each beat has, in standard deviations."""
    frames = np.clip(np.rint(beats * FPS).astype(int), 0, len(levels) - 1)
    bass = levels[:, : _BANDS // 5].sum(axis=1)
    tones = [levels[a : max(b, a + 1)].mean(axis=0) for a, b in itertools.pairwise(frames)]
    tones = [np.log1p(100 * t[: _BANDS // 2]) for t in [*tones, tones[-1]]]
    new = np.array([np.linalg.norm(b - a) for a, b in zip([tones[0], *tones], tones, strict=False)])
    low = np.array([bass[max(f - 2, 0) : f + 8].max() for f in frames])
    parts: list[FloatArray] = [(at - at.mean()) / max(float(at.std()), 1e-9) for at in (low, new)]
    return parts[0] + parts[1]


def _clearness(weight: FloatArray, meter: int, phase: int) -> float:
    """Return how clearly the beats at a phase stand out, in standard errors; 0 if they do not."""
    first = weight[phase::meter]
    others = np.delete(weight, np.arange(phase, len(weight), meter))
    error = np.sqrt(first.var() / len(first) + others.var() / len(others)) + 0.05
    # They must also exceed the strongest other place of the bar.
    rivals = [float(weight[q::meter].mean()) for q in range(meter) if q != phase]
    if first.mean() - max(rivals) <= 0.3:
        return 0.0
    return float((first.mean() - others.mean()) / error)


def _refused(fact: str) -> Note:
    return Note(fact, Remedy("give its tempo or a file of beats", parameter="bpm"), code="no-beats")
