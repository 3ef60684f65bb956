"""Poses between samples: a cubic through them, and its slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

# Samples of the input per frame of the output, between which poses are interpolated.
FINE = 4


@dataclass(frozen=True, eq=False)
class PoseCurve:
    """A signal that can be evaluated between its samples, by frames of the output.

    It is a cubic Hermite spline, because kinks at the samples would stop a descent.
    """

    poses: FloatArray
    """Samples, ``FINE`` to a frame. Shape (FINE F + 1, D)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "poses", np.ascontiguousarray(self.poses, np.float64))

    @property
    def frames(self) -> int:
        """Frames from the first to the last sample."""
        return (len(self.poses) - 1) // FINE

    def at(self, x: npt.ArrayLike) -> FloatArray:
        """Return values (m, D) at positions in frames."""
        place = np.clip(np.asarray(x, dtype=float) * FINE, 0, len(self.poses) - 1)
        k = np.minimum(place.astype(int), len(self.poses) - 2)
        u = (place - k)[:, None]
        before, a = self.poses[np.maximum(k - 1, 0)], self.poses[k]
        b, after = self.poses[k + 1], self.poses[np.minimum(k + 2, len(self.poses) - 1)]
        # Central slopes; at the ends those of the first and the last piece.
        m = (b - before) / np.where(k > 0, 2, 1)[:, None]
        n = (after - a) / np.where(k + 2 < len(self.poses), 2, 1)[:, None]
        return np.asarray(a + u * (m + u * (3 * (b - a) - 2 * m - n + u * (2 * (a - b) + m + n))))
