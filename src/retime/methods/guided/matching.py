"""Match each moment of a clip with a moment of other poses that is like it, or with none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

# Half a window of poses that are compared, and its samples.
_WINDOW_S, _SAMPLES = 0.2, 5
# Scale of distances in the cost, body heights.
_SCALE = 0.06
# Cost of going on to any other moment, and of going on by another step than one where the two have
# one timing.
_JUMP, _DRIFT = 3.0, 0.5
# Steps by which a match may go on: 0 to 3, and more where the two differ in timing.
_STEPS, _MORE_STEPS = 4, 7
# Most cells of the search; longer clips are matched at a lower rate.
_MOST_CELLS = 6_000_000
RATE_HZ = 60.0


@dataclass(frozen=True, eq=False)
class Match:
    """The moment of the other poses that each moment of a clip is matched with."""

    place: npt.NDArray[np.int64]
    """Number of the other frame, -1 for none (N,)."""
    distance: FloatArray
    """Distance to it in body heights, infinite for none (N,)."""


def rate_for(frames: int, others: int) -> float:
    """Return the rate at which two clips, of these numbers of frames at 60 Hz, are matched."""
    return RATE_HZ * min(1.0, float(np.sqrt(_MOST_CELLS / max(frames * others, 1))))


def windows(poses: FloatArray, rate: float) -> FloatArray:
    """Return the poses (N, D) around each frame, side by side (N, 5 D); ends are extended."""
    offsets = np.round(np.linspace(-_WINDOW_S, _WINDOW_S, _SAMPLES) * rate).astype(int)
    frames = np.clip(np.arange(len(poses))[:, None] + offsets, 0, len(poses) - 1)
    return np.asarray(poses[frames].reshape(len(poses), -1))


def match(
    clip: FloatArray, other: FloatArray, *, tall: float, similarity: float, one_timing: bool = True
) -> Match:
    """Match frames (N, D) with other frames (M, D), or with none, by the path of least cost.

    The cost of a frame is the mean squared distance of joints, and that of none is the square of
    the similarity, both in body heights. With ``one_timing`` a match goes on frame by frame.
    """
    squares = (clip**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * clip @ other.T
    squares = np.maximum(squares, 0.0) / (clip.shape[1] / 3) / tall**2
    costs = np.c_[squares / _SCALE**2, np.full(len(clip), (similarity / _SCALE) ** 2)]
    path = _cheapest(costs, *((_STEPS, _DRIFT) if one_timing else (_MORE_STEPS, 0.0)))
    none = path == len(other)
    distance = np.sqrt(squares[np.arange(len(clip)), np.where(none, 0, path)])
    return Match(np.where(none, -1, path), np.where(none, np.inf, distance))


def _cheapest(costs: FloatArray, steps: int, drift: float) -> npt.NDArray[np.int64]:
    """Return the state (N,) of each frame on the path of least cost; the last state is "none"."""
    count, states = costs.shape
    best = costs[0].copy()
    origin = np.zeros((count, states), np.int32)
    here = np.arange(states)
    for i in range(1, count):
        least = int(best.argmin())
        value, back = np.full(states, best[least] + _JUMP), np.full(states, least)
        for step in range(steps):
            moved = best[: states - 1 - step] + drift * (step - 1) ** 2
            to = slice(step, states - 1)
            better = moved < value[to]
            value[to] = np.where(better, moved, value[to])
            back[to] = np.where(better, here[: states - 1 - step], back[to])
        if best[-1] < value[-1]:
            value[-1], back[-1] = best[-1], states - 1
        best, origin[i] = value + costs[i], back
    path = np.empty(count, np.int64)
    path[-1] = best.argmin()
    for i in range(count - 1, 0, -1):
        path[i - 1] = origin[i, path[i]]
    return path
