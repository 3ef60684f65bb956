"""Reduce staggering: move knots apart, then part of the way back to their source times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.staggered.spacing import spaced
from retime.methods.staggered.timing import Timing
from retime.motion import Motion

__all__ = ["Reduction", "factors"]

# Different reductions of neighbouring knots may change the speed of a channel by at most this
# fraction. Otherwise reducing one knot would speed up the interval next to it.
_GRADUAL = 0.8
# Staggering is reduced by at most this factor in one round.
_STEP = 2.0


# A knot that loses this share of its staggering counts as reduced, one that loses less partly.
_REDUCED = 0.1


@dataclass(frozen=True, eq=False)
class Reduction:
    """How much of a staggering is kept.

    Parameters
    ----------
    apart : float
        Fraction by which the knots of each channel are moved apart, 0 to 1.
    share : array (K, C)
        Fraction of each knot's staggering that is kept.
    """

    apart: float
    share: FloatArray

    @classmethod
    def none(cls, timing: Timing) -> Reduction:
        """Keep all."""
        return cls(0.0, np.ones(timing.refinements.shape))

    @property
    def is_none(self) -> bool:
        """Whether all is kept."""
        return self.apart == 0 and bool((self.share == 1).all())

    def spaced(self, apart: float) -> Reduction:
        """Return the reduction with another ``apart``."""
        return replace(self, apart=apart)

    def eased(self, factor: FloatArray) -> Reduction:
        """Keep less of each knot's staggering, by factors (K, C)."""
        return replace(self, share=self.share * factor)

    def toward(self, other: Reduction, part: float) -> Reduction:
        """Interpolate between two reductions."""
        apart = self.apart + part * (other.apart - self.apart)
        return Reduction(apart, self.share + part * (other.share - self.share))

    def kept_at(self, ratio: float) -> Reduction:
        """Keep reduced knots where they are for the amount of an edit times a ratio."""
        reduced = np.minimum((1 - self.share) / _REDUCED, 1.0)
        return replace(self, share=np.minimum(self.share * (1 + reduced * (ratio - 1)), 1.0))

    def applied(self, timing: Timing, source: Motion, most: float) -> Timing:
        """Return a timing with its staggering reduced."""
        if self.is_none:
            return timing
        base = spaced(timing, source, most, self.apart) if self.apart else timing
        if (self.share == 1).all():
            return base
        known = timing.known_refinements
        eased = known + _gradual(self.share, base) * (base.refinements - known)
        eased = np.where(timing.included, eased, timing.refinements)
        return spaced(replace(base, refinements=eased), source, most, 0.0)


def _gradual(share: FloatArray, timing: Timing) -> FloatArray:
    """Lower the fractions (K, C) next to low ones, so that they change gradually."""
    far = np.abs(timing.refinements - timing.known_refinements)
    gap = np.diff(timing.known_times)[:, None]
    room = _GRADUAL * gap / np.maximum(np.maximum(far[1:], far[:-1]), 1e-9)
    out = share.copy()
    for k in range(1, len(out)):
        out[k] = np.minimum(out[k], out[k - 1] + room[k - 1])
    for k in range(len(out) - 2, -1, -1):
        out[k] = np.minimum(out[k], out[k + 1] + room[k])
    return out


def factors(
    timing: Timing,
    moments: FloatArray,
    over: FloatArray,
    causes: npt.NDArray[np.bool_] | None,
) -> FloatArray:
    """Return a factor for each knot's staggering (K, C): less where it lets joints turn too fast.

    A fast turn has its full effect on a knot between the neighbours of the knot, and fades to the
    next ones, so that the factor does not jump when a knot passes it. ``over`` (T, N) is the factor
    by which turns exceed the bound. Without ``causes`` all channels are reduced.
    """
    out = np.ones(timing.refinements.shape)
    rush = (over > 1).any(axis=1)
    moments, over = moments[rush], np.minimum(over[rush], _STEP)
    for i in range(len(timing.channels)):
        hang = slice(None) if causes is None else causes[:, i]
        most = np.log(over[:, hang].max(axis=1, initial=1.0))
        if not most.any():
            continue
        poses = np.flatnonzero(timing.included[:, i])
        place = np.interp(moments, timing.knots[poses, i], np.arange(len(poses)))
        near = np.clip(2 - np.abs(place - np.arange(len(poses))[:, None]), 0.0, 1.0)
        out[poses, i] = np.exp(-(near * most).max(axis=1, initial=0.0))
    return out
