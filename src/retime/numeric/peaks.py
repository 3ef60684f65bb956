"""Peaks of a signal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray

__all__ = ["Peaks"]


@dataclass(frozen=True, eq=False)
class Peaks:
    """The peaks of a signal: frames that are higher than both sides, and middles of plateaus.

    Examples
    --------
    >>> signal = np.array([0.0, 2.0, 1.0, 3.0, 3.0, 3.0, 0.0])
    >>> Peaks.of(signal).frames
    array([1, 4])
    >>> Peaks.of(signal).prominences(6)
    array([1., 3.])
    """

    signal: FloatArray
    frames: npt.NDArray[np.int64]
    """Increasing. Shape (P,)."""

    @classmethod
    def of(cls, signal: FloatArray, *, longest: float = np.inf, least: float = -np.inf) -> Peaks:
        """Find the peaks of a signal (F,).

        Parameters
        ----------
        signal : array (F,)
            The signal. Peaks are neither at its first nor at its last frame.
        longest : float
            Length of the longest plateau that is a peak, in frames.
        least : float
            Height of the lowest peak.
        """
        signal = np.ascontiguousarray(signal, dtype=float)
        first, last = _native.numeric.local_maxima(signal).T
        frames = ((first + last) // 2)[last - first + 1 <= longest]
        return cls(signal, frames[signal[frames] >= least])

    def apart(self, least: float) -> Peaks:
        """Return the peaks without those that are closer than some frames to a higher one."""
        near = _native.numeric.highest_apart(
            self.frames, self.signal[self.frames], int(np.ceil(least))
        )
        return Peaks(self.signal, self.frames[near])

    def prominences(self, reach: int) -> FloatArray:
        """Return how far one must descend from each peak to reach a higher place, (P,).

        No farther than ``reach`` frames from the peak is looked for one.
        """
        return _native.numeric.prominences(self.signal, self.frames, reach)
