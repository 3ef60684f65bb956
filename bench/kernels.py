"""Compiled kernels beside the same in numpy, a joint or a column at a time.

The ratio of the first measurement is recorded with each: a kernel that falls far below it has
become slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from bench.timing import Figure, in_turns
from retime import _native, quat, samples
from retime.arrays import FloatArray
from retime.numeric import Peaks, gaussian_filter, solve_banded

_FRAMES, _JOINTS = 1200, 31


def figures() -> Iterator[Figure]:
    for what, recorded, ours, theirs in _pairs():
        taken = in_turns(ours, theirs)
        yield Figure(f"{what} (recorded: {recorded:.1f} x)", taken[0], "numpy", taken[1])


def _pairs() -> Iterator[tuple[str, float, Callable[[], object], Callable[[], object]]]:
    motion = samples.chain(_JOINTS, duration=_FRAMES / 120, fps=120.0)
    parents = np.asarray(motion.skeleton.parents, dtype=np.int64)
    turns = np.ascontiguousarray(motion.rotations)
    one = np.array([1.0, 0.0, 0.0, 0.0])
    yield (
        "rotations along chains",
        4.5,
        lambda: _native.motion.chain_rotations(parents, turns, one),
        lambda: _chained(parents, turns),
    )
    frames = np.linspace(0, len(turns) - 2, _FRAMES)
    frame = np.repeat(frames.astype(np.int64)[:, None], _JOINTS, axis=1)
    share = np.repeat((frames % 1)[:, None], _JOINTS, axis=1)
    column = np.arange(_JOINTS)
    yield (
        "resampling of rotations",
        95.0,
        lambda: _native.motion.resample_rotations(turns, frame, share, column),
        lambda: quat.slerp(turns[frame, column], turns[frame + 1, column], share),
    )
    signals = np.random.default_rng(1).normal(size=(_FRAMES, 3 * _JOINTS))
    weights = np.exp(-0.5 * (np.arange(-20, 21) / 5.0) ** 2)
    weights /= weights.sum()
    yield (
        "a Gaussian filter",
        5.5,
        lambda: gaussian_filter(signals, 5.0, ends="nearest"),
        lambda: [np.convolve(np.pad(c, 20, mode="edge"), weights, "valid") for c in signals.T],
    )
    bands = np.array([[1.0], [-4.0], [6.5]]) * np.ones((3, _FRAMES))
    yield (
        "a banded system",
        160.0,
        lambda: solve_banded(bands, signals[:, :3]),
        lambda: _eliminated(bands, signals[:, :3]),
    )
    yield (
        "peaks and prominences",
        230.0,
        lambda: Peaks.of(signals[:, 0]).prominences(30),
        lambda: _prominences(signals[:, 0], 30),
    )


def _chained(parents: npt.NDArray[np.int64], turns: FloatArray) -> FloatArray:
    out = turns.copy()
    for j, parent in enumerate(parents.tolist()):
        if parent >= 0:
            out[:, j] = quat.multiply(out[:, parent], turns[:, j])
    return out


def _eliminated(bands: FloatArray, right: FloatArray) -> FloatArray:
    """Solve a system of five diagonals, a row at a time."""
    rows, out = bands.copy(), right.copy()
    count = len(out)
    for k in range(count):
        for below in range(1, min(3, count - k)):
            factor = rows[2 - below, k + below] / rows[2, k]
            for other in range(below, min(3, count - k)):
                rows[2 - other + below, k + other] -= factor * rows[2 - other, k + other]
            out[k + below] -= factor * out[k]
    for k in range(count - 1, -1, -1):
        for after in range(1, min(3, count - k)):
            out[k] -= rows[2 - after, k + after] * out[k + after]
        out[k] /= rows[2, k]
    return out


def _prominences(signal: FloatArray, reach: int) -> list[float]:
    out = []
    inner = signal[1:-1]
    for k in np.flatnonzero((inner > signal[:-2]) & (inner > signal[2:])) + 1:
        sides = signal[max(k - reach, 0) : k + 1][::-1], signal[k : k + reach + 1]
        higher = (np.append(side > signal[k], True).argmax() for side in sides)
        bases = [side[:end].min() for side, end in zip(sides, higher, strict=True)]
        out.append(float(signal[k] - max(bases)))
    return out
