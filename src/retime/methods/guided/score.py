"""Scores of candidate timings: how far a triple of frames is from the reference's own timing.

The feature of a triple (eq. 2) is linear in its three poses, so its squared distance to a reference
frame splits into a term for each pose, three matrix products for all frames at once, and additions.
That is exact, and leaves nothing of the nearest-neighbour search but a running minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from retime.errors import InputError
from retime.quat import FloatArray

__all__ = ["FeatureWeights", "Precision", "reference_features", "score_of", "score_table"]

Precision = Literal["double", "single"]

# Frames and reference frames a block: its rows stay in the cache.
_FRAMES, _REFERENCES = 256, 512
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


def score_of(poses: FloatArray, features: FloatArray, weights: FeatureWeights, k: int) -> float:
    """Score a whole output of poses (m, D): the objective (1), evaluated plainly."""
    total = 0.0
    for start in range(1, len(poses) - 1, 256):
        b = np.arange(start, min(start + 256, len(poses) - 1))
        triple = weights.features(poses[b - 1], poses[b], poses[b + 1])
        square = ((triple[:, None] - features) ** 2).sum(-1)
        nearest = np.sqrt(np.partition(square, k - 1, axis=1)[:, :k])
        total += float(nearest.mean(axis=1).sum())
    return total


def score_table(
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
        The score of showing frame j after a step of a + 1 and before one of b + 1; infinite where
        that leaves the clip.
    """
    from retime.methods.guided.kernels import finish_scores, lagged_products, nearest_three

    count = sum(max(len(z) - 2, 0) for z in references)
    if count < neighbours:
        raise InputError(
            f"the reference has {count} frames to compare with; {neighbours} neighbours need at "
            f"least {neighbours + 2} frames of it"
        )
    kind: Any = np.float64 if precision == "double" else np.float32
    n = len(poses)
    pose, speed, bend = weights.pose**2, weights.speed**2, weights.bend**2
    # Padded to a multiple of four by references that are far from everything.
    pad = np.zeros((-count % 4, poses.shape[1]))
    place = np.concatenate([*(z[1:-1] for z in references), pad])
    velocity = speed * np.concatenate([*(z[2:] - z[:-2] for z in references), pad])
    curve = bend * np.concatenate([*(z[2:] - 2 * z[1:-1] + z[:-2] for z in references), pad])
    fixed = (velocity**2).sum(1) / max(speed, 1e-300) + (curve**2).sum(1) / max(bend, 1e-300)
    fixed[count:] = _FAR

    scores = np.full((steps, steps, n), np.inf, kind)
    # As few blocks as fit, all of one size, in whole vectors of eight.
    blocks = -(-n // _FRAMES)
    block = -(-n // (8 * blocks)) * 8
    width = block + 2 * steps
    padded = np.pad(poses, ((steps, steps + block), (0, 0)), mode="edge")
    squares = np.array([pose, speed, bend])
    to_before = (-2 * (curve - velocity)).astype(kind)
    to_after = (-2 * (curve + velocity)).astype(kind)
    # Every block uses the same memory: fresh pages cost as much as the products.
    most = min(_REFERENCES, len(place))
    terms = np.empty((3, most, width), kind)
    best = np.empty((3, steps, steps, block), kind)
    products = np.zeros((2 * steps + 1, width))
    for start in range(0, n, block):
        wide = padded[start : start + width]
        # Centred, distances are small against the coordinates no more, and digits are not lost.
        centre = wide.mean(axis=0)
        local = np.ascontiguousarray((wide - centre).T)
        columns = local.astype(kind)
        near = place - centre
        base = (fixed + pose * np.einsum("ij,ij->i", near, near)).astype(kind)
        to_here = (4 * curve - 2 * pose * near).astype(kind)
        best.fill(1e30)
        for first in range(0, len(place), _REFERENCES):
            part = slice(first, min(first + _REFERENCES, len(place)))
            before, here, after = terms[:, : part.stop - part.start]
            np.matmul(to_before[part], columns, out=before)
            np.matmul(to_here[part], columns, out=here)
            np.matmul(to_after[part], columns, out=after)
            nearest_three(before, here, after, base[part], steps, best)
        lagged_products(local, products)
        finish_scores(best, products, squares, neighbours, start, scores)
    return scores
