"""Scores of candidate timings: how far a triple of frames is from the reference's own timing.

The feature of a triple (eq. 2) is linear in its three poses, so its squared distance to a reference
frame splits into a term for each pose and additions. The reference's feature is linear in three
poses too, so the terms of all frames come from one matrix product, of reference and input poses.
That is exact, and leaves nothing of the nearest-neighbour search but a running minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError

__all__ = ["FeatureWeights", "Precision", "cost_table", "reference_features", "signal_cost"]

Precision = Literal["double", "single"]

# Reference frames a block, and pairs of input and reference frames: their terms stay in the cache.
_REFERENCES, _PAIRS = 512, 1 << 17
# Stands in for references that pad a block to a multiple of four.
_FAR = 1e29


@dataclass(frozen=True)
class FeatureWeights:
    """Weights of pose, central difference and second difference, so that all are metres.

    A feature is [y, tau y', tau^2 y''] with one time constant tau.
    """

    pose: float
    speed: float
    bend: float

    @classmethod
    def of(cls, tau: float, step: float) -> FeatureWeights:
        """Make the weights for a time constant and the time between frames, seconds."""
        return cls(1.0, tau / (2 * step), tau**2 / step**2)

    def features(self, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
        """Return the features (..., 3 D) of triples of poses (..., D)."""
        parts = (self.pose * b, self.speed * (c - a), self.bend * (c - 2 * b + a))
        return np.concatenate(parts, axis=-1)


def reference_features(references: Sequence[FloatArray], weights: FeatureWeights) -> FloatArray:
    """Return the features (R, 3 D) of all inner frames of reference signals (F, D)."""
    return np.concatenate([weights.features(z[:-2], z[1:-1], z[2:]) for z in references])


def signal_cost(poses: FloatArray, features: FloatArray, weights: FeatureWeights, k: int) -> float:
    """Score a whole output of poses (m, D): the objective (1), evaluated plainly."""
    total = 0.0
    for start in range(1, len(poses) - 1, 256):
        b = np.arange(start, min(start + 256, len(poses) - 1))
        triple = weights.features(poses[b - 1], poses[b], poses[b + 1])
        square = ((triple[:, None] - features) ** 2).sum(-1)
        nearest = np.sqrt(np.partition(square, k - 1, axis=1)[:, :k])
        total += float(nearest.mean(axis=1).sum())
    return total


def cost_table(
    poses: FloatArray,
    references: Sequence[FloatArray],
    steps: int,
    weights: FeatureWeights,
    *,
    neighbours: int = 3,
    precision: Precision = "double",
) -> FloatArray:
    """Score every triple of frames that a warp may show in a row.

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
    neighbours : int
        How many nearest reference frames are averaged, 1 to 3.
    precision : {"double", "single"}
        Of the distances; results of single precision are right to about 1e-3.

    Returns
    -------
    array (steps, steps, n)
        The cost of showing frame j after a step of a + 1 and before one of b + 1; infinite where
        that leaves the clip.
    """
    from retime.methods.guided.cost_kernels import (
        centre_input,
        change_norms,
        distance_terms,
        finish_costs,
        lagged_products,
        nearest_three,
    )

    count = sum(max(len(z) - 2, 0) for z in references)
    if count < neighbours:
        raise InputError(
            f"the reference has {count} frames to compare with; {neighbours} neighbours need at "
            f"least {neighbours + 2} frames of it"
        )
    kind: Any = np.float64 if precision == "double" else np.float32
    n = len(poses)
    squares = np.array([weights.pose, weights.speed, weights.bend]) ** 2
    poses = np.ascontiguousarray(poses, np.float64)
    shown = np.ascontiguousarray(np.concatenate(references), np.float64)
    # The middle frames of the references' triples, and what of their features no input changes.
    middle = _middles(references, count)
    fixed = np.empty(len(middle))
    change_norms(shown, middle, squares, fixed)
    fixed[count:] = _FAR
    parts = [slice(i, i + _REFERENCES) for i in range(0, len(middle), _REFERENCES)]

    step_costs = np.full((steps, steps, n), np.inf, kind)
    # As few blocks as fit, all of one size, in whole vectors of eight.
    rows = min(len(middle), _REFERENCES)
    blocks = -(-n // min(_PAIRS // rows, 512))
    block = -(-n // (8 * blocks)) * 8
    width = block + 2 * steps
    # Every block uses the same memory: fresh pages cost as much as the products.
    columns = np.empty((poses.shape[1], width))
    centre = np.empty(poses.shape[1])
    products = np.empty((max(middle[p][-1] - middle[p][0] for p in parts) + 3, width))
    terms = np.empty((3, rows, width), kind)
    best = np.empty((3, steps, steps, block), kind)
    lagged = np.zeros((2 * steps + 1, width))
    for start in range(0, n, block):
        centre_input(poses, start - steps, columns, centre)
        best.fill(1e30)
        for part in parts:
            inner = middle[part]
            first = inner[0] - 1
            near = shown[first : inner[-1] + 2] - centre
            base = fixed[part] + squares[0] * _norms(near)[inner - first]
            products_here = np.matmul(near, columns, out=products[: len(near)])
            terms_here = terms[:, : len(inner)]
            distance_terms(products_here, inner - first, squares, terms_here)
            nearest_three(*terms_here, base.astype(kind), steps, best)
        lagged_products(columns, lagged)
        finish_costs(best, lagged, squares, neighbours, start, step_costs)
    return step_costs


def _middles(references: Sequence[FloatArray], count: int) -> npt.NDArray[np.int64]:
    """Return the inner frames of references laid end to end, the last repeated to fill a four."""
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
