"""Poses between samples: a cubic through them, and its slope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

# Samples of the input per frame of the output, between which poses are interpolated.
FINE = 4

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class PoseCurve:
    """A signal that can be evaluated between its samples, by frames of the output.

    It is a cubic Hermite spline, because kinks at the samples would stop a descent.
    """

    poses: FloatArray
    """Samples, ``FINE`` to a frame. Shape (FINE F + 1, D)."""
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        # One layout in memory, so that kernels are compiled once.
        object.__setattr__(self, "poses", np.ascontiguousarray(self.poses, np.float64))

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
        from retime.methods.guided.polish_kernels import sample_curve

        places = np.asarray(x, dtype=float) * FINE
        values = np.empty((len(places), self.poses.shape[1]))
        slopes = np.empty_like(values)
        sample_curve(self.poses, places, values, slopes)
        slopes *= FINE
        return values, slopes
