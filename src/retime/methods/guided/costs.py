"""Scores of candidate timings: the distance of triples of frames from those of the reference.

The feature of a triple (eq. 2) is linear in its three poses, so its squared distance to a reference
frame splits into a term for each pose and additions. The reference's feature is linear in three
poses too, so the terms of all frames come from one matrix product, of reference and input poses.
That is exact, and reduces the nearest-neighbour search to a running minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError

Precision = Literal["double", "single"]

# Reference frames a block, and pairs of input and reference frames: their terms stay in the cache.
_REFERENCES, _PAIRS = 512, 1 << 17
# Number of products in memory while a signal is scored, and number of frame pairs above which they
# are in single precision.
_SCORED, _MANY = 1 << 21, 1 << 23
# Distance of references that pad a block to a multiple of four.
_FAR = 1e29


@dataclass(frozen=True)
class FeatureWeights:
    """Weights of pose, central difference and second difference, which make all of them metres.

    A feature is [y, tau y', tau^2 y''] with one time constant tau.
    """

    pose: float
    speed: float
    bend: float

    @classmethod
    def of(cls, tau: float, step: float) -> FeatureWeights:
        """Return the weights for a time constant and the time between frames, seconds."""
        return cls(1.0, tau / (2 * step), tau**2 / step**2)

    @property
    def squares(self) -> FloatArray:
        """Squared weights of pose, velocity and acceleration."""
        return np.array([self.pose, self.speed, self.bend]) ** 2

    def features(self, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
        """Return the features (..., 3 D) of triples of poses (..., D)."""
        parts = (self.pose * b, self.speed * (c - a), self.bend * (c - 2 * b + a))
        return np.concatenate(parts, axis=-1)


def reference_features(references: Sequence[FloatArray], weights: FeatureWeights) -> FloatArray:
    """Return the features (R, 3 D) of all inner frames of reference signals (F, D)."""
    return np.concatenate([weights.features(z[:-2], z[1:-1], z[2:]) for z in references])


@dataclass(frozen=True, eq=False)
class ReferenceFrames:
    """Concatenated reference signals, and the terms of features that do not depend on the input."""

    shown: FloatArray
    """All frames, less ``centre``: small numbers keep more digits. Shape (F, D)."""
    centre: FloatArray
    """Mean of all frames. Shape (D,)."""
    middle: npt.NDArray[np.int64]
    """The middle frame of each reference triple, the last repeated to fill a four. Shape (Q,)."""
    changes: FloatArray
    """Squared norms of the features' velocity and acceleration. Shape (Q,)."""
    count: int
    """Number of triples."""
    weights: FeatureWeights
    """Weights of the features."""

    @classmethod
    def of(cls, references: Sequence[FloatArray], weights: FeatureWeights) -> ReferenceFrames:
        """Concatenate signals (F, D); triples do not extend from one to the next."""
        from retime.methods.guided.cost_kernels import change_norms

        count = sum(max(len(z) - 2, 0) for z in references)
        shown = np.ascontiguousarray(np.concatenate(references), np.float64)
        centre = shown.mean(axis=0)
        shown -= centre
        middle = _middles(references, count) if count else np.empty(0, np.int64)
        changes = np.empty(len(middle))
        change_norms(shown, middle, weights.squares, changes)
        return cls(shown, centre, middle, changes, count, weights)

    def must_offer(self, neighbours: int) -> None:
        """Raise an error if there are fewer frames than neighbours."""
        if self.count < neighbours:
            raise InputError(
                f"the reference has {self.count} frames to compare with; {neighbours} neighbours "
                f"need at least {neighbours + 2} frames of it"
            )

    @cached_property
    def norms(self) -> FloatArray:
        """Squared norms (F,) of features, infinite where a frame is the middle of no triple."""
        norms, middle = np.full(len(self.shown), np.inf), self.middle[: self.count]
        own = self.weights.squares[0] * _norms(self.shown)[middle]
        norms[middle] = self.changes[: self.count] + own
        return norms

    def nearest(self, poses: FloatArray, neighbours: int) -> npt.NDArray[np.int64]:
        """Find the reference frames nearest to each inner frame of a finished signal (m, D).

        One product of all frames with all reference frames holds every distance. Returns the middle
        frames (m - 2, neighbours) of the triples, nearest first.
        """
        from retime.methods.guided.cost_kernels import nearest_frames

        self.must_offer(neighbours)
        inner = len(poses) - 2
        # Single precision is enough to find the nearest; their distances are computed in double.
        kind: Any = np.float64 if inner * self.count < _MANY else np.float32
        poses, shown = (poses - self.centre).astype(kind), self.shown.astype(kind, copy=False)
        squares = np.full((inner, neighbours), np.inf, kind)
        found = np.ones((inner, neighbours), np.int64)
        block = max(_SCORED // len(shown), 16)
        weights, norms = (a.astype(kind) for a in (self.weights.squares, self.norms))
        for i in range(0, inner, block):
            part = slice(i, min(i + block, inner))
            products = poses[i : part.stop + 2] @ shown.T
            nearest_frames(products, weights, norms, squares[part], found[part])
        return found

    def score(self, poses: FloatArray, neighbours: int) -> float:
        """Score a finished signal (m, D): the objective (1)."""
        if len(poses) < 3:
            return 0.0
        apart = self.distances(poses, self.nearest(poses, neighbours))
        return float(apart.mean(axis=1).sum())

    def distances(self, poses: FloatArray, nearest: npt.NDArray[np.int64]) -> FloatArray:
        """Return the distances (m - 2, k) of a signal (m, D) from reference frames (m - 2, k)."""
        from retime.methods.guided.polish_kernels import feature_distances

        out = np.empty(nearest.shape)
        feature_distances(poses - self.centre, self.shown, nearest, self.weights.squares, out)
        return out


def cost_table(
    poses: FloatArray,
    references: Sequence[FloatArray],
    steps: int,
    weights: FeatureWeights,
    *,
    reach: int | None = None,
    neighbours: int = 3,
    precision: Precision = "double",
) -> FloatArray:
    """Score every triple of consecutive frames that a warp may show.

    Parameters
    ----------
    poses : array (n, D)
        Input poses, upsampled where the output may be slower.
    references : sequence of array (R, D)
        Reference signals at the output's rate.
    steps : int
        Largest step from one frame to the next.
    weights : FeatureWeights
        Weights of the features.
    reach : int, optional
        Largest difference of two steps in a row; any if not given.
    neighbours : int
        Number of nearest reference frames that are averaged, 1 to 3.
    precision : {"double", "single"}
        Precision of the distances; single is accurate to about 1e-3.

    Returns
    -------
    array (steps, width, n)
        At ``[a, b - max(a - reach, 0), j]`` the cost of showing frame j after a step of a + 1 and
        before one of b + 1; infinite where that leaves the clip.
    """
    from retime.methods.guided.cost_kernels import (
        centre_input,
        distance_terms,
        finish_costs,
        lagged_products,
        nearest_three,
    )

    frames = ReferenceFrames.of(references, weights)
    frames.must_offer(neighbours)
    kind: Any = np.float64 if precision == "double" else np.float32
    n = len(poses)
    reach = steps - 1 if reach is None else min(reach, steps - 1)
    squares = weights.squares
    poses = np.ascontiguousarray(poses - frames.centre, np.float64)
    shown, middle = frames.shown, frames.middle
    fixed = frames.changes.copy()
    fixed[frames.count :] = _FAR
    parts = [slice(i, i + _REFERENCES) for i in range(0, len(middle), _REFERENCES)]

    width = min(2 * reach + 1, steps)
    step_costs = np.full((steps, width, n), np.inf, kind)
    # As few blocks as fit, all of one size, in whole vectors of eight.
    rows = min(len(middle), _REFERENCES)
    blocks = -(-n // min(_PAIRS // rows, 512))
    block = -(-n // (8 * blocks)) * 8
    long = block + 2 * steps
    # All blocks use the same memory, because new pages cost as much as the products.
    columns = np.empty((poses.shape[1], long))
    centre = np.empty(poses.shape[1])
    # Large products are in single precision too; for small ones double costs nothing.
    fast: Any = kind if n * frames.count > _MANY else np.float64
    products = np.empty((max(middle[p][-1] - middle[p][0] for p in parts) + 3, long), fast)
    terms = np.empty((3, rows, long), kind)
    best = np.empty((3, steps, width, block), kind)
    lagged = np.zeros((2 * steps + 1, long))
    for start in range(0, n, block):
        centre_input(poses, start - steps, columns, centre)
        multiplied = columns.astype(fast, copy=False)
        best.fill(1e30)
        for part in parts:
            inner = middle[part]
            first = inner[0] - 1
            near = shown[first : inner[-1] + 2] - centre
            base = fixed[part] + squares[0] * _norms(near)[inner - first]
            near = near.astype(fast, copy=False)
            products_here = np.matmul(near, multiplied, out=products[: len(near)])
            terms_here = terms[:, : len(inner)]
            distance_terms(products_here, inner - first, squares, terms_here)
            nearest_three(*terms_here, base.astype(kind), steps, reach, best)
        lagged_products(columns, lagged)
        finish_costs(best, lagged, squares, neighbours, start, reach, step_costs)
    return step_costs


def _middles(references: Sequence[FloatArray], count: int) -> npt.NDArray[np.int64]:
    """Return the inner frames of concatenated references, padded to a multiple of four."""
    middle = np.empty(-(-count // 4) * 4, np.int64)
    begin = done = 0
    for reference in references:
        inner = max(len(reference) - 2, 0)
        middle[done : done + inner] = np.arange(begin + 1, begin + 1 + inner)
        begin, done = begin + len(reference), done + inner
    middle[count:] = middle[count - 1]
    return middle


def _norms(rows: FloatArray) -> FloatArray:
    squares: FloatArray = np.einsum("ij,ij->i", rows, rows)
    return squares
