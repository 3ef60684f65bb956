"""Another take as reference: the speed that it would have on this path (trial V6 of the paper).

Nearest poses do not tell it: the same pose and direction recur at very different speeds. The shape
of the path does: long straight strokes are fast, turns are slow. So speed is predicted from the
path by its arc length, which does not change with timing.

1. A Gaussian process learns the logarithm of the speed from the shape of the path around a moment,
   on the reference. The clip's own speed beyond that prediction is its wanted slowness, with noise.
2. A second one keeps what like strokes have in common, or what is short, and leaves out drift, the
   level of a take and noise. Folds of the reference, each predicted by the others, show what
   unchanged takes look like: a bias of the prediction is not corrected.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.methods.guided.features import Signals, interpolated
from retime.methods.guided.pace import Pace
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.notes import Note, Remedy
from retime.sentences import Duration

_RATE_HZ = 60.0
# Speed below which a moment is still, body heights per second.
_STILL = 0.05
# Lengths of path by which its shape is described, body heights.
_CHORDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
# Principal components and weights of which joints move, and of the pose.
_SHARES, _POSES = (4, 1.0), (8, 0.3)
# The first process: linear part and noise; its squared exponential has variance and length 1.
_LINEAR, _NOISE = 0.3, 0.5
# The second: deviation, and length in seconds or in log speed, of what is kept ...
_SHORT, _STROKES, _LEVEL = (0.08, 0.15), (0.6, 0.5), 0.05
# ... and of what is not.
_DRIFT, _TAKE, _WHITE, _BIAS = (0.15, 1.5), 0.06, 0.3, (0.3, 0.5)
# Certainty is the speed relative to the mean, to this power, and at least this.
_ACTIVITY, _LEAST = 2.0, 0.02
# Part of what a posterior mean shrinks is given back.
_GAIN = 2.25
_FOLDS = 4
# Certainty of the pace where the clip's own speed has 1: it is smooth already.
_CERTAIN = 100.0
# Most samples of the reference, and of the clip at once: the work grows with the cube.
_MOST_REFERENCE, _MOST_CLIP = 1800, 1200
# Overlap of parts of a long clip, samples.
_OVERLAP = 120
# Certainty of a prediction, relative to none, from which a moment is fully like the reference.
_LIKE = 0.5
# A shorter reference, one that explains less of the variance of its own speed, and one that less of
# the clip resembles, is doubtful.
_SHORT_REFERENCE_S, _EXPLAINED, _MOSTLY = 10.0, 0.3, 0.5


def pace_of_take(signals: Signals, domain: tuple[float, float], rate: float) -> Pace:
    """Return the pace of another take; ``rate`` is that of the reference signals."""
    start, end = domain
    count = max(round((end - start) * _RATE_HZ), 2) + 1
    times = np.linspace(start, end, count)
    poses = signals.curve.at(np.linspace(0, signals.curve.frames, count))
    clip = _Path.of(poses, (count - 1) / (end - start), signals.tall)
    reference = _joined([_reference_path(z, rate, signals.tall) for z in signals.references])
    seconds = sum((len(z) - 1) / rate for z in signals.references)
    basis = _Basis.of(reference, clip)
    known = _Prediction.of(basis.features(reference), reference)
    kept = np.zeros((count, 2))
    for first, last in _parts(count):
        part = clip.part(first, last)
        fade = np.clip(np.arange(last - first) / _OVERLAP, 0, 1) if first else np.ones(last)
        kept[first:last] *= 1 - fade[:, None]
        kept[first:last] += fade[:, None] * _kept(part, *known.at(basis.features(part)), known)
    log, likeness = kept.T
    notes = _told(seconds, known.explained, float(likeness.mean()))
    return Pace(times, np.exp(_GAIN * log), np.full(count, _CERTAIN), likeness, notes)


def _told(seconds: float, explained: float, alike: float) -> tuple[Note, ...]:
    figures: dict[str, Any] = {"percent": 100 * alike, "explained": max(100 * explained, 0)}
    told = (
        "{percent:.0f} % of the clip resembles the reference, where the shape of the path explains "
        "{explained:.0f} % of the speed"
    )
    if seconds >= _SHORT_REFERENCE_S and explained >= _EXPLAINED and alike >= _MOSTLY:
        return (Note(told, code="guided-evidence", share=alike, **figures),)
    return (
        Note(
            "the timing of this reference is uncertain: it lasts {seconds:.1f}; " + told,
            Remedy("use a longer reference of like actions", parameter="reference"),
            code="doubtful-reference",
            share=alike,
            seconds=Duration(seconds),
            **figures,
        ),
    )


@dataclass(frozen=True, eq=False)
class _Path:
    """The path of all joints through space, described by its own arc length."""

    speed: FloatArray
    """Body heights per second, root mean square of the joints (N,)."""
    chords: FloatArray
    """Straightness ahead, behind and across, over each length (N, 18)."""
    shares: FloatArray
    """Logarithm of each joint's share of the speed (N, J)."""
    poses: FloatArray
    """Poses in body heights (N, D)."""
    rate: float

    @classmethod
    def of(cls, poses: FloatArray, rate: float, tall: float) -> _Path:
        """Describe poses (N, D) at a rate."""
        y = poses / tall
        each = np.linalg.norm((np.gradient(y, axis=0) * rate).reshape(len(y), -1, 3), axis=2)
        speed = np.sqrt((each**2).mean(axis=1))
        step = np.sqrt(speed**2 + _STILL**2) / rate
        arc = np.r_[0.0, np.cumsum((step[1:] + step[:-1]) / 2)]
        y = y / np.sqrt(each.shape[1])
        chords, frames = [], np.arange(len(y))
        for length in _CHORDS:
            ahead, behind = (
                interpolated(y, np.interp(arc + away, arc, frames)) for away in (length, -length)
            )
            for far, near, size in (
                (ahead, behind, 2 * length),
                (ahead, y, length),
                (y, behind, length),
            ):
                chords.append(np.linalg.norm(far - near, axis=1) / size)
        shares = np.log(each / (speed[:, None] + _STILL) + 0.1)
        return cls(speed, np.array(chords).T, shares, y, rate)

    @property
    def log_speed(self) -> FloatArray:
        """Logarithm of the speed, with a floor."""
        return np.asarray(0.5 * np.log(self.speed**2 + _STILL**2))

    def part(self, first: int, last: int) -> _Path:
        """Return the samples from ``first`` up to, not including, ``last``."""
        k = slice(first, last)
        return _Path(self.speed[k], self.chords[k], self.shares[k], self.poses[k], self.rate)


