"""Feasible regions as half-planes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics.search.objective import Baked

# Least width of a region.
_HAIR = 1e-6

Index = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Walls:
    """Regions as half-planes n z <= d: normals (E, 2) and offsets (E,) of all nodes."""

    starts: Index
    normals: FloatArray
    offsets: FloatArray
    corner_starts: Index
    corners: FloatArray
    middles: FloatArray

    @classmethod
    def of(cls, baked: Baked) -> Walls:
        """Make half-planes from the corners of regions."""
        starts, corners = _with_room(baked.starts, baked.corners)
        sizes = np.diff(starts)
        node = np.repeat(np.arange(len(sizes)), sizes)
        edge = corners[_following(starts)] - corners
        length = np.hypot(*edge.T)
        kept = length > 1e-12
        normals = np.stack([edge[:, 1], -edge[:, 0]], axis=1)[kept] / length[kept, None]
        offsets = np.einsum("ei,ei->e", normals, corners[kept]) + 1e-12
        counts = np.bincount(node[kept], minlength=len(sizes))
        sums = np.stack([np.bincount(node, c, len(sizes)) for c in corners.T], axis=1)
        middles: FloatArray = sums / np.maximum(sizes, 1)[:, None]
        return cls(np.r_[0, np.cumsum(counts)], normals, offsets, starts, corners, middles)


def _following(starts: Index) -> Index:
    """Return the next corner around the region of each corner."""
    out = np.arange(1, int(starts[-1]) + 1)
    some = np.diff(starts) > 0
    out[starts[1:][some] - 1] = starts[:-1][some]
    return out


def _with_room(starts: Index, corners: FloatArray) -> tuple[Index, FloatArray]:
    """Widen regions that are points or lines."""
    sizes = np.diff(starts)
    node = np.repeat(np.arange(len(sizes)), sizes)
    after = corners[_following(starts)]
    area = np.bincount(node, corners[:, 0] * after[:, 1] - after[:, 0] * corners[:, 1], len(sizes))
    around = np.bincount(node, np.abs(after - corners).sum(axis=1), len(sizes))
    thin = np.flatnonzero((sizes > 0) & (area <= _HAIR * np.maximum(around, _HAIR)))
    if not len(thin):
        return starts, corners
    parts = [corners[a:b] for a, b in itertools.pairwise(starts)]
    for k in thin:
        parts[k] = _widened(parts[k])
    return np.r_[0, np.cumsum([len(p) for p in parts])], np.concatenate(parts)


def _widened(corners: FloatArray) -> FloatArray:
    """Return a thin rectangle around a point or a line, counterclockwise."""
    middle = corners.mean(axis=0)
    way = corners[int(np.argmax(np.abs(corners - middle).sum(axis=1)))] - middle
    size = float(np.hypot(*way))
    along = way / size if size > 0 else np.array([1.0, 0.0])
    reach = (corners - middle) @ along
    side = np.array([-along[1], along[0]])
    low, high = float(reach.min()) - _HAIR, float(reach.max()) + _HAIR
    out: FloatArray = middle + np.array(
        [low * along - _HAIR * side, high * along - _HAIR * side,
         high * along + _HAIR * side, low * along + _HAIR * side]
    )  # fmt: skip
    return out
