"""Poses between samples: a cubic through them, and its slope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

__all__ = ["FINE", "PoseCurve"]

# Samples of the input per frame of the output, between which poses are interpolated.
FINE = 4

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class PoseCurve:
    """A signal that can be evaluated between its samples, by frames of the output.

    It is a cubic Hermite spline, because kinks at the samples would stop a descent.

    Parameters
    ----------
    poses : array (FINE F + 1, D)
        Samples, ``FINE`` to a frame.
    """

    poses: FloatArray
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def last(self, name: str, key: Any, make: Callable[[], Made]) -> Made:
        """Return the last value for this curve if it has the same key; otherwise compute it.

        Dragged keytimes do not change costs or evidence.
        """
        if name not in self._kept or self._kept[name][0] != key:
            self._kept[name] = (key, make())
        found: Made = self._kept[name][1]
        return found

    @property
    def frames(self) -> int:
        """Frames from the first to the last sample."""
        return (len(self.poses) - 1) // FINE

    def cells(self, per_frame: int) -> FloatArray:
        """Return equally spaced samples, with a number of samples per frame."""
        if FINE % per_frame == 0:
            return self.poses[:: FINE // per_frame]
        return self.at(np.arange(self.frames * per_frame + 1) / per_frame)

    def at(self, x: npt.ArrayLike) -> FloatArray:
        """Return values (m, D) at positions in frames."""
        return self.with_slope(x)[0]

    def with_slope(self, x: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return values and slopes per frame, (m, D) each, at positions in frames."""
        place = np.clip(np.asarray(x, dtype=float) * FINE, 0, len(self.poses) - 1)
        i = np.minimum(place.astype(np.int64), len(self.poses) - 2)
        h = (place - i)[:, None]
        before, after = np.maximum(i - 1, 0), np.minimum(i + 2, len(self.poses) - 1)
        start, end = self.poses[i], self.poses[i + 1]
        # Tangents by central differences, one-sided at the ends.
        m0 = (end - self.poses[before]) / (i + 1 - before)[:, None]
        m1 = (self.poses[after] - start) / (after - i)[:, None]
        chord = end - start
        c2, c3 = 3 * chord - 2 * m0 - m1, m0 + m1 - 2 * chord
        value = start + h * (m0 + h * (c2 + h * c3))
        slope = FINE * (m0 + h * (2 * c2 + 3 * h * c3))
        return value, slope
