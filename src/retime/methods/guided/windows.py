"""Other takes as reference: windows that show the speed of each part of the input.

A window of the input around source time s is compared with windows of the reference that play it at
a rate e^rho; offsets are shared between the two, so that no rate is favoured:

    D_i(rho) = min_q mean_delta |y(s_i + delta e^(rho/2)) - z(t_q + delta e^(-rho/2))|^2 / joints

Only poses are compared, because a longer stride in the same rhythm does not change the rhythm.
Evidence is weighted by similarity, so a pose without a similar one costs the same at all speeds,
and parts without evidence keep their timing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.guided.pose_curve import FINE

# Log rates that are tried: a quarter to four times, twelve to an octave.
RATES: FloatArray = np.log(2) * np.arange(-24, 25) / 12
_HALF_OCTAVE = 6
# Half a window in seconds, and its samples.
_REACH, _SAMPLES = 0.2, 5
# Regret of a rate is full at this distance beyond the least, in body heights.
_TOLERANCE = 0.03
# Least movement of joints in a window that shows its speed, in body heights.
_STILL = 0.04
# Exponent of the likeness exp(-D / scale^2) in the weight of evidence: half the scale is effective.
_SHARP = 4
# Distance above which windows are not evidence, in squared scales.
_NO_EVIDENCE = 2.5
# Frames of the input and of a reference that are compared at once, and columns of a bound.
_INPUT_BLOCK, _REFERENCE_BLOCK, _BOUND = 256, 4096, 16
# Rates in a first pass over a library of more than this many pieces: the input's rate and its
# neighbours.
_FEW, _SEVERAL = np.array([24, 18, 30]), 8


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence of a reference for the speed of every input frame."""

    regret: FloatArray
    """Cost of playing a frame at each of ``RATES``, 0 to 1. Shape (n, rates)."""
    likeness: FloatArray
    """Similarity of the reference, 0 to 1. Shape (n,)."""
    alike: float
    """Fraction of the frames whose nearest window is within the similarity scale."""

    @property
    def decisive(self) -> float:
        """Mean cost per frame of leaving the best speed by half an octave."""
        frames, best, last = np.arange(len(self.regret)), self.regret.argmin(axis=1), len(RATES) - 1
        either = [np.minimum(best + _HALF_OCTAVE, last), np.maximum(best - _HALF_OCTAVE, 0)]
        return float(np.min([self.regret[frames, level] for level in either], axis=0).mean())


def find_evidence(
    poses: FloatArray,
    references: Sequence[FloatArray],
    *,
    rate: float,
    similarity: float,
    tall: float,
) -> Evidence:
    """Compare all windows.

    Parameters
    ----------
    poses : array (FINE F + 1, D)
        The input, ``FINE`` samples to a frame.
    references : sequence of array (R, D)
        Reference signals at ``rate``.
    rate : float
        Frames per second.
    similarity : float
        Distance below which windows are similar, in body heights.
    tall : float
        Height of the figure.
    """
    scale, tolerance = (similarity * tall) ** 2, (_TOLERANCE * tall) ** 2
    squares = _distances(poses, references, rate, tolerance, _NO_EVIDENCE * scale + tolerance)
    least = squares.min(axis=1, keepdims=True)
    likeness = np.exp(-least / scale)
    moves = 1 - np.exp(-_motion(poses, rate) / (_STILL * tall) ** 2)
    weight = likeness**_SHARP * moves[:, None]
    regret = weight * np.minimum((squares - least) / tolerance, 1.0)
    return Evidence(regret, likeness[:, 0], float((least < scale).mean()))


