"""Find accents: moments of a motion that stand out, such as stops and landings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import find_contacts
from retime.methods.music.tracks import RATE, Tracks, tracks_of
from retime.motion import Motion
from retime.motion.memory import memory
from retime.numeric import Peaks, gaussian_filter

Kind = Literal["speed", "stops", "strikes", "landings", "mixed"]
SINGLE: tuple[Kind, ...] = ("speed", "stops", "strikes", "landings")

# Smoothing of speeds, in frames at 60 Hz: for accents, and by the definition of the score.
_SMOOTH, SCORE_SMOOTH = 3.0, 5.0
# Speeds below this share of the mean speed, and minima less deep, are rounding: a body that holds a
# pose would otherwise have a beat in every few frames, or one at a random time.
_ROUNDING = 1e-3
# Least prominence of an accent, relative to the mean speed.
_PROMINENT = 0.05
# Largest speed of a limb that stops, relative to the peak before it; least peak of a stroke, m/s.
_STOPPED, _STROKE = 0.35, 0.4
# A slower limb rests, m/s. Where its speed is lowest during a rest is noise of the recording.
_RESTING = 0.02
# Number of frames on either side over which a strike changes the velocity.
_STRIKE_REACH = 6
_STRUCK = 0.1
# Closer events of several limbs are one accent, seconds.
_TOGETHER = 0.08
# Longest time between the contacts of heel and ball in one step, seconds.
_ONE_STEP = 0.2
# Margin at the ends of the clip without accents, seconds.
_MARGIN = 0.15


@dataclass(frozen=True, eq=False)
class Accents:
    """Moments of a motion that stand out."""

    times: FloatArray
    """Increasing times, seconds. Shape (N,)."""
    weights: FloatArray
    """Strengths from 0.25 to 3, with mean 1. Shape (N,)."""

    def __len__(self) -> int:
        return len(self.times)

    def between(self, start: float, end: float) -> Accents:
        """Return the accents of a part of the clip."""
        inside = (self.times > start) & (self.times < end)
        return Accents(self.times[inside], self.weights[inside])


def find_accents(motion: Motion, kind: Kind = "speed") -> Accents:
    """Find the accents of a motion.

    Parameters
    ----------
    motion : Motion
        The clip.
    kind : {"speed", "stops", "strikes", "landings", "mixed"}
        Minima of body speed; limbs that stop; limbs that turn or strike; foot landings; or all of
        them.

    Examples
    --------
    >>> from retime import samples
    >>> landings = find_accents(samples.jump(), "landings")
    >>> bool(1.5 < landings.times[0] < 2.5)
    True
    """
    known = memory(motion, "accents")
    if kind not in known:
        known[kind] = _mixed(motion) if kind == "mixed" else _single(motion, kind)
    found: Accents = known[kind]
    return found


def accents_of(tracks: Tracks, kind: Kind) -> Accents:
    """Find accents of one kind, other than landings, in tracks."""
    if kind == "speed":
        found = speed_minima(tracks, _SMOOTH, _PROMINENT)
    elif kind == "stops":
        found = _stops(tracks)
    else:
        found = _strikes(tracks)
    return _weighted(*found, tracks.times[0], tracks.times[-1])


def speed_minima(
    tracks: Tracks, smooth: float = SCORE_SMOOTH, least: float = _ROUNDING
) -> tuple[FloatArray, FloatArray]:
    """Find the minima of the mean joint speed and their depth in mean speeds."""
    steps = np.linalg.norm(np.diff(tracks.points, axis=0), axis=2)
    speed = gaussian_filter(steps.mean(axis=1) * RATE, smooth)
    still = _ROUNDING * float(speed.mean())
    at, depth = _peaks(-np.maximum(speed, still), least * float(speed.mean()))
    # Steps are between frames.
    return tracks.times[0] + (at + 0.5) / RATE, depth / max(float(speed.mean()), 1e-9)


def _single(motion: Motion, kind: Kind) -> Accents:
    if kind == "landings":
        return _landings(motion)
    return accents_of(tracks_of(motion), kind)


def _mixed(motion: Motion) -> Accents:
    found = [find_accents(motion, kind) for kind in SINGLE]
    times = np.concatenate([f.times for f in found])
    weights = np.concatenate([f.weights for f in found])
    return _weighted(*_merged(times, weights), *motion.domain, root=False)


def _stops(tracks: Tracks) -> tuple[FloatArray, FloatArray]:
    """Find limbs that come to a stop after a stroke."""
    times, weights = [], []
    for joint in tracks.ends:
        place = tracks.points[:, joint]
        speed = gaussian_filter(np.linalg.norm(np.gradient(place, 1 / RATE, axis=0), axis=1), 2)
        for frame in _arrivals(speed):
            k = round(frame)
            peak = float(speed[max(k - int(RATE / 2), 0) : k + 1].max())
            if peak > _STROKE and speed[k] < _STOPPED * peak:
                times.append(tracks.times[0] + frame / RATE)
                weights.append((peak - speed[k]) / (float(speed.mean()) + 0.05))
    return _merged(np.array(times), np.array(weights))


def _arrivals(speed: FloatArray) -> FloatArray:
    """Return where a speed is least, or a rest begins, in fractions of samples."""
    at, _ = _peaks(-speed, _PROMINENT * float(speed.mean()))
    moving = at[speed[np.round(at).astype(int)] > _RESTING]
    rests = speed <= _RESTING
    before = np.flatnonzero(rests[1:] & ~rests[:-1])
    fall = speed[before] - speed[before + 1]
    return np.asarray(np.r_[moving, before + (speed[before] - _RESTING) / fall])


def _strikes(tracks: Tracks) -> tuple[FloatArray, FloatArray]:
    """Find moments at which limbs change their velocity most, by turning, hitting or stopping."""
    reach = _STRIKE_REACH
    change = np.zeros(len(tracks.times))
    for joint in tracks.ends:
        velocity = np.gradient(tracks.points[:, joint], 1 / RATE, axis=0)
        velocity = gaussian_filter(velocity, 2)
        turned = np.linalg.norm(velocity[2 * reach :] - velocity[: -2 * reach], axis=1)
        mean = float(np.linalg.norm(velocity, axis=1).mean()) + 0.05
        change[reach : len(change) - reach] += turned / mean / len(tracks.ends)
    at, high = _peaks(gaussian_filter(change, _SMOOTH), _STRUCK)
    return tracks.times[0] + at / RATE, high


def _landings(motion: Motion) -> Accents:
    """Find landings of feet: the first contacts of heel or ball."""
    by_foot: dict[str, list[float]] = {}
    for contact in find_contacts(motion).contacts:
        if contact.point.endswith(("_heel", "_ball", "_toe", "_end")):
            by_foot.setdefault(contact.point.partition("_")[0], []).append(contact.start)
    times = [moment for starts in by_foot.values() for moment in _steps(sorted(starts))]
    return _weighted(*_merged(np.array(times), np.ones(len(times))), *motion.domain)


def _steps(starts: list[float]) -> list[float]:
    """Return the first contact of each step of a foot."""
    out: list[float] = []
    for moment in starts:
        if not out or moment - out[-1] > _ONE_STEP:
            out.append(moment)
    return out


def _peaks(values: FloatArray, least: float) -> tuple[FloatArray, FloatArray]:
    """Return the positions of peaks in fractions of samples, and their prominence in a second."""
    # Longer rests are not accents.
    peaks = Peaks.of(values, longest=RATE / 2)
    at, high = peaks.frames, peaks.prominences(int(RATE) // 2)
    if not len(at):
        return np.zeros(0), np.zeros(0)
    at, high = at[high >= least], high[high >= least]
    before, here, after = values[at - 1], values[at], values[at + 1]
    bend = before - 2 * here + after
    shift = np.where(np.abs(bend) > 1e-12, 0.5 * (before - after) / np.minimum(bend, -1e-12), 0.0)
    return at + np.clip(shift, -0.5, 0.5), high


def _merged(times: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Merge events that are too close to distinguish, the strongest first."""
    left = np.ones(len(times), dtype=bool)
    found = []
    for k in np.argsort(-weights, kind="stable"):
        if not left[k]:
            continue
        near = left & (np.abs(times - times[k]) <= _TOGETHER)
        left &= ~near
        total = float(weights[near].sum())
        found.append((float((times[near] * weights[near]).sum() / max(total, 1e-12)), total))
    found.sort()
    out = np.array(found).reshape(-1, 2)
    return out[:, 0], out[:, 1]


def _weighted(
    times: FloatArray, weights: FloatArray, start: float, end: float, *, root: bool = True
) -> Accents:
    """Return accents with weights of mean 1; with ``root``, of the square roots."""
    inside = (times > start + _MARGIN) & (times < end - _MARGIN)
    times, weights = times[inside], weights[inside]
    if not len(times):
        return Accents(times, weights)
    weights = np.sqrt(weights) if root else weights
    return Accents(times, np.clip(weights / max(float(weights.mean()), 1e-12), 0.25, 3.0))