def _reference_path(poses: FloatArray, rate: float, tall: float) -> _Path:
    """Describe a reference at 60 Hz."""
    seconds = (len(poses) - 1) / rate
    count = max(round(seconds * _RATE_HZ), 2) + 1
    place = np.linspace(0, len(poses) - 1, count)
    return _Path.of(PoseCurve(poses).at(place / FINE), (count - 1) / seconds, tall)


def _joined(paths: list[_Path]) -> _Path:
    """Join the paths of several references, thinned to a number of samples that can be solved."""
    every = max(int(np.ceil(sum(len(p.speed) for p in paths) / _MOST_REFERENCE)), 1)
    return _Path(
        np.concatenate([p.speed[::every] for p in paths]),
        np.concatenate([p.chords[::every] for p in paths]),
        np.concatenate([p.shares[::every] for p in paths]),
        np.concatenate([p.poses[::every] for p in paths]),
        _RATE_HZ / every,
    )


@dataclass(frozen=True, eq=False)
class _Basis:
    """Features of paths: chords, and principal components of shares and poses, scaled."""

    chord_mean: FloatArray
    chord_scale: FloatArray
    groups: tuple[tuple[FloatArray, FloatArray], ...]

    @classmethod
    def of(cls, one: _Path, other: _Path) -> _Basis:
        """Choose components from two paths together."""
        chords = np.r_[one.chords, other.chords]
        scale = (chords.std(axis=0) + 1e-9) * np.sqrt(chords.shape[1])
        groups = []
        for values, (count, weight) in (
            (np.r_[one.shares, other.shares], _SHARES),
            (np.r_[one.poses, other.poses], _POSES),
        ):
            mean = values.mean(axis=0)
            _, vectors = np.linalg.eigh((values - mean).T @ (values - mean))
            axes = vectors[:, ::-1][:, :count]
            size = np.sqrt((((values - mean) @ axes) ** 2).sum(axis=1).mean()) + 1e-9
            groups.append((mean, weight * axes / size))
        return cls(chords.mean(axis=0), scale, tuple(groups))

    def features(self, path: _Path) -> FloatArray:
        """Return the features (N, K) of a path."""
        parts = [(path.chords - self.chord_mean) / self.chord_scale]
        for values, (mean, axes) in zip((path.shares, path.poses), self.groups, strict=True):
            parts.append((values - mean) @ axes)
        return np.concatenate(parts, axis=1)


def _kernel(a: FloatArray, b: FloatArray) -> FloatArray:
    inner = a @ b.T
    apart = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * inner
    return np.asarray(np.exp(-np.maximum(apart, 0) / 2) + _LINEAR * inner)