def _motion(poses: FloatArray, rate: float) -> FloatArray:
    """Return the mean squared movement of joints within the window around each frame (n,)."""
    frames = np.arange((len(poses) - 1) // FINE + 1)[:, None]
    delta = np.round(np.linspace(-_REACH, _REACH, _SAMPLES) * rate * FINE).astype(np.int64)
    window = poses[np.clip(frames * FINE + delta, 0, len(poses) - 1)]
    spread: FloatArray = window.var(axis=1).sum(axis=1) / (poses.shape[1] / 3)
    return spread


def _offsets(rate: float, samples: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return each rate's window: whole samples of the input, and frames of the reference."""
    delta = np.linspace(-_REACH, _REACH, _SAMPLES) * rate
    near = np.round(delta * np.exp(RATES / 2)[:, None] * FINE).astype(np.int64)
    near = np.clip(near, -((samples - 1) // 2), (samples - 1) // 2)
    # The ratio of the two is exact: it is the rate.
    return near, near / FINE * np.exp(-RATES)[:, None]


def _distances(
    poses: FloatArray,
    references: Sequence[FloatArray],
    rate: float,
    tolerance: float,
    most: float,
) -> FloatArray:
    """Return D (n, rates), exact within ``tolerance`` of the minimum of a frame."""
    from retime.methods.guided.window_kernels import block_minima, window_distances

    near, far = _offsets(rate, len(poses))
    shortest = int(np.ceil(2 * _REACH * rate / 2))
    usable = [z for z in references if len(z) > shortest]
    if not usable:
        longest = max((len(z) for z in references), default=0)
        raise InputError(
            f"the reference has {longest} frames; evidence about speed needs at least "
            f"{shortest + 1} frames of it"
        )
    n = (len(poses) - 1) // FINE + 1
    joints = poses.shape[1] / 3
    out = np.full((n, len(RATES)), np.float32(most), np.float32)
    # Rates near 1 first, because their results bound the rest.
    order = np.argsort(np.abs(RATES), kind="stable")
    centre = poses.mean(axis=0)
    # Windows stay inside the input.
    edge = near[:, -1]
    middles = np.clip(np.arange(n)[:, None] * FINE, edge, len(poses) - 1 - edge)
    pieces = list(_pieces(usable, int(np.ceil(np.abs(far).max())) + 2))
    for first in range(0, n, _INPUT_BLOCK):
        part = slice(first, min(first + _INPUT_BLOCK, n))
        low, high = int((middles[part] - edge).min()), int((middles[part] + edge).max()) + 1
        own = (poses[low:high] - centre).astype(np.float32)
        norms = np.einsum("ij,ij->i", own, own)
        # In a library, a first look at few rates finds bounds that spare most of the second.
        for rates in [_FEW, order] if len(pieces) > _SEVERAL else [order]:
            for piece in pieces:
                z = (piece.frames - centre).astype(np.float32)
                squares = own @ z.T
                squares *= -2
                squares += np.einsum("ij,ij->i", z, z)
                squares += norms[:, None]
                squares /= np.float32(joints)
                bumps = ((np.diff(z, axis=0) ** 2).sum(axis=1) / joints).astype(np.float32)
                minima = np.empty((len(own), -(-len(z) // _BOUND)), np.float32)
                block_minima(squares, bumps, _BOUND, minima)
                window_distances(
                    squares,
                    bumps,
                    minima,
                    _BOUND,
                    middles[part] - low,
                    near,
                    far,
                    rates,
                    piece.begin,
                    piece.end,
                    piece.offset,
                    piece.total,
                    np.float32(tolerance),
                    out[part],
                )
    return np.maximum(out, 0).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Piece:
    """Frames of a reference from ``begin`` to ``end``, and what their windows reach."""

    frames: FloatArray
    begin: int
    end: int
    offset: int
    total: int


def _pieces(references: Sequence[FloatArray], margin: int) -> Iterator[_Piece]:
    for z in references:
        for first in range(0, len(z), _REFERENCE_BLOCK):
            last = min(first + _REFERENCE_BLOCK, len(z))
            low, high = max(first - margin, 0), min(last + margin, len(z))
            yield _Piece(z[low:high], first - low, last - low, low, len(z))