@dataclass(frozen=True, eq=False)
class _Prediction:
    """The speed of a reference as a function of its path, and how well it predicts itself."""

    features: FloatArray
    mean: float
    weights: FloatArray
    """Of the samples of the reference (M,)."""
    inverse: FloatArray
    """Of their covariance (M, M)."""
    left_out: FloatArray
    """Log speed of each sample, predicted by the other folds (M,)."""
    log_speed: FloatArray
    speed: FloatArray
    rate: float

    @classmethod
    def of(cls, features: FloatArray, path: _Path) -> _Prediction:
        """Learn the log speed of a path from its features."""
        log, mean = path.log_speed, float(path.log_speed.mean())
        inner = _kernel(features, features)
        inverse: FloatArray = np.linalg.inv(inner + _NOISE * np.eye(len(log))).astype(float)
        weights = inverse @ (log - mean)
        count = len(log)
        fold = np.arange(count) * _FOLDS // count if count >= 60 * _FOLDS else np.zeros(count, int)
        left_out = np.full(count, mean)
        for k in range(int(fold.max()) + 1):
            out = fold == k
            # The prediction without a fold follows from the inverse of the whole (Rasmussen 5.4.2).
            block = inverse[np.ix_(out, out)]
            if fold.max():
                left_out[out] = log[out] - np.linalg.solve(block, weights[out])
        return cls(features, mean, weights, inverse, left_out, log, path.speed, path.rate)

    @property
    def explained(self) -> float:
        """Share of the variance of log speed that the other folds explain, by activity."""
        weight = (self.speed / self.speed.mean()) ** _ACTIVITY
        missed = (weight * (self.log_speed - self.left_out) ** 2).sum()
        mean = (weight * self.log_speed).sum() / weight.sum()
        return float(1 - missed / max((weight * (self.log_speed - mean) ** 2).sum(), 1e-12))

    def at(self, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return predicted log speeds (N,), and the covariance of what they miss (N, N)."""
        cross = _kernel(features, self.features)
        missed = _kernel(features, features) - cross @ self.inverse @ cross.T
        return self.mean + cross @ self.weights, missed


def _bell(a: FloatArray, b: FloatArray, size: float, width: float) -> FloatArray:
    return np.asarray(size**2 * np.exp(-((a[:, None] - b) ** 2) / (2 * width**2)))


def _kept(path: _Path, predicted: FloatArray, missed: FloatArray, known: _Prediction) -> FloatArray:
    """Return what is kept of a clip's speed beyond its prediction, and its likeness (N, 2).

    Errors of a prediction are common to like moments, so their covariance counts. A moment that is
    unlike the reference keeps its timing.
    """
    n = len(predicted)
    times, there = np.arange(n) / path.rate, np.arange(len(known.speed)) / known.rate
    strokes = _bell(predicted, predicted, *_STROKES)
    # The level is a term of its own.
    strokes = strokes - strokes.mean(0) - strokes.mean(1)[:, None] + strokes.mean()
    kept = _bell(times, times, *_SHORT) + strokes + _LEVEL**2
    every = np.r_[predicted, known.left_out]
    total = _bell(every, every, *_BIAS)  # shared with the reference, where it is not corrected
    total[:n, :n] += kept + _bell(times, times, *_DRIFT) + _TAKE**2
    total[n:, n:] += _bell(there, there, *_DRIFT) + _bell(there, there, *_SHORT)
    active = np.r_[path.speed / path.speed.mean(), known.speed / known.speed.mean()]
    sure = np.maximum(active**_ACTIVITY, _LEAST)
    total[:n, :n] += missed / np.sqrt(sure[:n, None] * sure[:n])
    noise = np.r_[np.zeros(n), np.full(len(known.speed), np.diag(missed).mean())]
    total[np.diag_indices(len(total))] += (_WHITE**2 + noise) / sure
    beyond = np.r_[path.log_speed - predicted, known.log_speed - known.left_out]
    likeness = np.clip((1 - np.diag(missed)) / _LIKE, 0, 1)
    log = likeness * (kept @ np.linalg.solve(total, beyond)[:n])
    return np.stack([log, likeness], axis=1)


def _parts(count: int) -> list[tuple[int, int]]:
    """Cut a long clip into parts that overlap."""
    if count <= _MOST_CLIP:
        return [(0, count)]
    pieces = int(np.ceil((count - _OVERLAP) / (_MOST_CLIP - _OVERLAP)))
    step = (count - _OVERLAP) / pieces
    ends = [round(k * step) for k in range(pieces + 1)]
    return [(a, b + _OVERLAP) for a, b in itertools.pairwise(ends)]
